"""Sessions whose typed lines respond to what the program itself shows, as a user's would.

A seeded stage is judged with the lines typed to the correct program. Once a program differs from it, those lines may
answer other questions than the program asks; to see what it does there, a player has to respond to it.
"""

from __future__ import annotations

from collections.abc import Sequence

from pitboss.assignments.assignment import Generated
from pitboss.assignments.cases import Session
from pitboss.assignments.players import input_script_of
from pitboss.compare.outcome import JudgedSession
from pitboss.compare.side_outputs import first_difference
from pitboss.errors import HarnessError
from pitboss.model.scripts import Script, typing
from pitboss.model.transcript import Transcript
from pitboss.sessions.attempts import attempts
from pitboss.sessions.job import Job
from pitboss.sessions.programs import Program
from pitboss.sessions.references import ExpectedRun, expected_run_of


def judged_on_live_input(job: Job, program: Program, sessions: Sequence[Session]) -> list[JudgedSession]:
    """Run generated sessions of one stage on the program's own screens; sessions that fail on our side are left out."""
    if not sessions:
        return []
    expected_run = expected_run_of(sessions[0].stage, job.conditions.driver_of)

    def script(number: int) -> Script:
        session = sessions[number]
        assert isinstance(session.case.session, Generated)
        typed = input_script_of(session.case.session, session.seed, session.case.place)
        return Script(
            typed,
            free=session.case.policy.free,
            environment_seed=session.environment_seed,
            invocation=session.case.invocation,
        )

    found: dict[int, JudgedSession] = {}
    for number, attempt in attempts(range(len(sessions)), job, program, sessions[0].stage.limits, script):
        judged = None if attempt.failure else _judged_session(sessions[number], attempt.transcript, expected_run)
        if judged is not None:
            found[number] = judged
    return [found[number] for number in sorted(found)]


def _judged_session(session: Session, actual: Transcript, expected_run: ExpectedRun) -> JudgedSession | None:
    """The session compared with the correct program's on the same lines; None if that one fails with them."""
    case = session.case
    try:
        expected = expected_run(typing(actual.lines), invocation=case.invocation)
    except HarnessError:
        return None
    is_accepted = first_difference(expected, actual, case.policy) is None and expected.ending.admits(actual.ending)
    return JudgedSession(
        actual,
        case.policy,
        is_accepted,
        expected=expected.events,
        invocation=case.invocation,
        is_in_step=True,
        environment_seed=session.environment_seed,
    )
