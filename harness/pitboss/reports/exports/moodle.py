"""Scores and feedback filled into a grading worksheet that Moodle has exported, which Moodle then takes back.

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
    """Fill scores into the worksheet `text`, and feedback if it is empty; everything else stays unchanged.

    `name` is the name of the file. With `caps` a score above the maximum is the maximum. Raises UsageError if it is
    no such worksheet.
    """
    sheet = Sheet(name, text)
    heads = _heads(sheet)
    feedback = sheet.column(lambda head: head.lower().startswith("feedback comments"))
    ways = [MatchColumn(heads[head], keys, is_id=head != "full name", head=head) for head, keys in _KEYS.items()]
    rows = [row for row in range(1, len(sheet.rows)) if any(sheet.cell(row, way.column) for way in ways)]
    remarks = Remarks("the row is as it was")
    count = 0
    which = namesake_marks(entries)
    found, overlap = matched(sheet, rows, ways, entries)
    for row, entry in found.items():
        who = sheet.cell(row, heads["full name"]) or sheet.cell(row, heads["identifier"])
        if isinstance(entry, str):
            remarks.add_unmatched(who, entry)
            continue
        who += which[entry.person.key]
        most = points_in(sheet.cell(row, heads["maximum grade"]), name)
        score = scaled(entry, most, scales=scales, name=name)
        if sheet.cell(row, heads["grade can be changed"]).lower() == "no":
            remarks.add_unchanged(who, "the grade cannot be changed in Moodle")
        elif score is None:
            remarks.add_unchanged(who, "there is no score yet")
        else:
            if most is not None and score > most:
                given = f"{who}: {numeral(score)} is above the maximum of {numeral(most)}"
                remarks.add(f"{given}, which is there" if caps else f"{given}; {_DROPPED}")
                score = most if caps else score
            sheet.put(row, heads["grade"] or 0, sheet.number(score))
            if feedback is not None and entry.feedback and not sheet.cell(row, feedback):
                sheet.put(row, feedback, _as_html(entry.feedback))
            count += 1
    left = remarks.sentences() + missing(sheet, rows, ways, entries, found.values(), "the worksheet")
    return Filled(sheet.text(), count, tuple(left), overlap)


#: mod/assign/feedback/offline silently ignores a grade above the maximum.
_DROPPED = "Moodle drops it without a word: raise the assignment's maximum there, or --cap fills in the maximum"


def _as_html(text: str) -> str:
    r"""Returns a text as a feedback comment, which Moodle reads as HTML.

    Quotes are escaped, and backslashes, since Moodle's reader of CSV takes `\"` for no end of a cell; so is a first
    character that a spreadsheet takes for the beginning of a formula, since a worksheet is often opened in one.
    """
    escaped = html.escape(text).replace("\\", "&#92;")
    if escaped.startswith(FORMULA):
        escaped = f"&#{ord(escaped[0])};{escaped[1:]}"
    return escaped.replace("\n", "<br>\n")


def _heads(sheet: Sheet) -> dict[str, int | None]:
    """The columns that count, by their heads; UsageError if it is no worksheet."""
    heads = {
        head: sheet.column(lambda one, head=head: one.lower() == head)  # type: ignore[misc]
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


#: The columns by which a student is found, in this order.
_KEYS: dict[str, Callable[[Person], Iterable[str]]] = {
    "identifier": _participants,
    "email address": lambda person: (person.email,),
    "full name": lambda person: (person.name,),
}
