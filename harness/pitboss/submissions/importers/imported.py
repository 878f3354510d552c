"""Who handed in what: a person, what was handed in, and a whole class of them."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import msgspec


class Person(msgspec.Struct, frozen=True):
    """Somebody of a class."""

    #: As people are called.
    name: str
    #: Unique in this class: an id, a login or the name of a folder.
    key: str
    login: str = ""
    email: str = ""
    section: str = ""
    #: Pairs of a kind and a value; kinds are canvas, sis, moodle, gradescope, github and id.
    ids: tuple[tuple[str, str], ...] = ()
    #: Those of one team hand in together; empty for who hands in alone.
    team: str = ""


def distinct_names(people: Iterable[Person]) -> dict[str, str]:
    """The names of people by their keys, with the login or key where several are called the same.

    >>> distinct_names([Person("Pat Smith", "7", "ps1"), Person("Pat Smith", "8", "ps2"), Person("Ada", "9")])
    {'7': 'Pat Smith (ps1)', '8': 'Pat Smith (ps2)', '9': 'Ada'}
    """
    everybody = list(people)
    words = identifying_words(everybody)
    counts = Counter(one.name.casefold() for one in everybody)
    return {
        one.key: one.name if counts[one.name.casefold()] == 1 else f"{one.name} ({words[one.key]})" for one in everybody
    }


def identifying_words(people: Iterable[Person]) -> dict[str, str]:
    """By the keys of people the login, or the key where there is no login or somebody else might be meant by it."""
    everybody = list(people)
    counts = Counter(word for one in everybody for word in {one.login.casefold(), one.key.casefold()})
    return {one.key: one.login if one.login and counts[one.login.casefold()] == 1 else one.key for one in everybody}


class Submitted(msgspec.Struct, frozen=True):
    """What a platform's table, and not its download, says of what somebody handed in."""

    #: In UTC; None if it does not say.
    at: datetime.datetime | None = None
    is_late: bool | None = None
    #: A day that has begun counts.
    days_late: int | None = None
    #: Until when that person may hand in, as the platform writes it; empty if nothing is said of that.
    extension: str = ""
    #: What stands where the instant is, if that is not understood.
    unread: str = ""


class ImportedSubmission(msgspec.Struct, frozen=True):
    """What one person handed in."""

    person: Person
    #: What `submissions.submission.opened` can take; None if nothing was handed in, or if it has a problem.
    path: Path | None
    #: When it was handed in, with a time zone (UTC); None if the download does not tell.
    at: datetime.datetime | None = None
    #: What the platform itself says; None if it says nothing.
    is_late: bool | None = None
    #: Which attempt this is, as far as the download tells, from 1.
    attempt: int = 1
    #: How many further attempts there are, which are not taken.
    earlier: int = 0
    #: Where it was found, in the download.
    source: str = ""
    notes: tuple[str, ...] = ()
    #: A sentence on why what was handed in cannot be taken; then there is no path.
    problem: str = ""
    #: The names of the files, of an archive those in it; of many only the first.
    files: tuple[str, ...] = ()
    #: By how many days the platform says that it was late, one that has begun included; None if it does not say.
    days_late: int | None = None


class LeftOut(NamedTuple):
    """Something in a download that is nobody's submission."""

    #: As text that can be written anywhere.
    name: str
    #: Why, as a clause; empty where it is no submission, and that is all.
    reason: str = ""


class ImportedClass(msgspec.Struct, frozen=True):
    """A class."""

    #: What the download is: folders, canvas, moodle, gradescope or git.
    kind: str
    #: Sorted by name; who is on the roster and handed in nothing is there too.
    handed: tuple[ImportedSubmission, ...]
    #: Every file that belongs to nobody.
    not_understood: tuple[LeftOut, ...] = ()


class FoundSubmissions(msgspec.Struct):
    """What a reader of one kind of download has found so far."""

    handed: list[ImportedSubmission] = []
    not_understood: list[LeftOut] = []
