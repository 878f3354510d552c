"""Reads a table that a platform has exported, and writes that table with only the filled cells changed."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable
from fractions import Fraction

import msgspec

from pitboss.errors import UsageError, as_found
from pitboss.gradebook.grades import numeral
from pitboss.submissions.importers.imported import Person

_BYTE_ORDER_MARK = "\ufeff"
_DELIMITERS = ",;\t"
#: A number with decimals; the group is the decimal mark.
_DECIMALS = re.compile(r"[0-9]+([.,])[0-9]+")


class FilledTable(msgspec.Struct, frozen=True):
    """A table with its scores filled in."""

    text: str
    #: The number of people whose score was filled in.
    count: int
    #: Sentences on people missing from the table, on rows of people who were not graded, and on unchanged rows.
    remarks: tuple[str, ...]
    overlap: Overlap


class Overlap(msgspec.Struct, frozen=True):
    """How many people a table and a gradebook have in common."""

    #: The number of rows of people in the table.
    rows: int
    #: The number of people in the gradebook.
    people: int
    #: How many people are in both, by the head of the column that identifies the person.
    by_head: dict[str, int]
    #: How many people in both were identified by an id, not only by a name.
    by_id: int

    @property
    def people_in_both(self) -> int:
        """The number of people both in the table and in the gradebook."""
        return sum(self.by_head.values())

    @property
    def is_doubtful(self) -> bool:
        """Whether this may be the table of another class, which would share only some names with the gradebook.

        True if fewer than half of the people in the larger list are in both lists. The exception is a section of a
        class: at least nine tenths of the smaller list are in both lists, or at least half of it was identified by id.
        """
        smaller = min(self.rows, self.people)
        is_under_half = self.people_in_both * 2 < max(self.rows, self.people)
        return is_under_half and self.people_in_both * 10 < smaller * 9 and self.by_id * 2 < smaller


class SheetEntry(msgspec.Struct, frozen=True):
    """The score and the feedback to fill in for a person."""

    person: Person
    #: None if there is no score yet.
    score: Fraction | None
    out_of: Fraction
    feedback: str = ""


class Sheet:
    """The rows of a table, and the format in which it was written."""

    def __init__(self, name: str, text: str) -> None:
        """Read a table. Raises UsageError if the text is not a table."""
        self.name = name
        self._byte_order_mark = _BYTE_ORDER_MARK if text.startswith(_BYTE_ORDER_MARK) else ""
        body = text.removeprefix(_BYTE_ORDER_MARK)
        header = body.partition("\n")[0]
        self._delimiter = max(_DELIMITERS, key=header.count)
        self._line_ending = "\r\n" if "\r\n" in body else "\n"
        try:
            self.rows = list(csv.reader(io.StringIO(body, newline=""), delimiter=self._delimiter, strict=True))
        except csv.Error as error:
            raise UsageError(f"{name}: it cannot be read as CSV: {error}") from error
        decimal_marks = {match[1] for row in self.rows for cell in row if (match := _DECIMALS.fullmatch(cell.strip()))}
        self._has_commas = decimal_marks == {","}
        if not self.rows or not any(self.rows[0]):
            raise UsageError(f"{name}: the table is empty; give the file that the platform exported")

    def column(self, wanted: Callable[[str], bool]) -> int | None:
        """Return the index of the first column whose head meets the condition `wanted`; None without such a column."""
        return next((index for index, head in enumerate(self.rows[0]) if wanted(head.strip())), None)

    def cell(self, row: int, column: int | None) -> str:
        """Return the text of a cell; empty if the row ends before the column, or `column` is None."""
        cells = self.rows[row]
        return cells[column].strip() if column is not None and column < len(cells) else ""

    def put(self, row: int, column: int, text: str) -> None:
        cells = self.rows[row]
        cells += [""] * (column + 1 - len(cells))
        cells[column] = text

    def number(self, number: Fraction) -> str:
        """Return a number as text, with a comma if all decimal numbers in the file have a comma, else with a point."""
        text = numeral(number)
        return text.replace(".", ",") if self._has_commas else text

    def text(self) -> str:
        """Return the table as it is now, as CSV."""
        target = io.StringIO()
        target.write(self._byte_order_mark)
        csv.writer(target, delimiter=self._delimiter, lineterminator=self._line_ending).writerows(self.rows)
        return target.getvalue()


def scaled(entry: SheetEntry, maximum: Fraction | None, *, scales: bool, name: str) -> Fraction | None:
    """Returns an entry's score, scaled to a column of `maximum` points; None if the entry has no score.

    If `maximum` is None, the table states no maximum, and the score stays unchanged. `name` is the name of the file.
    Raises UsageError if the score is out of another number of points than `maximum`, and `scales` is false.
    """
    if entry.score is None or maximum is None or maximum == entry.out_of:
        return entry.score
    if not scales:
        raise UsageError(
            f"{name}: its column has {numeral(maximum)} points, and scores are out of {numeral(entry.out_of)}; "
            "--scale converts the scores to the column's points"
        )
    return entry.score * maximum / entry.out_of


def points_in(text: str, name: str) -> Fraction | None:
    """Returns the number of points in a cell; None if the cell is empty or `-`. Raises UsageError for other text."""
    if not text or text == "-":
        return None
    try:
        return Fraction(text.replace(",", "."))
    except (ValueError, ZeroDivisionError):
        raise UsageError(f"{name}: {as_found(text)} is not a number, as the points of a column must be") from None
