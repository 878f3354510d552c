"""A transcript of a session: its output, its typed lines, its pauses, and how it ended. Immutable values.

A session has lines of the screen: a newline or a typed line ends a line.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import Enum
from itertools import accumulate
from typing import Literal

import msgspec


class Shown(msgspec.Struct, frozen=True, tag="shown"):
    """Text that the program wrote to its terminal, without typed text."""

    text: bytes


class Typed(msgspec.Struct, frozen=True, tag="typed"):
    """A line typed when the program read its input; `line` does not include the Enter."""

    line: bytes


class Paused(msgspec.Struct, frozen=True, tag="paused"):
    """A sleep of the program, with its duration in whole milliseconds by the program's clock."""

    duration_ms: int


class InputEnded(msgspec.Struct, frozen=True, tag="input ended"):
    """The program tried to read a line and got the end of input."""


Event = Shown | Typed | Paused | InputEnded


class EndingKind(Enum):
    """How a session ended."""

    EXITED = "exited"
    SIGNALLED = "signalled"
    OUT_OF_CPU_TIME = "out of CPU time"
    OUT_OF_IDLE_TIME = "out of idle time"
    #: The session reached its limit of real time, but no other limit: it was active now and then, so it was never idle
    #: for too long.
    OUT_OF_REAL_TIME = "out of real time"
    OVER_OUTPUT = "over the output limit"
    OVER_MEMORY = "over the memory limit"
    OVER_PROCESSES = "over the process limit"
    OVER_STARTS = "over the limit of started programs"
    #: The files in the session's folder were too large in total, or too many.
    OVER_FOLDER = "over the limit of its folder"
    #: The program ended, but a process that it had started was still running.
    LEFT_PROCESSES = "left processes running"
    #: After the end of input the program kept trying to read more.
    IGNORED_END_OF_INPUT = "did not notice the end of input"
    #: After the last line to type, the program tried to read more. By then its session differed from the expected
    #: session, so pitboss ended it.
    OUT_OF_LINES = "was ended where its lines ended"
    #: The kernel refused to run the file: no program, built for another machine, or its interpreter is missing.
    NOT_STARTED = "could not be started"
    #: The session could not be run, which is not the program's fault and says nothing about the program.
    FAULT = "fault"


#: The endings of sessions that were stopped because they exceeded a limit.
OVER_A_LIMIT = frozenset(
    {
        EndingKind.OUT_OF_CPU_TIME,
        EndingKind.OUT_OF_IDLE_TIME,
        EndingKind.OUT_OF_REAL_TIME,
        EndingKind.OVER_OUTPUT,
        EndingKind.OVER_MEMORY,
        EndingKind.OVER_PROCESSES,
        EndingKind.OVER_STARTS,
        EndingKind.OVER_FOLDER,
    }
)

#: Endings that depend on how fast or how busy this machine was: sessions with these endings are never cached.
MACHINE_DEPENDENT = OVER_A_LIMIT - {EndingKind.OVER_OUTPUT, EndingKind.OVER_MEMORY} | {
    EndingKind.LEFT_PROCESSES,
    EndingKind.FAULT,
}

#: The exit code that a session must have; "nonzero" means any but 0.
ExitCode = int | Literal["nonzero"]


class Ending(msgspec.Struct, frozen=True):
    """The end of a session."""

    kind: EndingKind
    #: The exit code, 0 to 255; for EXITED and LEFT_PROCESSES only.
    exit_code: int = 0
    #: The name of the signal as in signal(7), such as SIGSEGV; for SIGNALLED only.
    signal: str = ""
    #: For the instructor: a description of the fault, or why the program could not be started; otherwise empty.
    detail: str = ""
    #: In an expected ending: whether any exit code but 0 is accepted, not only `exit_code`.
    is_any_failure: bool = False
    #: The number, from 1, of the run before the session that ended like this, so that the session was not run; 0 if the
    #: session itself ended like this.
    run_before: int = 0

    def admits(self, actual: Ending) -> bool:
        """Whether the actual ending is correct if this ending is expected.

        >>> exited("nonzero").admits(exited(3)), exited("nonzero").admits(exited()), exited(1).admits(exited(3))
        (True, False, False)
        """
        if self.is_any_failure or actual.is_any_failure:
            return self.kind is actual.kind is EndingKind.EXITED and 0 not in (self.exit_code, actual.exit_code)
        return self == actual

    def with_code(self, exit_code: ExitCode) -> Ending | None:
        """Return the ending to expect if this exit code is required; None if the ending has a different exit code."""
        if exit_code == "nonzero":
            return msgspec.structs.replace(self, is_any_failure=True) if self.exit_code else None
        return self if self.exit_code == exit_code else None


