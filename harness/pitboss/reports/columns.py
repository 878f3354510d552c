"""Tables as lists of columns, in the terminal and as CSV.

Text in CSV is protected from spreadsheets, which convert it: to a formula, a date, or a number without leading zeros.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Generic, Literal, NamedTuple, TypeVar

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from pitboss.model.quoting import printable

#: A spreadsheet reads a cell that begins with one of these characters as a formula.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
#: A number that spreadsheets preserve; longer numbers are rounded.
_PLAIN_NUMBER = re.compile(r"0|[1-9][0-9]{0,14}")
_MONTHS = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
#: Texts that spreadsheets convert: digits and punctuation (007, 1-2, 3/4, 12:30), powers of ten (1e5), times (2 pm),
#: dates (MAR1, 5 May, "Oct 5, 2026") and truth values.
_MISREAD = re.compile(
    rf"[\W\d_]*\d[\W\d_]*|[\W\d]*\d\.?e[+-]?\d+[\W]*|[\d:\s]*\d\s*[ap]m?\s*|(?=.*\d)[\W\d]*({_MONTHS})[a-z]*[\W\d]*"
    r"|\s*(true|false)\s*",
    re.IGNORECASE | re.DOTALL,
)


def safe_cell(text: str) -> str:
    """Returns the text, printable, with an apostrophe before it if a spreadsheet would convert it.

    >>> [safe_cell(text) for text in ("Ada", "=1+2", "00123", "123", "MAR1", "3-4")]
    ['Ada', "'=1+2", "'00123", '123', "'MAR1", "'3-4"]
    """
    text = printable(text)
    is_misread = text.startswith(FORMULA_STARTS) or _MISREAD.fullmatch(text)
    return f"'{text}" if is_misread and not _PLAIN_NUMBER.fullmatch(text) else text


def original_of(cell: str) -> str:
    """Returns the text from which `safe_cell` made this cell.

    >>> [original_of(cell) for cell in ("Ada", "'=1+2", "'00123", "'tis")]
    ['Ada', '=1+2', '00123', "'tis"]
    """
    text = cell[1:].replace("\r\n", "\n")
    return text if cell.startswith("'") and safe_cell(text) != text else cell


#: What a row of a table is about, such as a person.
R = TypeVar("R")


class Column(NamedTuple, Generic[R]):
    """A column of a table."""

    head: str
    #: Returns the cell of a row.
    cell_of: Callable[[R], object]
    #: The column is left out if the text of each of its cells is among these.
    unless_all: tuple[str, ...] = ()
    justify: Literal["left", "right"] = "left"


def cells_of(columns: Sequence[Column[R]], rows: Iterable[R]) -> tuple[list[Column[R]], list[list[object]]]:
    """Returns the columns that are not left out, and their cells in each row."""
    cells = [[column.cell_of(row) for column in columns] for row in rows]
    shown = [
        index
        for index, column in enumerate(columns)
        if not column.unless_all or any(str(row[index]) not in column.unless_all for row in cells)
    ]
    return [columns[index] for index in shown], [[row[index] for index in shown] for row in cells]


def csv_of(columns: Sequence[Column[R]], rows: Iterable[R]) -> str:
    """Returns a table as CSV; the columns protect their texts, by `safe_cell`."""
    shown, cells = cells_of(columns, rows)
    target = io.StringIO()
    csv.writer(target, lineterminator="\n").writerows([[column.head for column in shown], *cells])
    return target.getvalue()


def table_of(columns: Sequence[Column[R]], rows: Iterable[R]) -> Table:
    """Returns a table for the terminal."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    shown, cells = cells_of(columns, rows)
    for column in shown:
        table.add_column(column.head, justify=column.justify)
    for row in cells:
        table.add_row(*(cell if isinstance(cell, Text) else Text(str(cell)) for cell in row))
    return table
