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
    """Yields each line, and whether it is code or marks: only these are cut to `columns`, and must not be wrapped."""
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
    quoted = _QUOTED.fullmatch(line)
    return (quoted[1], quoted[2], quoted[3]) if quoted else ("", "", line)


def _fitted(block: list[str], columns: int) -> list[str]:
    """A line of code and the marks below it, all moved to the left and cut in the same way."""
    if max(map(len, block)) <= columns:
        return block
    marks = [len(text) - len(text.lstrip()) for _, number, text in map(_parts, block) if not number and text.strip()]
    room = max(8, columns - max(len(_parts(line)[0]) for line in block))
    first_mark = min(marks, default=0)
    start = max(0, first_mark - room // _BEFORE) if first_mark + _BEFORE >= room else 0
    return [_cut(*_parts(line), start, room) for line in block]


def _cut(gutter: str, number: str, text: str, start: int, room: int) -> str:
    visible = text[start : start + room]
    if number and start:
        visible = f"…{visible[1:]}"
    if number and len(text) > start + room:
        visible = f"{visible[:-1]}…"
    return f"{gutter}{visible}".rstrip()
