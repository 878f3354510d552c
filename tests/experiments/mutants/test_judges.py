"""Mutants are judged like any program, and get the same lines that the player of a case would type."""

import pytest

from pitboss.assignments import authored
from pitboss.assignments.players import input_script_of
from pitboss.assignments.specfile import load_assignment
from pitboss.errors import HarnessError
from pitboss.experiments.mutants.trial import try_all
from pitboss.experiments.mutants.unseeded_mutants import UnseededTrial, is_program_rejected
from pitboss.experiments.mutation.mutant_limits import MAX_CPU_S, run_of, within_mutant_limits
from pitboss.sessions.references import expected_run_in_process
from pitboss.unseeded.replay import GivenDraws
from pitboss.unseeded.unseeded import Judge
from tests.conftest import ROOT

#: One of so many mutants is judged.
STEP = 499
#: Parts of the ids of mutants that hide some draws from the reader: these are judged too.
HIDING = ('_show: f"{name} Hand: {\', \'.join(hand)}\\n" → f"{name}Hand', "self._show(reveals=True) → pass")


def prepare_trial(name, stage):
    assignment = load_assignment(ROOT / "specs" / name)
    return UnseededTrial(assignment, assignment.stage(stage))


@pytest.mark.parametrize(("name", "stage"), [("csc101", "basic"), ("ece2036", "split")])
def test_a_judge_that_caches_runs_decides_like_a_judge_without_cache(name, stage):
    trial = prepare_trial(name, stage)
    mutants = [
        mutant
        for number, mutant in enumerate(trial.mutants)
        if number % STEP == 0 or any(part in mutant.id for part in HIDING)
    ]
    rejection_count = 0
    with within_mutant_limits():
        for mutant in mutants:
            main = trial.load(mutant)
            if main is None:
                continue
            for session in (trial.sessions[0], trial.sessions[4]):
                drawn_session = trial.differing(run_of(main), session)
                if drawn_session is None or drawn_session.transcript is None:
                    continue
                # The first two share their runs of references; the third makes all of its own.
                judges = trial.judges.new_judge(), trial.judges.new_judge(), Judge(trial.job, trial.stage)
                decisions = {is_program_rejected(judge, [drawn_session]) for judge in judges}
                assert len(decisions) == 1, mutant.id
                rejection_count += decisions.pop()
    assert rejection_count > 0


def test_a_mutant_gets_the_lines_that_its_player_would_type():
    trial = prepare_trial("csc101", "basic")
    with within_mutant_limits():
        for mutant in trial.mutants[::199]:
            main = trial.load(mutant)
            if main is None:
                continue
            run = expected_run_in_process(main, "the mutant")
            for prepared in (trial.sessions[0], trial.sessions[3]):
                results = []
                session = prepared.session
                player = input_script_of(session.case.session, None, session.case.place)
                for script in (prepared.experiment.script(False), player):
                    try:
                        results.append(run(script, GivenDraws(trial.draws(session), trial.stage.draws)))
                    except HarnessError as error:
                        results.append(str(error))
                assert results[0] == results[1], mutant.id


def test_progress_reports_how_many_mutants_were_tried():
    trial, progress = prepare_trial("csc101", "basic"), []
    trial.mutants = [trial.mutants[0]] * 300
    results = try_all(trial, 1, lambda tried, count: progress.append((tried, count)))
    assert progress == [(250, 300), (300, 300)]
    assert len(results) == 300


def test_only_mutants_have_a_short_time_limit():
    """The reference keeps its usual limit: a failure in a slow moment would be cached, and reject mutants wrongly."""
    trial, limits = prepare_trial("csc101", "basic"), []
    prepared = trial.sessions[0]

    def record_limit(console, draw):
        limits.append(authored.MAX_CPU_S)
        return trial.coverage.main(console, draw)

    usual_limit = authored.MAX_CPU_S
    with within_mutant_limits():
        limits.append(authored.MAX_CPU_S)
        assert not prepared.experiment.differs(run_of(record_limit))
    assert limits == [usual_limit, MAX_CPU_S]
