"""Writes a sheet of marks for a spreadsheet, a row for each person; reads it back, and finds what it changes.

The gradebook stores all marks in order. So a sheet only records how many marks a person had when it was written
(`version`): this tells which of its cells, and which marks in the gradebook, were changed since.
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
from pitboss.errors import UsageError, as_found, listed, near, shortened
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
from pitboss.gradebook.marking import Added, days_in, see_item, share_in
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
_WHOLE = re.compile(r"([-\u2212]?[0-9]{1,4})(?:[.,]0+)?")
_VERSION = re.compile(r"([0-9]{1,9}) of (.+)")
#: The decimals of percentages in spreadsheets, which save a percentage as they show it.
_ROUNDED_TO = 2


class MarkChange(NamedTuple):
    """A mark that a sheet adds."""

    added: Added
    #: The value that counts now; empty if there is none. Also empty for comments, all of which count.
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
    #: Convert a value to its cell, and a nonempty cell to its value; `read` raises UsageError without file and line.
    written: Callable[[str], str]
    read: Callable[[str, str], str]

    def value_in(self, cell: str, base: str) -> str:
        """Returns the value of a cell: `base` if the cell is what was written for it, or a rounded form."""
        if cell == self.written(base) or (base and _is_rounded(cell, self.written(base))):
            return base
        return self.read(cell, self.head) if cell else ""


def mark_sheet(book: Gradebook, policy: GradingPolicy) -> str:
    """Returns the sheet of a class as CSV, with the marks that count now."""
    people, about = book.people(), book.about()
    has_sections = any(one.section for one in people)
    columns, rubric = _columns(policy), [one.key for one in book.rubric()]
    marks_of, due = {one.key: book.marks(one.key) for one in people}, class_due(book)
    late = {one.key: late_words(book.row(one, marks_of[one.key]), due) for one in people}
    has_late = any(late.values())
    target = io.StringIO()
    target.write("\ufeff")  # without it spreadsheets assume the encoding of the machine
    writer = csv.writer(target, lineterminator="\n")
    heads = [*(one.head for one in columns), REASON, *([PICKS] if rubric else []), COMMENT, VERSION]
    writer.writerow([KEY, NAME, *([SECTION] if has_sections else []), *([HOW_LATE] if has_late else []), *heads])
    for person in people:
        marks = marks_of[person.key]
        last, picked = _last(marks), picked_in(marks)
        cells = [safe_cell(person.key), safe_cell(person.name), *([safe_cell(person.section)] if has_sections else [])]
        cells += [late[person.key]] if has_late else []
        cells += [one.written(last[one.kind].value if one.kind in last else "") for one in columns]
        cells += [safe_cell(_value_of(last, OVERRIDE)[1])]
        cells += [" ".join(key for key in rubric if key in picked)] if rubric else []
        writer.writerow([*cells, "", f"{len(marks)} of {about.get('assignment', '')}"])
    return target.getvalue()


class MarkSheet:
    """A sheet of marks that was edited."""

    def __init__(self, path: Path, policy: GradingPolicy) -> None:
        """Read a file; UsageError, with file and line, if it is not a sheet of marks."""
        self.path, self._policy = path, policy
        columns = _columns(policy)
        of_heads = {heading(one.head): one for one in columns}
        others = {KEY, NAME, SECTION, HOW_LATE, VERSION, REASON, COMMENT, PICKS}
        of_sheet = {*of_heads, *others}
        header, *self._rows = table_rows(path, lambda row: sum(heading(cell) in of_sheet for cell in row))
        heads = [heading(cell) for cell in header.cells]
        place = f"{path}:{header.line}: "
        _see_heads(place, header, of_sheet, {*of_heads, REASON, COMMENT, PICKS})
        self._places = {head: at for at, head in enumerate(heads) if head in of_sheet}
        self._columns = [one for head, one in of_heads.items() if head in self._places]
        #: The heads of columns that do not belong to a sheet of marks.
        self.ignored = tuple(cell.strip() for cell in header.cells if cell.strip() and heading(cell) not in of_sheet)

    def changes(self, book: Gradebook, reason: str) -> list[PersonChanges]:
        """Return what the sheet changes in a gradebook as it is now.

        The changes are recorded with `reason`; if it is empty, with the file's name.

        UsageError, with file and line, for all unreadable cells, and for people who are unknown or listed twice.
        """
        finder = _PeopleFinder(book.people())
        problems: list[str] = []
        changed: list[PersonChanges] = []
        lines: dict[str, int] = {}
        for row in self._rows:
            try:
                person = finder.person(self._cell(row, KEY), self._cell(row, NAME))
                if person.key in lines:
                    raise UsageError(f"{person.name} ({person.key}) stands on line {lines[person.key]} too")
                lines[person.key] = row.line
                entry = _SheetPerson(book, person, self._cell(row, VERSION))
            except UsageError as error:
                problems.append(f"{self.path}:{row.line}: {error}")
                continue
            found, wrong = self._of_row(book, row, entry, reason)
            problems += [f"{self.path}:{row.line}: {sentence}" for sentence in wrong]
            if found:
                changed.append(self._person_changes(book, entry, found))
        if problems:
            more = len(problems) - _MAX_PROBLEMS
            raise UsageError("\n".join([*problems[:_MAX_PROBLEMS], *([f"and {more} more"] if more > 0 else [])]))
        return changed

    def _person_changes(self, book: Gradebook, entry: _SheetPerson, found: Sequence[MarkChange]) -> PersonChanges:
        added = [Mark(one.added.kind, one.added.value, one.added.reason, "", "") for one in found]
        then, now = (grade_with(book, self._policy, entry.person, [*entry.marks, *more]) for more in ((), added))
        return PersonChanges(entry.person, tuple(found), then, now)

    def _cell(self, row: TableRow, head: str) -> str:
        """Returns a cell as it was before it was made safe for spreadsheets; empty if it is missing."""
        at = self._places.get(head, len(row.cells))
        text = row.cells[at].strip() if at < len(row.cells) else ""
        return original_of(text)

    def _of_row(
        self, book: Gradebook, row: TableRow, entry: _SheetPerson, reason: str
    ) -> tuple[list[MarkChange], list[str]]:
        """What a row changes, and what is wrong in it."""
        found: list[MarkChange] = []
        wrong: list[str] = []
        why = reason or f"from {self.path.name}"
        for column in self._columns:
            try:
                if column.kind == OVERRIDE:
                    found += self._override(row, column, entry, reason)
                    continue
                value = column.value_in(self._cell(row, heading(column.head)), entry.base_value(column.kind))
                if entry.is_changed(column.kind, (value, "")):
                    found.append(MarkChange(Added(column.kind, value, why), entry.now_value(column.kind)))
            except UsageError as error:
                wrong.append(str(error))
        if PICKS in self._places:
            try:
                found += _picks(self._cell(row, PICKS), book, entry, why)
            except UsageError as error:
                wrong.append(str(error))
        text = self._cell(row, COMMENT).replace("\r\n", "\n")
        if text and text not in entry.comments:
            found.append(MarkChange(Added(COMMENT, text, why), ""))
        return found, wrong

    def _override(self, row: TableRow, column: _Column, entry: _SheetPerson, reason: str) -> Iterator[MarkChange]:
        """Yields the new override with its reason, if either was changed."""
        base, base_reason = _value_of(entry.base, OVERRIDE)
        value = column.value_in(self._cell(row, OVERRIDE), base)
        given = self._cell(row, REASON) if REASON in self._places else base_reason if value == base else ""
        given = given or ("" if value == base else reason)
        if value and not given:
            raise UsageError(
                f"override {value_words(OVERRIDE, value)} has no reason — write one beside it, in {REASON!r}"
            )
        if given and not value and not base and given != reason:
            raise UsageError(f"{REASON} {as_found(given)} stands beside no override")
        if entry.is_changed(OVERRIDE, (value, given if value else "")):
            why = given if value else reason or f"from {self.path.name}"
            yield MarkChange(Added(OVERRIDE, value, why), entry.now_value(OVERRIDE))


def _picks(cell: str, book: Gradebook, entry: _SheetPerson, why: str) -> Iterator[MarkChange]:
    """Yields what a cell picks and unpicks, compared with the picks when the sheet was written."""
    keys = set(re.split(r"[\s,;]+", cell)) - {""}
    for key in sorted(keys):
        see_item(book, key, "rubric ")
    base = picked_in(entry.base.values())
    for key in [one.key for one in book.rubric() if one.key in keys ^ base]:
        kind, value = f"{RUBRIC}{key}", PICKED if key in keys else ""
        if entry.is_changed(kind, (value, "")):
            yield MarkChange(Added(kind, value, why), entry.now_value(kind))


class _SheetPerson:
    """A person of a sheet: the marks that the sheet was written from, and those that count now."""

    def __init__(self, book: Gradebook, person: Person, version: str) -> None:
        """Find the marks; UsageError if the sheet's version is not one of this gradebook."""
        self.person, self.marks = person, book.marks(person.key)
        self.base, self._now = _last(self._then(book, version)), _last(self.marks)
        self.comments = {one.value.strip() for one in comments_of(self.marks)}

    def _then(self, book: Gradebook, version: str) -> list[Mark]:
        if not version:
            return self.marks
        found, assignment = _VERSION.fullmatch(version), book.about().get("assignment", "")
        if found is None:
            right = f"as it was written, such as '3 of {assignment}'"
            raise UsageError(f"{VERSION} {as_found(version)} — it stays {right}, or is emptied")
        if found[2] != assignment:
            raise UsageError(f"the sheet is of {shortened(found[2])}, and this is a gradebook of {assignment}")
        if int(found[1]) > len(self.marks):
            raise UsageError(
                f"{VERSION} {as_found(version)} — this gradebook has {len(self.marks)} marks of {self.person.name}: "
                "the sheet was written from another one"
            )
        return self.marks[: int(found[1])]

    def base_value(self, kind: str) -> str:
        """Return the value of a kind that counted when the sheet was written; empty if there was none."""
        return self.base[kind].value if kind in self.base else ""

    def now_value(self, kind: str) -> str:
        """Return the value of a kind that counts now; empty if there is none."""
        return self._now[kind].value if kind in self._now else ""

    def is_changed(self, kind: str, given: tuple[str, str]) -> bool:
        """Whether a value, with the reason of an override, is new.

        UsageError if another value was added after the sheet was written.
        """
        base, now = (_value_of(last, kind) for last in (self.base, self._now))
        if given in (base, now):
            return False
        if base == now:
            return True
        words = [value_words(kind, value) or "none" for value, _ in (now, base, given)]
        last = self._now[kind]
        raise UsageError(
            f"{kind} is {words[0]} since {last.at}, by {last.by}; the sheet was written before, from {words[1]}, and "
            f"says {words[2]} — write a new sheet, or empty the cell {VERSION} of this row for what it says to count"
        )


