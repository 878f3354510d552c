"""Fills scores and feedback into a grading worksheet that Moodle has exported and will import again.

Moodle's plugin assign/feedback/offline defines the worksheet's columns: Identifier ("Participant 123"), Full name,
Email address, Grade, Maximum grade, Grade can be changed, Feedback comments.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Sequence

from pitboss.errors import UsageError
from pitboss.gradebook.grades import numeral
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
from pitboss.reports.spreadsheets import FORMULA_STARTS
from pitboss.submissions.importers.imported import Person

_PARTICIPANT = "participant "


def fill_moodle_worksheet(
    name: str, text: str, entries: Sequence[SheetEntry], *, scales: bool = False, caps: bool = False
) -> FilledTable:
    """Returns the worksheet `text` with scores, and with feedback in cells that were empty; other cells stay.

    `name` is the name of the file. With `scales`, scores are scaled to the worksheet's maximum grade. With `caps`, the
    maximum replaces any higher score. Raises UsageError if the file is not a grading worksheet.
    """
    sheet = Sheet(name, text)
    columns = _columns_by_head(sheet)
    feedback_column = sheet.column(lambda head: head.lower().startswith("feedback comments"))
    match_columns = [
        MatchColumn(columns[head], keys, is_id=head != "full name", head=head)
        for head, keys in _TEXT_FUNCTIONS_BY_HEAD.items()
    ]
    rows = [
        row
        for row in range(1, len(sheet.rows))
        if any(sheet.cell(row, match_column.column) for match_column in match_columns)
    ]
    remarks = Remarks("the row is as it was")
    count = 0
    suffixes = namesake_suffixes(entries)
    entries_by_row, overlap = match_rows(sheet, rows, match_columns, entries)
    for row, entry in entries_by_row.items():
        student_label = sheet.cell(row, columns["full name"]) or sheet.cell(row, columns["identifier"])
        if isinstance(entry, str):
            remarks.add_unmatched(student_label, entry)
            continue
        student_label += suffixes[entry.person.key]
        maximum = points_in(sheet.cell(row, columns["maximum grade"]), name)
        score = scaled(entry, maximum, scales=scales, name=name)
        if sheet.cell(row, columns["grade can be changed"]).lower() == "no":
            remarks.add_unchanged(student_label, "the grade cannot be changed in Moodle")
        elif score is None:
            remarks.add_unchanged(student_label, "there is no score yet")
        else:
            if maximum is not None and score > maximum:
                sentence = f"{student_label}: {numeral(score)} is above the maximum of {numeral(maximum)}"
                remarks.add(f"{sentence}; the maximum was filled in" if caps else f"{sentence}; {_ABOVE_MAXIMUM}")
                score = maximum if caps else score
            assert columns["grade"] is not None, "_columns_by_head requires the column"
            sheet.put(row, columns["grade"], sheet.number(score))
            if feedback_column is not None and entry.feedback and not sheet.cell(row, feedback_column):
                sheet.put(row, feedback_column, _as_html(entry.feedback))
            count += 1
    sentences = remarks.sentences() + people_without_row(
        sheet, rows, match_columns, entries, entries_by_row.values(), "the worksheet"
    )
    return FilledTable(sheet.text(), count, tuple(sentences), overlap)


#: mod/assign/feedback/offline silently ignores a grade above the maximum.
_ABOVE_MAXIMUM = (
    "Moodle silently ignores the score: raise the assignment's maximum in Moodle, or fill in the maximum with --cap"
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


def _columns_by_head(sheet: Sheet) -> dict[str, int | None]:
    """Returns the index of each column to use, by its head in lower case; None for a column that the sheet lacks.

    Raises UsageError if the sheet is not a grading worksheet.
    """
    columns = {
        head: sheet.column(lambda text, head=head: text.lower() == head)  # type: ignore[misc]
        for head in (*_TEXT_FUNCTIONS_BY_HEAD, "grade", "maximum grade", "grade can be changed")
    }
    if columns["identifier"] is None or columns["grade"] is None:
        raise UsageError(
            f"{sheet.name}: this is no grading worksheet of Moodle: it has no columns Identifier and Grade; turn on "
            "“Offline grading worksheet” in the assignment, and download the worksheet there"
        )
    return columns


def _participant_identifiers(person: Person) -> list[str]:
    """Returns the texts that the column Identifier may contain for a person, in lower case."""
    return [f"{_PARTICIPANT}{value}" for kind, value in person.ids if kind == "moodle"]


#: The heads of the columns that identify a student, in the order in which the columns are tried. Each function returns
#: the texts that the column may contain for a person.
_TEXT_FUNCTIONS_BY_HEAD: dict[str, Callable[[Person], Iterable[str]]] = {
    "identifier": _participant_identifiers,
    "email address": lambda person: (person.email,),
    "full name": lambda person: (person.name,),
}
