"""Splits a session into lines of the screen, for all modules that need them: a newline or a typed line ends a line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pitboss.model.transcript import Event, InputEnded, Shown, Typed

#: The events of a line of the screen. The text of a finished line includes its newline.
Line = tuple[Event, ...]
#: An empty line: only a newline.
EMPTY: Line = (Shown(b"\n"),)
#: A line of a text, with its newline; the last line may have no newline.
_PIECE = re.compile(rb"[^\n]*\n|[^\n]+")


def pieces_of(events: Iterable[Event]) -> Iterator[tuple[Event, bool]]:
    """Yields pairs: an event, and whether it ends a line. A text is split after each of its newlines."""
    for event in events:
        if isinstance(event, Shown):
            yield from ((Shown(text), text.endswith(b"\n")) for text in _PIECE.findall(event.text))
        else:
            yield event, isinstance(event, Typed)


def lines_of(events: Iterable[Event]) -> list[Line]:
    """Returns the lines of the screen; the last line may be unfinished."""
    lines: list[Line] = []
    line: list[Event] = []
    for piece, ends_line in pieces_of(events):
        last = line[-1] if line else None
        if isinstance(piece, Shown) and isinstance(last, Shown):
            line[-1] = Shown(last.text + piece.text)
        else:
            line.append(piece)
        if ends_line:
            lines.append(tuple(line))
            line = []
    return [*lines, tuple(line)] if line else lines


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
