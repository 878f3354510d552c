"""Judged sessions of a stage for a program that is given as a Python function."""

from pitboss.assignments.assignment import Recorded
from pitboss.assignments.cases import sessions_of
from pitboss.assignments.players import input_script_of
from pitboss.compare.comparison import difference_between
from pitboss.compare.outcome import JudgedSession
from pitboss.model.comparison_policy import EXACT
from pitboss.model.invocation import script_of_lines
from pitboss.sessions.drivers import expected_run_here
from pitboss.sessions.references import expectation_of


def judged_sessions(stage, program_run, count=None):
    """Sessions of a stage (all or the first `count`) with what `program_run` prints, judged against the reference."""
    correct_run = expected_run_here(stage)
    for session in sessions_of(stage)[:count]:
        expected = expectation_of(session, correct_run)
        source = session.case.session
        input_script = (
            script_of_lines(expected.lines)
            if isinstance(source, Recorded)
            else input_script_of(source, session.seed, "here")
        )
        actual = program_run(input_script)
        is_same = difference_between(expected.events, actual.events, EXACT) is None
        yield JudgedSession(actual, EXACT, is_same, expected=expected.events)
