"""The tables that Canvas and Moodle have exported and will import again: which cells pitboss fills.

Canvas: read as its own importer reads it (lib/gradebook_importer.rb). The heads are "Student" and "ID", then "SIS User
ID" and "SIS Login ID", "Section", and "Title (number)" for each assignment. A row "Points Possible" has the maximum
points. A student is found by ID, then by SIS ids, then by name. "EX" means excused. Canvas ignores a column that says
"(read only)".

Moodle: its plugin assign/feedback/offline defines the columns of a grading worksheet: Identifier ("Participant 123"),
Full name, Email address, Grade, Maximum grade, Grade can be changed, Feedback comments.
"""

from __future__ import annotations

import difflib
import html
import re
from fractions import Fraction

from pitboss.errors import UsageError, as_found, listed
from pitboss.reports.columns import FORMULA_STARTS
from pitboss.reports.exports.sheet import MatchColumn, PlatformTable, Sheet, points_in
from pitboss.submissions.importers.imported import Person

_PERSON_HEAD = re.compile(
    r"student|id|sis user id|sis login id|integration id|root account|section|lastname|firstname", re.I
)
_ASSIGNMENT_HEAD = re.compile(r"(.+) \((\d+)\)")
_POINTS_POSSIBLE = "points possible"
#: The maximum points are in one of this many rows below the heads.
_ROWS_BELOW_HEADS = 3
_EXCUSED = "EX"


def canvas_table(name: str, text: str, title: str) -> PlatformTable:
    """Returns the gradebook `text` that Canvas has exported to the file `name`; scores go to the column `title`.

    Raises UsageError if it is not a gradebook of Canvas, or has no such column.
    """
    sheet = Sheet(name, text)
    id_columns = tuple(MatchColumn(head, sheet.column(head), keys_of) for head, keys_of in _CANVAS_IDS.items())
    student_column = next((index for index, head in enumerate(sheet.heads) if "student" in head), None)
    if student_column is None or id_columns[0].column is None:
        raise UsageError(
            f"{name}: this is no gradebook of Canvas: it has no columns Student and ID; export it in Canvas"
        )
    column = _score_column(sheet, title)
    maximum = _points_possible(sheet, column)
    match_columns = (*id_columns, MatchColumn("student", student_column, _possible_names, is_id=False))
    return PlatformTable(
        sheet,
        match_columns,
        # Not the rows with maximum points and with posting policies.
        tuple(row for row in sheet.rows_with(match_columns) if not _has_points_possible(sheet, row)),
        column,
        label_of=lambda row: sheet.cell(row, 0),
        maximum_of=lambda row: maximum,
        refusal_of=lambda row: "excused in Canvas" if sheet.cell(row, column).upper() == _EXCUSED else "",
        called="the table",
        unchanged="the cell is as it was",
    )


def _ids_of_kind(kind: str, person: Person) -> list[str]:
    return [value for kind_of_id, value in person.ids if kind_of_id == kind]


#: The columns that identify students, in the order of the search. Each function returns a person's possible cells.
_CANVAS_IDS = {
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
    rows = (row for row in range(1, min(1 + _ROWS_BELOW_HEADS, len(sheet.rows))) if _has_points_possible(sheet, row))
    return next((points_in(sheet.cell(row, column), sheet.name) for row in rows), None)


def _has_points_possible(sheet: Sheet, row: int) -> bool:
    return sheet.cell(row, 0).lower().startswith(_POINTS_POSSIBLE)


def moodle_worksheet(name: str, text: str) -> PlatformTable:
    """Returns the grading worksheet `text` that Moodle has exported to the file `name`.

    Raises UsageError if it is not a grading worksheet.
    """
    sheet = Sheet(name, text)
    match_columns = (
        MatchColumn(
            "identifier",
            sheet.column("identifier"),
            lambda person: [f"participant {value}" for value in _ids_of_kind("moodle", person)],
        ),
        MatchColumn("email address", sheet.column("email address"), lambda person: (person.email,)),
        MatchColumn("full name", sheet.column("full name"), lambda person: (person.name,), is_id=False),
    )
    grade_column = sheet.column("grade")
    if match_columns[0].column is None or grade_column is None:
        raise UsageError(
            f"{sheet.name}: this is no grading worksheet of Moodle: it has no columns Identifier and Grade; turn on "
            "“Offline grading worksheet” in the assignment, and download the worksheet there"
        )
    name_column, maximum_column = sheet.column("full name"), sheet.column("maximum grade")
    lock_column = sheet.column("grade can be changed")
    return PlatformTable(
        sheet,
        match_columns,
        sheet.rows_with(match_columns),
        grade_column,
        label_of=lambda row: sheet.cell(row, name_column) or sheet.cell(row, match_columns[0].column),
        maximum_of=lambda row: points_in(sheet.cell(row, maximum_column), name),
        refusal_of=lambda row: (
            "the grade cannot be changed in Moodle" if sheet.cell(row, lock_column).lower() == "no" else ""
        ),
        called="the worksheet",
        unchanged="the row is as it was",
        feedback_column=next(
            (index for index, head in enumerate(sheet.heads) if head.startswith("feedback comments")), None
        ),
        format_feedback=_as_html,
        # mod/assign/feedback/offline silently ignores a grade above the maximum.
        above_maximum="Moodle silently ignores the score: raise the assignment's maximum in Moodle, or fill in the "
        "maximum with --cap",
    )


def _as_html(text: str) -> str:
    r"""Returns a text as a feedback comment, which Moodle reads as HTML.

    Quotes and backslashes are escaped, since Moodle's CSV reader does not end a cell at `\"`. A first character that
    would begin a formula is escaped as well, since worksheets are often opened in a spreadsheet program.
    """
    escaped = html.escape(text).replace("\\", "&#92;")
    if escaped.startswith(FORMULA_STARTS):
        escaped = f"&#{ord(escaped[0])};{escaped[1:]}"
    return escaped.replace("\n", "<br>\n")
