"""The result of an import: people, their submissions, and the class; and the names of people and files."""

from __future__ import annotations

import datetime
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import msgspec

from pitboss.submissions.archives import NEVER_UNPACKED, Problem
from pitboss.submissions.sources import is_ignored_name
from pitboss.submissions.submission import encodable


class Person(msgspec.Struct, frozen=True):
    """A student of a class."""

    #: The name to display.
    name: str
    #: The student's unique identifier in this class: an id, a login or the name of a folder.
    key: str
    login: str = ""
    email: str = ""
    section: str = ""
    #: The student's ids, as pairs of a kind and a value; kinds are canvas, canvas-anonymous, sis, moodle, gradescope,
    #: github and id.
    ids: tuple[tuple[str, str], ...] = ()
    #: The team that the student submits with; empty if none.
    team: str = ""


def distinct_names(people: Iterable[Person]) -> dict[str, str]:
    """Maps each person's key to the name, with the login or key added if several people have the same name.

    >>> distinct_names([Person("Pat Smith", "7", "ps1"), Person("Pat Smith", "8", "ps2"), Person("Ada", "9")])
    {'7': 'Pat Smith (ps1)', '8': 'Pat Smith (ps2)', '9': 'Ada'}
    """
    everybody = list(people)
    identifiers = unique_identifiers(everybody)
    counts = Counter(person.name.casefold() for person in everybody)
    return {
        person.key: person.name if counts[person.name.casefold()] == 1 else f"{person.name} ({identifiers[person.key]})"
        for person in everybody
    }


def unique_identifiers(people: Iterable[Person]) -> dict[str, str]:
    """Maps each person's key to the login, or to the key if the login is missing or is somebody else's login or key."""
    everybody = list(people)
    counts = Counter(
        identifier for person in everybody for identifier in {person.login.casefold(), person.key.casefold()}
    )
    return {
        person.key: person.login if person.login and counts[person.login.casefold()] == 1 else person.key
        for person in everybody
    }


class SubmissionFacts(msgspec.Struct, frozen=True):
    """Facts about a submission that a table of the platform states, such as a grade sheet."""

    #: The instant of submission in UTC; None if unknown.
    at: datetime.datetime | None = None
    #: Whether the submission was late; None if unknown.
    is_late: bool | None = None
    #: The number of days by which the submission was late, rounded up; None if unknown.
    days_late: int | None = None
    #: The student's extended due date as the platform writes it; empty if none.
    extension: str = ""
    #: The platform's text for the instant of submission, if this text cannot be parsed; else empty.
    unread: str = ""


class ImportedSubmission(msgspec.Struct, frozen=True):
    """What one student submitted."""

    person: Person
    #: A path for `submissions.submission.open_submission`; None if nothing was submitted, or if there is a `problem`.
    path: Path | None
    #: The instant of submission, with a time zone (UTC); None if the download does not state it.
    at: datetime.datetime | None = None
    #: Whether the platform marks the submission as late; None if the platform does not state that.
    is_late: bool | None = None
    #: The number of this attempt, counted from 1; 1 if the download does not state it.
    attempt: int = 1
    #: The number of other attempts, which are ignored.
    other_attempts: int = 0
    #: The location of the submission in the download.
    source: str = ""
    notes: tuple[str, ...] = ()
    #: A sentence on why the submission cannot be used; `path` is then None.
    problem: str = ""
    #: The names of the submission's files, up to a maximum; for an archive, the names of the files in the archive.
    files: tuple[str, ...] = ()
    #: The number of days late according to the platform, rounded up; None if the platform does not state that.
    days_late: int | None = None

    @property
    def is_missing(self) -> bool:
        """Whether the student submitted nothing."""
        return self.path is None and not self.problem

    def with_notes(self, *notes: str) -> ImportedSubmission:
        """Returns the submission with these notes too; empty notes are left out."""
        return msgspec.structs.replace(self, notes=(*self.notes, *filter(None, notes)))


class LeftOut(NamedTuple):
    """An entry of a download that was not imported."""

    #: The name of the entry, printable and on one line.
    name: str
    #: What is wrong with the entry, as a clause; empty if the entry is simply not a submission.
    reason: str = ""


class ImportedClass(msgspec.Struct, frozen=True):
    """The submissions of a class, read from a download."""

    #: The kind of the download: folders, canvas, moodle, gradescope or git.
    kind: str
    #: The submissions, sorted by name. A person on the roster who submitted nothing has a submission without a path.
    submissions: tuple[ImportedSubmission, ...]
    #: Every entry of the download that belongs to no submission.
    left_out_entries: tuple[LeftOut, ...] = ()


class FoundSubmissions(msgspec.Struct):
    """The submissions that an importer has found so far, and the entries that belong to no submission."""

    submissions: list[ImportedSubmission] = []
    left_out_entries: list[LeftOut] = []


#: Reasons for leaving out an entry of a folder.
HIDDEN_OR_OF_A_TOOL = "hidden, or made by a system or a tool"
A_LINK = NEVER_UNPACKED[Problem.LINK]


def one_line(text: str) -> str:
    r"""Returns a name on one line: control characters are escaped, and letters that macOS decomposes are composed.

    >>> one_line("Mu\u0308ller"), one_line("a\x1bb")
    ('Müller', 'a\\x1bb')
    """
    composed = unicodedata.normalize("NFC", encodable(text))
    return "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in composed)


def person_name(text: str) -> str:
    """Returns a person's name with the first name in front: "Lovelace, Ada" is reversed.

    >>> person_name(" Lovelace,  Ada "), person_name("Ada  Lovelace")
    ('Ada Lovelace', 'Ada Lovelace')
    """
    name = one_line(" ".join(text.split()))
    last, comma, first = name.partition(",")
    begins_with_last_name = comma and "," not in first and first.strip() and last.strip()
    return f"{first.strip()} {last.strip()}" if begins_with_last_name else name


def compact_name(name: str) -> str:
    """Returns a name as platforms write it into a file name: its letters and digits in lower case.

    >>> compact_name("O'Brien-Núñez, Siân")
    'obriennúñezsiân'
    """
    folded = unicodedata.normalize("NFC", name).casefold()
    return "".join(letter for letter in unicodedata.normalize("NFC", folded) if letter.isalnum())


def compact_name_rotations(name: str) -> set[str]:
    """Returns the compact name for each rotation of a name's words, since any word may begin the family name.

    >>> sorted(compact_name_rotations("Ada King Lovelace"))
    ['adakinglovelace', 'kinglovelaceada', 'lovelaceadaking']
    """
    words = re.split(r"[\s,]+", name.strip())
    return {compact_name(" ".join(words[start:] + words[:start])) for start in range(len(words))}


def entries_of(folder: Path) -> tuple[list[Path], list[LeftOut]]:
    """Returns the sorted files and folders in a folder, and the entries that are left out, with the reason.

    Left out are hidden entries, files of systems and tools, links, and entries such as pipes.
    Raises OSError if the folder cannot be read.
    """
    entries, left_out = list[Path](), list[LeftOut]()
    for path in sorted(folder.iterdir()):
        if is_ignored_name(path.name):
            left_out.append(LeftOut(one_line(path.name), HIDDEN_OR_OF_A_TOOL))
        elif path.is_symlink():
            left_out.append(LeftOut(one_line(path.name), A_LINK))
        elif not (path.is_dir() or path.is_file()):
            left_out.append(LeftOut(one_line(path.name), "neither a file nor a folder"))
        else:
            entries.append(path)
    return entries, left_out
