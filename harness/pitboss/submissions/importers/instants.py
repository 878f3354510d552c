"""Parses the instants that platforms write, such as the time of a submission, and a worksheet's words on lateness.

Moodle states both in a grading worksheet, in columns worded as in mod/assign/gradingtable.php.
"""

from __future__ import annotations

import calendar
import datetime
import re

from pitboss.submissions.importers.imported import SubmissionFacts

_INSTANT = re.compile(
    r"(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d)?)(?:\.(\d+))?\s*(Z|UTC|[+-]\d\d:?\d\d)?", re.IGNORECASE
)
NO_TIME_ZONE_NOTE = "the platform states no time zone: UTC assumed"


def parse_instant(text: str) -> tuple[datetime.datetime | None, bool]:
    """Returns an instant in UTC, None if it cannot be parsed; and whether the text states a time zone.

    Without a time zone, UTC is assumed.

    >>> parse_instant("2024-09-01 17:03:11.5 -04:00")
    (datetime.datetime(2024, 9, 1, 21, 3, 11, 500000, tzinfo=datetime.timezone.utc), True)
    """
    match = _INSTANT.fullmatch(text.strip())
    if match is None:
        return None, False
    day, time, fraction, zone = match.groups()
    offset = "+00:00" if zone is None or zone.upper() in ("Z", "UTC") else zone
    try:
        instant = datetime.datetime.fromisoformat(f"{day}T{time}{offset}").astimezone(datetime.UTC)
    except (ValueError, OverflowError):
        return None, False
    six_digits = f"{fraction or 0:0<6}"[:6]  # digits beyond microseconds are dropped
    return instant.replace(microsecond=int(six_digits)), zone is not None


_TIME = r"[,\s]+(?:at\s+)?(?P<hour>\d{1,2}):(?P<minute>\d\d)(?::(?P<second>\d\d))?\s*(?P<am_pm>[ap]\.?m\.?)?"
#: Patterns of a day and a time as platforms write them for people; a weekday is ignored.
_DATE_PATTERNS = tuple(
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
    """Returns the instant, in UTC, of a date that a platform wrote for people; None if the date cannot be parsed.

    Months are English names or numbers; in dates such as 04.09.2026 the day comes first. Without a time zone, the time
    zone of this machine is assumed.

    >>> parse_local_instant("Friday, 4 September 2026, 11:59 PM") == parse_local_instant("04.09.2026 23:59")
    True
    >>> parse_local_instant("September 4, 2026, 11:59 PM") == parse_local_instant("2026-09-04 23:59")
    True
    """
    instant, has_zone = parse_instant(text)
    if has_zone:
        return instant
    date = " ".join(text.split())
    date_match = next((match for pattern in _DATE_PATTERNS if (match := pattern.fullmatch(date))), None)
    return _local_instant(date_match) if date_match else None


def _local_instant(match: re.Match[str]) -> datetime.datetime | None:
    """Returns the instant of a day and a time in this machine's time zone; None if they do not exist (31 February)."""
    month = match["month"].casefold()
    month_number = int(month) if month.isdigit() else _MONTHS.get(month, 0)
    year, hour = int(match["year"]), int(match["hour"])
    if match["am_pm"]:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if match["am_pm"].casefold().startswith("p") else 0)
    try:
        day = datetime.date(year + 2000 if year < 100 else year, month_number, int(match["day"]))
        time = datetime.time(hour, int(match["minute"]), int(match["second"] or 0))
        return datetime.datetime.combine(day, time).astimezone(datetime.UTC)
    except (ValueError, OverflowError):
        return None


#: How the status of a submission that was handed in begins, in English and German.
_HANDED_IN = ("submitted for grading", "graded", "zur bewertung abgegeben", "bewertet")
#: The part of a late submission's status that says how late it was.
_LATE = re.compile(r"(?P<delay>.*\d.*) (?:late|verspätet|zu spät)", re.IGNORECASE)
#: The part of a status that grants an extension.
_EXTENSION = re.compile(r"extension granted until:?\s*(?P<until>.+)", re.IGNORECASE)
#: The seconds of each unit of lateness, by the beginning of the unit's name (`se`: second, Sekunde); Moodle does not
#: use months.
_SECONDS_BY_UNIT = {
    "year": 365 * 86_400,
    "day": 86_400,
    "tag": 86_400,
    "hour": 3600,
    "stunde": 3600,
    "min": 60,
    "se": 1,
}
_DURATION = re.compile(r"(\d+)\s+([a-z]+)", re.IGNORECASE)


def parse_worksheet_status(status: str, modified: str) -> SubmissionFacts | None:
    """Parses the columns Status and Last modified (submission) of a grading worksheet's row.

    Returns None if the columns state nothing. A status is parsed in English and, for the most common words, in German.

    >>> parse_worksheet_status("Submitted for grading - 1 day 3 hours late", "-")
    SubmissionFacts(at=None, is_late=True, days_late=2, extension='', unread='')
    """
    parts = [part.strip() for part in re.split(r"\s+-\s+", status)]
    late_match = next((match for part in parts if (match := _LATE.fullmatch(part))), None)
    is_handed_in = parts[0].casefold().startswith(_HANDED_IN)
    extension = next((match["until"] for part in parts if (match := _EXTENSION.fullmatch(part))), "")
    timestamp = "" if modified.strip() in ("", "-") else modified.strip()
    instant = parse_local_instant(timestamp) if timestamp else None
    is_late_if_no_delay = False if is_handed_in else None
    result = SubmissionFacts(
        at=instant,
        is_late=True if late_match else is_late_if_no_delay,
        days_late=_days_rounded_up(late_match["delay"]) if late_match else None,
        extension=extension,
        unread=timestamp if instant is None else "",
    )
    return result if result != SubmissionFacts() else None


def _days_rounded_up(duration: str) -> int | None:
    """Returns the days of a duration such as `1 day 3 hours`, rounded up; None if it is 0 or cannot be parsed."""
    seconds = 0
    for number, word in _DURATION.findall(duration):
        unit_seconds = next(
            (length for prefix, length in _SECONDS_BY_UNIT.items() if word.casefold().startswith(prefix)), None
        )
        if unit_seconds is None:
            return None
        seconds += int(number) * unit_seconds
    return -(-seconds // 86_400) or None  # the minus signs round up
