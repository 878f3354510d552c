"""The lines of a screen as values, to compare sessions line by line."""

from __future__ import annotations

from pitboss.transcripts.transcript import Event, InputEnded, Shown, Typed

#: What a line of the screen is made of; the newline at its end is part of its text.
Line = tuple[Event, ...]
EMPTY: Line = (Shown(b"\n"),)


def line_begun(events: tuple[Event, ...]) -> Line:
    """The part of a session that belongs to its last line, which is not ended."""
    line: list[Event] = []
    for event in reversed(events):
        if isinstance(event, Typed):
            break
        before, newline, text = event.text.rpartition(b"\n") if isinstance(event, Shown) else (b"", b"", b"")
        if newline:
            line += [Shown(text)] if text else []
            break
        line.append(event)
    return tuple(reversed(line))


def lines_of(events: tuple[Event, ...]) -> list[Line]:
    """The lines of the screen; a typed line ends one."""
    lines: list[Line] = []
    line: list[Event] = []
    for event in events:
        if not isinstance(event, Shown):
            line.append(event)
            if isinstance(event, Typed):
                lines.append(tuple(line))
                line = []
            continue
        *whole, rest = event.text.split(b"\n")
        for text in whole:
            lines.append((*_joined(line, text + b"\n"),))
            line = []
        line = _joined(line, rest) if rest else line
    return [*lines, tuple(line)] if line else lines


def _joined(line: list[Event], text: bytes) -> list[Event]:
    """The line with a text at its end, joined with a text before it."""
    if line and isinstance(line[-1], Shown):
        return [*line[:-1], Shown(line[-1].text + text)]
    return [*line, Shown(text)]


def is_text(line: Line) -> bool:
    """Whether a line is nothing but text up to a newline, perhaps after a pause."""
    ends = isinstance(line[-1], Shown) and line[-1].text.endswith(b"\n")
    return ends and not any(isinstance(event, Typed | InputEnded) for event in line)


def text_in(line: Line) -> bytes:
    """The text of a line, without typed text and its newline."""
    return b"".join(event.text for event in line if isinstance(event, Shown)).rstrip(b"\n")


def has_text(line: Line) -> bool:
    """Whether a line has text that can be seen."""
    return bool(text_in(line).strip()) or any(isinstance(event, Typed) for event in line)
