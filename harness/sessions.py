"""What is asked of a driver: sessions of one program, each with somebody who types. Values and a protocol."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol

from harness.transcript import Event, Transcript

#: A terminal keeps 4095 bytes of a line, its newline included, and drops the rest in silence (termios(3)).
LONGEST_LINE = 4094

#: Given all that happened so far, the next line to type, or None when there is no more input.
Typist = Callable[[Sequence[Event]], bytes | None]


class Script(NamedTuple):
    """One session to hold."""

    typist: Typist
    #: What is expected to happen: the expecting driver goes by it, the watched one does not look.
    expected: tuple[Event, ...] | None = None


class Driver(Protocol):
    """Holds sessions of one program. A context manager: leaving it leaves nothing running."""

    def sessions(self, scripts: Iterable[Script]) -> Iterator[tuple[int, Transcript]]:
        """Hold a session for each script; its number, from 0, and its transcript, as they end.

        SessionError when this machine refuses.
        """
        ...

    def __enter__(self) -> Driver:
        """Begin to make ready; SessionError when this machine refuses."""
        ...

    def __exit__(self, *_: object) -> None:
        """End all that is still running."""
        ...


def typing(lines: Iterable[bytes]) -> Typist:
    """Somebody who types these lines, whatever is on the screen, and then ends the input."""
    left = iter(lines)
    return lambda _: next(left, None)
