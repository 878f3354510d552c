"""Parses words of the command line that name people, parts of a class, or dates and times."""

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


def find_person(people: Sequence[Person], word: str, *, needs_whole_name: bool = False) -> Person:
    """The person with this key, login, address or name; raises UsageError unless exactly one person matches.

    Unless `needs_whole_name`, part of a name is enough if only one person's name contains that part. The error
    suggests people whose name, key or login contains the word.
    """
    # A key takes precedence: keys are unique, even if a key is also the login of another person.
    by_key = [person for person in people if person.key == word]
    wanted = word.casefold()
    exact = [
        person
        for person in people
        if wanted in {text.casefold() for text in (person.key, person.login, person.email, person.name)}
    ]
    partial = [person for person in people if wanted in person.name.casefold()]
    matches = by_key or exact or ([] if needs_whole_name else partial)
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
    close_names = difflib.get_close_matches(word, [text for person in people for text in (person.name, person.key)], 1)
    hint = f", did you mean {close_names[0]!r}?" if close_names else ""
    raise UsageError(f"nobody in this gradebook is called {as_found(word)}{hint}")


#: K/N: part K of N equal parts of a class.
_SHARE = re.compile(r"([0-9]{1,4})/([0-9]{1,4})")


def keys_in_parts(people: Sequence[Person], words: Sequence[str]) -> frozenset[str] | None:
    """The keys of the people in the sections and shares that `words` name; None, meaning everybody, without words.

    A share is a fraction of the class, sorted by name: 1/3 is the first third. Raises UsageError for any other word.

    >>> class_ = [Person(name, name, section=section) for name, section in (("ada", "A"), ("bob", "A"), ("eve", "B"))]
    >>> [sorted(keys_in_parts(class_, [word])) for word in ("a", "1/2", "2/2")]
    [['ada', 'bob'], ['ada'], ['bob', 'eve']]
    """
    if not words:
        return None
    return frozenset(key for word in words for key in _keys_in_part(people, word))


def _keys_in_part(people: Sequence[Person], word: str) -> list[str]:
    """The keys of the people in one section, or in one share of the class."""
    wanted = word.strip()
    # An empty word names no section: it does not mean the people without a section.
    if wanted and (keys := [person.key for person in people if person.section.casefold() == wanted.casefold()]):
        return keys
    share = _SHARE.fullmatch(wanted)
    if share is None:
        sections = sorted({person.section for person in people if person.section})
        sections_text = (
            f"sections are {listed(sections)}{did_you_mean(word, sections)}"
            if sections
            else "nobody here has a section"
        )
        raise UsageError(f"--only {as_found(word)} — it must be a section, or a share such as 1/3; {sections_text}")
    number, count = int(share[1]), int(share[2])
    if not 1 <= number <= count:
        raise UsageError(
            f"--only {as_found(word)} — the first of {count} shares is 1/{count}, the last is {count}/{count}"
        )
    return [person.key for person in people[len(people) * (number - 1) // count : len(people) * number // count]]


def _key_suggestions(people: Sequence[Person]) -> str:
    """A hint with the key to type for each of these people, quoted for a shell."""
    counts = Counter(person.name.casefold() for person in people)
    suggestions = [
        shlex.quote(person.key)
        + (f" for {person.name}" if person.name != person.key else "")
        + (_namesake_label(person) if counts[person.name.casefold()] > 1 else "")
        for person in people
    ]
    more = len(suggestions) - _MAX_SUGGESTIONS
    return f"type {listed(suggestions[:_MAX_SUGGESTIONS])}{f' and {more} more' if more > 0 else ''}"


def _namesake_label(person: Person) -> str:
    """Text in parentheses that distinguishes a person from namesakes: a login, a section or an address, if any."""
    login = person.login if person.login != person.key else ""
    labels = (login, person.section and f"section {person.section}", person.email)
    label = next((label for label in labels if label), "")
    return f" ({label})" if label else ""


def parse_instant(word: str) -> datetime.datetime:
    """Parses a day, which means its end, or a day and a time; raises UsageError for anything else.

    If the word names no time zone, this machine's is used. Then UsageError is also raised for a time that does not
    exist, or exists twice, because the clocks change.

    >>> parse_instant("2026-09-04 23:59+00:00").isoformat()
    '2026-09-04T23:59:00+00:00'
    """
    try:
        parsed = datetime.datetime.fromisoformat(word.strip())
        if len(word.strip()) <= len("2026-09-04"):
            parsed = parsed.replace(hour=23, minute=59, second=59, microsecond=999_999)
        # These differ for a local time that a change of the clocks repeats or skips.
        instant, later_instant = parsed.astimezone(), parsed.replace(fold=1).astimezone()
    except (ValueError, OverflowError):
        raise UsageError(
            f"{as_found(word)} is not a date or time — give a day, or a day and a time: 2026-09-04, 2026-09-04 23:59, "
            "2026-09-04T23:59+02:00"
        ) from None
    if parsed.tzinfo is None and instant != later_instant:
        # A skipped time that is converted to an instant and back becomes another time.
        is_ambiguous = instant.replace(tzinfo=None) == parsed
        problem = "ambiguous, since clocks are put back" if is_ambiguous else "skipped, since clocks are put forward"
        examples = f"{parsed.isoformat(timespec='minutes')}{_utc_offset(instant)} or {_utc_offset(later_instant)}"
        raise UsageError(f"{as_found(word)} is {problem} — add the time zone: {examples}")
    return instant


def _utc_offset(instant: datetime.datetime) -> str:
    """The offset of an instant's time zone, such as +02:00."""
    return instant.isoformat()[-len("+00:00") :]


def parse_due(word: str) -> str:
    """Returns a due date as the text that a gradebook stores; without a time zone, this machine's is used."""
    instant = parse_instant(word)
    zone = _local_zone()
    # The zone's name is left out if a zone of this name has another offset at that instant than this machine uses, or
    # if the word has another offset.
    is_zone_consistent = zone is not None and instant.astimezone(zone).utcoffset() == instant.utcoffset()
    is_offset_local = datetime.datetime.fromisoformat(word.strip()).utcoffset() in (None, instant.utcoffset())
    return due_text(instant, zone.key if zone is not None and is_zone_consistent and is_offset_local else "")


def zone_name() -> str:
    """The name of this machine's time zone, for use in a sentence; the abbreviation if the name is unknown."""
    zone = _local_zone()
    return zone.key if zone is not None else f"{datetime.datetime.now().astimezone():%Z}"


def _local_zone() -> zoneinfo.ZoneInfo | None:
    """The time zone of this machine; None if its name is unknown."""
    name = os.environ.get("TZ", "").removeprefix(":") or os.path.realpath("/etc/localtime").partition("/zoneinfo/")[2]
    try:
        return zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        return None
