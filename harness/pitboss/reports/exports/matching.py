"""Finds the person of each row of a platform's table: by ids first, then by names, and no person twice."""

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
    """A column by which people are found, and its possible cells for a person."""

    column: int | None
    keys_of: Callable[[Person], Iterable[str]]
    #: Whether a cell identifies one person; several people may share a name.
    is_id: bool = True
    #: The head of the column.
    head: str = ""

    def keys(self, entry: SheetEntry) -> set[str]:
        """Returns the possible cells for a person, in lower case."""
        return {key.casefold() for key in self.keys_of(entry.person) if key}


def matched(
    sheet: Sheet, rows: Sequence[int], ways: Sequence[MatchColumn], entries: Sequence[SheetEntry]
) -> tuple[dict[int, SheetEntry | str], Overlap]:
    """Returns the entry of each row, or why the row has none; and how much table and entries overlap.

    The first of the columns `ways` that finds a person counts, unless a column of ids contradicts it.
    """
    found = {row: _Row(sheet, row, ways).entry(entries) for row in rows}
    rows_by_person = defaultdict[str, list[int]](list)
    for row, (entry, _) in found.items():
        if isinstance(entry, SheetEntry):
            rows_by_person[entry.person.key].append(row)
    result = {row: entry for row, (entry, _) in found.items()}
    for person_rows in rows_by_person.values():
        certain = [row for row in person_rows if (way := found[row][1]) is not None and way.is_id]
        for row in person_rows if len(person_rows) > 1 else ():
            entry = found[row][0]
            if [row] != certain and isinstance(entry, SheetEntry):
                result[row] = f"there are {len(person_rows)} rows that may be {entry.person.name}"
    identifying = [way for row, (_, way) in found.items() if way is not None and isinstance(result[row], SheetEntry)]
    counts = Counter(way.head for way in identifying)
    return result, Overlap(len(rows), len(entries), dict(counts), sum(way.is_id for way in identifying))


def namesake_marks(entries: Sequence[SheetEntry]) -> dict[str, str]:
    """Returns the text that distinguishes people of the same name, by their keys; empty for other people."""
    names = distinct_names(entry.person for entry in entries)
    return {entry.person.key: names[entry.person.key].removeprefix(entry.person.name) for entry in entries}


class Remarks:
    """Sentences on rows, in the order of the table; only the first rows without a match are named."""

    def __init__(self, unchanged: str) -> None:
        """`unchanged` names what was not changed in each row."""
        self._unchanged, self._unmatched = unchanged, 0
        self._sentences: list[str] = []

    def add(self, sentence: str) -> None:
        """Add a sentence about a row."""
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
        """Return all sentences, and how many more rows are without a match."""
        return [*self._sentences, *more(self._unmatched, "rows of people who were not found are as they were")]


def more(count: int, rest: str) -> list[str]:
    """Returns how many items are not named, followed by `rest`; empty if all are named."""
    return [f"and {count - MAX_NAMED} more {rest}"] if count > MAX_NAMED else []


def missing(
    sheet: Sheet,
    rows: Sequence[int],
    ways: Sequence[MatchColumn],
    entries: Sequence[SheetEntry],
    found: Iterable[SheetEntry | str],
    called: str,
) -> list[str]:
    """Returns sentences on people without a row in the table; `called` is what the sentences call the table.

    People whom an unfilled row may mean are left out, since the remark on that row is enough.
    """
    matched_keys = {entry.person.key for entry in found if isinstance(entry, SheetEntry)}
    cells = [(way, sheet.cell(row, way.column).casefold()) for row in rows for way in ways]
    written = [(way, {text for cell_way, text in cells if cell_way is way and text}) for way in ways]
    marks = namesake_marks(entries)
    absent = [
        f"{entry.person.name}{marks[entry.person.key]}: not in {called}"
        for entry in entries
        if entry.person.key not in matched_keys and not any(texts & way.keys(entry) for way, texts in written)
    ]
    return [*absent[:MAX_NAMED], *more(len(absent), f"are not in {called}")]


class _Row:
    """A row of a table."""

    def __init__(self, sheet: Sheet, row: int, ways: Sequence[MatchColumn]) -> None:
        self._cells = [(way, sheet.cell(row, way.column).casefold()) for way in ways]

    def entry(self, entries: Sequence[SheetEntry]) -> tuple[SheetEntry | str, MatchColumn | None]:
        """Returns the row's entry and the column that identified the person; or why the row matches nobody."""
        for way, text in self._cells:
            candidates = [entry for entry in entries if text and text in way.keys(entry)]
            consistent = [entry for entry in candidates if not self._is_refuted(entry)]
            if len(consistent) == 1:
                return consistent[0], way
            if consistent:
                return f"{len(consistent)} people have this name, and no other column identifies one of them", None
            if candidates:
                return f"{candidates[0].person.name} has another id", None
        return NOBODY, None

    def _is_refuted(self, entry: SheetEntry) -> bool:
        """Whether a column of ids identifies somebody other than the entry's person."""
        own_keys = ((text, way.keys(entry)) for way, text in self._cells if way.is_id and text)
        return any(keys and text not in keys for text, keys in own_keys)