class _PeopleFinder:
    """Finds people of a gradebook by the key and the name in a sheet."""

    def __init__(self, people: Sequence[Person]) -> None:
        self._people = people
        self._by_key = {one.key: one for one in people}
        zeros = Counter(one.key.lstrip("0") for one in people)
        self._without_zeros = {
            one.key.lstrip("0"): one for one in people if one.key.startswith("0") and zeros[one.key.lstrip("0")] == 1
        }

    def person(self, key: str, name: str) -> Person:
        """Return the person with this key or, if it is empty, with this name. Leading zeros of the key may be missing.

        UsageError if there is nobody, or if key and name belong to two people, as after sorting only some columns.
        """
        if not key and not name:
            raise UsageError("neither a key nor a name says whose marks these are")
        if not key:
            return person_called(self._people, name, is_whole=True)
        found = self._by_key.get(key) or self._without_zeros.get(key)
        called = [one for one in self._people if name and one.name == name]
        if found is None:
            keys = listed(one.key for one in called)
            hint = f"; {name} has the key {keys}" if called else near(key, self._by_key)
            raise UsageError(f"nobody in this gradebook has the key {as_found(key)}{hint}")
        if called and found not in called:
            raise UsageError(
                f"the key {key} is that of {found.name}, and the name is {name} — were some columns sorted without the "
                "others?"
            )
        return found


