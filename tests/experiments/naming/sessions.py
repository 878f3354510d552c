"""The sessions of a stage as a program would have them that does what a given run does."""

from pitboss.assignments.assignment import Recorded
from pitboss.assignments.cases import sessions_of
from pitboss.assignments.players import input_script_of
from pitboss.compare.comparison import difference_between
from pitboss.compare.outcome import JudgedSession
from pitboss.model.comparison_policy import EXACT
from pitboss.model.scripts import typing
from pitboss.sessions.drivers import expected_run_here
from pitboss.sessions.expected_transcript import expectation_of


def witnesses(stage, expected_run, count=None):
    """Sessions of a stage, all or the first so many, with the lines that its right program gets."""
    right = expected_run_here(stage)
    for session in sessions_of(stage)[:count]:
        expected = expectation_of(session, right)
        case = session.case.session
        input_script = (
            typing(expected.lines) if isinstance(case, Recorded) else input_script_of(case, session.seed, "here")
        )
        actual = expected_run(input_script)
        is_same = difference_between(expected.events, actual.events, EXACT) is None
        yield JudgedSession(actual, EXACT, is_same, expected=expected.events)
