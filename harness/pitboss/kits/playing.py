"""Lets the user play a session of a reference in the terminal, to record it.

The user may take any time to type, but a session has a time limit. So a new session is run for each typed line. It
begins with all previous lines; only its new output is shown.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence

from pitboss.errors import HarnessError, UsageError
from pitboss.model.scripts import LONGEST_LINE
from pitboss.model.transcript import Event, Paused, Shown, Transcript, Typed, canonical
from pitboss.sessions.references import ExpectedRun


class _NeedsLineError(HarnessError):
    """The reference reads a line that has not been typed yet."""

    def __init__(self, events: tuple[Event, ...]) -> None:
        super().__init__("the reference reads a line")
        self.events = events


class PersonTerminal:
    """The user's terminal."""

    def __init__(self, *, has_pauses: bool = True) -> None:
        """`has_pauses`: show pauses in real time."""
        self._has_pauses = has_pauses

    def show(self, event: Event) -> None:
        """Show an event of the session: output, a pause, or a line that the user did not type."""
        if isinstance(event, Paused):
            if self._has_pauses:
                time.sleep(event.duration_ms / 1000)
            return
        if isinstance(event, Shown):
            sys.stdout.buffer.write(event.text)
        elif isinstance(event, Typed):
            sys.stdout.buffer.write(event.line + b"\n")
        sys.stdout.buffer.flush()

    def read_typed_line(self) -> bytes | None:
        """The next line that the user types; None at the end of input.

        Raises UsageError if the line is too long for a terminal.
        """
        raw = sys.stdin.buffer.readline()
        if len(raw) > LONGEST_LINE:
            raise UsageError(f"the line has {len(raw)} bytes — a terminal takes at most {LONGEST_LINE}")
        if raw and not sys.stdin.isatty():
            sys.stdout.buffer.write(raw)
        return raw.removesuffix(b"\n") if raw else None


def play_session(run: ExpectedRun, terminal: PersonTerminal, first: Sequence[bytes] = ()) -> Transcript:
    """The transcript of the session that the user plays, which begins with the lines `first`.

    Raises UsageError if the reference behaves differently when the same lines are typed again, and errors of the run.
    """
    lines: list[bytes | None] = list(first)
    shown_events: tuple[Event, ...] = ()
    while True:
        try:
            transcript = run(_script_that_types(lines))
            events, is_over = transcript.events, True
        except _NeedsLineError as error:
            events, is_over = error.events, False
        if events[: len(shown_events)] != shown_events:
            raise UsageError(
                "the reference behaved differently when the same lines were typed again, so its sessions cannot be "
                "recorded — give it a seed, or let pitboss read back its draws (docs/tutorial-unseeded.md shows how)"
            )
        for event in events[len(shown_events) :]:
            terminal.show(event)
        if is_over:
            return transcript
        line = terminal.read_typed_line()
        lines.append(line)
        shown_events = events if line is None else (*events, Typed(line))


def session_with_only_lines(run: ExpectedRun, lines: Sequence[bytes]) -> Transcript | None:
    """The transcript of the session with only these lines; None if the reference reads another line after them."""
    try:
        return run(_script_that_types(lines))
    except _NeedsLineError:
        return None


def _script_that_types(lines: Sequence[bytes | None]) -> Callable[[Sequence[Event]], bytes | None]:
    """An input script that types these lines, where None ends the input.

    When the program reads another line, the script abandons the session: it raises _NeedsLineError.
    """
    remaining_lines = iter(lines)
    has_ended = bool(lines) and lines[-1] is None

    def script(events: Sequence[Event]) -> bytes | None:
        for next_line in remaining_lines:  # at most once
            return next_line
        if has_ended:
            return None
        raise _NeedsLineError(canonical(events))

    return script
