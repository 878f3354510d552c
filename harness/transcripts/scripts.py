"""Input scripts: what is typed in a session, line by line. Values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from harness.transcripts.transcript import Event

#: A terminal keeps 4095 bytes of a line, its newline included, and drops the rest in silence (termios(3)).
LONGEST_LINE = 4094

#: Given all that happened so far, the next line to type, or None when there is no more input.
InputScript = Callable[[Sequence[Event]], bytes | None]


class Script(NamedTuple):
    """One session to run."""

    input: InputScript
    #: What is expected to happen: the expecting driver goes by it, the watched one does not look.
    expected: tuple[Event, ...] | None = None


def typing(lines: Iterable[bytes]) -> InputScript:
    """The input script that types these lines, whatever is on the screen, and then ends the input."""
    left = iter(lines)
    return lambda _: next(left, None)