def _see_heads(place: str, header: TableRow, of_sheet: set[str], of_marks: set[str]) -> None:
    """Raise UsageError if no column identifies people, if none has marks, or if a column is there twice."""
    heads = [heading(cell) for cell in header.cells]
    found = listed(cell.strip() for cell in header.cells if cell.strip())
    if not {KEY, NAME} & set(heads):
        raise UsageError(f"{place}no column is called key or name, which say whose marks these are; there is {found}")
    if not of_marks & set(heads):
        raise UsageError(f"{place}no column has marks — they are {listed(sorted(of_marks))}; there is {found}")
    twice = [head for head, count in Counter(heads).items() if head in of_sheet and count > 1]
    if twice:
        raise UsageError(f"{place}the column {twice[0]} is there twice — remove one")


def _columns(policy: GradingPolicy) -> list[_Column]:
    stages = [f"{STAGE}{stage.name}" for stage in policy.stages if stage.is_manual]
    return [
        _Column(STYLE, STYLE, percentage_numeral, share_in),
        *(_Column(name, name, percentage_numeral, share_in) for name in stages),
        _Column("days late", LATE, str, _days),
        _Column(OVERRIDE, OVERRIDE, _numeral, _points),
    ]


def _last(marks: Sequence[Mark]) -> dict[str, Mark]:
    """The last mark of each kind."""
    return {one.kind: one for one in marks}


