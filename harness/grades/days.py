"""How many days late something was handed in."""

from __future__ import annotations

_SECONDS_OF_A_DAY = 24 * 60 * 60


def days_late_of(seconds_late: int) -> int:
    """The days late for so many seconds after the due time, negative before it.

    A day late that has begun counts; a day early counts when it is whole.

    >>> [days_late_of(seconds) for seconds in (-172_800, -172_799, -1, 0, 1, 86_400, 86_401)]
    [-2, -1, 0, 0, 1, 1, 2]
    """
    return -(-seconds_late // _SECONDS_OF_A_DAY)
