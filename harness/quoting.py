"""Quoting what a program showed, in a sentence: on one line, cut where it is long, with what cannot be seen escaped."""

from __future__ import annotations

from harness.notation import visible

_LONGEST, _KEPT_BEFORE = 60, 20


def quoted(text: bytes) -> str:
    """The first line of a text, cut at its end where it is long."""
    return f"“{_cut(_seen(_first_line(text)))}”"


def quoted_end(text: bytes) -> str:
    """A line, cut at its beginning where it is long: its end is what matters."""
    shown = _seen(text)
    return f"“{shown if len(shown) <= _LONGEST else f'…{shown[1 - _LONGEST :]}'}”"


def quoted_pair(start: bytes, one: bytes, other: bytes) -> tuple[str, str]:
    """Two lines that begin alike, each up to its end: where they are long, cut so that they differ in what is shown."""
    before, texts = _seen(start), (_seen(_first_line(one)), _seen(_first_line(other)))
    if any(len(before + text) > _LONGEST for text in texts) and len(before) > _KEPT_BEFORE:
        before = f"…{before[-_KEPT_BEFORE:]}"
    ours, theirs = (f"“{_cut(before + text)}”" for text in texts)
    return ours, theirs


def _first_line(text: bytes) -> bytes:
    return text.partition(b"\n")[0]


def _seen(text: bytes) -> str:
    return visible(text).replace("\\<", "<").replace("\\\\", "\\")


def _cut(shown: str) -> str:
    return shown if len(shown) <= _LONGEST else f"{shown[: _LONGEST - 1]}…"
