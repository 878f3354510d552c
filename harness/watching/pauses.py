"""How long a program asked to sleep, in whole milliseconds."""

from __future__ import annotations

import time

_UNITS_NS = (10**9, 5 * 10**8, 10**8, 5 * 10**7, 10**7, 5 * 10**6, 10**6)


class Stopwatch:
    """Knows how long the program ran until it stopped, which bounds how late we can have seen a deadline."""

    def __init__(self) -> None:
        self._going_since_ns = time.monotonic_ns()
        self._ran_at_most_ns = 0

    def stopped(self) -> None:
        """The program has stopped, and goes on at some time after this, so call it before the program is answered.

        Afterwards would be too late: a program that is woken on our own core runs before we do.
        """
        now_ns = time.monotonic_ns()
        self._ran_at_most_ns, self._going_since_ns = now_ns - self._going_since_ns, now_ns

    def asked_ns(self, measured_ns: int) -> int:
        """What the program asked for, when `measured_ns` were left to its deadline as we saw it stopped.

        It computed its deadline after it last went on, so it asked for at least what is left and at most that
        plus all the time it ran; of the lengths in between the roundest is the one a person wrote.
        """
        return roundest(measured_ns, measured_ns + self._ran_at_most_ns)


def roundest(low_ns: int, high_ns: int) -> int:
    """The roundest length of time in an interval: seconds before halves, halves before tenths, and so on.

    >>> roundest(1_999_900_000, 2_000_300_000)
    2000000000
    >>> roundest(1_497_000_000, 1_501_000_000)
    1500000000

    A deadline that has passed when it is seen was asked for all the same:

    >>> roundest(0, 1_200_000)
    1000000
    """
    for unit_ns in _UNITS_NS:
        candidate = max(-(-low_ns // unit_ns), 1) * unit_ns
        if candidate <= high_ns:
            return candidate
    return low_ns