def exited(exit_code: ExitCode = 0) -> Ending:
    """Returns the ending of a program that returned from main or called exit."""
    if exit_code == "nonzero":
        return Ending(EndingKind.EXITED, exit_code=1, is_any_failure=True)
    return Ending(EndingKind.EXITED, exit_code=exit_code)


class Remark(Enum):
    """What a program did, mostly with its terminal, that may explain a difference but is none."""

    ECHO = "turned the terminal's echo on"
    RAW = "switched the terminal from whole lines to single keys"
    CLOSED_INPUT = "closed its input"
    CLOSED_OUTPUT = "closed its output"
    UNAVAILABLE = "made a call that is not available"


class FileKind(Enum):
    """What a session left at the path of a file that is compared."""

    REGULAR = "a file"
    MISSING = "missing"
    LINK = "a link"
    FOLDER = "a folder"
    #: A FIFO, a socket or a device.
    SPECIAL = "no ordinary file"
    #: A file whose mode does not allow its owner to read it.
    CLOSED = "not readable"
    TOO_LARGE = "too large"


class WrittenFile(msgspec.Struct, frozen=True):
    """A file that is compared, in the state in which a session left it."""

    name: str
    kind: FileKind
    #: The content of the file; empty unless `kind` is REGULAR.
    content: bytes = b""


class Transcript(msgspec.Struct, frozen=True):
    """The record of a complete session. Events are in canonical form: see `canonical`."""

    events: tuple[Event, ...]
    ending: Ending = exited()
    #: The number of bytes dropped from the middle of a flood of output; 0 in all other sessions.
    bytes_dropped: int = 0
    remarks: tuple[Remark, ...] = ()
    #: The files that are compared, in the order of the invocation.
    written: tuple[WrittenFile, ...] = ()
    #: The output to standard error, if it is compared separately; otherwise None.
    errors: bytes | None = None
    #: In an expected transcript: whether any text on standard error is correct, except an empty one.
    accepts_any_errors: bool = msgspec.field(default=False, name="has_any_errors")
    #: The last part of the output to standard error, if that is ignored; only used to explain endings or differences.
    complaint: bytes = b""
    #: Whether the session ends with an end of input that may be no attempt to read a line: the program reads single
    #: keys, and may only wait for any key before its window closes.
    may_wait_for_key: bool = False

    @property
    def lines(self) -> tuple[bytes, ...]:
        """The typed lines, in order."""
        return tuple(event.line for event in self.events if isinstance(event, Typed))

    @property
    def text(self) -> bytes:
        """The program's output, without the typed lines."""
        return b"".join(event.text for event in self.events if isinstance(event, Shown))

    @property
    def error_output(self) -> bytes:
        """The output that may have an error message: standard error if it has text, otherwise the screen."""
        return self.errors or self.complaint or self.text

    def ending_like(self, actual: Transcript) -> Transcript:
        """Return this expected session with the last end of input of `actual`, or without one if `actual` has none.

        If neither program may only wait for a key there, the session is returned as it is.
        """
        if not (self.may_wait_for_key or actual.may_wait_for_key):
            return self
        events = self.events[:-1] if self.events[-1:] == (InputEnded(),) else self.events
        events += actual.events[-1:] if actual.events[-1:] == (InputEnded(),) else ()
        return msgspec.structs.replace(self, events=events, may_wait_for_key=actual.may_wait_for_key)


# Flat sessions


#: A pause in a flat session, as a regular expression.
FLAT_PAUSE = "\u0100[\u0110-\u0119]+"
#: Neighbouring pauses or ends of input, which `canonical` would join.
REPEATED_EVENT = re.compile(f"{FLAT_PAUSE}(?:{FLAT_PAUSE})+|\u0101\u0101+")
_FLAT_LINE = re.compile("[^\n\u0200]*+(?:\n|\u0200[\u0300-\u03ff]*)|[^\n\u0200]+\\Z")
_FLAT_PART = re.compile(f"(?P<shown>[\0-\xff]+)|(?P<pause>{FLAT_PAUSE})|(?P<end>\u0101)|\u0200[\u0300-\u03ff]*")


