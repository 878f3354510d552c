"""The expected transcript of a session: recorded, or from a run of the reference."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from pitboss.assignments.assignment import Answers, Generated, Recorded
from pitboss.assignments.cases import Session
from pitboss.assignments.players import BLAME_MIN_LINES, MAX_LINES, endless_session_blame, input_script_of
from pitboss.errors import AssignmentError, EndlessError
from pitboss.model.relaxation import check_anything_is_judged
from pitboss.model.scripts import InputScript, replacement_line, script_of_lines
from pitboss.model.transcript import Event, Transcript, exited
from pitboss.sessions.references import ExpectedRun, checked_run
from pitboss.sessions.textfiles import with_contents


def expectation_of(session: Session, run: ExpectedRun) -> Transcript:
    """Returns the expected transcript of a session: it was recorded, or the reference is run now.

    Raises EndlessError if the case's answers or player never end the session, and other errors if the reference fails.
    None of these errors is the submission's fault.
    """
    match session.case.session:
        case Recorded(events):
            check_anything_is_judged(events, session.case.policy, session.case.place)
            recorded, invocation = Transcript(events, exited(session.case.exit_code)), session.case.invocation
            if not invocation.needs_reference:
                return with_contents(recorded, invocation)
            # The case does not state all files and standard error, so these are taken from a run of the reference.
            transcript = run(script_of_lines(recorded.lines), invocation=invocation)
            transcript = checked_run(transcript, session.case.exit_code, session.case.place)
            return msgspec.structs.replace(
                recorded,
                written=transcript.written,
                errors=transcript.errors,
                accepts_any_errors=transcript.accepts_any_errors,
                complaint=transcript.complaint,
            )
        case Generated():
            place = session.case.place
            script = _RecordingScript(input_script_of(session.case.session, session.seed, place))
            try:
                expected = run(script, invocation=session.case.invocation)
            except AssignmentError as error:
                if error.is_endless:  # after this many lines it is the fault of the answers or the player
                    _check_line_count(session, script.events, BLAME_MIN_LINES, str(error))
                raise
            check_max_lines(session, expected.events)
            check_anything_is_judged(expected.events, session.case.policy, place)
            return checked_run(expected, session.case.exit_code, place)


class _RecordingScript:
    """Types the lines of another input script, and saves the events of the session so far."""

    def __init__(self, script: InputScript) -> None:
        self._script = script
        self.events: Sequence[Event] = ()

    def __call__(self, events: Sequence[Event]) -> bytes | None:
        self.events = events
        return self._script(events)

    def revised_line(self, events: Sequence[Event], unread: bytes | None) -> bytes | None:
        """See `scripts.RevisableScript`."""
        self.events = events
        return replacement_line(self._script, events, unread)


def check_max_lines(session: Session, events: Sequence[Event]) -> None:
    """Raise EndlessError if the reference has read the maximum number of further lines in a generated session."""
    _check_line_count(session, events, MAX_LINES, f"the reference asked for more than {MAX_LINES} lines")


def _check_line_count(session: Session, events: Sequence[Event], max_lines: int, reason: str) -> None:
    """Raise EndlessError if a generated session has `max_lines` typed lines or more, not counting a case's own answers.

    The error's message contains `reason`, which says how we know that the session does not end.
    """
    case = session.case
    if not isinstance(case.session, Generated):
        return
    answers = case.session.answers
    answer_count = len(answers.lines) if isinstance(answers, Answers) else 0
    if len(Transcript(tuple(events)).lines) - answer_count < max_lines:
        return
    # A session that was requested on the command line is not in the spec file, so its place has no line number.
    location_prefix = "" if case.place == str(session.stage.spec.path) else f"{case.place}: "
    blame = endless_session_blame(answers, events)
    raise EndlessError(f"{location_prefix}{session.name!r} does not end: {reason}. {blame}")
