"""Cuts lines of a screen to a number of columns: an … marks a cut, and nothing is cut where sessions part."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import accumulate, groupby

import msgspec

from pitboss.model.quoting import characters_of
from pitboss.model.transcript import Event, Shown
from pitboss.reports.screen import Line, Parting, Piece, PieceKind

_CUT = Piece(PieceKind.MARK, "…")
#: This many times the available columns are examined of a long line: an escape takes four columns.
_FAR = 8
#: Returns the number of columns that a text takes.
Width = Callable[[str], int]


def width_of(line: Line, width: Width = len) -> int:
    """Returns the number of columns that a line takes."""
    return sum(width(piece.text) for piece in line)


def fitted(parting: Parting, columns: int, width: Width = len) -> Parting:
    """Returns the same parting with no line wider than `columns` (at least 20).

    If one of the two lines does not fit, both are cut at the beginning, then at the end.
    """
    columns = max(20, columns)
    pairs = tuple(filter(None, (parting.expected, parting.actual)))
    # Cut both or neither, since they are shown one above the other.
    is_wide = any(width_of((*start, *rest), width) > columns for start, rest in pairs)
    *expected, actual = (_fitted_pair(start, rest, columns, width, is_wide) for start, rest in pairs)
    context = tuple(cut_end(line, columns, width) for line in parting.context)
    return msgspec.structs.replace(parting, context=context, expected=expected[0] if expected else None, actual=actual)


def _fitted_pair(start: Line, rest: Line, columns: int, width: Width, is_wide: bool) -> tuple[Line, Line]:
    if is_wide:
        start = cut_start(start, columns // 2, width)
    return start, cut_end(rest, columns - width_of(start, width), width)


def without_middles(events: Iterable[Event], lines: int, columns: int) -> tuple[list[Event], int]:
    """Returns the events without the middles of very long texts, and the number of lines left out.

    A text of very many lines keeps the first and the last `lines`; each line keeps a beginning wider than `columns`.
    """
    shortened: list[Event] = []
    left_out = 0
    for event in events:
        if isinstance(event, Shown) and len(event.text) > columns:
            text_lines = event.text.split(b"\n")
            if len(text_lines) > 2 * lines:
                left_out += len(text_lines) - 2 * lines
                text_lines = [*text_lines[:lines], *text_lines[-lines:]]
            event = Shown(b"\n".join(line[: _FAR * columns] for line in text_lines))
        shortened.append(event)
    return shortened, left_out


def cut_end(line: Line, columns: int, width: Width = len) -> Line:
    """Returns the beginning of a line, cut to `columns`."""
    if width_of(line, width) <= columns:
        return line
    examined = tuple(msgspec.structs.replace(piece, text=piece.text[: _FAR * columns]) for piece in line)
    characters = _characters(examined)
    widths = accumulate(width(character.text) for character in characters)
    return (*_joined_pieces(piece for piece, so_far in zip(characters, widths, strict=True) if so_far < columns), _CUT)


def cut_start(line: Line, columns: int, width: Width = len) -> Line:
    """Returns the end of a line, cut to `columns`."""
    if width_of(line, width) <= columns:
        return line
    examined = tuple(msgspec.structs.replace(piece, text=piece.text[-_FAR * columns :]) for piece in line)
    characters = _characters(examined)
    widths = accumulate(width(character.text) for character in reversed(characters))
    kept = sum(so_far < columns for so_far in widths)
    return (_CUT, *_joined_pieces(characters[len(characters) - kept :]))


def _characters(line: Line) -> list[Piece]:
    """Returns the characters of a line as pieces; an escape or a mark counts as one."""
    return [
        Piece(piece.kind, text, piece.differs)
        for piece in line
        for text in ([piece.text] if piece.kind is PieceKind.MARK else characters_of(piece.text))
    ]


def _joined_pieces(characters: Iterable[Piece]) -> Line:
    return tuple(
        Piece(kind, "".join(piece.text for piece in pieces), differs)
        for (kind, differs), pieces in groupby(characters, key=lambda piece: (piece.kind, piece.differs))
    )
