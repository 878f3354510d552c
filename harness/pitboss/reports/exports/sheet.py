"""Fills scores into a table that a platform has exported; all other cells stay, and no person gets two rows."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

import msgspec

from pitboss.errors import UsageError, as_found
from pitboss.gradebook.grades import numeral
from pitboss.submissions.importers.imported import Person, distinct_names

#: The maximum number of rows or people without a match that are named; the others are counted.
_MAX_NAMED = 10
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

    @property
    def heads(self) -> list[str]:
        """The heads of the columns, in lower case."""
        return [head.strip().lower() for head in self.rows[0]]

    def column(self, head: str) -> int | None:
        """Return the index of the first column with a head, given in lower case; None without such a column."""
        return self.heads.index(head) if head in self.heads else None

    def rows_with(self, columns: Iterable[MatchColumn]) -> tuple[int, ...]:
        """Return the rows below the heads in which one of these columns has a text."""
        match_columns = tuple(columns)
        return tuple(
            row for row in range(1, len(self.rows)) if any(self.cell(row, column.column) for column in match_columns)
        )

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


def _scaled(entry: SheetEntry, maximum: Fraction | None, *, scales: bool, name: str) -> Fraction | None:
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


class MatchColumn(NamedTuple):
    """A column of a table that identifies people."""

    #: The head of the column, in lower case.
    head: str
    #: The index of the column; None if the table has no such column.
    column: int | None
    #: Returns the texts that this column may contain for a person.
    keys_of: Callable[[Person], Iterable[str]]
    #: Whether the column contains ids; otherwise it contains names, which several people may share.
    is_id: bool = True

    def keys(self, entry: SheetEntry) -> set[str]:
        """Returns the texts that the column may contain for the entry's person, casefolded."""
        return {key.casefold() for key in self.keys_of(entry.person) if key}


class PlatformTable(msgspec.Struct, frozen=True):
    """A table of a platform: which rows and columns are filled, and how its sentences call them."""

    sheet: Sheet
    #: The columns that identify people, in the order in which they are tried.
    match_columns: tuple[MatchColumn, ...]
    #: The rows of people.
    rows: tuple[int, ...]
    score_column: int
    #: Returns the person of a row as the table names them.
    label_of: Callable[[int], str]
    #: Returns the maximum points of a row; None if the table does not state them.
    maximum_of: Callable[[int], Fraction | None]
    #: Returns why a row must not be changed; empty if it may be.
    refusal_of: Callable[[int], str]
    #: The name of the table in sentences, and the clause on an unchanged row, such as “the row is as it was”.
    called: str
    unchanged: str
    #: The column for feedback, which is filled where it is empty, and the feedback's format; None if there is none.
    feedback_column: int | None = None
    format_feedback: Callable[[str], str] = str
    #: What happens to a score above the maximum and how to avoid it; empty if the platform accepts such scores.
    above_maximum: str = ""


def fill_table(
    table: PlatformTable, entries: Sequence[SheetEntry], *, scales: bool = False, caps: bool = False
) -> FilledTable:
    """Returns the table with the scores of the entries, and with feedback in cells that were empty; other cells stay.

    With `scales`, scores are converted to the table's maximum points; otherwise another maximum raises UsageError. With
    `caps`, the maximum replaces a higher score that the platform would refuse.
    """
    sheet, names = table.sheet, distinct_names(entry.person for entry in entries)
    entries_by_row, overlap = _match_rows(table, entries)
    sentences: list[str] = []
    count = unmatched = 0
    for row, entry in entries_by_row.items():
        label = table.label_of(row)
        if isinstance(entry, str):  # why the row has no entry
            unmatched += 1
            sentences += [f"{label}: {entry}; {table.unchanged}"] if unmatched <= _MAX_NAMED else []
            continue
        # What distinguishes the person from people of the same name.
        label += names[entry.person.key].removeprefix(entry.person.name)
        maximum = table.maximum_of(row)
        score = _scaled(entry, maximum, scales=scales, name=sheet.name)
        reason = table.refusal_of(row)
        if reason or score is None:
            sentences.append(f"{label}: {reason or 'there is no score yet'}; {table.unchanged}")
            continue
        if table.above_maximum and maximum is not None and score > maximum:
            sentence = f"{label}: {numeral(score)} is above the maximum of {numeral(maximum)}"
            sentences.append(f"{sentence}; {'the maximum was filled in' if caps else table.above_maximum}")
            score = maximum if caps else score
        sheet.put(row, table.score_column, sheet.number(score))
        if table.feedback_column is not None and entry.feedback and not sheet.cell(row, table.feedback_column):
            sheet.put(row, table.feedback_column, table.format_feedback(entry.feedback))
        count += 1
    sentences += _sentence_on_more(unmatched, "rows of people who were not found are unchanged")
    absent = [f"{names[key]}: not in {table.called}" for key in _absent_keys(table, entries, entries_by_row)]
    sentences += [*absent[:_MAX_NAMED], *_sentence_on_more(len(absent), f"are not in {table.called}")]
    return FilledTable(sheet.text(), count, tuple(sentences), overlap)


