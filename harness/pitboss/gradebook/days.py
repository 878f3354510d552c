"""Due dates, and how many days late a submission is."""

from __future__ import annotations

import datetime
import os
import re
import zoneinfo

from pitboss.errors import UsageError, as_found

#: A time with its offset, which the name of its time zone may follow in brackets, as in RFC 9557.
_ZONED = re.compile(r"(?P<instant>[^\[]+)(?:\[(?P<zone>[^\]]+)\])?")


def days_late(at: datetime.datetime, due: datetime.datetime) -> int:
    """How many days after the due date a submission at the time `at` is; negative if it is before the due date.

    Parts of a day are rounded up: half a day late counts as 1, and half a day early as 0.

    A day ends at the same clock time in the time zone of the due date: after 23 or 25 hours if the clocks change in
    between. If that clock time does not exist on a day, or exists twice, the day ends at the later instant.

    >>> due = datetime.datetime(2026, 9, 4, 23, 59, tzinfo=datetime.UTC)
    >>> [days_late(due + datetime.timedelta(hours=hours), due) for hours in (-49, -24, -23, 0, 1, 24, 25)]
    [-2, -1, 0, 0, 1, 1, 2]
    """
    try:
        # Start below any possible result, and count up.
        days = (at.astimezone(due.tzinfo).date() - due.date()).days - 2
        while at > _end_of_day(due, days):
            days += 1
    except OverflowError:  # a date is outside the range of Python's dates: count days of 24 hours
        return -((due - at) // datetime.timedelta(days=1))
    return days


def _end_of_day(due: datetime.datetime, days: int) -> datetime.datetime:
    """The due date moved by `days` days of clock time, in UTC: the later instant if two are possible."""
    if not days:
        return due.astimezone(datetime.UTC)
    clock = due + datetime.timedelta(days=days)  # in clock time: Python ignores the time zone here
    return max(clock.replace(fold=fold).astimezone(datetime.UTC) for fold in (0, 1))


def due_text(due: datetime.datetime, zone: str = "") -> str:
    """A due date as text that `due_in` parses; `zone`: the name of the time zone, if known."""
    return due.isoformat() + (f"[{zone}]" if zone else "")


def due_in(text: str) -> datetime.datetime:
    """Parses a due date; raises UsageError if this machine does not know the time zone.

    >>> due_in("2026-10-24T23:59:00+02:00[Europe/Berlin]").tzinfo
    zoneinfo.ZoneInfo(key='Europe/Berlin')
    """
    match = _ZONED.fullmatch(text)
    assert match is not None, text
    due = datetime.datetime.fromisoformat(match["instant"])
    if match["zone"] is None:
        return due
    try:
        return due.astimezone(zoneinfo.ZoneInfo(match["zone"]))
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        message = f"this machine does not know the time zone {match['zone']} of the due date"
        raise UsageError(f"{message}; on Debian: apt install tzdata") from None


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
