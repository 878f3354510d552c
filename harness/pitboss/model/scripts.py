"""Input scripts, which type the lines of a session one by one. Values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

from pitboss.model.comparison_policy import FreeText
from pitboss.model.invocation import PLAIN, Invocation
from pitboss.model.transcript import Event, InputEnded

#: A terminal stores 4095 bytes of a line, its newline included, and silently drops the rest (termios(3)).
LONGEST_LINE = 4094

#: Called with all events so far; returns the next line to type, or None when there is no more input.
InputScript = Callable[[Sequence[Event]], bytes | None]


@runtime_checkable
class Deciding(Protocol):
    """An input script that decides by the output, and may be called again for the same line."""

    def __call__(self, events: Sequence[Event], /) -> bytes | None:
        """Return the next line, like any input script."""
        ...

    def again(self, events: Sequence[Event], unread: bytes | None, /) -> bytes | None:
        """Return a line to replace `unread`, the last line, which the program had not read when it showed more."""
        ...


class Script(NamedTuple):
    """One session to run."""

    input: InputScript
    #: The expected events: the expecting driver waits for them, the tracing one ignores them.
    expected: tuple[Event, ...] | None = None
    #: The texts in them that a program may replace by others.
    free: tuple[FreeText, ...] = ()
    #: The number of its seeded environment, which determines everything that the program can draw.
    environment_seed: int = 0
    #: The arguments, files and standard error of the session.
    invocation: Invocation = PLAIN
    #: Returns, for the events up to the first end of input, whether the session differs from the expected one. Then it
    #: is ended, since the correct output from there on is unknown. None if only a complete session can be judged.
    has_left: Callable[[Sequence[Event]], bool] | None = None

    def is_over_after(self, events: Sequence[Event]) -> bool:
        """Whether to end a session that gets its first end of input after these events."""
        return self.has_left is not None and self.has_left((*events, InputEnded()))


def typing(lines: Iterable[bytes]) -> InputScript:
    """Returns an input script that types these lines, regardless of the output, and then ends the input."""
    lines_left = iter(lines)
    return lambda _: next(lines_left, None)


def again(input_script: InputScript, events: Sequence[Event], unread: bytes | None) -> bytes | None:
    """Returns a line to replace `unread`, which an input script returned last and the program has not read."""
    return input_script.again(events, unread) if isinstance(input_script, Deciding) else unread
