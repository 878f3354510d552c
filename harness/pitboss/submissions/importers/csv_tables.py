"""A table that a spreadsheet or a platform has written as CSV, as rows with their lines."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from pitboss.errors import UsageError
from pitboss.sandbox.files import beginning_of

_MOST_BYTES = 64 << 20


class TableRow(NamedTuple):
    """A row of a table, and the line of the file on which it begins."""

    line: int
    cells: list[str]


def table_rows(path: Path, count_heads: Callable[[Sequence[str]], int]) -> list[TableRow]:
    """The rows that are not empty, separated by commas, semicolons or tabs; UsageError, with file and line, otherwise.

    `count_heads` counts the cells of a row that are heads of such a table: it is separated by what gives most of them.
    """
    text = _text_of(path)
    best: list[TableRow] = []
    problem: UsageError | None = None
    for delimiter in (",", ";", "\t"):
        try:
            rows = _separated(path, text, delimiter)
        except UsageError as error:
            problem = problem or error
            continue
        if not best or count_heads(rows[0].cells) > count_heads(best[0].cells):
            best = rows
    if problem is not None and (not best or not count_heads(best[0].cells)):
        raise problem
    return best


def heading(cell: str) -> str:
    """The head of a column as it is compared: in small letters and with single blanks."""
    return " ".join(cell.replace("_", " ").casefold().split())


def _separated(path: Path, text: str, delimiter: str) -> list[TableRow]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows, line = [], 1
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                rows.append(TableRow(line, cells))
            line = reader.line_num + 1
    except csv.Error as error:
        raise UsageError(f"{path}:{reader.line_num}: it cannot be read as CSV: {error}") from error
    return rows


def _text_of(path: Path) -> str:
    try:
        content = beginning_of(path, _MOST_BYTES)
    except FileNotFoundError:
        raise UsageError(f"{path}: there is no such file") from None
    except OSError as error:
        raise UsageError(f"{path}: the file cannot be read: {error.strerror}") from error
    text = _decoded(content)
    if not text.strip():
        raise UsageError(f"{path}: the file is empty")
    return text


def _decoded(content: bytes) -> str:
    """Text in UTF-8, in UTF-16 with its mark, or as Excel of Western Europe writes it."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return content.decode("utf-16", "replace")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", "replace")
