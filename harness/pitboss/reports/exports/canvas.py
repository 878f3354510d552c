"""Fills scores into one column of a gradebook that Canvas has exported, for Canvas to import again.

This module reads the table like Canvas' own importer (lib/gradebook_importer.rb). The heads are "Student" and "ID",
then "SIS User ID" and "SIS Login ID", "Section", and "Title (number)" for each assignment. A row "Points Possible" has
the maximum points. A student is found by ID, then by SIS ids, then by name. "EX" means excused. Canvas ignores a column
that says "(read only)".
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from fractions import Fraction

from pitboss.errors import UsageError, as_found, listed
from pitboss.reports.exports.sheet import (
    FilledTable,
    MatchColumn,
    Remarks,
    Sheet,
    SheetEntry,
    match_rows,
    namesake_suffixes,
    people_without_row,
    points_in,
    scaled,
)
from pitboss.submissions.importers.imported import Person

_PERSON_HEAD = re.compile(
    r"student|id|sis user id|sis login id|integration id|root account|section|lastname|firstname", re.I
)
_ASSIGNMENT_HEAD = re.compile(r"(.+) \((\d+)\)")
_POINTS_POSSIBLE = "points possible"
#: The maximum points are in one of this many rows below the heads.
_ROWS_BELOW_HEADS = 3
_EXCUSED = "EX"


def fill_canvas_table(
    name: str, text: str, title: str, entries: Sequence[SheetEntry], *, scales: bool = False
) -> FilledTable:
    """Returns Canvas' table `text` with the scores in the column `title`; all other cells are unchanged.

    `name` is the name of the file. If `scales` is true, scores are converted to the maximum points of the column.
    Raises UsageError if the file is not a gradebook of Canvas, or has no such column.
    """
    sheet = Sheet(name, text)
    id_columns = {key: sheet.column(lambda head, key=key: head.lower() == key) for key in _ID_COLUMNS}  # type: ignore[misc]
    student_column = sheet.column(lambda head: "student" in head.lower())
    if student_column is None or id_columns["id"] is None:
        raise UsageError(
            f"{name}: this is no gradebook of Canvas: it has no columns Student and ID; export it in Canvas"
        )
    column = _score_column(sheet, title)
    maximum = _points_possible(sheet, column)
    match_columns = [
        MatchColumn(id_columns[head], possible_cells, head=head) for head, possible_cells in _ID_COLUMNS.items()
    ]
    match_columns.append(MatchColumn(student_column, _possible_names, is_id=False, head="student"))
    rows = [row for row in range(1, len(sheet.rows)) if _is_person_row(sheet, row, match_columns)]
    remarks = Remarks("the cell is as it was")
    count = 0
    suffixes = namesake_suffixes(entries)
    entries_by_row, overlap = match_rows(sheet, rows, match_columns, entries)
    for row, entry in entries_by_row.items():
        student = sheet.cell(row, 0)
        if isinstance(entry, str):  # why the row has no entry
            remarks.add_unmatched(student, entry)
            continue
        student += suffixes[entry.person.key]
        score = scaled(entry, maximum, scales=scales, name=name)
        if sheet.cell(row, column).upper() == _EXCUSED:
            remarks.add_unchanged(student, "excused in Canvas")
        elif score is None:
            remarks.add_unchanged(student, "there is no score yet")
        else:
            sheet.put(row, column, sheet.number(score))
            count += 1
    sentences = remarks.sentences() + people_without_row(
        sheet, rows, match_columns, entries, entries_by_row.values(), "the table"
    )
    return FilledTable(sheet.text(), count, tuple(sentences), overlap)


def _is_person_row(sheet: Sheet, row: int, match_columns: Sequence[MatchColumn]) -> bool:
    """Whether a row belongs to a person, unlike the rows with maximum points and with posting policies."""
    return bool(
        any(sheet.cell(row, match_column.column) for match_column in match_columns)
        and not sheet.cell(row, 0).lower().startswith(_POINTS_POSSIBLE)
    )


def _ids_of_kind(kind: str, person: Person) -> list[str]:
    return [value for kind_of_id, value in person.ids if kind_of_id == kind]


#: The columns that identify students, in the order of the search. Each function returns a person's possible cells.
_ID_COLUMNS = {
    "id": lambda person: _ids_of_kind("canvas", person),
    "sis user id": lambda person: _ids_of_kind("sis", person),
    "sis login id": lambda person: (person.login, *_ids_of_kind("login", person)),
}


def _possible_names(person: Person) -> tuple[str, ...]:
    """Returns the person's name as it is written, and in the form that Canvas sorts: Lovelace, Ada."""
    first, _, last = person.name.rpartition(" ")
    return (person.name, f"{last}, {first}") if first else (person.name,)


def _score_column(sheet: Sheet, title: str) -> int:
    """Returns the index of the column `title`, given with or without Canvas' number.

    Raises UsageError if there is no such column or more than one, or if it is read only.
    """
    columns = {
        head.strip(): number for number, head in enumerate(sheet.rows[0]) if not _PERSON_HEAD.fullmatch(head.strip())
    }
    titles = {head: _ASSIGNMENT_HEAD.sub(r"\1", head) for head in columns}
    matching = [head for head in columns if title in (head, titles[head])]
    if len(matching) == 1:
        if len(sheet.rows) > 1 and sheet.cell(1, columns[matching[0]]).lower() == "(read only)":
            raise UsageError(f"{sheet.name}: the column {as_found(matching[0])} is read only in Canvas")
        return columns[matching[0]]
    if matching:
        raise UsageError(
            f"{sheet.name}: there are {len(matching)} columns {as_found(title)}; "
            f"name one with its number: {listed(matching)}"
        )
    assignment_heads = [head for head in columns if _ASSIGNMENT_HEAD.fullmatch(head)]
    similar = difflib.get_close_matches(title, titles.values(), 1)
    hint = f", did you mean {similar[0]!r}?" if similar else ""
    raise UsageError(
        f"{sheet.name}: there is no column {as_found(title)} — there are {listed(assignment_heads) or 'none'}{hint}"
    )


def _points_possible(sheet: Sheet, column: int) -> Fraction | None:
    """Returns the maximum points of a column; None unless one of the first rows below the heads has them."""
    for row in range(1, min(1 + _ROWS_BELOW_HEADS, len(sheet.rows))):
        if sheet.cell(row, 0).lower().startswith(_POINTS_POSSIBLE):
            return points_in(sheet.cell(row, column), sheet.name)
    return None
