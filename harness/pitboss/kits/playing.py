"""A session with a reference that a person plays in the terminal, and that is kept.

Whoever types may take any time for it, and a session may not. So each line is typed into a session of its own, which
begins with the lines before it; only what is new in it is shown.
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
    """The reference reads a line that was not typed yet."""

    def __init__(self, events: tuple[Event, ...]) -> None:
        super().__init__("the reference reads a line")
        self.events = events


class PersonTerminal:
    """The terminal of whoever plays."""

    def __init__(self, *, has_pauses: bool = True) -> None:
        """`has_pauses`: pauses take their time."""
        self._has_pauses = has_pauses

    def show(self, event: Event) -> None:
        """Show something that happened in the session; a typed line is shown if nobody typed it here."""
        if isinstance(event, Paused):
            if self._has_pauses:
                time.sleep(event.duration_ms / 1000)
            return
        text = event.text if isinstance(event, Shown) else event.line + b"\n" if isinstance(event, Typed) else b""
        sys.stdout.buffer.write(text)
        sys.stdout.buffer.flush()

    def line(self) -> bytes | None:
        """The next line that is typed; None at the end of input. UsageError for one that no terminal takes."""
        raw = sys.stdin.buffer.readline()
        if len(raw) > LONGEST_LINE:
            raise UsageError(f"the line has {len(raw)} bytes — a terminal takes at most {LONGEST_LINE}")
        if raw and not sys.stdin.isatty():
            sys.stdout.buffer.write(raw)
        return raw.removesuffix(b"\n") if raw else None


def played(run: ExpectedRun, terminal: PersonTerminal, first: Sequence[bytes] = ()) -> Transcript:
    """The session that a person plays, after these first lines.

    Raises UsageError if the reference does something else when the same lines are typed again, and what the run raises.
    """
    lines: list[bytes | None] = list(first)
    seen: tuple[Event, ...] = ()
    while True:
        try:
            transcript = run(_typing(lines))
            events, is_over = transcript.events, True
        except _NeedsLineError as asked:
            events, is_over = asked.events, False
        if events[: len(seen)] != seen:
            raise UsageError(
                "the reference showed something else when the same lines were typed again, so its sessions cannot be "
                "kept — give it a seed, or let pitboss read back what it draws (docs/tutorial-unseeded.md shows how)"
            )
        for event in events[len(seen) :]:
            terminal.show(event)
        if is_over:
            return transcript
        line = terminal.line()
        lines.append(line)
        seen = events if line is None else (*events, Typed(line))


def reads_a_line(run: ExpectedRun, lines: Sequence[bytes]) -> Transcript | None:
    """The session with these lines alone; None if the reference reads another one then."""
    try:
        return run(_typing(lines))
    except _NeedsLineError:
        return None


def _typing(lines: Sequence[bytes | None]) -> Callable[[Sequence[Event]], bytes | None]:
    """An input script that types these lines; at the next one it gives up the session. None is the end of input."""
    left = iter(lines)
    has_ended = bool(lines) and lines[-1] is None

    def script(events: Sequence[Event]) -> bytes | None:
        for line in left:
            return line
        if has_ended:
            return None
        raise _NeedsLineError(canonical(events))

    return script
