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

from pitboss.errors import UsageError, as_found, did_you_mean, listed
from pitboss.gradebook.days import due_text
from pitboss.submissions.importers.imported import Person

_MAX_SUGGESTIONS = 8


def user_name() -> str:
    """The name of the current user, or the number of a user without a name, as in some containers."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # OSError since Python 3.13
        return f"user {os.getuid()}"


def person_called(people: Sequence[Person], word: str, *, is_whole: bool = False) -> Person:
    """The person with this key, login, address or name; raises UsageError otherwise.

    Part of a name is enough if only one person's name contains it, unless `is_whole`. The error suggests people whose
    name, key or login contains it.
    """
    # A key comes first: it is unique, even if it is somebody else's login.
    by_key = [person for person in people if person.key == word]
    wanted = word.casefold()
    exact = [
        person
        for person in people
        if wanted in {text.casefold() for text in (person.key, person.login, person.email, person.name)}
    ]
    in_name = [person for person in people if wanted in person.name.casefold()]
    matches = by_key or exact or ([] if is_whole else in_name)
    if len(matches) == 1:
        return matches[0]
    if exact:
        raise UsageError(f"{as_found(word)} matches several people; {_key_suggestions(exact)}")
    similar = [
        person
        for person in people
        if any(wanted in text.casefold() for text in (person.name, person.key, person.login))
    ]
    if len(similar) > 1:
        raise UsageError(f"{as_found(word)} matches several people; {_key_suggestions(similar)}")
    if similar:
        raise UsageError(f"nobody in this gradebook is called {as_found(word)}; {_key_suggestions(similar)}")
    close = difflib.get_close_matches(word, [text for person in people for text in (person.name, person.key)], 1)
    hint = f", did you mean {close[0]!r}?" if close else ""
    raise UsageError(f"nobody in this gradebook is called {as_found(word)}{hint}")


#: K/N: part K of N equal parts of a class.
_SHARE = re.compile(r"([0-9]{1,4})/([0-9]{1,4})")


def keys_in_parts(people: Sequence[Person], words: Sequence[str]) -> frozenset[str] | None:
    """The keys of the people in these sections and shares of the class; None, meaning everybody, without words.

    A share is a part of the class in order of name: 1/3 is its first third. Raises UsageError for any other word.

    >>> class_ = [Person(name, name, section=section) for name, section in (("ada", "A"), ("bob", "A"), ("eve", "B"))]
    >>> [sorted(keys_in_parts(class_, [word])) for word in ("a", "1/2", "2/2")]
    [['ada', 'bob'], ['ada'], ['bob', 'eve']]
    """
    if not words:
        return None
    return frozenset(key for word in words for key in _keys_in_part(people, word))


def _keys_in_part(people: Sequence[Person], word: str) -> list[str]:
    """The keys of the people in one section or share, by name."""
    in_section = [person.key for person in people if person.section.casefold() == word.strip().casefold() != ""]
    share = _SHARE.fullmatch(word.strip())
    if in_section or share is None:
        if not in_section:
            sections = sorted({person.section for person in people if person.section})
            sections_here = (
                f"sections are {listed(sections)}{did_you_mean(word, sections)}"
                if sections
                else "nobody here has a section"
            )
            raise UsageError(f"--only {as_found(word)} — it must be a section, or a share such as 1/3; {sections_here}")
        return in_section
    number, count = int(share[1]), int(share[2])
    if not 1 <= number <= count:
        raise UsageError(
            f"--only {as_found(word)} — of {count} shares the first is 1/{count}, and the last {count}/{count}"
        )
    return [person.key for person in people[len(people) * (number - 1) // count : len(people) * number // count]]


def _key_suggestions(people: Sequence[Person]) -> str:
    """A hint with the key to type for each of these people, quoted for a shell."""
    counts = Counter(person.name.casefold() for person in people)
    suggestions = [
        shlex.quote(person.key)
        + (f" for {person.name}" if person.name != person.key else "")
        + (_distinction(person) if counts[person.name.casefold()] > 1 else "")
        for person in people
    ]
    more = len(suggestions) - _MAX_SUGGESTIONS
    return f"type {listed(suggestions[:_MAX_SUGGESTIONS])}{f' and {more} more' if more > 0 else ''}"


def _distinction(person: Person) -> str:
    """What distinguishes a person from namesakes besides the key: a login, a section or an address."""
    login = person.login if person.login != person.key else ""
    labels = (login, person.section and f"section {person.section}", person.email)
    label = next((label for label in labels if label), "")
    return f" ({label})" if label else ""


def parse_instant(word: str) -> datetime.datetime:
    """Parses a day, which means its end, or a day and a time; raises UsageError for anything else.

    The default is this machine's time zone. Also raises UsageError for a time that does not exist, or exists
    twice, because the clocks change.

    >>> parse_instant("2026-09-04 23:59+00:00").isoformat()
    '2026-09-04T23:59:00+00:00'
    """
    try:
        parsed = datetime.datetime.fromisoformat(word.strip())
        if len(word.strip()) <= len("2026-09-04"):
            parsed = parsed.replace(hour=23, minute=59, second=59, microsecond=999_999)
        local, later = parsed.astimezone(), parsed.replace(fold=1).astimezone()
    except (ValueError, OverflowError):
        raise UsageError(
            f"{as_found(word)} is not a date or time — give a day, or a day and a time: 2026-09-04, 2026-09-04 23:59, "
            "2026-09-04T23:59+02:00"
        ) from None
    if parsed.tzinfo is None and local != later:
        exists = local.replace(tzinfo=None) == parsed
        problem = "ambiguous, since clocks are put back" if exists else "skipped, since clocks are put forward"
        zoned = f"{parsed.isoformat(timespec='minutes')}{_offset(local)} or {_offset(later)}"
        raise UsageError(f"{as_found(word)} is {problem} — add the time zone: {zoned}")
    return local


def _offset(at: datetime.datetime) -> str:
    """The offset of an instant's time zone, such as +02:00."""
    return at.isoformat()[-len("+00:00") :]


def parse_due(word: str) -> str:
    """Parses a due date into the text that a gradebook stores: in this machine's time zone unless another is given."""
    at = parse_instant(word)
    zone = _local_zone()
    zone_agrees = zone is not None and at.astimezone(zone).utcoffset() == at.utcoffset()
    text_agrees = datetime.datetime.fromisoformat(word.strip()).utcoffset() in (None, at.utcoffset())
    return due_text(at, zone.key if zone is not None and zone_agrees and text_agrees else "")


def zone_name() -> str:
    """The time zone of this machine, for a sentence."""
    zone = _local_zone()
    return zone.key if zone is not None else f"{datetime.datetime.now().astimezone():%Z}"


def _local_zone() -> zoneinfo.ZoneInfo | None:
    """The time zone of this machine; None if its name is unknown."""
    name = os.environ.get("TZ", "").removeprefix(":") or os.path.realpath("/etc/localtime").partition("/zoneinfo/")[2]
    try:
        return zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        return None
