"""Due dates, and how many days late a submission is."""

from __future__ import annotations

import datetime
import re
import zoneinfo

from pitboss.errors import UsageError

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
