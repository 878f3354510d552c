"""Quoting a program's output in a sentence: on one line, cut if it is long, with invisible characters escaped."""

from __future__ import annotations

import re
from itertools import accumulate
from typing import NamedTuple

from pitboss.model.notation import visible

_LONGEST, _KEPT_BEFORE = 60, 20
#: An escape is never cut.
_CHARACTER = re.compile(r"\\x[0-9a-f]{2}|\\t|.", re.DOTALL)
#: Where only spaces differ they are drawn as one of these: the first that is not in the texts themselves.
_SPACES = "·␣"


class Pair(NamedTuple):
    """Two quotations, and a remark in brackets on how they are drawn; the remark is empty if none is needed."""

    expected: str
    actual: str
    remark: str


def quoted(text: bytes) -> str:
    """The first line of a text, cut at its end if it is long."""
    return f"“{_cut(_characters(_first_line(text)))}”"


def quoted_end(text: bytes) -> str:
    """A line, cut at its beginning if it is long, because its end is what matters."""
    characters = _characters(text)
    return f"“{''.join(characters) if _width(characters) <= _LONGEST else '…' + _end(characters, _LONGEST - 1)}”"


def quoted_pair(expected: tuple[bytes, bytes], actual: tuple[bytes, bytes]) -> Pair:
    """Two lines that differ, each given as the text before the difference and the text from there on.

    Long lines are cut so that the difference stays visible. If only spaces differ, the spaces are drawn as a mark.
    """
    pairs = [(_characters(before), _characters(_first_line(rest))) for before, rest in (expected, actual)]
    is_long = any(_width(before) + _width(rest) > _LONGEST for before, rest in pairs)
    lines = ["".join((*before, *rest)) for before, rest in pairs]
    space = next((mark for mark in _SPACES if not any(mark in line for line in lines)), "")
    is_drawn = space and _without_spaces(lines[0]) == _without_spaces(lines[1])
    quotations = []
    for before, rest in pairs:
        is_cut = is_long and _width(before) > _KEPT_BEFORE
        cut = _cut([f"…{_end(before, _KEPT_BEFORE)}", *rest] if is_cut else [*before, *rest])
        quotations.append(f"“{cut.replace(' ', space) if is_drawn else cut}”")
    return Pair(quotations[0], quotations[1], f" ({space} is a space)" if is_drawn else "")


def readable(text: bytes) -> str:
    r"""Text with only invisible characters escaped: a plain < or backslash stays as it is.

    >>> readable(b"a\\<b\t")
    'a\\<b\\t'
    """
    parts = visible(text).split("\\\\")
    return "\\".join(part.replace("\\<", "<") for part in parts)


def _without_spaces(line: str) -> str:
    """The line with each run of spaces as one, and none at either end."""
    return " ".join(line.split())


def _first_line(text: bytes) -> bytes:
    return text.partition(b"\n")[0]


def characters_of(text: str) -> list[str]:
    """The characters of a text from `readable`; an escape counts as one."""
    return _CHARACTER.findall(text)


def _characters(text: bytes) -> list[str]:
    return characters_of(readable(text))


def _width(characters: list[str]) -> int:
    return sum(map(len, characters))


def _cut(characters: list[str]) -> str:
    """The text, cut to 60 columns if it is longer."""
    if _width(characters) <= _LONGEST:
        return "".join(characters)
    widths = accumulate(map(len, characters))
    return "".join(one for one, width in zip(characters, widths, strict=True) if width < _LONGEST) + "…"


def _end(characters: list[str], columns: int) -> str:
    """The end of a text, at most `columns` wide."""
    widths = accumulate(map(len, reversed(characters)))
    kept = sum(width <= columns for width in widths)
    return "".join(characters[len(characters) - kept :])
