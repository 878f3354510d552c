"""Reports on a manually graded stage: one or two sessions are run and shown, and nothing is judged.

The typed lines come from the stage's cases, or from players that respond to the output of this program. The report says
how the program ended, which costs no points.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from itertools import groupby

import msgspec

from pitboss.assignments.answers import rerun_of
from pitboss.assignments.assignment import Stage
from pitboss.assignments.cases import Session, sessions_of
from pitboss.assignments.players import script_of
from pitboss.compare.findings import Compared, WrittenFinding
from pitboss.compare.outcome import result_of
from pitboss.compare.results import Result, StageReport, Verdict
from pitboss.model.transcript import Transcript
from pitboss.sessions.attempts import Attempt, attempts
from pitboss.sessions.job import Job
from pitboss.sessions.programs import Program
from pitboss.sessions.session_files import with_submitted_files
from pitboss.submissions.compilers import Build

#: The maximum number of sessions that are run and shown.
_MAX_SHOWN = 2
NOT_COMPARED = "This stage is graded by hand: its output is not compared with anything."


def manual_report(job: Job, stage: Stage, built: Build, comment: str, only: tuple[str, ...]) -> StageReport:
    """The report on a manually graded stage, with the program's output.

    `comment` is the comment at the top of the program's source; `only` has the names of the requested sessions.
    """
    report = StageReport(
        stage.name, stage.title, Verdict.NEEDS_REVIEW, summary=NOT_COMPARED, is_manual=True, comment=comment
    )
    if built.program is None:
        return msgspec.structs.replace(
            report,
            summary=f"{NOT_COMPARED} It could not be built: {built.reason}",
            faults=(built.reason,) if built.is_fault else (),
        )
    stage = with_submitted_files(stage, built.program.folder)
    sessions = _sessions(stage, only)
    attempt_by_number = _run_sessions(job, stage, built.program, sessions)
    return msgspec.structs.replace(
        report,
        results=tuple(
            _result(job, session, attempt_by_number[number])
            for number, session in enumerate(sessions)
            if number in attempt_by_number
        ),
        total=len(sessions),
        faults=tuple(dict.fromkeys(attempt.failure for attempt in attempt_by_number.values() if attempt.failure)),
    )


def _sessions(stage: Stage, only: tuple[str, ...]) -> list[Session]:
    """The first session of each case, or the requested sessions; at most _MAX_SHOWN."""
    sessions = sessions_of(stage, only)
    if not only:
        sessions = [next(of_case) for _, of_case in groupby(sessions, key=lambda session: session.case.name)]
    return sessions[:_MAX_SHOWN]


def _run_sessions(job: Job, stage: Stage, program: Program, sessions: Sequence[Session]) -> dict[int, Attempt]:
    """Run the program in these sessions; return the attempts by the session's index in `sessions`.

    Sessions that are not run, since earlier ones have used up a limit, have no attempt.
    """
    numbers = range(len(sessions))
    return dict(attempts(numbers, job, program, stage.limits, lambda number: script_of(sessions[number])))


def _result(job: Job, session: Session, attempt: Attempt) -> Result:
    """The result of an attempt at a session; the expected transcript is empty, since nothing is compared."""
    return result_of(
        session,
        Verdict.NEEDS_REVIEW,
        Transcript(()),
        attempt.transcript,
        finding=WrittenFinding(attempt.failure) if attempt.failure else Compared(session.stage.limits),
        points=Decimal(0),
        rerun=rerun_of(session, (), job.called),
    )
