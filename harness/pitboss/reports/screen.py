"""Converts a session to the lines of a screen, with typed text and pauses; finds where two sessions first differ.

Lines that are too wide are cut.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from itertools import accumulate, groupby, takewhile

import msgspec

from pitboss.compare.comparison import Difference, Split
from pitboss.model.notation import duration_of
from pitboss.model.quoting import characters_of, readable
from pitboss.model.transcript import Event, InputEnded, Paused, Shown, Typed, is_ended, lines_of


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
    *context, actual_line_start = screen_lines(split.before)
    shown_context = context[-_CONTEXT_LINES:]
    if difference.rejected is not None:
        expected = None
        actual_line = _mark_as_different(_next_line(split.actual, marks_newlines=False), shared_count=0)
    else:
        expected_line, actual_line = _differing_lines(split)
        expected = screen_lines(split.expected_before)[-1], expected_line
    return ScreenDifference(
        first_number=len(context) - len(shown_context) + 1,
        number=len(context) + 1,
        context=tuple(shown_context),
        expected=expected,
        actual=(actual_line_start, actual_line),
    )


def _differing_lines(split: Split) -> tuple[Line, Line]:
    """Returns the expected and the actual line from the difference on, with the whitespace there made visible."""
    expected_byte, actual_byte = _first_byte(split.expected), _first_byte(split.actual)
    # The whitespace of a line is made visible if this line has whitespace at the difference, or if the other line has a
    # blank there; a newline there in the other line only means that the other line ends.
    marks_expected = expected_byte.isspace() or (actual_byte.isspace() and actual_byte != b"\n")
    marks_actual = actual_byte.isspace() or (expected_byte.isspace() and expected_byte != b"\n")
    expected_line, actual_line = with_differences(
        _next_line(split.expected, marks_expected), _next_line(split.actual, marks_actual)
    )
    expected_line = _with_visible_spaces(expected_line) if marks_expected else expected_line
    return expected_line, _with_visible_spaces(actual_line) if marks_actual else actual_line


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
    characters = list(_characters_backwards(line))
    pairs = zip(characters, _characters_backwards(other), strict=False)
    for count, (piece, _) in enumerate(takewhile(lambda pair: pair[0] == pair[1], pairs), 1):
        # The piece in front of this one has the index `count`, since the characters are in reverse order.
        is_after_mark = count < len(characters) and characters[count].kind is PieceKind.MARK
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


# Lines cut to a number of columns: an … marks a cut. A cut never removes the text at a difference.


_CUT = Piece(PieceKind.MARK, "…")
#: How many characters of a long line (or bytes, if not yet decoded) are examined for each available column. An escape
#: takes four columns.
_EXAMINED_PER_COLUMN = 8
#: The minimum number of columns to which a line of a difference is cut.
_MIN_COLUMNS = 20
#: A function that returns the number of columns that a text takes.
Width = Callable[[str], int]


def width_of(line: Line, width: Width = len) -> int:
    """Returns the number of columns that a line takes."""
    return sum(width(piece.text) for piece in line)


def fit_difference(difference: ScreenDifference, columns: int, width: Width = len) -> ScreenDifference:
    """Returns a difference with each line cut to `columns`, or to `_MIN_COLUMNS` if `columns` is less.

    If the expected or the actual line does not fit, both are cut at the beginning, then at the end.
    """
    columns = max(_MIN_COLUMNS, columns)
    expected, actual = difference.expected, difference.actual
    # The beginning is cut from both lines or from neither, since they are shown one above the other.
    cuts_start = any(
        width_of((*start, *end), width) > columns for start, end in (actual, *([] if expected is None else [expected]))
    )
    return msgspec.structs.replace(
        difference,
        context=tuple(_cut_before_typed(line, columns, width) for line in difference.context),
        expected=None if expected is None else _fitted_pair(*expected, columns, width, cuts_start),
        actual=_fitted_pair(*actual, columns, width, cuts_start),
    )


def _cut_before_typed(line: Line, columns: int, width: Width) -> Line:
    """Returns a line cut at its end, or before what is typed at its end, which readers need, if that is short."""
    if width_of(line, width) <= columns or line[-1].kind is not PieceKind.TYPED:
        return cut_end(line, columns, width)
    typed_columns = width(line[-1].text) + 1
    if typed_columns > columns // 2:
        return cut_end(line, columns, width)
    return (*cut_end(line[:-1], columns - typed_columns, width), Piece(PieceKind.SHOWN, " "), line[-1])


def _fitted_pair(start: Line, end: Line, columns: int, width: Width, cuts_start: bool) -> tuple[Line, Line]:
    """Returns both parts of a line, before and after the difference, cut to `columns` together."""
    if cuts_start:
        start = cut_start(start, columns // 2, width)
    return start, cut_end(end, columns - width_of(start, width), width)


def without_middles(events: Iterable[Event], lines: int, columns: int) -> tuple[list[Event], int]:
    """Returns the events without the middles of very long texts, and the number of lines left out.

    A text of more than twice `lines` lines keeps its first `lines` and its last `lines` lines. A very long line keeps
    only its beginning, which is still wider than `columns`. Texts of at most `columns` bytes stay.
    """
    shortened: list[Event] = []
    omitted_lines = 0
    for event in events:
        if isinstance(event, Shown) and len(event.text) > columns:
            text_lines = event.text.split(b"\n")
            if len(text_lines) > 2 * lines:
                omitted_lines += len(text_lines) - 2 * lines
                text_lines = [*text_lines[:lines], *text_lines[-lines:]]
            event = Shown(b"\n".join(line[: _EXAMINED_PER_COLUMN * columns] for line in text_lines))
        shortened.append(event)
    return shortened, omitted_lines


def cut_end(line: Line, columns: int, width: Width = len) -> Line:
    """Returns a line whose end is cut off, if it is wider than `columns`."""
    if width_of(line, width) <= columns:
        return line
    examined = tuple(
        msgspec.structs.replace(piece, text=piece.text[: _EXAMINED_PER_COLUMN * columns]) for piece in line
    )
    characters = _characters(examined)
    widths = accumulate(width(character.text) for character in characters)
    # `<` leaves one column for the mark of the cut.
    return (
        *_joined_pieces(piece for piece, end_column in zip(characters, widths, strict=True) if end_column < columns),
        _CUT,
    )


def cut_start(line: Line, columns: int, width: Width = len) -> Line:
    """Returns a line whose beginning is cut off, if it is wider than `columns`."""
    if width_of(line, width) <= columns:
        return line
    examined = tuple(
        msgspec.structs.replace(piece, text=piece.text[-_EXAMINED_PER_COLUMN * columns :]) for piece in line
    )
    characters = _characters(examined)
    widths = accumulate(width(character.text) for character in reversed(characters))
    kept_characters = sum(columns_to_end < columns for columns_to_end in widths)
    return (_CUT, *_joined_pieces(characters[len(characters) - kept_characters :]))


def _characters(line: Line) -> list[Piece]:
    """Returns each character of a line as a piece; an escape or a mark counts as one character."""
    return [
        Piece(piece.kind, text, piece.differs)
        for piece in line
        for text in ([piece.text] if piece.kind is PieceKind.MARK else characters_of(piece.text))
    ]


def _joined_pieces(characters: Iterable[Piece]) -> Line:
    """Returns a line in which neighbouring characters of the same kind are one piece."""
    return tuple(
        Piece(kind, "".join(piece.text for piece in pieces), differs)
        for (kind, differs), pieces in groupby(characters, key=lambda piece: (piece.kind, piece.differs))
    )


# A session as plain text for a handout


def plain_session(events: Iterable[Event]) -> str:
    """Returns the lines of a session as one text, without newlines at the end."""
    return "\n".join("".join(piece.text for piece in line) for line in marked_lines(events)).rstrip("\n")


def marked_lines(events: Iterable[Event]) -> Iterator[Line]:
    """Yields the lines of a session, with typed text between « and »."""
    for line in screen_lines(events):
        yield tuple(Piece(piece.kind, f"«{piece.text}»") if piece.kind is PieceKind.TYPED else piece for piece in line)
