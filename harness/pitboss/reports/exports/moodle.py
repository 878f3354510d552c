"""Fills scores and feedback into a grading worksheet that Moodle has exported, for Moodle to import again.

The worksheet's columns are those of Moodle's assign/feedback/offline plugin: Identifier ("Participant 123"), Full name,
Email address, Grade, Maximum grade, Grade can be changed, Feedback comments.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Sequence

from pitboss.errors import UsageError
from pitboss.gradebook.numerals import numeral
from pitboss.reports.exports.matching import MatchColumn, Remarks, matched, missing, namesake_marks
from pitboss.reports.exports.sheet import Filled, Sheet, SheetEntry, points_in, scaled
from pitboss.reports.spreadsheets import FORMULA
from pitboss.submissions.importers.imported import Person

_PARTICIPANT = "participant "


def fill_moodle_worksheet(
    name: str, text: str, entries: Sequence[SheetEntry], *, scales: bool = False, caps: bool = False
) -> Filled:
    """Returns the worksheet `text` with scores, and with feedback where its cell was empty; nothing else changes.

    `name` is the name of the file. With `caps`, the maximum replaces any higher score. Raises UsageError if
    the file is not a grading worksheet.
    """
    sheet = Sheet(name, text)
    heads = _heads(sheet)
    feedback = sheet.column(lambda head: head.lower().startswith("feedback comments"))
    ways = [MatchColumn(heads[head], keys, is_id=head != "full name", head=head) for head, keys in _KEYS.items()]
    rows = [row for row in range(1, len(sheet.rows)) if any(sheet.cell(row, way.column) for way in ways)]
    remarks = Remarks("the row is as it was")
    count = 0
    marks = namesake_marks(entries)
    matches, overlap = matched(sheet, rows, ways, entries)
    for row, entry in matches.items():
        student = sheet.cell(row, heads["full name"]) or sheet.cell(row, heads["identifier"])
        if isinstance(entry, str):
            remarks.add_unmatched(student, entry)
            continue
        student += marks[entry.person.key]
        maximum = points_in(sheet.cell(row, heads["maximum grade"]), name)
        score = scaled(entry, maximum, scales=scales, name=name)
        if sheet.cell(row, heads["grade can be changed"]).lower() == "no":
            remarks.add_unchanged(student, "the grade cannot be changed in Moodle")
        elif score is None:
            remarks.add_unchanged(student, "there is no score yet")
        else:
            if maximum is not None and score > maximum:
                sentence = f"{student}: {numeral(score)} is above the maximum of {numeral(maximum)}"
                remarks.add(f"{sentence}, which is there" if caps else f"{sentence}; {_DROPPED}")
                score = maximum if caps else score
            sheet.put(row, heads["grade"] or 0, sheet.number(score))
            if feedback is not None and entry.feedback and not sheet.cell(row, feedback):
                sheet.put(row, feedback, _as_html(entry.feedback))
            count += 1
    sentences = remarks.sentences() + missing(sheet, rows, ways, entries, matches.values(), "the worksheet")
    return Filled(sheet.text(), count, tuple(sentences), overlap)


#: mod/assign/feedback/offline silently ignores a grade above the maximum.
_DROPPED = "Moodle drops it without a word: raise the assignment's maximum there, or --cap fills in the maximum"


def _as_html(text: str) -> str:
    r"""Returns a text as a feedback comment, which Moodle reads as HTML.

    Quotes and backslashes are escaped, since Moodle's CSV reader does not end a cell at `\"`. A first character that
    would begin a formula is escaped as well, since worksheets are often opened in a spreadsheet program.
    """
    escaped = html.escape(text).replace("\\", "&#92;")
    if escaped.startswith(FORMULA):
        escaped = f"&#{ord(escaped[0])};{escaped[1:]}"
    return escaped.replace("\n", "<br>\n")


def _heads(sheet: Sheet) -> dict[str, int | None]:
    """Returns the columns to use, by their heads. Raises UsageError if the sheet is not a grading worksheet."""
    heads = {
        head: sheet.column(lambda text, head=head: text.lower() == head)  # type: ignore[misc]
        for head in (*_KEYS, "grade", "maximum grade", "grade can be changed")
    }
    if heads["identifier"] is None or heads["grade"] is None:
        raise UsageError(
            f"{sheet.name}: this is no grading worksheet of Moodle: it has no columns Identifier and Grade; turn on "
            "“Offline grading worksheet” in the assignment, and download it there"
        )
    return heads


def _participants(person: Person) -> list[str]:
    return [f"{_PARTICIPANT}{value}" for kind, value in person.ids if kind == "moodle"]


#: The columns that identify a student, in the order in which they are tried, with the cells that a person may have.
_KEYS: dict[str, Callable[[Person], Iterable[str]]] = {
    "identifier": _participants,
    "email address": lambda person: (person.email,),
    "full name": lambda person: (person.name,),
}
