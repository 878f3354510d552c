"""The result of an import: people, their submissions, and the class."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import msgspec


class Person(msgspec.Struct, frozen=True):
    """A student of a class."""

    #: The name to display.
    name: str
    #: Unique in this class: an id, a login or the name of a folder.
    key: str
    login: str = ""
    email: str = ""
    section: str = ""
    #: Pairs of a kind and a value; kinds are canvas, sis, moodle, gradescope, github and id.
    ids: tuple[tuple[str, str], ...] = ()
    #: The team that the student submits with; empty if none.
    team: str = ""


def distinct_names(people: Iterable[Person]) -> dict[str, str]:
    """Returns the names of people by key, with the login or key added if several people have the same name.

    >>> distinct_names([Person("Pat Smith", "7", "ps1"), Person("Pat Smith", "8", "ps2"), Person("Ada", "9")])
    {'7': 'Pat Smith (ps1)', '8': 'Pat Smith (ps2)', '9': 'Ada'}
    """
    people_list = list(people)
    words = identifying_words(people_list)
    counts = Counter(person.name.casefold() for person in people_list)
    return {
        person.key: person.name if counts[person.name.casefold()] == 1 else f"{person.name} ({words[person.key]})"
        for person in people_list
    }


def identifying_words(people: Iterable[Person]) -> dict[str, str]:
    """Maps each person's key to their login, or to the key if there is no login or it is ambiguous."""
    everybody = list(people)
    counts = Counter(word for person in everybody for word in {person.login.casefold(), person.key.casefold()})
    return {
        person.key: person.login if person.login and counts[person.login.casefold()] == 1 else person.key
        for person in everybody
    }


class Submitted(msgspec.Struct, frozen=True):
    """Facts about a submission from a platform's table that its download lacks."""

    #: In UTC; None if unknown.
    at: datetime.datetime | None = None
    is_late: bool | None = None
    #: Rounded up to whole days.
    days_late: int | None = None
    #: The student's extended due date as the platform writes it; empty if none.
    extension: str = ""
    #: The platform's text for the instant, if it cannot be parsed.
    unread: str = ""


class ImportedSubmission(msgspec.Struct, frozen=True):
    """What one student submitted."""

    person: Person
    #: A path for `submissions.submission.opened`; None if nothing was submitted, or if there is a problem.
    path: Path | None
    #: The instant of submission, with a time zone (UTC); None if the download does not state it.
    at: datetime.datetime | None = None
    #: Whether the platform marks it as late; None if it does not state that.
    is_late: bool | None = None
    #: The number of this attempt, as far as the download states it, from 1.
    attempt: int = 1
    #: The number of other attempts, which are ignored.
    earlier: int = 0
    #: Its location in the download.
    source: str = ""
    notes: tuple[str, ...] = ()
    #: A sentence on why it cannot be used; `path` is then None.
    problem: str = ""
    #: The names of the first files; for an archive, of the files in it.
    files: tuple[str, ...] = ()
    #: The days late according to the platform, rounded up; None if it does not state that.
    days_late: int | None = None


class LeftOut(NamedTuple):
    """An entry of a download that is not a submission."""

    #: Printable, on one line.
    name: str
    #: Why, as a clause; empty if it is merely not a submission.
    reason: str = ""


class ImportedClass(msgspec.Struct, frozen=True):
    """An imported class."""

    #: The kind of the download: folders, canvas, moodle, gradescope or git.
    kind: str
    #: Sorted by name; includes people on the roster who submitted nothing.
    handed: tuple[ImportedSubmission, ...]
    #: Every file that belongs to no submission.
    not_understood: tuple[LeftOut, ...] = ()


class FoundSubmissions(msgspec.Struct):
    """What an importer has found so far."""

    handed: list[ImportedSubmission] = []
    not_understood: list[LeftOut] = []
