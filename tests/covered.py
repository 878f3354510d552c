"""Runs every session of every spec through its reference, and its tolerated ones and its known mistakes through some.

What `test_coverage` measures: `coverage run --branch --source reference -m tests.covered`.
"""

import itertools
import random

from pitboss.harness.assignments.assignment import Generated, Recorded
from pitboss.harness.assignments.cases import all_sessions_of
from pitboss.harness.assignments.functions import resolved
from pitboss.harness.assignments.options import settings_near, under
from pitboss.harness.assignments.players import input_script_of
from pitboss.harness.assignments.specfile import assignments_in, load_assignment
from pitboss.harness.authoring.verification import told_twice
from pitboss.harness.errors import HarnessError
from pitboss.harness.mistakes.catalogue import mistakes_of
from pitboss.harness.running.drivers import expected_run_here
from pitboss.harness.running.references import expected_run_in_process
from pitboss.harness.transcripts.scripts import typing
from pitboss.harness.transcripts.transcript import Transcript
from tests.conftest import ROOT

#: Each of the tolerated ones, other settings and mistakes gets one session of so many, and each session some of them:
#: a line that they alone run is run in more than one session in four, or hardly tried by the specs.
EACH = 4


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
    """All stages of all assignments, each time with the same cards."""
    worlds = itertools.count()
    random.SystemRandom = lambda: random.Random(next(worlds))  # type: ignore[assignment,misc]
    specs = ROOT / "specs"
    for name in assignments_in([specs]):
        assignment = load_assignment(specs / name)
        for stage in assignment.stages:
            expected_run, others = expected_run_here(stage), list(others_of(stage))
            for place, session in enumerate(all_sessions_of(stage)):
                told_twice(session, expected_run)
                for other in others[place % EACH :: EACH]:
                    try:
                        other(input_script(session))
                    except HarnessError:  # a wrong program may come to no end
                        pass


if __name__ == "__main__":
    main()
