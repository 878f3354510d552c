"""Converts a session to lines of a screen, with typed text and pauses, and finds the lines where two sessions part."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from enum import Enum
from itertools import takewhile

import msgspec

from pitboss.compare.comparison import Difference
from pitboss.model.notation import duration_of
from pitboss.model.quoting import readable
from pitboss.model.screen_lines import is_ended, lines_of
from pitboss.model.transcript import Event, InputEnded, Paused, Shown, Typed


class PieceKind(Enum):
    """The kind of a piece of a line."""

    SHOWN = "shown"
    TYPED = "typed"
    MARK = "mark"


class Piece(msgspec.Struct, frozen=True):
    """A part of a line, of one kind."""

    kind: PieceKind
    text: str
    #: Whether the two sessions differ in this part.
    differs: bool = False


Line = tuple[Piece, ...]


def screen_lines(events: Iterable[Event], *, draws_ends: bool = False) -> list[Line]:
    """Returns the lines of a session. The last line is unfinished: it is empty if the session ends with a newline.

    `draws_ends` makes the ends of lines visible.
    """
    lines = lines_of(events)
    if not lines or is_ended(lines[-1]):
        lines.append(())
    return [tuple(piece for event in line for piece in _pieces_of(event, draws_ends)) for line in lines]


def _pieces_of(event: Event, draws_ends: bool) -> Iterator[Piece]:
    match event:
        case Shown(text):
            readable_text = readable(text.removesuffix(b"\n"))
            if readable_text:
                yield Piece(PieceKind.SHOWN, readable_text)
            if draws_ends and text.endswith(b"\n"):
                yield Piece(PieceKind.MARK, "↵")
        case Typed(line):
            yield Piece(PieceKind.TYPED, readable(line))
        case Paused(duration_ms):
            yield Piece(PieceKind.MARK, f"(pause {duration_of(duration_ms)})")
        case InputEnded():
            yield Piece(PieceKind.MARK, "(end of input)")


class Parting(msgspec.Struct, frozen=True):
    """Where two sessions part, as lines to show one above the other."""

    #: The number of the first context line, and of the line on which they part.
    first_number: int
    number: int
    #: The lines of the program's screen before that line.
    context: tuple[Line, ...]
    #: For each session, the line up to the difference, and its rest. `expected` is None if the assignment's own
    #: checker rejects the line.
    expected: tuple[Line, Line] | None
    actual: tuple[Line, Line]


_CONTEXT_LINES = 8
_END = (Piece(PieceKind.MARK, "(the end)"),)
#: Shown for a standard error that must not be empty, and for an empty standard error.
_ANY_TEXT, _NO_TEXT = (
    (Piece(PieceKind.MARK, "(any text)", differs=True),),
    (Piece(PieceKind.MARK, "(nothing)", differs=True),),
)
#: A character of a word: the common end of two lines does not begin inside a word.
_WORD_CHARACTER = re.compile(r"\w")


def parting_of(difference: Difference) -> Parting:
    """Returns the lines to show for a difference."""
    if difference.is_silent:
        return Parting(1, 1, (), expected=((), _ANY_TEXT), actual=((), _NO_TEXT))
    split = difference.quoted
    before, expected_start = screen_lines(split.before), screen_lines(split.expected_before)[-1]
    context, start = before[:-1], before[-1]
    shown_context = context[-_CONTEXT_LINES:]
    if difference.rejected is not None:
        line = _marked_different(_next_line(split.actual, draws_ends=False), 0)
        return Parting(
            len(context) - len(shown_context) + 1, len(context) + 1, tuple(shown_context), None, (start, line)
        )
    expected, actual = _first_byte(split.expected), _first_byte(split.actual)
    # Spaces and line ends are drawn visibly if the lines part at a space or line end.
    is_drawn = (
        expected.isspace() or (actual.isspace() and actual != b"\n"),
        actual.isspace() or (expected.isspace() and expected != b"\n"),
    )
    lines = with_differences(_next_line(split.expected, is_drawn[0]), _next_line(split.actual, is_drawn[1]))
    expected_line, actual_line = (
        _with_visible_spaces(line) if is_line_drawn else line
        for line, is_line_drawn in zip(lines, is_drawn, strict=True)
    )
    return Parting(
        first_number=len(context) - len(shown_context) + 1,
        number=len(context) + 1,
        context=tuple(shown_context),
        expected=(expected_start, expected_line),
        actual=(start, actual_line),
    )


def _next_line(events: tuple[Event, ...], draws_ends: bool) -> Line:
    """The first line of the remaining events, or a mark at the end of the session."""
    return screen_lines(events, draws_ends=draws_ends)[0] if events else _END


def _with_visible_spaces(line: Line) -> Line:
    """The line with its leading spaces drawn as dots, if they are part of the difference."""
    first, *rest = line or _END
    if first.kind is not PieceKind.SHOWN or not first.differs:
        return line
    unindented = first.text.lstrip(" ")
    return (msgspec.structs.replace(first, text="·" * (len(first.text) - len(unindented)) + unindented), *rest)


def _first_byte(events: tuple[Event, ...]) -> bytes:
    """The first byte of the next event if that is text; else empty."""
    return events[0].text[:1] if events and isinstance(events[0], Shown) else b""


def with_differences(line: Line, other: Line) -> tuple[Line, Line]:
    """Returns two lines that begin differently, marked as different except for their common end of whole words."""
    shared = 0
    ends = list(
        takewhile(
            lambda pair: pair[0] == pair[1],
            zip(_characters_backwards(line), _characters_backwards(other), strict=False),
        )
    )
    before = [*_characters_backwards(line)]
    for count, (piece, _) in enumerate(ends, 1):
        is_after_mark = count < len(before) and before[count].kind is PieceKind.MARK
        if piece.kind is PieceKind.MARK or is_after_mark or not _WORD_CHARACTER.match(piece.text):
            shared = count
    return _marked_different(line, shared), _marked_different(other, shared)


def _characters_backwards(line: Line) -> Iterable[Piece]:
    """The characters of a line from its end; a mark is one character."""
    for piece in reversed(line):
        yield from (
            [piece] if piece.kind is PieceKind.MARK else (Piece(piece.kind, text) for text in reversed(piece.text))
        )


def _marked_different(line: Line, shared: int) -> Line:
    """The line, marked as different except for its last `shared` characters."""
    pieces: list[Piece] = []
    for piece in reversed(line):
        size = 1 if piece.kind is PieceKind.MARK else len(piece.text)
        equal = min(shared, size)
        shared -= equal
        cut = 0 if piece.kind is PieceKind.MARK and equal else len(piece.text) if not equal else len(piece.text) - equal
        pieces += [msgspec.structs.replace(piece, text=piece.text[cut:])] if equal else []
        pieces += [msgspec.structs.replace(piece, text=piece.text[:cut], differs=True)] if cut else []
    return tuple(reversed(pieces))
