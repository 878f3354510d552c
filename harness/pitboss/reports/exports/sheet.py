"""A table that a platform has exported: its rows, the person of each row, and its text with filled cells."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

import msgspec

from pitboss.errors import UsageError, as_found
from pitboss.gradebook.grades import numeral
from pitboss.submissions.importers.imported import Person, distinct_names

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


NOBODY = "nobody of that name or id was graded"
#: The maximum number of rows or people without a match that are named; the others are counted.
MAX_NAMED = 10


class MatchColumn(NamedTuple):
    """A column of a table that identifies people."""

    #: The index of the column; None if the table has no such column.
    column: int | None
    #: Returns the texts that this column may contain for a person.
    keys_of: Callable[[Person], Iterable[str]]
    #: Whether the column contains ids; otherwise it contains names, which several people may share.
    is_id: bool = True
    #: The head of the column.
    head: str = ""

    def keys(self, entry: SheetEntry) -> set[str]:
        """Returns the texts that the column may contain for the entry's person, casefolded."""
        return {key.casefold() for key in self.keys_of(entry.person) if key}


def match_rows(
    sheet: Sheet, rows: Sequence[int], match_columns: Sequence[MatchColumn], entries: Sequence[SheetEntry]
) -> tuple[dict[int, SheetEntry | str], Overlap]:
    """Returns the entry of each row, or why the row has no entry; and the overlap of the table with the entries.

    `match_columns` are tried in order: the first column whose text fits somebody decides. The row has no entry if the
    text fits several people, or only people whose id differs from an id in the row. If several rows match one person,
    the entry goes to the row that matches by an id; if none or several of them match by an id, no row gets the entry.
    """
    # For each row: the entry, or why the row has none; and the column that identified the person.
    matches = {row: _Row(sheet, row, match_columns).entry(entries) for row in rows}
    rows_by_person = defaultdict[str, list[int]](list)
    for row, (entry, _) in matches.items():
        if isinstance(entry, SheetEntry):
            rows_by_person[entry.person.key].append(row)
    entries_by_row = {row: entry for row, (entry, _) in matches.items()}
    for person_rows in rows_by_person.values():
        if len(person_rows) == 1:
            continue
        id_rows = [row for row in person_rows if (match_column := matches[row][1]) is not None and match_column.is_id]
        for row in person_rows:
            entry, _ = matches[row]
            is_only_id_row = id_rows == [row]
            if not is_only_id_row and isinstance(entry, SheetEntry):
                entries_by_row[row] = f"there are {len(person_rows)} rows that may be {entry.person.name}"
    identifying_columns = [
        match_column
        for row, (_, match_column) in matches.items()
        if match_column is not None and isinstance(entries_by_row[row], SheetEntry)
    ]
    counts = Counter(match_column.head for match_column in identifying_columns)
    return entries_by_row, Overlap(
        len(rows), len(entries), dict(counts), sum(match_column.is_id for match_column in identifying_columns)
    )


def namesake_suffixes(entries: Sequence[SheetEntry]) -> dict[str, str]:
    """Returns a suffix for each person's name, by the person's key; it distinguishes people of the same name.

    The suffix is empty if nobody else has the name.
    """
    names = distinct_names(entry.person for entry in entries)
    return {entry.person.key: names[entry.person.key].removeprefix(entry.person.name) for entry in entries}


class Remarks:
    """Sentences on rows, in the order of the table; only the first rows without a match are named."""

    def __init__(self, unchanged: str) -> None:
        """`unchanged` is the clause that ends the remark on an unchanged row, such as “the row is as it was”."""
        self._unchanged, self._unmatched = unchanged, 0
        self._sentences: list[str] = []

    def add(self, sentence: str) -> None:
        self._sentences.append(sentence)

    def add_unchanged(self, who: str, reason: str) -> None:
        """Add why a row was not changed."""
        self.add(f"{who}: {reason}; {self._unchanged}")

    def add_unmatched(self, who: str, reason: str) -> None:
        """Add why a row matches nobody, or only count the row if MAX_NAMED rows are named already."""
        self._unmatched += 1
        if self._unmatched <= MAX_NAMED:
            self.add_unchanged(who, reason)

    def sentences(self) -> list[str]:
        """Return all sentences, and a last one on how many rows without a match are not named."""
        return [*self._sentences, *sentence_on_more(self._unmatched, "rows of people who were not found are unchanged")]


def sentence_on_more(count: int, rest: str) -> list[str]:
    """Returns “and N more”, continued by `rest`, if `count` items are more than MAX_NAMED; otherwise nothing."""
    return [f"and {count - MAX_NAMED} more {rest}"] if count > MAX_NAMED else []


def people_without_row(
    sheet: Sheet,
    rows: Sequence[int],
    match_columns: Sequence[MatchColumn],
    entries: Sequence[SheetEntry],
    entries_of_rows: Iterable[SheetEntry | str],
    called: str,
) -> list[str]:
    """Returns sentences on people without a row in the table; `called` is the name of the table in the sentences.

    `match_columns` are the columns that identify people, and `entries_of_rows` has the entry of each row. No sentence
    is on a person whose id or name is in some row, since that row has a remark already.
    """
    matched_keys = {entry.person.key for entry in entries_of_rows if isinstance(entry, SheetEntry)}
    cells = [
        (match_column, sheet.cell(row, match_column.column).casefold())
        for row in rows
        for match_column in match_columns
    ]
    texts_by_column = [
        (match_column, {text for cell_column, text in cells if cell_column is match_column and text})
        for match_column in match_columns
    ]
    suffixes = namesake_suffixes(entries)
    absent = [
        f"{entry.person.name}{suffixes[entry.person.key]}: not in {called}"
        for entry in entries
        if entry.person.key not in matched_keys
        and not any(texts & match_column.keys(entry) for match_column, texts in texts_by_column)
    ]
    return [*absent[:MAX_NAMED], *sentence_on_more(len(absent), f"are not in {called}")]


class _Row:
    """A row of a table, with its texts in the columns that identify people."""

    def __init__(self, sheet: Sheet, row: int, match_columns: Sequence[MatchColumn]) -> None:
        self._cells = [
            (match_column, sheet.cell(row, match_column.column).casefold()) for match_column in match_columns
        ]

    def entry(self, entries: Sequence[SheetEntry]) -> tuple[SheetEntry | str, MatchColumn | None]:
        """Returns the entry of the row's person and the column that identified the person.

        If the row matches nobody, returns the reason and None.
        """
        for match_column, text in self._cells:
            candidates = [entry for entry in entries if text and text in match_column.keys(entry)]
            consistent = [entry for entry in candidates if not self._is_refuted(entry)]
            if len(consistent) == 1:
                return consistent[0], match_column
            if consistent:
                return f"{len(consistent)} people have this name, and no other column identifies one of them", None
            if candidates:
                return f"{candidates[0].person.name} has another id", None
        return NOBODY, None

    def _is_refuted(self, entry: SheetEntry) -> bool:
        """Whether an id in the row contradicts the entry: the entry's person has other ids of this kind."""
        ids_and_keys = (
            (text, match_column.keys(entry)) for match_column, text in self._cells if match_column.is_id and text
        )
        return any(keys and text not in keys for text, keys in ids_and_keys)