def _value_of(last: Mapping[str, Mark], kind: str) -> tuple[str, str]:
    """The value of a kind and, for an override, its reason; both empty if there is none."""
    if kind not in last or not last[kind].value:
        return "", ""
    return last[kind].value, last[kind].reason if kind == OVERRIDE else ""


def _numeral(points: str) -> str:
    return numeral(Fraction(points)) if points else ""


def _number_in(cell: str) -> tuple[Fraction, int] | None:
    """A number with a point or a comma, and how many decimals it has; None for anything else."""
    found = _NUMBER.fullmatch(cell)
    return (Fraction(f"{found[1]}.{found[2] or 0}"), len(found[2] or "")) if found else None


def _is_rounded(cell: str, written: str) -> bool:
    """Whether a cell may be how a spreadsheet writes a number: equal to it, or rounded to two or more decimals."""
    ours, theirs = (_number_in(text.rstrip("%").strip()) for text in (written, cell))
    if ours is None or theirs is None or (written.endswith("%") and not cell.endswith("%") and theirs[0] <= 1):
        return False
    scale = 10 ** theirs[1]
    rounded = Fraction(math.floor(ours[0] * scale + Fraction(1, 2)), scale)
    return ours[0] == theirs[0] or (theirs[1] >= _ROUNDED_TO and rounded == theirs[0])


def _points(cell: str, head: str) -> str:
    number = _number_in(cell)
    if number is None:
        raise UsageError(f"{head} {as_found(cell)} — it is a number of points, such as 85 or 85,5")
    return str(number[0])


def _days(cell: str, head: str) -> str:
    found = _WHOLE.fullmatch(cell)
    return days_in(found[1].replace("\u2212", "-") if found else cell, head)
