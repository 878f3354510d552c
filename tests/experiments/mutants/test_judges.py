"""Mutants are judged like any program, and get the same lines that the player of a case would type."""

from pitboss.assignments import authored
from pitboss.assignments.players import input_script_of
from pitboss.assignments.specfile import load_assignment
from pitboss.errors import HarnessError
from pitboss.experiments.mutants.function_mutants import MAX_CPU_S, run_of, within_mutant_limits
from pitboss.experiments.mutants.stages import trial_of
from pitboss.experiments.mutants.trial import try_all
from pitboss.unseeded.replay import GivenDraws
from tests.conftest import ROOT


def prepare_trial(name, stage):
    assignment = load_assignment(ROOT / "specs" / name)
    return trial_of(assignment, assignment.stage(stage))


def test_a_mutant_gets_the_lines_that_its_player_would_type():
    trial = prepare_trial("csc101", "basic")
    with trial.mutants.opened() as make:
        for change in trial.mutants.changes[::49]:
            run = make(change).run
            if run is None:
                continue
            for prepared in (trial.sessions[0], trial.sessions[3]):
                results = []
                session = prepared.session
                player = input_script_of(session.case.session, None, session.case.place)
                for script in (prepared.experiment.script(False), player):
                    try:
                        results.append(run(script, GivenDraws(prepared.experiment.draws, trial.stage.draws)))
                    except HarnessError as error:
                        results.append(str(error))
                assert results[0] == results[1], change.id


def test_progress_reports_how_many_mutants_were_tried():
    trial, progress = prepare_trial("csc101", "basic"), []
    trial.mutants.changes = [trial.mutants.changes[0]] * 50
    results = try_all(trial, 1, lambda tried, count: progress.append((tried, count)))
    assert progress == [(40, 50), (50, 50)]
    assert len(results) == 50


def test_only_mutants_have_a_short_time_limit():
    """The reference keeps its usual limit: a failure in a slow moment would be cached, and reject mutants wrongly."""
    trial, limits = prepare_trial("csc101", "basic"), []
    prepared = trial.sessions[0]

    def record_limit(console, draw):
        limits.append(authored.MAX_CPU_S)
        return trial.mutants.coverage.main(console, draw)

    usual_limit = authored.MAX_CPU_S
    with within_mutant_limits():
        limits.append(authored.MAX_CPU_S)
        assert not prepared.experiment.differs(run_of(record_limit))
    assert limits == [usual_limit, MAX_CPU_S]
