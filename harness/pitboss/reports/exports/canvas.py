"""Fills scores into one column of a gradebook that Canvas has exported, for Canvas to import again.

The table is read as Canvas' own importer reads it, lib/gradebook_importer.rb: heads "Student" and "ID", then
"SIS User ID" and "SIS Login ID", "Section", and columns called "Title (number)"; a row "Points Possible"; a student is
found by ID, then by SIS ids, then by name; "EX" means excused, and a column that says "(read only)" is ignored.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from fractions import Fraction

from pitboss.errors import UsageError, as_found, listed
from pitboss.reports.exports.matching import MatchColumn, Remarks, matched, missing, namesake_marks
from pitboss.reports.exports.sheet import Filled, Sheet, SheetEntry, points_in, scaled
from pitboss.submissions.importers.imported import Person

_OF_PEOPLE = re.compile(
    r"student|id|sis user id|sis login id|integration id|root account|section|lastname|firstname", re.I
)
_ASSIGNMENT = re.compile(r"(.+) \((\d+)\)")
_POINTS = "points possible"
_EXCUSED = "EX"


def fill_canvas_table(
    name: str, text: str, title: str, entries: Sequence[SheetEntry], *, scales: bool = False
) -> Filled:
    """Returns Canvas' table `text` with the scores in the column `title`; all other cells are unchanged.

    `name` is the name of the file. Raises UsageError if the file is not a gradebook of Canvas, or has no such column.
    """
    sheet = Sheet(name, text)
    heads = {key: sheet.column(lambda head, key=key: head.lower() == key) for key in _KEYS}  # type: ignore[misc]
    if sheet.column(lambda head: "student" in head.lower()) is None or heads["id"] is None:
        raise UsageError(f"{name}: this is no gradebook of Canvas: it has no columns Student and ID; export it there")
    column = _column(sheet, title)
    maximum = _points_possible(sheet, column)
    ways = [MatchColumn(heads[head], keys, head=head) for head, keys in _KEYS.items()]
    ways.append(MatchColumn(sheet.column(lambda head: "student" in head.lower()), _names, is_id=False, head="student"))
    rows = [row for row in range(1, len(sheet.rows)) if _is_of_somebody(sheet, row, ways)]
    remarks = Remarks("the cell is as it was")
    count = 0
    marks = namesake_marks(entries)
    matches, overlap = matched(sheet, rows, ways, entries)
    for row, entry in matches.items():
        student = sheet.cell(row, 0)
        if isinstance(entry, str):
            remarks.add_unmatched(student, entry)
            continue
        student += marks[entry.person.key]
        score = scaled(entry, maximum, scales=scales, name=name)
        if sheet.cell(row, column).upper() == _EXCUSED:
            remarks.add_unchanged(student, "excused in Canvas")
        elif score is None:
            remarks.add_unchanged(student, "there is no score yet")
        else:
            sheet.put(row, column, sheet.number(score))
            count += 1
    sentences = remarks.sentences() + missing(sheet, rows, ways, entries, matches.values(), "the table")
    return Filled(sheet.text(), count, tuple(sentences), overlap)


def _is_of_somebody(sheet: Sheet, row: int, ways: Sequence[MatchColumn]) -> bool:
    """Whether a row belongs to a person, unlike the rows with maximum points and with posting policies."""
    return bool(any(sheet.cell(row, way.column) for way in ways) and not sheet.cell(row, 0).lower().startswith(_POINTS))


def _ids(kind: str, person: Person) -> list[str]:
    return [value for kind_of_id, value in person.ids if kind_of_id == kind]


#: The columns that identify a student, in the order in which they are tried, with the cells that a person may have.
_KEYS = {
    "id": lambda person: _ids("canvas", person),
    "sis user id": lambda person: _ids("sis", person),
    "sis login id": lambda person: (person.login, *_ids("login", person)),
}


def _names(person: Person) -> tuple[str, ...]:
    """Returns a name as written, and as Canvas sorts names: Lovelace, Ada."""
    first, _, last = person.name.rpartition(" ")
    return (person.name, f"{last}, {first}") if first else (person.name,)


def _column(sheet: Sheet, title: str) -> int:
    columns = {
        head.strip(): number for number, head in enumerate(sheet.rows[0]) if not _OF_PEOPLE.fullmatch(head.strip())
    }
    titles = {head: _ASSIGNMENT.sub(r"\1", head) for head in columns}
    matching = [head for head in columns if title in (head, titles[head])]
    if len(matching) == 1:
        if sheet.cell(1, columns[matching[0]]).lower() == "(read only)":
            raise UsageError(f"{sheet.name}: the column {as_found(matching[0])} is read only in Canvas")
        return columns[matching[0]]
    if matching:
        raise UsageError(
            f"{sheet.name}: there are {len(matching)} columns {as_found(title)}; "
            f"name one with its number: {listed(matching)}"
        )
    known = [head for head in columns if _ASSIGNMENT.fullmatch(head)]
    similar = difflib.get_close_matches(title, titles.values(), 1)
    hint = f", did you mean {similar[0]!r}?" if similar else ""
    raise UsageError(f"{sheet.name}: there is no column {as_found(title)} — there are {listed(known) or 'none'}{hint}")


def _points_possible(sheet: Sheet, column: int) -> Fraction | None:
    for row in range(1, min(4, len(sheet.rows))):
        if sheet.cell(row, 0).lower().startswith(_POINTS):
            return points_in(sheet.cell(row, column), sheet.name)
    return None