def flat(events: Iterable[Event]) -> str:
    """Returns a session as one text, in which patterns can be searched.

    A byte of output is the character with its number, 0 to 255; it is not decoded. A pause is U+0100 with its
    milliseconds as digits from U+0110 on, an end of input is U+0101, and a typed line is U+0200 with its bytes from
    U+0300 on. Characters from U+0400 on may stand for unknown text.
    """
    return "".join([event.text.decode("latin-1") if type(event) is Shown else _flat_event(event) for event in events])


@functools.lru_cache(4096)
def _flat_event(event: Event) -> str:
    match event:
        case Typed(line):
            return "\u0200" + "".join(chr(0x300 + byte) for byte in line)
        case Paused(duration_ms):
            return "\u0100" + "".join(chr(0x110 + int(digit)) for digit in str(duration_ms))
    return "\u0101"


def events_of_flat(session: str) -> tuple[Event, ...]:
    """Returns the events of a flat session, in canonical form."""
    return canonical(map(_event_of_flat, _FLAT_PART.finditer(session)))


def _event_of_flat(match: re.Match[str]) -> Event:
    match match.lastgroup:
        case "shown":
            return Shown(match[0].encode("latin-1"))
        case "pause":
            return Paused(int("".join(chr(ord(digit) - 0x110 + ord("0")) for digit in match[0][1:])))
        case "end":
            return InputEnded()
    return Typed(bytes(ord(character) - 0x300 for character in match[0][1:]))


def joined_neighbours(session: str) -> str:
    """Returns a flat session in which neighbouring pauses, and neighbouring ends of input, are joined."""
    return REPEATED_EVENT.sub(lambda match: flat(events_of_flat(match[0])), session)


def decoded(text: str) -> str:
    """Returns text of a flat session as a person reads it; bytes that are not UTF-8 become lone surrogates."""
    return text.encode("latin-1", "replace").decode("utf-8", "surrogateescape")


def shared_length(first: str, second: str) -> int:
    """Returns the number of equal leading characters of two flat sessions, never ending inside a UTF-8 character."""
    low, high = 0, min(len(first), len(second))
    while low < high:
        middle = (low + high + 1) // 2
        if first[:middle] == second[:middle]:
            low = middle
        else:
            high = middle - 1
    return min(character_start(first, low), character_start(second, low))


def character_start(session: str, index: int) -> int:
    """Returns the index of the first byte of the UTF-8 character at `index`; `index` if it is in no character."""
    for start in range(index, max(-1, index - 4), -1):
        byte = session[start : start + 1]
        if not "\x80" <= byte <= "\xbf":
            return start if byte <= "\xff" else index
    return index


def event_start(session: str, index: int) -> int:
    """Returns the start of the pause or the typed line at `index` in a flat session; `index` if a text is there."""
    return (
        max(session.rfind(mark, 0, index + 1) for mark in "\u0100\u0200")
        if session[index : index + 1] > "\u0101"
        else index
    )


#: The shortest pause that a person notices, in milliseconds.
SHORTEST_SEEN_MS = 100
#: Events that nobody can see: an empty text, and a pause of 0 ms.
_INVISIBLE_EVENTS = (Shown(b""), Paused(0))


def canonical(events: Iterable[Event]) -> tuple[Event, ...]:
    """Returns the events with neighbours of the same kind joined, and empty events omitted.

    Nobody can see whether a text was written in one call or two, whether two seconds were one sleep or two, or whether
    the input ended once or twice in a row, so a comparison must not distinguish them.
    """
    result: list[Event] = []
    last: Event | None = None
    # type() is faster than isinstance for thousands of events, and the event classes have no subclasses.
    for event in events:
        kind = type(event)
        merged = event
        if kind is type(last) and kind is not Typed:
            merged = _merged_event(last, event)
            result.pop()
        elif (kind is Shown or kind is Paused) and event in _INVISIBLE_EVENTS:
            continue
        result.append(merged)
        last = merged
    return tuple(result)


