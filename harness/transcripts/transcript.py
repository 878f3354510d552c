"""A transcript: what a session showed, what was typed into it, where it paused, and how it ended."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import Enum

import msgspec


class Shown(msgspec.Struct, frozen=True, tag="shown"):
    """Text the program wrote to its terminal; never what was typed."""

    text: bytes


class Typed(msgspec.Struct, frozen=True, tag="typed"):
    """A line typed when the program asked for one; its Enter is not in `line`."""

    line: bytes


class Paused(msgspec.Struct, frozen=True, tag="paused"):
    """A sleep of the program, in whole milliseconds of its own time."""

    duration_ms: int


class InputEnded(msgspec.Struct, frozen=True, tag="input ended"):
    """The program asked for a line and was told that there is no more input."""


Event = Shown | Typed | Paused | InputEnded


class EndingKind(Enum):
    """How a session came to its end."""

    EXITED = "exited"
    SIGNALLED = "signalled"
    OUT_OF_CPU_TIME = "out of CPU time"
    OUT_OF_IDLE_TIME = "out of idle time"
    #: It did a little now and then, and so kept every other limit.
    OUT_OF_REAL_TIME = "out of real time"
    OVER_OUTPUT = "over the output limit"
    OVER_MEMORY = "over the memory limit"
    OVER_PROCESSES = "over the process limit"
    #: The program itself ended, and a process it had started went on.
    LEFT_PROCESSES = "left processes running"
    #: The input had ended, and the program asked for more of it again and again.
    DEAF = "did not notice the end of input"
    #: The kernel refused to run it: no program, one for another machine, or one whose interpreter is missing.
    NOT_STARTED = "could not be started"
    #: Ours: the session could not be held. It says nothing about the program.
    FAULT = "fault"


#: Ends of sessions that do not end by themselves: each costs all that it may use.
ENDLESS = frozenset(
    {
        EndingKind.OUT_OF_CPU_TIME,
        EndingKind.OUT_OF_IDLE_TIME,
        EndingKind.OUT_OF_REAL_TIME,
        EndingKind.OVER_OUTPUT,
        EndingKind.OVER_MEMORY,
    }
)


class Ending(msgspec.Struct, frozen=True):
    """The end of a session."""

    kind: EndingKind
    #: 0..255; of EXITED and LEFT_PROCESSES only.
    exit_code: int = 0
    #: As in signal(7), such as SIGSEGV; of SIGNALLED only.
    signal: str = ""
    #: What a fault was, for the instructor, or why it could not be started; empty otherwise.
    detail: str = ""


def exited(exit_code: int = 0) -> Ending:
    """The ending of a program that returned from main or called exit."""
    return Ending(EndingKind.EXITED, exit_code=exit_code)


class Remark(Enum):
    """Something a program did to its terminal that explains a difference, and is none by itself."""

    ECHO = "turned the terminal's echo on"
    RAW = "switched the terminal from whole lines to single keys"
    CLOSED_INPUT = "closed its input"
    CLOSED_OUTPUT = "closed its output"


class Transcript(msgspec.Struct, frozen=True):
    """A whole session. Events are in canonical form: see `canonical`."""

    events: tuple[Event, ...]
    ending: Ending = exited()
    #: Bytes shown between the kept head and tail of a flood and not kept; 0 in all other sessions.
    bytes_dropped: int = 0
    remarks: tuple[Remark, ...] = ()

    @property
    def lines(self) -> tuple[bytes, ...]:
        """The lines that were typed, in order."""
        return tuple(event.line for event in self.events if isinstance(event, Typed))

    @property
    def text(self) -> bytes:
        """All the program showed, without what was typed."""
        return b"".join(event.text for event in self.events if isinstance(event, Shown))


def character_start(text: bytes, index: int) -> int:
    """Where the UTF-8 character begins that this byte belongs to; the byte itself where it belongs to none."""
    for start in range(index, max(-1, index - 4), -1):
        if start == len(text) or text[start] & 0xC0 != 0x80:
            return start
    return index


def canonical(events: Iterable[Event]) -> tuple[Event, ...]:
    """The same session with neighbours of a kind joined and empty events left out.

    A person cannot tell one write from two, nor two sleeps of a second from one of two seconds, nor a second
    end of input right after the first; so neither can a comparison.
    """
    kept: list[Event] = []
    for event in events:
        kind, last = type(event), type(kept[-1]) if kept else None
        if isinstance(event, Shown):
            if event.text:
                _add(kept, event, Shown(kept[-1].text + event.text) if last is kind else None)  # type: ignore[union-attr]
        elif isinstance(event, Paused):
            if event.duration_ms:
                longer = Paused(kept[-1].duration_ms + event.duration_ms) if last is kind else None  # type: ignore[union-attr]
                _add(kept, event, longer)
        elif not (isinstance(event, InputEnded) and last is kind):
            kept.append(event)
    return tuple(kept)


def with_texts(events: Iterable[Event], change: Callable[[bytes], bytes]) -> tuple[Event, ...]:
    """The session with each text changed, in canonical form."""
    return canonical(Shown(change(event.text)) if isinstance(event, Shown) else event for event in events)


def _add(kept: list[Event], event: Event, joined: Event | None) -> None:
    """Put an event last, or in the place of the last one what both make together."""
    if joined is None:
        kept.append(event)
    else:
        kept[-1] = joined
