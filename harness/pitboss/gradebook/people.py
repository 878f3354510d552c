"""Parses people, parts of a class and instants on the command line."""

from __future__ import annotations

import datetime
import difflib
import getpass
import os
import re
import shlex
import zoneinfo
from collections import Counter
from collections.abc import Sequence

from pitboss.errors import UsageError, as_found, listed, near
from pitboss.gradebook.days import due_text
from pitboss.submissions.importers.imported import Person

_MAX_MEANT = 8


def user_name() -> str:
    """The name of the current user, or the number of one without a name, as in some containers."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # OSError since Python 3.13
        return f"user {os.getuid()}"


def person_called(people: Sequence[Person], word: str, *, is_whole: bool = False) -> Person:
    """The person with this key, login, address or name; raises UsageError otherwise.

    Unless a whole name is required, also the only person whose name contains it. The error suggests those whose name,
    key or login contains it.
    """
    of_key = [one for one in people if one.key == word]  # keys are unique, even if somebody else has it as a login
    wanted = word.casefold()
    exact = [one for one in people if wanted in {text.casefold() for text in (one.key, one.login, one.email, one.name)}]
    in_name = [one for one in people if wanted in one.name.casefold()]
    found = of_key or exact or ([] if is_whole else in_name)
    if len(found) == 1:
        return found[0]
    if exact:
        raise UsageError(f"{as_found(word)} matches several people; {_keys_of(exact)}")
    parts = [one for one in people if any(wanted in text.casefold() for text in (one.name, one.key, one.login))]
    if len(parts) > 1:
        raise UsageError(f"{as_found(word)} matches several people; {_keys_of(parts)}")
    if parts:
        raise UsageError(f"nobody in this gradebook is called {as_found(word)}; {_keys_of(parts)}")
    near = difflib.get_close_matches(word, [text for one in people for text in (one.name, one.key)], 1)
    hint = f", did you mean {near[0]!r}?" if near else ""
    raise UsageError(f"nobody in this gradebook is called {as_found(word)}{hint}")


#: The K of N equal shares of a class.
_SHARE = re.compile(r"([0-9]{1,4})/([0-9]{1,4})")


def part_of(people: Sequence[Person], words: Sequence[str]) -> frozenset[str] | None:
    """The keys of the people in these sections and shares of the class; None, for everybody, without words.

    A share is a part of the class in order of name: 1/3 is its first third. Raises UsageError for any other word.

    >>> class_ = [Person(name, name, section=section) for name, section in (("ada", "A"), ("bob", "A"), ("eve", "B"))]
    >>> [sorted(part_of(class_, [word])) for word in ("a", "1/2", "2/2")]
    [['ada', 'bob'], ['ada'], ['bob', 'eve']]
    """
    if not words:
        return None
    return frozenset(key for word in words for key in _in_part(people, word))


def _in_part(people: Sequence[Person], word: str) -> list[str]:
    of_section = [one.key for one in people if one.section.casefold() == word.strip().casefold() != ""]
    share = _SHARE.fullmatch(word.strip())
    if of_section or share is None:
        if not of_section:
            sections = sorted({one.section for one in people if one.section})
            sections_here = (
                f"sections are {listed(sections)}{near(word, sections)}" if sections else "nobody here has a section"
            )
            raise UsageError(f"--only {as_found(word)} — it is a section, or a share such as 1/3; {sections_here}")
        return of_section
    number, of = int(share[1]), int(share[2])
    if not 1 <= number <= of:
        raise UsageError(f"--only {as_found(word)} — of {of} shares the first is 1/{of}, and the last {of}/{of}")
    return [one.key for one in people[len(people) * (number - 1) // of : len(people) * number // of]]


def _keys_of(people: Sequence[Person]) -> str:
    """What to type for each of these people, quoted for a shell."""
    counts = Counter(one.name.casefold() for one in people)
    typed = [
        shlex.quote(one.key)
        + (f" for {one.name}" if one.name != one.key else "")
        + (_distinction(one) if counts[one.name.casefold()] > 1 else "")
        for one in people
    ]
    more = len(typed) - _MAX_MEANT
    return f"type {listed(typed[:_MAX_MEANT])}{f' and {more} more' if more > 0 else ''}"


def _distinction(person: Person) -> str:
    """What distinguishes a person from namesakes besides the key: a login, a section or an address."""
    login = person.login if person.login != person.key else ""
    words = (login, person.section and f"section {person.section}", person.email)
    word = next((word for word in words if word), "")
    return f" ({word})" if word else ""


def instant(word: str) -> datetime.datetime:
    """Parses a day, which stands for its end, or a day and a time; raises UsageError for anything else.

    The default time zone is that of this machine. Also raises UsageError for a time that does not exist, or exists
    twice, because the clocks change.

    >>> instant("2026-09-04 23:59+00:00").isoformat()
    '2026-09-04T23:59:00+00:00'
    """
    try:
        found = datetime.datetime.fromisoformat(word.strip())
        if len(word.strip()) <= len("2026-09-04"):
            found = found.replace(hour=23, minute=59, second=59, microsecond=999_999)
        local, later = found.astimezone(), found.replace(fold=1).astimezone()
    except (ValueError, OverflowError):
        raise UsageError(
            f"{as_found(word)} is not a date or time — give a day, or a day and a time: 2026-09-04, 2026-09-04 23:59, "
            "2026-09-04T23:59+02:00"
        ) from None
    if found.tzinfo is None and local != later:
        is_there = local.replace(tzinfo=None) == found
        there = "ambiguous, since clocks are put back" if is_there else "not there, since clocks are put forward"
        zoned = f"{found.isoformat(timespec='minutes')}{_offset(local)} or {_offset(later)}"
        raise UsageError(f"{as_found(word)} is {there} — add the time zone: {zoned}")
    return local


def _offset(at: datetime.datetime) -> str:
    """The offset of an instant's time zone, as it is written."""
    return at.isoformat()[-len("+00:00") :]


def due_of(word: str) -> str:
    """A due date as a gradebook stores it: with this machine's time zone, unless another is given."""
    at = instant(word)
    zone = _zone_here()
    is_of_here = zone is not None and at.astimezone(zone).utcoffset() == at.utcoffset()
    is_meant = datetime.datetime.fromisoformat(word.strip()).utcoffset() in (None, at.utcoffset())
    return due_text(at, zone.key if zone is not None and is_of_here and is_meant else "")


def zone_name() -> str:
    """The time zone of this machine, for a sentence."""
    zone = _zone_here()
    return zone.key if zone is not None else f"{datetime.datetime.now().astimezone():%Z}"


def _zone_here() -> zoneinfo.ZoneInfo | None:
    """The time zone of this machine; None if its name is unknown."""
    name = os.environ.get("TZ", "").removeprefix(":") or os.path.realpath("/etc/localtime").partition("/zoneinfo/")[2]
    try:
        return zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        return None
