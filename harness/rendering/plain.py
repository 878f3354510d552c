"""A session as plain text, for a handout: what was typed between « and », pauses in round brackets."""

from __future__ import annotations

from collections.abc import Iterable

from harness.rendering.screen import Kind, screen_lines
from harness.transcript import Event


def plain_session(events: Iterable[Event]) -> str:
    """The lines of a session, without the newline at its end."""
    lines = ["".join(_text(piece.kind, piece.text) for piece in line) for line in screen_lines(events)]
    return "\n".join(lines).rstrip("\n")


def _text(kind: Kind, text: str) -> str:
    return f"«{text}»" if kind is Kind.TYPED else text
