"""The lines of code that a compiler quotes, cut so that its marks stay under what they mark."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

#: How gcc quotes a line and marks places in it: `  153 |     int a;` and `      |     ^~~`.
_QUOTED = re.compile(r"( *(\d*) \| ?)(.*)")
#: The share of the available columns that stays in front of a mark.
_BEFORE = 3


def fitted_code(lines: Sequence[str], columns: int) -> Iterator[tuple[str, bool]]:
    """The lines, and whether each is quoted code or marks, which are cut to `columns` and must not be wrapped."""
    blocks: list[list[str]] = []
    for is_quoted, run in groupby(lines, key=lambda line: bool(_QUOTED.fullmatch(line))):
        for line in run:
            begins = not is_quoted or not blocks or bool(_parts(line)[1])
            blocks += [[]] if begins else []
            blocks[-1].append(line)
    for block in blocks:
        is_code = _QUOTED.fullmatch(block[0]) is not None
        yield from ((line, is_code) for line in (_fitted(block, columns) if is_code else block))


def _parts(line: str) -> tuple[str, str, str]:
    found = _QUOTED.fullmatch(line)
    return (found[1], found[2], found[3]) if found else ("", "", line)


def _fitted(block: list[str], columns: int) -> list[str]:
    """A line of code and the marks below it, all moved to the left and cut alike."""
    if max(map(len, block)) <= columns:
        return block
    marks = [len(text) - len(text.lstrip()) for _, number, text in map(_parts, block) if not number and text.strip()]
    room = max(8, columns - max(len(_parts(line)[0]) for line in block))
    first = min(marks, default=0)
    left = max(0, first - room // _BEFORE) if first + _BEFORE >= room else 0
    return [_cut(*_parts(line), left, room) for line in block]


def _cut(gutter: str, number: str, text: str, left: int, room: int) -> str:
    visible = text[left : left + room]
    if number and left:
        visible = f"…{visible[1:]}"
    if number and len(text) > left + room:
        visible = f"{visible[:-1]}…"
    return f"{gutter}{visible}".rstrip()
