"""Parses instants as platforms write them."""

from __future__ import annotations

import calendar
import datetime
import re

_INSTANT = re.compile(
    r"(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d)?)(?:\.(\d+))?\s*(Z|UTC|[+-]\d\d:?\d\d)?", re.IGNORECASE
)
NAIVE = "the platform states no time zone: UTC assumed"


def parse_instant(text: str) -> tuple[datetime.datetime | None, bool]:
    """Parses an instant, in UTC or None; and returns whether it states a time zone: otherwise UTC is assumed.

    >>> parse_instant("2024-09-01 17:03:11.5 -04:00")
    (datetime.datetime(2024, 9, 1, 21, 3, 11, 500000, tzinfo=datetime.timezone.utc), True)
    """
    match = _INSTANT.fullmatch(text.strip())
    if match is None:
        return None, False
    day, time, fraction, zone = match.groups()
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


def parse_local_instant(text: str) -> datetime.datetime | None:
    """Returns the instant, in UTC, of a date that a platform wrote for people; None if it cannot be parsed.

    Months are English names or numbers; in dates such as 04.09.2026 the day comes first. Without a time zone, this
    machine's is assumed.

    >>> parse_local_instant("Friday, 4 September 2026, 11:59 PM") == parse_local_instant("04.09.2026 23:59")
    True
    >>> parse_local_instant("September 4, 2026, 11:59 PM") == parse_local_instant("2026-09-04 23:59")
    True
    """
    at, has_zone = parse_instant(text)
    if has_zone:
        return at
    date = " ".join(text.split())
    date_match = next((match for form in _WRITTEN if (match := form.fullmatch(date))), None)
    return _local_instant(date_match) if date_match else None


def _local_instant(match: re.Match[str]) -> datetime.datetime | None:
    """Returns the instant of a day and a time in this machine's time zone; None if they do not exist."""
    month = match["month"].casefold()
    number = int(month) if month.isdigit() else _MONTHS.get(month, 0)
    year, hour = int(match["year"]), int(match["hour"])
    if match["half"]:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if match["half"].casefold().startswith("p") else 0)
    try:
        day = datetime.date(year + 2000 if year < 100 else year, number, int(match["day"]))
        time = datetime.time(hour, int(match["minute"]), int(match["second"] or 0))
        return datetime.datetime.combine(day, time).astimezone(datetime.UTC)
    except (ValueError, OverflowError):
        return None
