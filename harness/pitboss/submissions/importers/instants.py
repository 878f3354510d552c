"""Instants as platforms write them."""

from __future__ import annotations

import datetime
import re

_INSTANT = re.compile(
    r"(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d)?)(?:\.(\d+))?\s*(Z|UTC|[+-]\d\d:?\d\d)?", re.IGNORECASE
)
NAIVE = "the platform names no time zone: taken as UTC"


def instant(text: str) -> tuple[datetime.datetime | None, bool]:
    """An instant in UTC, None if there is none in the text; and whether it says its time zone, else UTC is assumed.

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
