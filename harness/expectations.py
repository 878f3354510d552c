"""What is expected of a session: the transcript that was recorded, or the one of the reference's run."""

from __future__ import annotations

from harness.assignment import Generated, Recorded
from harness.cases import Session
from harness.errors import UsageError
from harness.players import MOST_LINES, input_script_of
from harness.references import ExpectedRun, held_to
from harness.transcript import Transcript, exited


def expectation_of(session: Session, perform: ExpectedRun) -> Transcript:
    """What is expected: as recorded, or as the reference does it now.

    UsageError where the reference does not end by itself under these answers; what is raised where it fails is not the
    submission's doing either.
    """
    match session.case.session:
        case Recorded(events):
            return Transcript(events, exited(session.case.exit_code))
        case Generated():
            place = session.case.place
            expected = perform(input_script_of(session.case.session, session.seed, place))
            if len(expected.lines) >= MOST_LINES:
                raise UsageError(
                    f"{place}: {session.name!r} does not end: the reference asked for more than "
                    f"{MOST_LINES} lines — give answers that end it"
                )
            return held_to(expected, session.case.exit_code, place)
