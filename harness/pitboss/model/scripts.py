"""Input scripts, which type the lines of a session one by one, and sessions to run. Immutable values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

from pitboss.model.comparison_policy import FreeText
from pitboss.model.invocation import PLAIN, Invocation
from pitboss.model.transcript import Event, InputEnded

#: The maximum number of bytes of a typed line: a terminal stores 4095 bytes of a line, including the newline, and
#: silently drops all further bytes (termios(3)).
LONGEST_LINE = 4094

#: Called with all events so far; returns the next line to type, or None when there is no more input.
InputScript = Callable[[Sequence[Event]], bytes | None]


@runtime_checkable
class RevisableScript(Protocol):
    """An input script that chooses lines depending on the output. It can revise a line that has not been read yet."""

    def __call__(self, events: Sequence[Event], /) -> bytes | None:
        """Return the next line, like any input script."""
        ...

    def revised_line(self, events: Sequence[Event], unread: bytes | None, /) -> bytes | None:
        """Return a line to replace `unread`, the newest line: the program showed more text before it read that line.

        None, as `unread` or as the result, stands for the end of the input.
        """
        ...


class Script(NamedTuple):
    """One session to run."""

    input: InputScript
    #: The expected events. The expecting driver waits for them; the tracing driver ignores them.
    expected: tuple[Event, ...] | None = None
    #: The texts in `expected` that a program may replace by other texts.
    free: tuple[FreeText, ...] = ()
    #: The seed of the environment, which determines every random value that the program can draw.
    environment_seed: int = 0
    #: The arguments, files and standard error of the session.
    invocation: Invocation = PLAIN
    #: Gets the events of a session up to its first end of input; returns whether they differ from the expected session.
    #: If so, the session is ended there, since the correct output after that is unknown. None if only a complete
    #: session can be judged.
    has_left_expected_path: Callable[[Sequence[Event]], bool] | None = None

    def is_over_after(self, events: Sequence[Event]) -> bool:
        """Whether to end a session that gets its first end of input after these events."""
        return self.has_left_expected_path is not None and self.has_left_expected_path((*events, InputEnded()))


def script_of_lines(lines: Iterable[bytes]) -> InputScript:
    """Returns an input script that types these lines, regardless of the output, and then ends the input."""
    remaining_lines = iter(lines)
    return lambda _: next(remaining_lines, None)


def replacement_line(input_script: InputScript, events: Sequence[Event], unread: bytes | None) -> bytes | None:
    """Returns a line to replace `unread`, the newest line of an input script, which the program has not read yet.

    If the script does not depend on the output, `unread` itself is returned.
    """
    return input_script.revised_line(events, unread) if isinstance(input_script, RevisableScript) else unread
