"""Reads a CSV table written by a spreadsheet or a platform, as rows with their line numbers."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from pitboss.errors import UsageError
from pitboss.machine.files import beginning_of

#: At most this many bytes of a file are read.
_MAX_BYTES = 64 << 20


class TableRow(NamedTuple):
    """A row of a table, and the line of the file on which it begins."""

    line: int
    cells: list[str]


def table_rows(path: Path, count_known_headings: Callable[[Sequence[str]], int]) -> list[TableRow]:
    """Returns the rows that are not empty; raises UsageError, with file and line, if the file is not a CSV table.

    `count_known_headings` returns how many cells of a row are column headings that the caller knows. Of comma,
    semicolon and tab, the delimiter is the one that yields the most known headings in the first row.
    """
    text = _text_of(path)
    best_rows: list[TableRow] = []
    problem: UsageError | None = None
    for delimiter in (",", ";", "\t"):
        try:
            rows = _rows_separated_by(path, text, delimiter)
        except UsageError as error:
            problem = problem or error
            continue
        if not rows:
            continue
        if not best_rows or count_known_headings(rows[0].cells) > count_known_headings(best_rows[0].cells):
            best_rows = rows
    # If no heading is known, the right delimiter may be one with which the text is not CSV.
    if problem is not None and (not best_rows or not count_known_headings(best_rows[0].cells)):
        raise problem
    return best_rows


def normalised_heading(cell: str) -> str:
    """Returns a column heading for comparison: in lower case, and with single spaces in place of blanks and `_`."""
    return " ".join(cell.replace("_", " ").casefold().split())


def _rows_separated_by(path: Path, text: str, delimiter: str) -> list[TableRow]:
    """The rows of the table that are not empty; raises UsageError if the text is not CSV with this delimiter."""
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
    """The text of the file; raises UsageError if the file is missing, unreadable or empty."""
    try:
        content = beginning_of(path, _MAX_BYTES)
    except FileNotFoundError:
        raise UsageError(f"{path}: there is no such file") from None
    except OSError as error:
        raise UsageError(f"{path}: the file cannot be read: {error.strerror}") from error
    text = _decode_table(content)
    if not text.strip():
        raise UsageError(f"{path}: the file is empty")
    return text


def _decode_table(content: bytes) -> str:
    """Decodes UTF-8, UTF-16 with a byte order mark, or the cp1252 of Excel in Western Europe."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return content.decode("utf-16", "replace")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", "replace")
