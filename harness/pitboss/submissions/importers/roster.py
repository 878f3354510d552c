"""A roster: the people of a class, from what a platform exports as CSV.

A grading worksheet of Moodle also has the time of submission, and whether it was late.

Columns are known by the words in their header, in any order: those of Canvas (Student, ID, SIS User ID, SIS Login ID,
Section), Moodle (Identifier, Full name, First name, Last name, ID number, Email address, Username), Gradescope (Name,
First Name, Last Name, SID, Email, Sections) and those that people write themselves. Other columns are ignored.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from pitboss.errors import UsageError, as_found, listed
from pitboss.submissions.importers.csv_tables import TableRow, heading, table_rows
from pitboss.submissions.importers.display_names import one_line, person_name
from pitboss.submissions.importers.imported import Person, Submitted
from pitboss.submissions.importers.moodle_download import submitted

#: The meaning of a column by its header, in lower case and with single blanks.
_WORDS = {
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
_COLUMNS = {word: column for column, words in _WORDS.items() for word in words}
_IDS = ("canvas", "sis", "moodle", "github", "id")
#: Rows of a Canvas gradebook that are not people.
_NOBODY = ("points possible", "student, test", "test student")


class Roster(msgspec.Struct, frozen=True):
    """The people of a class, in the order of the file."""

    path: Path
    people: tuple[Person, ...]
    #: What it states about their submissions, by key.
    submitted: dict[str, Submitted] = {}


def read_roster(path: Path) -> Roster:
    """The people in a CSV file, separated by commas, semicolons or tabs; raises UsageError with file and line."""
    rows = table_rows(path, _count_heads)
    header_line, columns = _header(path, rows)
    people: dict[str, tuple[int, Person]] = {}
    submitted_by: dict[str, Submitted] = {}
    for line, row in rows:
        if line <= header_line:
            continue
        person = _person(path, line, columns, row)
        if person is None:
            continue
        if person.key in people and people[person.key][1] != person:
            raise UsageError(f"{path}:{line}: {as_found(person.key)} is also on line {people[person.key][0]}")
        people.setdefault(person.key, (line, person))
        if (about := submitted(_cell(columns, row, "status"), _cell(columns, row, "modified"))) is not None:
            submitted_by.setdefault(person.key, about)
    if not people:
        raise UsageError(f"{path}: there are no people below the header")
    return Roster(path, tuple(person for _, person in people.values()), submitted_by)


def _count_heads(row: Sequence[str]) -> int:
    return len({_COLUMNS[word] for cell in row if (word := heading(cell)) in _COLUMNS})


def _header(path: Path, rows: Sequence[TableRow]) -> tuple[int, dict[str, int]]:
    """The line of the header, and the index of each known column."""
    line, row = rows[0]
    words = [heading(cell) for cell in row]
    columns: dict[str, int] = {}
    for place, word in enumerate(words):
        column = _COLUMNS.get(word)
        if column == "id" and "student" in words:
            column = "canvas"  # a gradebook of Canvas
        if column is not None:
            columns.setdefault(column, place)
    if not {"name", "last", "login", "email", *_IDS} & set(columns):
        found = listed(cell.strip() for cell in row if cell.strip())
        raise UsageError(
            f"{path}:{line}: no column identifies people; there is {found} — one must be called name, first name "
            "and last name, id, login or email"
        )
    return line, columns


def _cell(columns: dict[str, int], row: Sequence[str], column: str) -> str:
    """The cell of a row in a column; empty if there is no such column, or the row is too short."""
    place = columns.get(column, len(row))
    return one_line(" ".join(row[place].split())) if place < len(row) else ""


def _person(path: Path, line: int, columns: dict[str, int], row: Sequence[str]) -> Person | None:
    """A row as a person; None for a row of a gradebook that is not one."""

    def cell(column: str) -> str:
        return _cell(columns, row, column)

    whole = cell("name")
    if whole.casefold() in _NOBODY or not any(map(cell, ("name", "first", "last", "login", "email", *_IDS))):
        return None
    ids = tuple((kind, cell(kind).removeprefix("Participant ")) for kind in _IDS if cell(kind))
    name = person_name(whole) or f"{cell('first')} {cell('last')}".strip()
    key = next((value for value in (*(value for _, value in ids), cell("login"), cell("email"), name) if value), "")
    if not key:
        raise UsageError(f"{path}:{line}: nothing identifies the person")
    return Person(name or key, key, cell("login"), cell("email"), cell("section"), ids, cell("team"))
