"""Cuts lines of code that a compiler quotes, and the marks below them, so that each mark stays under its code."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

#: A line of code as gcc quotes it, or the marks below it: `  153 |     int a;` and `      |     ^~~`.
_QUOTED = re.compile(r"( *(\d*) \| ?)(.*)")
#: The columns that must be visible after the beginning of the first mark; otherwise the beginning of the code is cut.
_MIN_AFTER_MARK = 3
#: The columns that code gets even in a terminal without room for them.
_MIN_CODE_COLUMNS = 8


def fitted_code(lines: Sequence[str], columns: int) -> Iterator[tuple[str, bool]]:
    """Yields each line, and whether it is part of a quotation: a line of code, or the marks below it.

    Such lines are cut to `columns`; the caller must not wrap them.
    """
    # A block is a line of code with the lines of marks below it, or any other line alone.
    blocks: list[list[str]] = []
    for line in lines:
        _, number, _ = _quote_parts(line)
        is_marks = _QUOTED.fullmatch(line) is not None and not number
        if not is_marks or not blocks:
            blocks.append([])
        blocks[-1].append(line)
    for block in blocks:
        is_quotation = _QUOTED.fullmatch(block[0]) is not None
        yield from ((line, is_quotation) for line in (_fitted_block(block, columns) if is_quotation else block))


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
    is_start_cut = first_mark + _MIN_AFTER_MARK >= code_columns
    # A third of the columns still shows the code in front of the first mark.
    start = max(0, first_mark - code_columns // 3) if is_start_cut else 0
    return [_cut(*_quote_parts(line), start, code_columns) for line in block]


def _cut(gutter: str, number: str, text: str, start: int, code_columns: int) -> str:
    visible = text[start : start + code_columns]
    if number and start:
        visible = f"…{visible[1:]}"
    if number and len(text) > start + code_columns:
        visible = f"{visible[:-1]}…"
    return f"{gutter}{visible}".rstrip()
