"""Converts a session to the lines of a screen, with typed text and pauses; finds where two sessions first differ."""

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
    #: A note that the program did not write, such as `(end of input)` or a visible newline.
    MARK = "mark"


class Piece(msgspec.Struct, frozen=True):
    """A part of a line, of one kind."""

    kind: PieceKind
    text: str
    #: Whether the two sessions differ in this part.
    differs: bool = False


Line = tuple[Piece, ...]


def screen_lines(events: Iterable[Event], *, marks_newlines: bool = False) -> list[Line]:
    """Returns the screen lines of a session. The last is the unfinished line: empty if the session ends with a newline.

    `marks_newlines` adds a visible mark for each newline that the program wrote.
    """
    lines = lines_of(events)
    if not lines or is_ended(lines[-1]):
        lines.append(())
    return [tuple(piece for event in line for piece in _pieces_of(event, marks_newlines)) for line in lines]


def _pieces_of(event: Event, marks_newlines: bool) -> Iterator[Piece]:
    match event:
        case Shown(text):
            readable_text = readable(text.removesuffix(b"\n"))
            if readable_text:
                yield Piece(PieceKind.SHOWN, readable_text)
            if marks_newlines and text.endswith(b"\n"):
                yield Piece(PieceKind.MARK, "↵")
        case Typed(line):
            yield Piece(PieceKind.TYPED, readable(line))
        case Paused(duration_ms):
            yield Piece(PieceKind.MARK, f"(pause {duration_of(duration_ms)})")
        case InputEnded():
            yield Piece(PieceKind.MARK, "(end of input)")


class ScreenDifference(msgspec.Struct, frozen=True):
    """The lines where two sessions first differ, to show one above the other."""

    #: The line number of the first context line.
    first_number: int
    #: The line number of the first difference.
    number: int
    #: The last lines of the program's screen before the line with the difference.
    context: tuple[Line, ...]
    #: The expected line in two parts: before the difference, and from the difference on. None if the assignment's own
    #: checker rejects the actual line, so that no line is expected.
    expected: tuple[Line, Line] | None
    #: The actual line in the same two parts.
    actual: tuple[Line, Line]


_CONTEXT_LINES = 8
_END_OF_SESSION = (Piece(PieceKind.MARK, "(the end)"),)
#: The expected and the actual line to show if the program writes nothing to standard error but should.
_ANY_TEXT, _NO_TEXT = (
    (Piece(PieceKind.MARK, "(any text)", differs=True),),
    (Piece(PieceKind.MARK, "(nothing)", differs=True),),
)
#: A character of a word. The common end of two lines is shortened so that it does not begin inside a word.
_WORD_CHARACTER = re.compile(r"\w")


def screen_difference(difference: Difference) -> ScreenDifference:
    if difference.is_silent:
        return ScreenDifference(first_number=1, number=1, context=(), expected=((), _ANY_TEXT), actual=((), _NO_TEXT))
    split = difference.quoted
    lines_before, expected_line_start = screen_lines(split.before), screen_lines(split.expected_before)[-1]
    context, actual_line_start = lines_before[:-1], lines_before[-1]
    shown_context = context[-_CONTEXT_LINES:]
    if difference.rejected is not None:
        line = _mark_as_different(_next_line(split.actual, marks_newlines=False), shared_count=0)
        return ScreenDifference(
            first_number=len(context) - len(shown_context) + 1,
            number=len(context) + 1,
            context=tuple(shown_context),
            expected=None,
            actual=(actual_line_start, line),
        )
    expected_byte, actual_byte = _first_byte(split.expected), _first_byte(split.actual)
    # The whitespace of a line is made visible if this line has whitespace at the difference, or if the other line has a
    # blank there; a newline there in the other line only means that the other line ends.
    marks_expected = expected_byte.isspace() or (actual_byte.isspace() and actual_byte != b"\n")
    marks_actual = actual_byte.isspace() or (expected_byte.isspace() and expected_byte != b"\n")
    expected_line, actual_line = with_differences(
        _next_line(split.expected, marks_expected), _next_line(split.actual, marks_actual)
    )
    expected_line = _with_visible_spaces(expected_line) if marks_expected else expected_line
    actual_line = _with_visible_spaces(actual_line) if marks_actual else actual_line
    return ScreenDifference(
        first_number=len(context) - len(shown_context) + 1,
        number=len(context) + 1,
        context=tuple(shown_context),
        expected=(expected_line_start, expected_line),
        actual=(actual_line_start, actual_line),
    )


def _next_line(events: tuple[Event, ...], marks_newlines: bool) -> Line:
    """Returns the first line of these remaining events; without events, a mark for the end of the session."""
    return screen_lines(events, marks_newlines=marks_newlines)[0] if events else _END_OF_SESSION


def _with_visible_spaces(line: Line) -> Line:
    """Returns the line with its leading spaces shown as dots, if they are part of the difference."""
    first, *other_pieces = line or _END_OF_SESSION
    if first.kind is not PieceKind.SHOWN or not first.differs:
        return line
    unindented = first.text.lstrip(" ")
    return (msgspec.structs.replace(first, text="·" * (len(first.text) - len(unindented)) + unindented), *other_pieces)


def _first_byte(events: tuple[Event, ...]) -> bytes:
    """Returns the first byte of the first event if this event is text; else empty bytes."""
    return events[0].text[:1] if events and isinstance(events[0], Shown) else b""


def with_differences(line: Line, other: Line) -> tuple[Line, Line]:
    """Returns two lines that begin differently, marked as different except for the whole words at their common end."""
    shared_count = 0
    equal_pairs = list(
        takewhile(
            lambda pair: pair[0] == pair[1],
            zip(_characters_backwards(line), _characters_backwards(other), strict=False),
        )
    )
    line_characters = [*_characters_backwards(line)]
    for count, (piece, _) in enumerate(equal_pairs, 1):
        # The piece in front of this one has the index `count`, since the characters are in reverse order.
        is_after_mark = count < len(line_characters) and line_characters[count].kind is PieceKind.MARK
        if piece.kind is PieceKind.MARK or is_after_mark or not _WORD_CHARACTER.match(piece.text):
            shared_count = count
    return _mark_as_different(line, shared_count), _mark_as_different(other, shared_count)


def _characters_backwards(line: Line) -> Iterable[Piece]:
    """Returns the characters of a line from its last to its first, each as a piece; a mark is one character."""
    for piece in reversed(line):
        yield from (
            [piece] if piece.kind is PieceKind.MARK else (Piece(piece.kind, text) for text in reversed(piece.text))
        )


def _mark_as_different(line: Line, shared_count: int) -> Line:
    """Returns the line, marked as different except for its last `shared_count` characters; a mark is one character."""
    pieces: list[Piece] = []
    for piece in reversed(line):
        size = 1 if piece.kind is PieceKind.MARK else len(piece.text)
        equal = min(shared_count, size)
        shared_count -= equal
        differing_length = 0 if piece.kind is PieceKind.MARK and equal else len(piece.text) - equal
        pieces += [msgspec.structs.replace(piece, text=piece.text[differing_length:])] if equal else []
        pieces += (
            [msgspec.structs.replace(piece, text=piece.text[:differing_length], differs=True)]
            if differing_length
            else []
        )
    return tuple(reversed(pieces))
