"""The judges of mutants decide as any judge does, and what is typed to a mutant is what its player types."""

import pytest

from pitboss.assignments import authored
from pitboss.assignments.players import input_script_of
from pitboss.assignments.specfile import load_assignment
from pitboss.errors import HarnessError
from pitboss.experiments.mutants.trial import try_all
from pitboss.experiments.mutants.unseeded_mutants import DrawnTrial, is_refused
from pitboss.experiments.mutation.mutant_limits import MAX_CPU_S, run_of, within_mutant_limits
from pitboss.sessions.references import expected_run_in_process
from pitboss.unseeded.replay import GivenDraws
from pitboss.unseeded.unseeded import Judge
from tests.conftest import ROOT

#: How many mutants lie between two that are compared, and some whose draws cannot all be read.
STEP, HIDING = 499, ('_show: f"{name} Hand: {\', \'.join(hand)}\\n" → f"{name}Hand', "self._show(reveals=True) → pass")


def trial_of(name, stage):
    assignment = load_assignment(ROOT / "specs" / name)
    return DrawnTrial(assignment, assignment.stage(stage))


@pytest.mark.parametrize(("name", "stage"), [("csc101", "basic"), ("ece2036", "split")])
def test_a_judge_that_keeps_runs_decides_as_one_that_does_not(name, stage):
    trial = trial_of(name, stage)
    mutants = [
        one for number, one in enumerate(trial.mutants) if number % STEP == 0 or any(part in one.id for part in HIDING)
    ]
    refused = 0
    with within_mutant_limits():
        for mutant in mutants:
            main = trial.load(mutant)
            for expected in trial.sessions[:5:4] if main is not None else ():
                drawn = trial.differing(run_of(main), expected)
                if drawn is None or drawn.transcript is None:
                    continue
                judges = trial.judges.judge(), trial.judges.judge(), Judge(trial.job, trial.stage)
                verdicts = {is_refused(judge, [drawn]) for judge in judges}
                assert len(verdicts) == 1, mutant.id
                refused += verdicts.pop()
    assert refused > 0


def test_a_mutant_is_typed_what_its_player_would_type():
    trial = trial_of("csc101", "basic")
    with within_mutant_limits():
        for mutant in trial.mutants[::199]:
            main = trial.load(mutant)
            if main is None:
                continue
            run = expected_run_in_process(main, "the mutant")
            for expected in trial.sessions[:4:3]:
                output = []
                session = expected.session
                player = input_script_of(session.case.session, None, session.case.place)
                for script in (expected.experiment.script(False), player):
                    try:
                        output.append(run(script, GivenDraws(trial.draws(session), trial.stage.draws)))
                    except HarnessError as error:
                        output.append(str(error))
                assert output[0] == output[1], mutant.id


def test_it_is_reported_how_many_mutants_were_tried():
    trial, output = trial_of("csc101", "basic"), []
    trial.mutants = [trial.mutants[0]] * 300
    found = try_all(trial, 1, lambda tried, count: output.append((tried, count)))
    assert output == [(250, 300), (300, 300)]
    assert len(found) == 300


def test_only_mutants_have_a_short_time():
    """What a slow moment in a reference beside them leaves in what is kept would catch mutants that do nothing wrong."""
    trial, limits = trial_of("csc101", "basic"), []
    expected = trial.sessions[0]

    def noting(console, draw):
        limits.append(authored.MAX_CPU_S)
        return trial.ran.main(console, draw)

    usual = authored.MAX_CPU_S
    with within_mutant_limits():
        limits.append(authored.MAX_CPU_S)
        assert not expected.experiment.differs(run_of(noting))
    assert limits == [usual, MAX_CPU_S]
