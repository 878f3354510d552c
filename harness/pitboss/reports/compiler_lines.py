"""Cuts lines of code that a compiler quotes, and the marks below them, so that each mark stays under its code."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

#: A line of code as gcc quotes it, or the marks below it: `  153 |     int a;` and `      |     ^~~`.
_QUOTED = re.compile(r"( *(\d*) \| ?)(.*)")
#: If the beginning of code is cut, the code in front of the first mark keeps the available columns divided by this.
_SHARE_BEFORE_MARK = 3
#: The beginning is cut if without that at most this many columns of code would be visible from the first mark on.
_MIN_FROM_MARK = 3
#: The columns that code gets even in a terminal without room for them.
_MIN_CODE_COLUMNS = 8


def fitted_code(lines: Sequence[str], columns: int) -> Iterator[tuple[str, bool]]:
    """Yields each line, and whether the line is quoted code or marks.

    Lines of code and of marks are cut to `columns`; the caller must not wrap them.
    """
    blocks: list[list[str]] = []
    for is_quoted, group in groupby(lines, key=lambda line: bool(_QUOTED.fullmatch(line))):
        for line in group:
            begins_block = not is_quoted or not blocks or bool(_quote_parts(line)[1])
            if begins_block:
                blocks.append([])
            blocks[-1].append(line)
    for block in blocks:
        is_code = _QUOTED.fullmatch(block[0]) is not None
        yield from ((line, is_code) for line in (_fitted_block(block, columns) if is_code else block))


def _quote_parts(line: str) -> tuple[str, str, str]:
    """Returns the gutter in front of quoted code, the line number in the gutter, and the code."""
    match = _QUOTED.fullmatch(line)
    return (match[1], match[2], match[3]) if match else ("", "", line)


def _fitted_block(block: list[str], columns: int) -> list[str]:
    """Returns a line of code and the marks below it, with the same columns cut from all of these lines."""
    if max(map(len, block)) <= columns:
        return block
    mark_offsets = [
        len(text) - len(text.lstrip()) for _, number, text in map(_quote_parts, block) if not number and text.strip()
    ]
    code_columns = max(_MIN_CODE_COLUMNS, columns - max(len(_quote_parts(line)[0]) for line in block))
    first_mark = min(mark_offsets, default=0)
    is_start_cut = first_mark + _MIN_FROM_MARK >= code_columns
    start = max(0, first_mark - code_columns // _SHARE_BEFORE_MARK) if is_start_cut else 0
    return [_cut(*_quote_parts(line), start, code_columns) for line in block]


def _cut(gutter: str, number: str, text: str, start: int, code_columns: int) -> str:
    visible = text[start : start + code_columns]
    if number and start:
        visible = f"…{visible[1:]}"
    if number and len(text) > start + code_columns:
        visible = f"{visible[:-1]}…"
    return f"{gutter}{visible}".rstrip()
