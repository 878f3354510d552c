"""How long a program asked to sleep, in whole milliseconds."""

from __future__ import annotations

import time

_UNITS_NS = (10**9, 5 * 10**8, 10**8, 5 * 10**7, 10**7, 5 * 10**6, 10**6)


class Stopwatch:
    """Remembers when the program last went on, which bounds how late we can have seen a deadline."""

    def __init__(self) -> None:
        self._resumed_ns = time.monotonic_ns()

    def resumed(self) -> None:
        """The program goes on now."""
        self._resumed_ns = time.monotonic_ns()

    def asked_ns(self, measured_ns: int) -> int:
        """What the program asked for, when `measured_ns` of it were left as we saw it.

        It computed its deadline after it last went on, so it asked for at least what is left and at most that
        plus all the time since; of the lengths in between the roundest is the one a person wrote.
        """
        return roundest(measured_ns, measured_ns + time.monotonic_ns() - self._resumed_ns)


def roundest(low_ns: int, high_ns: int) -> int:
    """The roundest length of time in an interval: seconds before halves, halves before tenths, and so on.

    >>> roundest(1_999_900_000, 2_000_300_000)
    2000000000
    >>> roundest(1_497_000_000, 1_501_000_000)
    1500000000
    """
    for unit_ns in _UNITS_NS:
        candidate = -(-low_ns // unit_ns) * unit_ns
        if candidate <= high_ns:
            return candidate
    return low_ns
