"""Cuts lines of a screen to a number of columns: an … marks a cut. A cut never removes the text at a difference."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import accumulate, groupby

import msgspec

from pitboss.model.quoting import characters_of
from pitboss.model.transcript import Event, Shown
from pitboss.reports.screen import Line, Piece, PieceKind, ScreenDifference

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
        context=tuple(cut_end(line, columns, width) for line in difference.context),
        expected=None if expected is None else _fitted_pair(*expected, columns, width, cuts_start),
        actual=_fitted_pair(*actual, columns, width, cuts_start),
    )


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
