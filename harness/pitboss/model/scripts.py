"""Input scripts: what is typed in a session, line by line. Values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

from pitboss.model.comparison_policy import FreeText
from pitboss.model.invocation import PLAIN, Invocation
from pitboss.model.transcript import Event, InputEnded

#: A terminal keeps 4095 bytes of a line, its newline included, and silently drops the rest (termios(3)).
LONGEST_LINE = 4094

#: Called with all events so far; returns the next line to type, or None when there is no more input.
InputScript = Callable[[Sequence[Event]], bytes | None]


@runtime_checkable
class Deciding(Protocol):
    """An input script that looks at what is shown, and may be called again for the same line."""

    def __call__(self, events: Sequence[Event], /) -> bytes | None:
        """Return the next line, as any input script."""
        ...

    def again(self, events: Sequence[Event], unread: bytes | None, /) -> bytes | None:
        """Return a line to replace `unread`, the last one, which the program has not read, now that it showed more."""
        ...


class Script(NamedTuple):
    """One session to run."""

    input: InputScript
    #: The expected events: the expecting driver waits for them, the tracing one ignores them.
    expected: tuple[Event, ...] | None = None
    #: The texts among them for which a program may show others.
    free: tuple[FreeText, ...] = ()
    #: The number of its seeded environment, which determines all that the program can draw.
    environment_seed: int = 0
    #: The arguments, files and standard error of the session.
    invocation: Invocation = PLAIN
    #: Given the events up to the first end of input: whether the session has left the expected path by then. If so it
    #: is ended, since what is right afterwards is unknown. None if that cannot be decided before the session is over.
    has_left: Callable[[Sequence[Event]], bool] | None = None

    def is_over_after(self, events: Sequence[Event]) -> bool:
        """Whether a session that reads its first end of input after these events is ended there."""
        return self.has_left is not None and self.has_left((*events, InputEnded()))


def typing(lines: Iterable[bytes]) -> InputScript:
    """Returns an input script that types these lines, whatever is on the screen, and then ends the input."""
    left = iter(lines)
    return lambda _: next(left, None)


def again(input_script: InputScript, events: Sequence[Event], unread: bytes | None) -> bytes | None:
    """Returns a line to replace `unread`, which an input script returned last and the program has not read."""
    return input_script.again(events, unread) if isinstance(input_script, Deciding) else unread
