"""The expected transcript of a session: the recorded one, or that of a run of the reference."""

from __future__ import annotations

from harness.assignments.assignment import Generated, Recorded
from harness.assignments.cases import Session
from harness.assignments.players import MOST_LINES, input_script_of
from harness.errors import UsageError
from harness.running.references import ExpectedRun, checked_run
from harness.transcripts.transcript import Transcript, exited


def expectation_of(session: Session, run: ExpectedRun) -> Transcript:
    """The expected transcript of a session: the recorded one, or that of a run of the reference now.

    Raises UsageError if the reference does not end by itself with these answers. Whatever is raised because the
    reference fails is not the submission's fault either.
    """
    match session.case.session:
        case Recorded(events):
            return Transcript(events, exited(session.case.exit_code))
        case Generated():
            place = session.case.place
            expected = run(input_script_of(session.case.session, session.seed, place))
            if len(expected.lines) >= MOST_LINES:
                raise UsageError(
                    f"{place}: {session.name!r} does not end: the reference asked for more than "
                    f"{MOST_LINES} lines — give answers that end it"
                )
            return checked_run(expected, session.case.exit_code, place)
