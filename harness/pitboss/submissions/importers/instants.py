"""Parses instants as platforms write them."""

from __future__ import annotations

import calendar
import datetime
import re

_INSTANT = re.compile(
    r"(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d)?)(?:\.(\d+))?\s*(Z|UTC|[+-]\d\d:?\d\d)?", re.IGNORECASE
)
NAIVE = "the platform states no time zone: UTC assumed"


def instant(text: str) -> tuple[datetime.datetime | None, bool]:
    """An instant in UTC, or None if the text is not one; and whether it states a time zone, else UTC is assumed.

    >>> instant("2024-09-01 17:03:11.5 -04:00")
    (datetime.datetime(2024, 9, 1, 21, 3, 11, 500000, tzinfo=datetime.timezone.utc), True)
    """
    found = _INSTANT.fullmatch(text.strip())
    if found is None:
        return None, False
    day, time, fraction, zone = found.groups()
    offset = "+00:00" if zone is None or zone.upper() in ("Z", "UTC") else zone
    try:
        at = datetime.datetime.fromisoformat(f"{day}T{time}{offset}").astimezone(datetime.UTC)
    except (ValueError, OverflowError):
        return None, False
    return at.replace(microsecond=int(f"{fraction or 0:0<6}"[:6])), zone is not None


_TIME = r"[,\s]+(?:at\s+)?(?P<hour>\d{1,2}):(?P<minute>\d\d)(?::(?P<second>\d\d))?\s*(?P<half>[ap]\.?m\.?)?"
#: Forms of a day and a time as written for people; the weekday is ignored.
_WRITTEN = tuple(
    re.compile(rf"(?:[a-z]+\.?,\s*)?{day}{_TIME}", re.IGNORECASE)
    for day in (
        r"(?P<day>\d{1,2})\.?\s+(?P<month>[a-z]+)\.?,?\s+(?P<year>\d{4})",
        r"(?P<month>[a-z]+)\.?\s+(?P<day>\d{1,2}),?\s+(?P<year>\d{4})",
        r"(?P<day>\d{1,2})[./-](?P<month>\d{1,2})[./-](?P<year>\d{4}|\d\d)",
        r"(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d)",
    )
)
_MONTHS = {
    name.casefold(): number
    for names in (calendar.month_name, calendar.month_abbr)
    for number, name in enumerate(names)
    if name
}


def local_instant(text: str) -> datetime.datetime | None:
    """The instant, in UTC, of a date that a platform wrote for people; None if it cannot be parsed.

    Months are English names, or numbers after the day. Without a time zone, that of this machine is assumed.

    >>> local_instant("Friday, 4 September 2026, 11:59 PM") == local_instant("04.09.2026 23:59")
    True
    >>> local_instant("September 4, 2026, 11:59 PM") == local_instant("2026-09-04 23:59")
    True
    """
    at, has_zone = instant(text)
    if has_zone:
        return at
    words = " ".join(text.split())
    found = next((match for form in _WRITTEN if (match := form.fullmatch(words))), None)
    return _on_this_clock(found) if found else None


def _on_this_clock(found: re.Match[str]) -> datetime.datetime | None:
    """The instant of a day and a time in this machine's time zone; None if they do not exist."""
    month = found["month"].casefold()
    number = int(month) if month.isdigit() else _MONTHS.get(month, 0)
    year, hour = int(found["year"]), int(found["hour"])
    if found["half"]:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if found["half"].casefold().startswith("p") else 0)
    try:
        day = datetime.date(year + 2000 if year < 100 else year, number, int(found["day"]))
        time = datetime.time(hour, int(found["minute"]), int(found["second"] or 0))
        return datetime.datetime.combine(day, time).astimezone(datetime.UTC)
    except (ValueError, OverflowError):
        return None
