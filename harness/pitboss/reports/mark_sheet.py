"""Writes a sheet of marks as CSV, with a row for each person; reads an edited sheet, and lists the changed marks.

The gradebook stores all marks in order. So the sheet only records how many marks a person had when the sheet was
written (`version`). That is enough to see which cells of the sheet, and which marks in the gradebook, have changed.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

from rich.table import Table

from pitboss.assignments.grading_policy import GradingPolicy
from pitboss.errors import UsageError, as_found, did_you_mean, listed, shortened
from pitboss.gradebook.book import Gradebook
from pitboss.gradebook.grades import Grade
from pitboss.gradebook.marking import NewMark, check_rubric_item
from pitboss.gradebook.marks import (
    COMMENT,
    LATE,
    OVERRIDE,
    PICKED,
    RUBRIC,
    STAGE,
    STYLE,
    Mark,
    comments_of,
    kind_of,
    kind_words,
    picked_in,
    value_words,
)
from pitboss.gradebook.people import find_person
from pitboss.gradebook.scoring import class_due, grade_with
from pitboss.reports.columns import Column, csv_of, original_of, safe_cell, table_of
from pitboss.reports.score_table import count_text, lateness_text, score_words
from pitboss.submissions.importers.csv_tables import TableRow, normalised_heading, table_rows
from pitboss.submissions.importers.imported import Person

#: The heads of columns without marks; REASON is the reason for the value in the column `override`.
KEY, NAME, SECTION, VERSION, REASON = "key", "name", "section", "version", "override reason"
#: The head of a column that shows how late a submission was, to help fill in `days late`. The column has no marks, and
#: is written only if anybody was late.
HOW_LATE = "late"
#: The head of the column with the keys of the picked rubric items, separated by blanks, commas or semicolons.
PICKS = "rubric"
#: The maximum number of errors that are listed at once.
_MAX_ERRORS = 10
_NUMBER = re.compile(r"([0-9]{1,6})(?:[.,]([0-9]{1,10}))?")
#: The text in the column `version`: a number of marks, and the assignment.
_VERSION = re.compile(r"([0-9]{1,9}) of (.+)")
#: A spreadsheet may save a percentage as it shows it: rounded, but to no fewer decimals than this.
_MIN_DECIMALS = 2


class MarkChange(NamedTuple):
    """A mark that a sheet adds."""

    added: NewMark
    #: The value that the mark replaces; empty before the first mark, and for comments, since comments replace nothing.
    before: str


class PersonChanges(NamedTuple):
    """The marks that a sheet changes for one person."""

    person: Person
    changes: tuple[MarkChange, ...]
    #: The grade before the changes and the grade after them; None if the person has no grade.
    before: Grade | None
    after: Grade | None


def mark_sheet(book: Gradebook, policy: GradingPolicy) -> str:
    """Returns the sheet of a class as CSV, with the current marks."""
    assignment, due = book.class_facts().get("assignment", ""), class_due(book)
    rubric = [item.key for item in book.rubric()]

    def mark_column(kind: str) -> Column[_PersonMarks]:
        return Column(kind_words(kind), lambda row: kind_of(kind).to_cell(row.base_value(kind)))

    def picks(row: _PersonMarks) -> str:
        picked_keys = picked_in(row.marks)
        return " ".join(key for key in rubric if key in picked_keys)

    columns: tuple[Column[_PersonMarks], ...] = (
        Column(KEY, lambda row: safe_cell(row.person.key)),
        Column(NAME, lambda row: safe_cell(row.person.name)),
        Column(SECTION, lambda row: safe_cell(row.person.section), unless_all=("",)),
        Column(HOW_LATE, lambda row: lateness_text(book.person_record(row.person, row.marks), due), unless_all=("",)),
        *map(mark_column, _kinds(policy)),
        Column(REASON, lambda row: safe_cell(_value_and_reason(row.base, OVERRIDE)[1])),
        *([Column(PICKS, picks)] if rubric else []),
        Column(COMMENT, lambda row: ""),  # for a new comment
        Column(VERSION, lambda row: f"{len(row.marks)} of {assignment}"),
    )
    rows = [_PersonMarks(book, person, "") for person in book.people()]
    return "\ufeff" + csv_of(columns, rows)  # without a byte order mark spreadsheets assume the machine's encoding


class MarkSheet:
    """An edited sheet of marks."""

    def __init__(self, path: Path, policy: GradingPolicy) -> None:
        """Read a file; raises UsageError, with file and line, if it is not a sheet of marks."""
        self.path, self._policy = path, policy
        kinds_by_head = {normalised_heading(kind_words(kind)): kind for kind in _kinds(policy)}
        other_heads = {KEY, NAME, SECTION, HOW_LATE, VERSION, REASON, COMMENT, PICKS}
        known_heads = {*kinds_by_head, *other_heads}
        header, *self._rows = table_rows(path, lambda row: sum(normalised_heading(cell) in known_heads for cell in row))
        heads = [normalised_heading(cell) for cell in header.cells]
        location = f"{path}:{header.line}: "
        _check_heads(location, header, known_heads, {*kinds_by_head, REASON, COMMENT, PICKS})
        self._positions = {head: index for index, head in enumerate(heads) if head in known_heads}
        self._kinds = [kind for head, kind in kinds_by_head.items() if head in self._positions]
        #: The heads of columns that do not belong to a sheet of marks.
        self.ignored = tuple(
            cell.strip() for cell in header.cells if cell.strip() and normalised_heading(cell) not in known_heads
        )

    def changes(self, book: Gradebook, reason: str) -> list[PersonChanges]:
        """Return the marks that the sheet changes in a gradebook, for each person with a change.

        The changes have `reason` as their reason or, if `reason` is empty, the name of the sheet's file.

        Raises UsageError, with file and line, for unreadable cells, and for people who are unknown or listed twice.
        """
        people_finder = _PeopleFinder(book.people())
        errors: list[str] = []
        changes_by_person: list[PersonChanges] = []
        line_by_key: dict[str, int] = {}
        for row in self._rows:
            try:
                person = people_finder.person(self._cell(row, KEY), self._cell(row, NAME))
                if person.key in line_by_key:
                    raise UsageError(f"{person.name} ({person.key}) is on line {line_by_key[person.key]} too")
                line_by_key[person.key] = row.line
                person_marks = _PersonMarks(book, person, self._cell(row, VERSION))
            except UsageError as error:
                errors.append(f"{self.path}:{row.line}: {error}")
                continue
            mark_changes, row_errors = self._row_changes(book, row, person_marks, reason)
            errors += [f"{self.path}:{row.line}: {row_error}" for row_error in row_errors]
            if mark_changes:
                changes_by_person.append(self._person_changes(book, person_marks, mark_changes))
        if errors:
            more = len(errors) - _MAX_ERRORS
            raise UsageError("\n".join([*errors[:_MAX_ERRORS], *([f"and {more} more"] if more > 0 else [])]))
        return changes_by_person

    def _person_changes(
        self, book: Gradebook, person_marks: _PersonMarks, mark_changes: Sequence[MarkChange]
    ) -> PersonChanges:
        """Returns the changes of a person, with the grades before and after."""
        new_marks = [
            Mark(change.added.kind, change.added.value, change.added.reason, by="", at="") for change in mark_changes
        ]
        before, after = (
            grade_with(book, self._policy, person_marks.person, [*person_marks.marks, *extra])
            for extra in ((), new_marks)
        )
        return PersonChanges(person_marks.person, tuple(mark_changes), before, after)

    def _cell(self, row: TableRow, head: str) -> str:
        """Returns the text of a cell, without the escape that protects spreadsheets; empty if the cell is missing."""
        index = self._positions.get(head, len(row.cells))
        text = row.cells[index].strip() if index < len(row.cells) else ""
        return original_of(text)

    def _row_changes(
        self, book: Gradebook, row: TableRow, person_marks: _PersonMarks, reason: str
    ) -> tuple[list[MarkChange], list[str]]:
        changes: list[MarkChange] = []
        errors: list[str] = []
        default_reason = reason or f"from {self.path.name}"
        for kind in self._kinds:
            try:
                if kind_of(kind).needs_reason:
                    changes += self._override_changes(row, person_marks, reason)
                    continue
                value = _value_in(self._cell(row, normalised_heading(kind_words(kind))), kind, person_marks)
                if person_marks.is_changed(kind, (value, "")):
                    changes.append(MarkChange(NewMark(kind, value, default_reason), person_marks.now_value(kind)))
            except UsageError as error:
                errors.append(str(error))
        if PICKS in self._positions:
            try:
                changes += _pick_changes(self._cell(row, PICKS), book, person_marks, default_reason)
            except UsageError as error:
                errors.append(str(error))
        comment = self._cell(row, COMMENT).replace("\r\n", "\n")
        if comment and comment not in person_marks.comments:
            changes.append(MarkChange(NewMark(COMMENT, comment, default_reason), ""))
        return changes, errors

    def _override_changes(self, row: TableRow, person_marks: _PersonMarks, reason: str) -> Iterator[MarkChange]:
        """Yields the new override with its reason, if the override or the reason was changed.

        `reason` is a reason for the whole sheet, for overrides without a reason of their own; may be empty.
        """
        base, base_reason = _value_and_reason(person_marks.base, OVERRIDE)
        value = _value_in(self._cell(row, OVERRIDE), OVERRIDE, person_marks)
        if REASON in self._positions:
            new_reason = self._cell(row, REASON)
        elif value == base:  # an unchanged override keeps its reason
            new_reason = base_reason
        else:
            new_reason = ""
        if not new_reason and value != base:
            new_reason = reason
        if value and not new_reason:
            raise UsageError(
                f"override {value_words(OVERRIDE, value)} has no reason — write it in the column {REASON!r}"
            )
        # A reason without an override is an error, except for the old reason of a removed override (there is a `base`),
        # and for the reason for the whole sheet, which people may write in any row.
        if new_reason and not value and not base and new_reason != reason:
            raise UsageError(f"{REASON} {as_found(new_reason)} — this row has no override")
        if person_marks.is_changed(OVERRIDE, (value, new_reason if value else "")):
            # The reason in the row of a removed override is the reason for the override, not for its removal.
            recorded_reason = new_reason if value else reason or f"from {self.path.name}"
            yield MarkChange(NewMark(OVERRIDE, value, recorded_reason), person_marks.now_value(OVERRIDE))


def _pick_changes(cell: str, book: Gradebook, person_marks: _PersonMarks, reason: str) -> Iterator[MarkChange]:
    """Yields a change for each rubric item that the cell picks or no longer picks.

    The cell is compared with the items that were picked when the sheet was written.
    """
    picked_keys = set(re.split(r"[\s,;]+", cell)) - {""}
    for key in sorted(picked_keys):
        check_rubric_item(book, key, "rubric ")
    base_keys = picked_in(person_marks.base.values())
    for key in [item.key for item in book.rubric() if item.key in picked_keys ^ base_keys]:
        kind, value = f"{RUBRIC}{key}", PICKED if key in picked_keys else ""
        if person_marks.is_changed(kind, (value, "")):
            yield MarkChange(NewMark(kind, value, reason), person_marks.now_value(kind))


class _PersonMarks:
    """The marks of a person in a gradebook, now and when the sheet was written.

    `marks` has all marks now, in order; `base` has the last mark of each kind when the sheet was written.
    """

    def __init__(self, book: Gradebook, person: Person, version: str) -> None:
        """Look up the marks. Raises UsageError if the cell `version` of the person does not fit this gradebook."""
        self.person, self.marks = person, book.marks(person.key)
        self.base, self._now = _last_marks(self._marks_when_written(book, version)), _last_marks(self.marks)
        self.comments = {comment.value.strip() for comment in comments_of(self.marks)}

    def _marks_when_written(self, book: Gradebook, version: str) -> list[Mark]:
        """Returns the marks of the person when the sheet was written; all current marks if `version` is empty."""
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
        """Return the value of a kind of mark when the sheet was written; empty if there was no mark of this kind."""
        return self.base[kind].value if kind in self.base else ""

    def now_value(self, kind: str) -> str:
        """Return the current value of a kind of mark; empty if there is no mark of this kind."""
        return self._now[kind].value if kind in self._now else ""

    def is_changed(self, kind: str, new: tuple[str, str]) -> bool:
        """Whether the sheet changes a kind of mark to `new`: a value, and the reason if the mark is an override.

        Raises UsageError if the mark was changed in the gradebook too, after the sheet was written.
        """
        base, current = (_value_and_reason(marks, kind) for marks in (self.base, self._now))
        if new in (base, current):  # the cell was not edited, or the gradebook has the new value already
            return False
        if base == current:
            return True
        base_words, current_words, new_words = (value_words(kind, value) or "none" for value, _ in (base, current, new))
        current_mark = self._now[kind]
        raise UsageError(
            f"{kind} was changed from {base_words} to {current_words} after the sheet was written "
            f"({current_mark.at}, by {current_mark.by}); the sheet has {new_words} — write a new sheet, or empty the "
            f"cell {VERSION} of this row to use its values"
        )


class _PeopleFinder:
    """Finds people in a gradebook by the key and the name in a row of a sheet."""

    def __init__(self, people: Sequence[Person]) -> None:
        self._people = people
        self._by_key = {person.key: person for person in people}
        counts = Counter(person.key.lstrip("0") for person in people)
        #: The people whose keys begin with zeros, by the key without these zeros; people who would then have the same
        #: key are left out.
        self._without_zeros = {
            person.key.lstrip("0"): person
            for person in people
            if person.key.startswith("0") and counts[person.key.lstrip("0")] == 1
        }

    def person(self, key: str, name: str) -> Person:
        """Return the person with this key or, if `key` is empty, with this name.

        A spreadsheet may have removed leading zeros of the key. Raises UsageError if nobody matches, or if the key and
        the name belong to two people, as after some columns were sorted without the others.
        """
        if not key and not name:
            raise UsageError("this row has neither a key nor a name")
        if not key:
            return find_person(self._people, name, needs_whole_name=True)
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
    """Raise UsageError if no column identifies people, if no column has marks, or if a known column is repeated."""
    heads = [normalised_heading(cell) for cell in header.cells]
    present = listed(cell.strip() for cell in header.cells if cell.strip())
    if not {KEY, NAME} & set(heads):
        raise UsageError(f"{location}no column is called key or name, to identify people; the columns are {present}")
    if not mark_heads & set(heads):
        raise UsageError(
            f"{location}no column has marks — columns with marks are called {listed(sorted(mark_heads))}; the columns "
            f"are {present}"
        )
    repeated = [head for head, count in Counter(heads).items() if head in known_heads and count > 1]
    if repeated:
        raise UsageError(f"{location}several columns are called {repeated[0]} — keep one of them")


def _kinds(policy: GradingPolicy) -> list[str]:
    """Returns the kinds of marks with a column: style, each manually graded stage, the days late, and the override."""
    return [STYLE, *(f"{STAGE}{stage.name}" for stage in policy.stages if stage.is_manual), LATE, OVERRIDE]


def _value_in(cell: str, kind: str, person_marks: _PersonMarks) -> str:
    """Returns the value of a cell: the one when the sheet was written if it still has that text, perhaps rounded.

    Raises UsageError, which mentions the column but not the line, if the text is invalid.
    """
    base = person_marks.base_value(kind)
    original = kind_of(kind).to_cell(base)
    if cell == original or (base and _is_rounded(cell, original)):
        return base
    return kind_of(kind).parse(cell, kind_words(kind)) if cell else ""


def _last_marks(marks: Sequence[Mark]) -> dict[str, Mark]:
    return {mark.kind: mark for mark in marks}


def _value_and_reason(last_marks: Mapping[str, Mark], kind: str) -> tuple[str, str]:
    """Returns the value of a kind of mark and, for an override, the reason; both empty if there is no value."""
    if kind not in last_marks or not last_marks[kind].value:
        return "", ""
    return last_marks[kind].value, last_marks[kind].reason if kind == OVERRIDE else ""


def _parse_number(cell: str) -> tuple[Fraction, int] | None:
    """Returns a number, with a decimal point or a comma, and how many decimals it has; None for other text."""
    match = _NUMBER.fullmatch(cell)
    return (Fraction(f"{match[1]}.{match[2] or 0}"), len(match[2] or "")) if match else None


def _is_rounded(cell: str, original: str) -> bool:
    """Whether a spreadsheet may have rewritten `original` as `cell`: equal, or rounded to two or more decimals."""
    original_parsed, cell_parsed = (_parse_number(text.rstrip("%").strip()) for text in (original, cell))
    if original_parsed is None or cell_parsed is None:
        return False
    (original_number, _), (cell_number, decimals) = original_parsed, cell_parsed
    # Without a percent sign, a number up to 1 could be a share rather than a percentage: `parse_share` decides.
    if original.endswith("%") and not cell.endswith("%") and cell_number <= 1:
        return False
    scale = 10**decimals
    rounded = Fraction(math.floor(original_number * scale + Fraction(1, 2)), scale)
    return original_number == cell_number or (decimals >= _MIN_DECIMALS and rounded == cell_number)


def mark_table(changes: Sequence[PersonChanges], names: Mapping[str, str]) -> Table:
    """Returns a table with a row for each changed mark; a person's first row also has the scores before and after.

    `names` maps the keys of people to their names.
    """

    def score(row: tuple[PersonChanges, MarkChange]) -> str:
        before, after = (score_words(grade) for grade in (row[0].before, row[0].after))
        return f"{before} → {after}" if before != after else f"stays {after}"

    def is_first(row: tuple[PersonChanges, MarkChange]) -> bool:
        return row[1] is row[0].changes[0]

    columns: tuple[Column[tuple[PersonChanges, MarkChange]], ...] = (
        Column("name", lambda row: names[row[0].person.key] if is_first(row) else ""),
        Column("mark", lambda row: kind_words(row[1].added.kind)),
        Column("from → to", lambda row: _change_text(row[1])),
        Column("score", lambda row: score(row) if is_first(row) else ""),
    )
    return table_of(columns, ((person, change) for person in changes for change in person.changes))


def summary_of_changes(changes: Sequence[PersonChanges]) -> str:
    """Returns how many marks change for how many people, such as “3 marks for 2 people”."""
    marks, people = sum(len(person_changes.changes) for person_changes in changes), len(changes)
    return f"{count_text(marks, 'mark', 'marks')} for {count_text(people, 'person', 'people')}"


def _change_text(change: MarkChange) -> str:
    """Returns a mark's values before and after the change, or the beginning of a new comment."""
    kind, value, _ = change.added
    if kind == COMMENT:
        return f"+ {shortened(' '.join(value.split()))}"
    return f"{value_words(kind, change.before) or 'none'} → {value_words(kind, value) or 'none'}"