def _sentence_on_more(count: int, rest: str) -> list[str]:
    """Returns “and N more”, continued by `rest`, if `count` items are more than _MAX_NAMED; otherwise nothing."""
    return [f"and {count - _MAX_NAMED} more {rest}"] if count > _MAX_NAMED else []


def _match_rows(table: PlatformTable, entries: Sequence[SheetEntry]) -> tuple[dict[int, SheetEntry | str], Overlap]:
    """Returns the entry of each row, or why the row has no entry; and the overlap of the table with the entries.

    If several rows match one person, the entry goes to the row that matches by an id; if none or several of them match
    by an id, no row gets the entry.
    """
    matches = {row: _match(_identifying_cells(table, row), entries) for row in table.rows}
    rows_by_person = defaultdict[str, list[int]](list)
    for row, (entry, _) in matches.items():
        if isinstance(entry, SheetEntry):
            rows_by_person[entry.person.key].append(row)
    names = {entry.person.key: entry.person.name for entry in entries}
    for key, rows in rows_by_person.items():
        id_rows = [row for row in rows if (column := matches[row][1]) is not None and column.is_id]
        for row in rows if len(rows) > 1 else ():
            if id_rows != [row]:
                matches[row] = f"there are {len(rows)} rows that may be {names[key]}", None
    columns = [column for _, column in matches.values() if column is not None]
    counts = Counter(column.head for column in columns)
    overlap = Overlap(len(table.rows), len(entries), dict(counts), sum(column.is_id for column in columns))
    return {row: entry for row, (entry, _) in matches.items()}, overlap


def _identifying_cells(table: PlatformTable, row: int) -> list[tuple[MatchColumn, str]]:
    """Returns the columns that identify people, each with its text in a row, casefolded."""
    return [(column, table.sheet.cell(row, column.column).casefold()) for column in table.match_columns]


def _match(
    cells: Sequence[tuple[MatchColumn, str]], entries: Sequence[SheetEntry]
) -> tuple[SheetEntry | str, MatchColumn | None]:
    """Returns the entry of a row's person and the column that identified the person, or why there is none, and None.

    The first column whose text fits somebody decides. There is no entry if the text fits several people, or only people
    whose id differs from an id in the row.
    """

    def is_refuted(entry: SheetEntry) -> bool:
        ids = ((text, column.keys(entry)) for column, text in cells if column.is_id and text)
        return any(keys and text not in keys for text, keys in ids)

    for column, text in cells:
        candidates = [entry for entry in entries if text and text in column.keys(entry)]
        consistent = [entry for entry in candidates if not is_refuted(entry)]
        if len(consistent) == 1:
            return consistent[0], column
        if consistent:
            return f"{len(consistent)} people have this name, and no other column identifies one of them", None
        if candidates:
            return f"{candidates[0].person.name} has another id", None
    return "nobody of that name or id was graded", None


def _absent_keys(
    table: PlatformTable, entries: Sequence[SheetEntry], entries_by_row: Mapping[int, SheetEntry | str]
) -> list[str]:
    """Returns the keys of people without a row, except those whose id or name is in a row: it has a remark already."""
    matched_keys = {entry.person.key for entry in entries_by_row.values() if isinstance(entry, SheetEntry)}
    texts_by_column = [
        (column, {table.sheet.cell(row, column.column).casefold() for row in table.rows} - {""})
        for column in table.match_columns
    ]
    return [
        entry.person.key
        for entry in entries
        if entry.person.key not in matched_keys
        and not any(texts & column.keys(entry) for column, texts in texts_by_column)
    ]
