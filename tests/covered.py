"""Runs every session of every spec through its reference, its tolerated ones and its known mistakes.

What `test_coverage` measures: `coverage run --branch --source reference -m tests.covered`.
"""

from harness.assignments.assignment import Generated, Recorded
from harness.assignments.cases import all_sessions_of
from harness.assignments.functions import resolved
from harness.assignments.options import settings_near, under
from harness.assignments.players import input_script_of
from harness.assignments.specfile import assignments_in, load_assignment
from harness.authoring.verification import told_twice
from harness.errors import HarnessError
from harness.mistakes.catalogue import mistakes_of
from harness.running.drivers import expected_run_here
from harness.running.references import expected_run_in_process
from harness.transcripts.scripts import typing
from harness.transcripts.transcript import Transcript
from tests.conftest import ROOT


def input_script(session):
    match session.case.session:
        case Recorded(events):
            return typing(Transcript(events).lines)
        case Generated() as generated:
            return input_script_of(generated, session.seed, session.case.place)


def others_of(stage):
    for tolerated in stage.tolerated:
        function = tolerated.reference.function
        yield expected_run_in_process(resolved(function, tolerated.name), tolerated.name)
    for setting in settings_near(stage.options):
        yield expected_run_here(under(stage, setting))
    for mistake in mistakes_of(stage):
        yield mistake.run_of(stage.name)


def main() -> None:
    """All stages of all assignments."""
    specs = ROOT / "specs"
    for name in assignments_in([specs]):
        assignment = load_assignment(specs / name)
        for stage in assignment.stages:
            expected_run, others = expected_run_here(stage), list(others_of(stage))
            for session in all_sessions_of(stage):
                told_twice(session, expected_run)
                for other in others:
                    try:
                        other(input_script(session))
                    except HarnessError:  # a wrong program may come to no end
                        pass


if __name__ == "__main__":
    main()
