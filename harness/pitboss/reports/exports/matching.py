"""Which row of a platform's table is whose: by ids first, then by names, and never two for one person."""

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
    #: Whether a cell identifies one person; a name may be that of several.
    is_id: bool = True
    #: The head of the column.
    head: str = ""

    def keys(self, entry: SheetEntry) -> set[str]:
        """Returns the possible cells for a person, in lower case."""
        return {key.casefold() for key in self.keys_of(entry.person) if key}


def matched(
    sheet: Sheet, rows: Sequence[int], ways: Sequence[MatchColumn], entries: Sequence[SheetEntry]
) -> tuple[dict[int, SheetEntry | str], Overlap]:
    """Returns the entry of each of these rows, or why it has none; and how many there are.

    The first of `ways` that finds somebody counts, unless another column contradicts it.
    """
    found = {row: _Row(sheet, row, ways).entry(entries) for row in rows}
    of_person = defaultdict[str, list[int]](list)
    for row, (entry, _) in found.items():
        if isinstance(entry, SheetEntry):
            of_person[entry.person.key].append(row)
    result = {row: entry for row, (entry, _) in found.items()}
    for several in of_person.values():
        certain = [row for row in several if (way := found[row][1]) is not None and way.is_id]
        for row in several if len(several) > 1 else ():
            entry = found[row][0]
            if [row] != certain and isinstance(entry, SheetEntry):
                result[row] = f"there are {len(several)} rows that may be {entry.person.name}"
    by = [way for row, (_, way) in found.items() if way is not None and isinstance(result[row], SheetEntry)]
    counts = Counter(way.head for way in by)
    return result, Overlap(len(rows), len(entries), dict(counts), sum(way.is_id for way in by))


def namesake_marks(entries: Sequence[SheetEntry]) -> dict[str, str]:
    """Returns what distinguishes people of the same name, by their keys; empty for the others."""
    names = distinct_names(entry.person for entry in entries)
    return {entry.person.key: names[entry.person.key].removeprefix(entry.person.name) for entry in entries}


class Remarks:
    """Sentences on rows that were not filled in, in their order; of rows without a match only the first are named."""

    def __init__(self, unchanged: str) -> None:
        """`unchanged` names what was not changed in each row."""
        self._unchanged, self._unmatched = unchanged, 0
        self._sentences: list[str] = []

    def add(self, sentence: str) -> None:
        """Say something of a row."""
        self._sentences.append(sentence)

    def add_unchanged(self, who: str, reason: str) -> None:
        """Say why a row is as it was."""
        self.add(f"{who}: {reason}; {self._unchanged}")

    def add_unmatched(self, who: str, reason: str) -> None:
        """Note why a row matches nobody, or count it."""
        self._unmatched += 1
        if self._unmatched <= MAX_NAMED:
            self.add_unchanged(who, reason)

    def sentences(self) -> list[str]:
        """All of them, with how many rows more are without a match."""
        return [*self._sentences, *more(self._unmatched, "rows of people who were not found are as they were")]


def more(count: int, rest: str) -> list[str]:
    """Returns how many more there are than are named, with `rest`; nothing if all are named."""
    return [f"and {count - MAX_NAMED} more {rest}"] if count > MAX_NAMED else []


def missing(
    sheet: Sheet,
    rows: Sequence[int],
    ways: Sequence[MatchColumn],
    entries: Sequence[SheetEntry],
    found: Iterable[SheetEntry | str],
    called: str,
) -> list[str]:
    """Returns sentences on people without a row in the table, which is `called` so.

    People who may be meant by a row that was not filled in are left out: that row names them.
    """
    met = {entry.person.key for entry in found if isinstance(entry, SheetEntry)}
    cells = [(way, sheet.cell(row, way.column).casefold()) for row in rows for way in ways]
    written = [(way, {text for other, text in cells if other is way and text}) for way in ways]
    which = namesake_marks(entries)
    absent = [
        f"{entry.person.name}{which[entry.person.key]}: not in {called}"
        for entry in entries
        if entry.person.key not in met and not any(texts & way.keys(entry) for way, texts in written)
    ]
    return [*absent[:MAX_NAMED], *more(len(absent), f"are not in {called}")]


class _Row:
    """A row of a table."""

    def __init__(self, sheet: Sheet, row: int, ways: Sequence[MatchColumn]) -> None:
        self._cells = [(way, sheet.cell(row, way.column).casefold()) for way in ways]

    def entry(self, entries: Sequence[SheetEntry]) -> tuple[SheetEntry | str, MatchColumn | None]:
        """Returns the person of a row and the column that identified them; or why it matches nobody."""
        for way, text in self._cells:
            those = [entry for entry in entries if text and text in way.keys(entry)]
            fitting = [entry for entry in those if not self._is_refuted(entry)]
            if len(fitting) == 1:
                return fitting[0], way
            if fitting:
                return f"{len(fitting)} people have this name, and no other column identifies one of them", None
            if those:
                return f"{those[0].person.name} has another id", None
        return NOBODY, None

    def _is_refuted(self, entry: SheetEntry) -> bool:
        """Whether a column of ids identifies somebody else."""
        own_keys = ((text, way.keys(entry)) for way, text in self._cells if way.is_id and text)
        return any(keys and text not in keys for text, keys in own_keys)