def without_unseen_pauses(expected: Sequence[Event], actual: tuple[Event, ...]) -> tuple[Event, ...]:
    """Returns the actual events without pauses too short for anybody to see, except where the expected session pauses.

    If the expected session has such a short pause itself, the actual events are returned unchanged.

    >>> without_unseen_pauses([Shown(b"a")], (Paused(10), Shown(b"a"), Paused(100)))
    (Shown(text=b'a'), Paused(duration_ms=100))
    >>> without_unseen_pauses([Paused(2000), Shown(b"a")], (Paused(2), Shown(b"a"), Paused(2)))
    (Paused(duration_ms=2), Shown(text=b'a'))
    """
    if not any(map(_is_unseen, actual)) or any(map(_is_unseen, expected)):
        return actual
    places = {place for event, place in zip(expected, _places(expected), strict=False) if type(event) is Paused}
    placed = zip(actual, _places(actual), strict=False)
    return canonical(event for event, place in placed if not _is_unseen(event) or place in places)


def _is_unseen(event: Event) -> bool:
    return type(event) is Paused and event.duration_ms < SHORTEST_SEEN_MS


def _places(events: Iterable[Event]) -> Iterator[int]:
    """Yields where each event is: a number that grows with the text shown and the lines typed before it."""
    lengths = (len(event.text) if isinstance(event, Shown) else isinstance(event, Typed) << 40 for event in events)
    return accumulate(lengths, initial=0)


def with_texts(events: Iterable[Event], change: Callable[[bytes], bytes]) -> tuple[Event, ...]:
    """Returns the events with `change` applied to each shown text, in canonical form."""
    return canonical(Shown(change(event.text)) if isinstance(event, Shown) else event for event in events)


def _merged_event(first: Event | None, second: Event) -> Event:
    """Returns two neighbours of the same kind as one event."""
    match first, second:
        case Shown(text), Shown(more):
            return Shown(text + more)
        case Paused(duration_ms), Paused(more_ms):
            return Paused(duration_ms + more_ms)
    return second


#: The events of a line of the screen. The text of a finished line includes its newline.
Line = tuple[Event, ...]


def lines_of(events: Iterable[Event]) -> list[Line]:
    """Returns the lines of the screen; the last line may be unfinished."""
    return list(map(events_of_flat, _FLAT_LINE.findall(flat(events))))


def unfinished_line(events: tuple[Event, ...]) -> Line:
    """Returns the events of a session that belong to its last, unfinished line."""
    for index in range(len(events) - 1, -1, -1):
        event = events[index]
        if isinstance(event, Typed):
            return events[index + 1 :]
        if isinstance(event, Shown) and b"\n" in event.text:
            text = event.text.rpartition(b"\n")[2]
            return (*((Shown(text),) if text else ()), *events[index + 1 :])
    return events


def last_line(events: tuple[Event, ...]) -> bytes:
    """Returns the text of the last, unfinished line of the screen."""
    return b"".join(event.text for event in unfinished_line(events) if isinstance(event, Shown))


def count_ended_lines(events: Iterable[Event]) -> int:
    """Returns the number of lines that a newline or a typed line has ended."""
    return sum(event.text.count(b"\n") if isinstance(event, Shown) else isinstance(event, Typed) for event in events)


def count_typed_lines(events: Iterable[Event]) -> int:
    return sum(isinstance(event, Typed) for event in events)


def is_ended(line: Line) -> bool:
    """Whether a newline or a typed line has ended this line."""
    last = line[-1]
    return last.text.endswith(b"\n") if isinstance(last, Shown) else isinstance(last, Typed)


def is_text(line: Line) -> bool:
    """Whether a line consists of text, perhaps with pauses, and a newline."""
    return is_ended(line) and not any(isinstance(event, Typed | InputEnded) for event in line)


def text_in(line: Line) -> bytes:
    """Returns the text of a line, without typed text and the newline."""
    return b"".join(event.text for event in line if isinstance(event, Shown)).rstrip(b"\n")


def has_text(line: Line) -> bool:
    """Whether a line has visible text or a typed line."""
    return bool(text_in(line).strip()) or any(isinstance(event, Typed) for event in line)


def cut_after_read(transcript: Transcript, reads: int) -> Transcript:
    """Returns the session up to and including read number `reads`, as if the program ended normally after that read.

    A session with fewer reads is returned unchanged.
    """
    read_count = 0
    for index, event in enumerate(transcript.events):
        read_count += isinstance(event, Typed | InputEnded)
        if read_count == reads:
            return Transcript(transcript.events[: index + 1])
    return transcript
