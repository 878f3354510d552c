"""A session as plain text for a handout: typed text between « and », pauses in parentheses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pitboss.model.transcript import Event
from pitboss.reports.screen import Line, Piece, PieceKind, screen_lines


def plain_session(events: Iterable[Event]) -> str:
    """Returns the lines of a session as one text, without newlines at the end."""
    return "\n".join("".join(piece.text for piece in line) for line in marked_lines(events)).rstrip("\n")


def marked_lines(events: Iterable[Event]) -> Iterator[Line]:
    """Yields the lines of a session, with typed text between « and »."""
    for line in screen_lines(events):
        yield tuple(Piece(piece.kind, _marked_text(piece.kind, piece.text)) for piece in line)


def _marked_text(kind: PieceKind, text: str) -> str:
    return f"«{text}»" if kind is PieceKind.TYPED else text
