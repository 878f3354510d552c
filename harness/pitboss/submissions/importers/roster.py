"""A roster: the people of a class, from a platform's CSV export.

A grading worksheet of Moodle also states when each person submitted, and whether the submission was late.

Columns are recognised by their headings, in any order: the headings of Canvas (Student, ID, SIS User ID, SIS Login ID,
Section), Moodle (Identifier, Full name, First name, Last name, ID number, Email address, Username), Gradescope (Name,
First Name, Last Name, SID, Email, Sections) and common handwritten headings. Other columns are ignored.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from pitboss.errors import UsageError, as_found, listed
from pitboss.submissions.importers.csv_tables import TableRow, normalised_heading, table_rows
from pitboss.submissions.importers.display_names import one_line, person_name
from pitboss.submissions.importers.imported import Person, SubmissionFacts
from pitboss.submissions.importers.moodle_download import parse_worksheet_status

#: The accepted headings of each column, in lower case and with single spaces.
_HEADINGS = {
    "name": ("name", "student", "full name", "fullname", "student name", "display name", "vollständiger name"),
    "first": ("first name", "firstname", "first", "given name", "given names", "forename", "vorname"),
    "last": ("last name", "lastname", "last", "surname", "family name", "nachname"),
    "login": ("sis login id", "login id", "login", "username", "user name", "user", "anmeldename"),
    "email": ("email", "e-mail", "email address", "e-mail address", "mail", "e-mail-adresse"),
    "section": ("section", "sections", "section name", "group", "groups", "class"),
    "team": ("team", "team name", "group name"),
    "sis": ("sis user id", "sis id", "sid", "student id", "id number", "student number", "matrikelnummer"),
    "canvas": ("canvas id", "canvas user id", "user id"),
    "moodle": ("identifier", "participant"),
    "github": ("github", "github username", "github login"),
    "id": ("id", "key"),
    "status": ("status",),
    "modified": ("last modified (submission)", "zuletzt geändert (abgabe)"),
}
_COLUMN_OF_HEADING = {heading: column for column, headings in _HEADINGS.items() for heading in headings}
#: The columns of ids. A person's first id in this order becomes the person's key.
_ID_COLUMNS = ("canvas", "sis", "moodle", "github", "id")
#: Names in rows of a Canvas gradebook that are not about a person.
_NAMES_OF_NO_PERSON = ("points possible", "student, test", "test student")


class Roster(msgspec.Struct, frozen=True):
    """The people of a class, in the order of the file."""

    path: Path
    people: tuple[Person, ...]
    #: Facts about the people's submissions, by the key of the person.
    facts_by_key: dict[str, SubmissionFacts] = {}


def read_roster(path: Path) -> Roster:
    """Reads a CSV file separated by commas, semicolons or tabs; raises UsageError, with file and line, if invalid."""
    rows = table_rows(path, _count_known_columns)
    header_line, columns = _header(path, rows)
    lines_and_people: dict[str, tuple[int, Person]] = {}
    facts_by_key: dict[str, SubmissionFacts] = {}
    for line, row in rows:
        if line <= header_line:
            continue
        person = _person(path, line, columns, row)
        if person is None:
            continue
        first_line, first_person = lines_and_people.setdefault(person.key, (line, person))
        if first_person != person:
            raise UsageError(f"{path}:{line}: {as_found(person.key)} is also on line {first_line}")
        facts = parse_worksheet_status(_cell(columns, row, "status"), _cell(columns, row, "modified"))
        if facts is not None:
            facts_by_key.setdefault(person.key, facts)
    if not lines_and_people:
        raise UsageError(f"{path}: there are no people below the header")
    return Roster(path, tuple(person for _, person in lines_and_people.values()), facts_by_key)


def _count_known_columns(row: Sequence[str]) -> int:
    """Counts the known columns whose headings are in a row."""
    return len({_COLUMN_OF_HEADING[word] for cell in row if (word := normalised_heading(cell)) in _COLUMN_OF_HEADING})


def _header(path: Path, rows: Sequence[TableRow]) -> tuple[int, dict[str, int]]:
    """Returns the number of the header's line, and the index of each known column."""
    line, row = rows[0]
    headings = [normalised_heading(cell) for cell in row]
    columns: dict[str, int] = {}
    for index, column_heading in enumerate(headings):
        column = _COLUMN_OF_HEADING.get(column_heading)
        if column == "id" and "student" in headings:
            column = "canvas"  # in a gradebook of Canvas, ID is Canvas's own id
        if column is not None:
            columns.setdefault(column, index)
    if not {"name", "last", "login", "email", *_ID_COLUMNS} & set(columns):
        headings_in_file = listed(cell.strip() for cell in row if cell.strip())
        raise UsageError(
            f"{path}:{line}: no column identifies people; the columns are {headings_in_file} — one must be called "
            "name, first name and last name, id, login or email"
        )
    return line, columns


def _cell(columns: dict[str, int], row: Sequence[str], column: str) -> str:
    """Returns a row's cell in a column; empty if the column is missing or the row is too short."""
    index = columns.get(column, len(row))
    return one_line(" ".join(row[index].split())) if index < len(row) else ""


def _person(path: Path, line: int, columns: dict[str, int], row: Sequence[str]) -> Person | None:
    """Returns the person of a row; None if the row's columns that identify people are empty.

    None also for rows that are not about a person, which a gradebook of Canvas has.
    """

    def cell(column: str) -> str:
        return _cell(columns, row, column)

    full_name = cell("name")
    if full_name.casefold() in _NAMES_OF_NO_PERSON or not any(
        map(cell, ("name", "first", "last", "login", "email", *_ID_COLUMNS))
    ):
        return None
    ids = tuple((kind, cell(kind).removeprefix("Participant ")) for kind in _ID_COLUMNS if cell(kind))
    name = person_name(full_name) or f"{cell('first')} {cell('last')}".strip()
    possible_keys = (*(value for _, value in ids), cell("login"), cell("email"), name)
    key = next(filter(None, possible_keys), "")
    if not key:
        raise UsageError(f"{path}:{line}: nothing identifies the person")
    return Person(name or key, key, cell("login"), cell("email"), cell("section"), ids, cell("team"))
