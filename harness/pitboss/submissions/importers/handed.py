"""Who handed in what: a person, what was handed in, and a whole class of them."""

from __future__ import annotations

import datetime
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


class Handed(msgspec.Struct, frozen=True):
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


class LeftOut(NamedTuple):
    """Something in a download that is nobody's submission."""

    #: As text that can be written anywhere.
    name: str
    #: Why, as a clause; empty where it is no submission, and that is all.
    reason: str = ""


class Intake(msgspec.Struct, frozen=True):
    """A class."""

    #: What the download is: folders, canvas, moodle, gradescope or git.
    kind: str
    #: Sorted by name; who is on the roster and handed in nothing is there too.
    handed: tuple[Handed, ...]
    #: Every file that belongs to nobody.
    not_understood: tuple[LeftOut, ...] = ()


class Taken(msgspec.Struct):
    """What a reader of one kind of download has found so far."""

    handed: list[Handed] = []
    not_understood: list[LeftOut] = []
