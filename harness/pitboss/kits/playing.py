"""A session with a reference that the user plays in the terminal, to be recorded.

The user may take any time to type, but a session has a time limit. So for each line a new session is run, which begins
with the lines before it; only its new output is shown.
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
        """Show an event of the session; a typed line only if it was not typed here."""
        if isinstance(event, Paused):
            if self._has_pauses:
                time.sleep(event.duration_ms / 1000)
            return
        text = event.text if isinstance(event, Shown) else event.line + b"\n" if isinstance(event, Typed) else b""
        sys.stdout.buffer.write(text)
        sys.stdout.buffer.flush()

    def line(self) -> bytes | None:
        """The next typed line; None at the end of input. UsageError if it is too long for a terminal."""
        raw = sys.stdin.buffer.readline()
        if len(raw) > LONGEST_LINE:
            raise UsageError(f"the line has {len(raw)} bytes — a terminal takes at most {LONGEST_LINE}")
        if raw and not sys.stdin.isatty():
            sys.stdout.buffer.write(raw)
        return raw.removesuffix(b"\n") if raw else None


def play_session(run: ExpectedRun, terminal: PersonTerminal, first: Sequence[bytes] = ()) -> Transcript:
    """The session that the user plays, after these first lines.

    Raises UsageError if the reference behaves differently when the same lines are typed again, and errors of the run.
    """
    lines: list[bytes | None] = list(first)
    seen: tuple[Event, ...] = ()
    while True:
        try:
            transcript = run(_typing(lines))
            events, is_over = transcript.events, True
        except _NeedsLineError as error:
            events, is_over = error.events, False
        if events[: len(seen)] != seen:
            raise UsageError(
                "the reference behaved differently when the same lines were typed again, so its sessions cannot be "
                "recorded — give it a seed, or let pitboss read back its draws (docs/tutorial-unseeded.md shows how)"
            )
        for event in events[len(seen) :]:
            terminal.show(event)
        if is_over:
            return transcript
        line = terminal.line()
        lines.append(line)
        seen = events if line is None else (*events, Typed(line))


def reads_a_line(run: ExpectedRun, lines: Sequence[bytes]) -> Transcript | None:
    """The session with only these lines; None if the reference reads another line after them."""
    try:
        return run(_typing(lines))
    except _NeedsLineError:
        return None


def _typing(lines: Sequence[bytes | None]) -> Callable[[Sequence[Event]], bytes | None]:
    """An input script that types these lines, and abandons the session at the next read. None is the end of input."""
    left = iter(lines)
    has_ended = bool(lines) and lines[-1] is None

    def script(events: Sequence[Event]) -> bytes | None:
        for line in left:
            return line
        if has_ended:
            return None
        raise _NeedsLineError(canonical(events))

    return script
