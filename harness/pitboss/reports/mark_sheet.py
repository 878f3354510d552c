"""Writes a sheet of marks for a spreadsheet, a row for each person; reads it back, and lists its changes.

The gradebook stores all marks in order. So a sheet only records how many marks a person had when it was written
(`version`), which is enough to see which of its cells, and which marks in the gradebook, were changed since.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

from pitboss.assignments.grading_policy import GradingPolicy
from pitboss.errors import UsageError, as_found, did_you_mean, listed, shortened
from pitboss.gradebook.book import (
    COMMENT,
    LATE,
    OVERRIDE,
    PICKED,
    RUBRIC,
    STAGE,
    STYLE,
    Gradebook,
    comments_of,
    picked_in,
)
from pitboss.gradebook.grades import Grade
from pitboss.gradebook.marking import Added, check_rubric_item, days_in, share_in
from pitboss.gradebook.numerals import numeral, percentage_numeral
from pitboss.gradebook.people import person_called
from pitboss.gradebook.person_records import Mark
from pitboss.gradebook.scoring import class_due, grade_with
from pitboss.reports.mark_words import value_words
from pitboss.reports.score_words import late_words
from pitboss.reports.spreadsheets import original_of, safe_cell
from pitboss.submissions.importers.csv_tables import TableRow, heading, table_rows
from pitboss.submissions.importers.imported import Person

KEY, NAME, SECTION, VERSION, REASON = "key", "name", "section", "version", "override reason"
#: How late a submission was, to help fill in `days late`; not a mark. The column is written only if anybody was late.
HOW_LATE = "late"
#: The keys of the picked items of the rubric, separated by blanks, commas or semicolons.
PICKS = "rubric"
#: The maximum number of cells whose errors are listed at once.
_MAX_PROBLEMS = 10
_NUMBER = re.compile(r"([0-9]{1,6})(?:[.,]([0-9]{1,10}))?")
#: How spreadsheets rewrite a whole number.
_WHOLE_NUMBER = re.compile(r"([-\u2212]?[0-9]{1,4})(?:[.,]0+)?")
_VERSION = re.compile(r"([0-9]{1,9}) of (.+)")
#: The decimals of percentages in spreadsheets, which save a percentage as they show it.
_MIN_DECIMALS = 2


class MarkChange(NamedTuple):
    """A mark that a sheet adds."""

    added: Added
    #: The current value; empty without a mark, and for comments, which replace nothing.
    now: str


class PersonChanges(NamedTuple):
    """The marks that a sheet changes for one person."""

    person: Person
    changes: tuple[MarkChange, ...]
    before: Grade | None
    after: Grade | None


class _Column(NamedTuple):
    """A column of marks of one kind."""

    head: str
    kind: str
    #: Convert a value to its cell, and a nonempty cell to its value; `to_value` raises UsageError without the line.
    to_cell: Callable[[str], str]
    to_value: Callable[[str, str], str]

    def value_in(self, cell: str, base: str) -> str:
        """Returns the value of a cell: `base` if the cell is what was written for it, or a rounded form."""
        if cell == self.to_cell(base) or (base and _is_rounded(cell, self.to_cell(base))):
            return base
        return self.to_value(cell, self.head) if cell else ""


def mark_sheet(book: Gradebook, policy: GradingPolicy) -> str:
    """Returns the sheet of a class as CSV, with the current marks."""
    people, facts = book.people(), book.class_facts()
    has_sections = any(person.section for person in people)
    columns, rubric = _columns(policy), [item.key for item in book.rubric()]
    marks_of, due = {person.key: book.marks(person.key) for person in people}, class_due(book)
    late = {person.key: late_words(book.row(person, marks_of[person.key]), due) for person in people}
    has_late = any(late.values())
    target = io.StringIO()
    target.write("\ufeff")  # without it spreadsheets assume the encoding of the machine
    writer = csv.writer(target, lineterminator="\n")
    heads = [*(column.head for column in columns), REASON, *([PICKS] if rubric else []), COMMENT, VERSION]
    writer.writerow([KEY, NAME, *([SECTION] if has_sections else []), *([HOW_LATE] if has_late else []), *heads])
    for person in people:
        marks = marks_of[person.key]
        last, picked = _last_by_kind(marks), picked_in(marks)
        cells = [safe_cell(person.key), safe_cell(person.name), *([safe_cell(person.section)] if has_sections else [])]
        cells += [late[person.key]] if has_late else []
        cells += [column.to_cell(last[column.kind].value if column.kind in last else "") for column in columns]
        cells += [safe_cell(_value_of(last, OVERRIDE)[1])]
        cells += [" ".join(key for key in rubric if key in picked)] if rubric else []
        writer.writerow([*cells, "", f"{len(marks)} of {facts.get('assignment', '')}"])
    return target.getvalue()


class MarkSheet:
    """A sheet of marks that was edited."""

    def __init__(self, path: Path, policy: GradingPolicy) -> None:
        """Read a file; raises UsageError, with file and line, if it is not a sheet of marks."""
        self.path, self._policy = path, policy
        columns = _columns(policy)
        columns_by_head = {heading(column.head): column for column in columns}
        other_heads = {KEY, NAME, SECTION, HOW_LATE, VERSION, REASON, COMMENT, PICKS}
        known_heads = {*columns_by_head, *other_heads}
        header, *self._rows = table_rows(path, lambda row: sum(heading(cell) in known_heads for cell in row))
        heads = [heading(cell) for cell in header.cells]
        location = f"{path}:{header.line}: "
        _check_heads(location, header, known_heads, {*columns_by_head, REASON, COMMENT, PICKS})
        self._positions = {head: index for index, head in enumerate(heads) if head in known_heads}
        self._columns = [column for head, column in columns_by_head.items() if head in self._positions]
        #: The heads of columns that do not belong to a sheet of marks.
        self.ignored = tuple(cell.strip() for cell in header.cells if cell.strip() and heading(cell) not in known_heads)

    def changes(self, book: Gradebook, reason: str) -> list[PersonChanges]:
        """Return what the sheet changes in a gradebook in its current state.

        The changes are recorded with `reason`; if it is empty, with the file's name.

        Raises UsageError, with file and line, for unreadable cells, and for people who are unknown or listed twice.
        """
        finder = _PeopleFinder(book.people())
        problems: list[str] = []
        changed: list[PersonChanges] = []
        lines: dict[str, int] = {}
        for row in self._rows:
            try:
                person = finder.person(self._cell(row, KEY), self._cell(row, NAME))
                if person.key in lines:
                    raise UsageError(f"{person.name} ({person.key}) is on line {lines[person.key]} too")
                lines[person.key] = row.line
                entry = _SheetPerson(book, person, self._cell(row, VERSION))
            except UsageError as error:
                problems.append(f"{self.path}:{row.line}: {error}")
                continue
            mark_changes, errors = self._row_changes(book, row, entry, reason)
            problems += [f"{self.path}:{row.line}: {error_text}" for error_text in errors]
            if mark_changes:
                changed.append(self._person_changes(book, entry, mark_changes))
        if problems:
            more = len(problems) - _MAX_PROBLEMS
            raise UsageError("\n".join([*problems[:_MAX_PROBLEMS], *([f"and {more} more"] if more > 0 else [])]))
        return changed

    def _person_changes(
        self, book: Gradebook, entry: _SheetPerson, mark_changes: Sequence[MarkChange]
    ) -> PersonChanges:
        """The changes of a person, with the grades before and after."""
        added = [Mark(change.added.kind, change.added.value, change.added.reason, "", "") for change in mark_changes]
        before, after = (grade_with(book, self._policy, entry.person, [*entry.marks, *extra]) for extra in ((), added))
        return PersonChanges(entry.person, tuple(mark_changes), before, after)

    def _cell(self, row: TableRow, head: str) -> str:
        """Returns a cell as it was before it was made safe for spreadsheets; empty if it is missing."""
        index = self._positions.get(head, len(row.cells))
        text = row.cells[index].strip() if index < len(row.cells) else ""
        return original_of(text)

    def _row_changes(
        self, book: Gradebook, row: TableRow, entry: _SheetPerson, reason: str
    ) -> tuple[list[MarkChange], list[str]]:
        """What a row changes, and the errors in it."""
        changes: list[MarkChange] = []
        errors: list[str] = []
        default_reason = reason or f"from {self.path.name}"
        for column in self._columns:
            try:
                if column.kind == OVERRIDE:
                    changes += self._override_changes(row, column, entry, reason)
                    continue
                value = column.value_in(self._cell(row, heading(column.head)), entry.base_value(column.kind))
                if entry.is_changed(column.kind, (value, "")):
                    changes.append(MarkChange(Added(column.kind, value, default_reason), entry.now_value(column.kind)))
            except UsageError as error:
                errors.append(str(error))
        if PICKS in self._positions:
            try:
                changes += _pick_changes(self._cell(row, PICKS), book, entry, default_reason)
            except UsageError as error:
                errors.append(str(error))
        text = self._cell(row, COMMENT).replace("\r\n", "\n")
        if text and text not in entry.comments:
            changes.append(MarkChange(Added(COMMENT, text, default_reason), ""))
        return changes, errors

    def _override_changes(
        self, row: TableRow, column: _Column, entry: _SheetPerson, reason: str
    ) -> Iterator[MarkChange]:
        """Yields the new override with its reason, if either was changed."""
        base, base_reason = _value_of(entry.base, OVERRIDE)
        value = column.value_in(self._cell(row, OVERRIDE), base)
        new_reason = self._cell(row, REASON) if REASON in self._positions else base_reason if value == base else ""
        new_reason = new_reason or ("" if value == base else reason)
        if value and not new_reason:
            raise UsageError(
                f"override {value_words(OVERRIDE, value)} has no reason — write it in the column {REASON!r}"
            )
        if new_reason and not value and not base and new_reason != reason:
            raise UsageError(f"{REASON} {as_found(new_reason)} — this row has no override")
        if entry.is_changed(OVERRIDE, (value, new_reason if value else "")):
            recorded_reason = new_reason if value else reason or f"from {self.path.name}"
            yield MarkChange(Added(OVERRIDE, value, recorded_reason), entry.now_value(OVERRIDE))


def _pick_changes(cell: str, book: Gradebook, entry: _SheetPerson, reason: str) -> Iterator[MarkChange]:
    """Yields the picks and unpicks of a cell, compared with the picks when the sheet was written."""
    keys = set(re.split(r"[\s,;]+", cell)) - {""}
    for key in sorted(keys):
        check_rubric_item(book, key, "rubric ")
    base = picked_in(entry.base.values())
    for key in [item.key for item in book.rubric() if item.key in keys ^ base]:
        kind, value = f"{RUBRIC}{key}", PICKED if key in keys else ""
        if entry.is_changed(kind, (value, "")):
            yield MarkChange(Added(kind, value, reason), entry.now_value(kind))


class _SheetPerson:
    """A person of a sheet: the marks that the sheet was written from, and the current marks."""

    def __init__(self, book: Gradebook, person: Person, version: str) -> None:
        """Find the marks; raises UsageError if the version does not fit this gradebook."""
        self.person, self.marks = person, book.marks(person.key)
        self.base, self._now = _last_by_kind(self._marks_when_written(book, version)), _last_by_kind(self.marks)
        self.comments = {comment.value.strip() for comment in comments_of(self.marks)}

    def _marks_when_written(self, book: Gradebook, version: str) -> list[Mark]:
        """The marks of the person when the sheet was written."""
        if not version:
            return self.marks
        match, assignment = _VERSION.fullmatch(version), book.class_facts().get("assignment", "")
        if match is None:
            expected = f"such as '3 of {assignment}'"
            raise UsageError(f"{VERSION} {as_found(version)} — leave it as it was written, {expected}, or empty it")
        if match[2] != assignment:
            raise UsageError(f"the sheet is for {shortened(match[2])}, but this gradebook is for {assignment}")
        if int(match[1]) > len(self.marks):
            raise UsageError(
                f"{VERSION} {as_found(version)} — this gradebook has {len(self.marks)} marks of {self.person.name}: "
                "the sheet was written from another gradebook"
            )
        return self.marks[: int(match[1])]

    def base_value(self, kind: str) -> str:
        """Return the value of a kind when the sheet was written; empty if there was none."""
        return self.base[kind].value if kind in self.base else ""

    def now_value(self, kind: str) -> str:
        """Return the current value of a kind; empty without a mark."""
        return self._now[kind].value if kind in self._now else ""

    def is_changed(self, kind: str, given: tuple[str, str]) -> bool:
        """Whether a value, with the reason of an override, is new.

        Raises UsageError if another value was added after the sheet was written.
        """
        base, now = (_value_of(last, kind) for last in (self.base, self._now))
        if given in (base, now):
            return False
        if base == now:
            return True
        values = [value_words(kind, value) or "none" for value, _ in (now, base, given)]
        last = self._now[kind]
        raise UsageError(
            f"{kind} was changed from {values[1]} to {values[0]} after the sheet was written ({last.at}, by {last.by});"
            f" the sheet has {values[2]} — write a new sheet, or empty the cell {VERSION} of this row to use its values"
        )


class _PeopleFinder:
    """Finds people of a gradebook by the key and the name in a sheet."""

    def __init__(self, people: Sequence[Person]) -> None:
        self._people = people
        self._by_key = {person.key: person for person in people}
        zeros = Counter(person.key.lstrip("0") for person in people)
        self._without_zeros = {
            person.key.lstrip("0"): person
            for person in people
            if person.key.startswith("0") and zeros[person.key.lstrip("0")] == 1
        }

    def person(self, key: str, name: str) -> Person:
        """Return the person with this key or, if it is empty, with this name. Leading zeros of the key may be missing.

        Raises UsageError if nobody matches, or if key and name belong to two people (some columns sorted alone).
        """
        if not key and not name:
            raise UsageError("this row has neither a key nor a name")
        if not key:
            return person_called(self._people, name, is_whole=True)
        person = self._by_key.get(key) or self._without_zeros.get(key)
        namesakes = [other for other in self._people if name and other.name == name]
        if person is None:
            keys = listed(other.key for other in namesakes)
            hint = f"; {name} has the key {keys}" if namesakes else did_you_mean(key, self._by_key)
            raise UsageError(f"nobody in this gradebook has the key {as_found(key)}{hint}")
        if namesakes and person not in namesakes:
            raise UsageError(
                f"the key {key} belongs to {person.name}, but the name is {name} — were some columns sorted without "
                "the others?"
            )
        return person


def _check_heads(location: str, header: TableRow, known_heads: set[str], mark_heads: set[str]) -> None:
    """Raise UsageError if no column identifies people, if no column has marks, or if a column is repeated."""
    heads = [heading(cell) for cell in header.cells]
    present = listed(cell.strip() for cell in header.cells if cell.strip())
    if not {KEY, NAME} & set(heads):
        raise UsageError(f"{location}no column is called key or name, to identify people; the columns are {present}")
    if not mark_heads & set(heads):
        raise UsageError(
            f"{location}no column has marks — these are called {listed(sorted(mark_heads))}; the columns are {present}"
        )
    repeated = [head for head, count in Counter(heads).items() if head in known_heads and count > 1]
    if repeated:
        raise UsageError(f"{location}there are several columns {repeated[0]} — keep one")


def _columns(policy: GradingPolicy) -> list[_Column]:
    stages = [f"{STAGE}{stage.name}" for stage in policy.stages if stage.is_manual]
    return [
        _Column(STYLE, STYLE, percentage_numeral, share_in),
        *(_Column(name, name, percentage_numeral, share_in) for name in stages),
        _Column("days late", LATE, str, _parse_days),
        _Column(OVERRIDE, OVERRIDE, _points_cell, _parse_points),
    ]


def _last_by_kind(marks: Sequence[Mark]) -> dict[str, Mark]:
    """The last mark of each kind."""
    return {mark.kind: mark for mark in marks}


def _value_of(last: Mapping[str, Mark], kind: str) -> tuple[str, str]:
    """The value of a kind and, for an override, its reason; both empty without a mark."""
    if kind not in last or not last[kind].value:
        return "", ""
    return last[kind].value, last[kind].reason if kind == OVERRIDE else ""


def _points_cell(points: str) -> str:
    return numeral(Fraction(points)) if points else ""


def _number_in(cell: str) -> tuple[Fraction, int] | None:
    """Parses a number with a point or a comma; returns it and how many decimals it has, None for other text."""
    match = _NUMBER.fullmatch(cell)
    return (Fraction(f"{match[1]}.{match[2] or 0}"), len(match[2] or "")) if match else None


def _is_rounded(cell: str, original: str) -> bool:
    """Whether a spreadsheet may have rewritten `original` as `cell`: equal, or rounded to two or more decimals."""
    original_number, cell_number = (_number_in(text.rstrip("%").strip()) for text in (original, cell))
    if (
        original_number is None
        or cell_number is None
        or (original.endswith("%") and not cell.endswith("%") and cell_number[0] <= 1)
    ):
        return False
    scale = 10 ** cell_number[1]
    rounded = Fraction(math.floor(original_number[0] * scale + Fraction(1, 2)), scale)
    return original_number[0] == cell_number[0] or (cell_number[1] >= _MIN_DECIMALS and rounded == cell_number[0])


def _parse_points(cell: str, head: str) -> str:
    number = _number_in(cell)
    if number is None:
        raise UsageError(f"{head} {as_found(cell)} — it must be a number of points, such as 85 or 85,5")
    return str(number[0])


def _parse_days(cell: str, head: str) -> str:
    match = _WHOLE_NUMBER.fullmatch(cell)
    return days_in(match[1].replace("\u2212", "-") if match else cell, head)
