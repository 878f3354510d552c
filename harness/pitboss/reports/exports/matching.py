"""Finds the person of each row of a platform's table, by id or else by name. No person gets two rows."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from pitboss.reports.exports.sheet import Overlap, Sheet, SheetEntry
from pitboss.submissions.importers.imported import Person, distinct_names

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
