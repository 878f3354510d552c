"""Sessions whose typed lines respond to what the program itself shows, as the lines of a user would.

A seeded stage is judged with the lines typed to the correct program. Once a submission differs from that program,
these lines may answer questions that the submission does not ask. Only a player that responds to the submission can
reveal how it continues after that difference.
"""

from __future__ import annotations

from collections.abc import Sequence

from pitboss.assignments.assignment import Generated
from pitboss.assignments.cases import Session
from pitboss.assignments.players import input_script_of
from pitboss.compare.outcome import JudgedSession
from pitboss.compare.side_outputs import first_difference
from pitboss.errors import HarnessError
from pitboss.model.invocation import Script, script_of_lines
from pitboss.model.transcript import Transcript
from pitboss.sessions.attempts import attempts
from pitboss.sessions.job import Job
from pitboss.sessions.programs import Program
from pitboss.sessions.references import ExpectedRun, expected_run_of


def judged_on_live_input(job: Job, program: Program, sessions: Sequence[Session]) -> list[JudgedSession]:
    """Run generated sessions of one stage, with players that respond to the program's own screens.

    Returns the judged sessions, without sessions that could not be run or judged because of a fault.
    """
    if not sessions:
        return []
    expected_run = expected_run_of(sessions[0].stage, job.conditions.driver_of)

    def script(number: int) -> Script:
        session = sessions[number]
        assert isinstance(session.case.session, Generated)
        input_script = input_script_of(session.case.session, session.seed, session.case.place)
        return Script(
            input_script,
            free=session.case.policy.free,
            environment_seed=session.environment_seed,
            invocation=session.case.invocation,
        )

    judged_sessions: dict[int, JudgedSession] = {}
    for number, attempt in attempts(range(len(sessions)), job, program, sessions[0].stage.limits, script):
        judged = None if attempt.failure else _judged_session(sessions[number], attempt.transcript, expected_run)
        if judged is not None:
            judged_sessions[number] = judged
    return [judged_sessions[number] for number in sorted(judged_sessions)]


def _judged_session(session: Session, actual: Transcript, expected_run: ExpectedRun) -> JudgedSession | None:
    """Returns the session, compared with the correct program after the same typed lines; None if that program fails."""
    case = session.case
    try:
        expected = expected_run(script_of_lines(actual.lines), invocation=case.invocation)
    except HarnessError:
        return None
    is_accepted = first_difference(expected, actual, case.policy) is None and expected.ending.admits(actual.ending)
    return JudgedSession(
        actual,
        case.policy,
        is_accepted,
        expected=expected.events,
        invocation=case.invocation,
        is_live_input=True,
        environment_seed=session.environment_seed,
    )
