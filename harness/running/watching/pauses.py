"""How long a pause is: the length that a program asked for, and the milliseconds that a transcript tells of it."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable

#: Lengths people write are multiples of these, each so often: nearly always of a second or a half.
_UNITS = (
    (10**9, 1.0),
    (5 * 10**8, 0.5),
    (10**8, 0.2),
    (5 * 10**7, 0.05),
    (10**7, 0.002),
    (5 * 10**6, 0.001),
    (10**6, 5e-4),
)
#: From the look at a clock that a deadline is computed from to the call that waits until then; and how often, and over
#: how many powers of e, a program loses its core in between.
_LATE_NS, _DISTURBED, _POWERS = 100_000, 0.01, 7


#: A wait that looks at the clock is told in whole units of this, since it computes for a part of it.
_COMPUTED_NS = 100_000_000
_MS = 1_000_000
#: What a program that adds to one deadline for the next has lost since the first.
_DRIFT_NS = 5_000_000


class Stopwatch:
    """Knows how long each task ran until it stopped, which bounds how late we can have seen a deadline."""

    def __init__(self) -> None:
        self._began_ns = time.monotonic_ns()
        self._going_since_ns: dict[int, int] = {}

    def goes_on(self, tid: int) -> None:
        """A task goes on at some time after this, so call it before it is answered.

        Afterwards would be too late: a program that is woken on our own core runs before we do.
        """
        self._going_since_ns[tid] = time.monotonic_ns()

    def asked_ns(self, tid: int, deadline_ns: int, measured_ns: int, told_ns: Iterable[int]) -> int:
        """What a task asked for, when `measured_ns` were left to its deadline as we saw it stopped.

        It computed its deadline after it last went on, so it asked for at least what is left and at most that
        plus all the time it ran; of the lengths in between the likeliest is the one a person wrote.
        """
        ran_at_most_ns = time.monotonic_ns() - self._going_since_ns.get(tid, self._began_ns)
        highest_ns = measured_ns + ran_at_most_ns + _DRIFT_NS
        # Also of one that is known a runtime may have asked for, which found so much left of a longer wait.
        return likeliest(exactly(deadline_ns, measured_ns, highest_ns, told_ns), highest_ns)


def told_ms(pause_ns: int, *, has_steps: bool) -> int:
    """The milliseconds that a transcript tells of a pause: the nearest; of one in steps, the next tenth of a second."""
    return round((pause_ns + (-pause_ns % _COMPUTED_NS if has_steps else 0)) / _MS)


def exactly(deadline_ns: int, low_ns: int, high_ns: int, told_ns: Iterable[int]) -> int:
    """The length in an interval that a deadline was computed from, by the times that the program was last told.

    It lies a whole number of milliseconds after one of them; where it does after none, the lower end of the interval.

    >>> exactly(9_000_000_123, 1_950_000_000, 2_100_000_000, [6_999_000_000, 7_000_000_123, 7_001_400_000])
    2000000000

    A program that is told the time hundreds of times is told one by chance that fits too. The roundest length is meant,
    and of several as round the one since the last of these times, after which a program hardly looks again:

    >>> exactly(9_000_000_123, 1_950_000_000, 2_100_000_000, [6_999_000_123, 7_000_000_123, 7_002_000_123])
    2000000000
    >>> exactly(9_000_000_123, 1_990_000_000, 2_100_000_000, [6_997_000_123, 6_999_000_123])
    2001000000

    >>> exactly(9_000_000_123, 1_950_000_000, 2_100_000_000, [5_000_000_123])
    1950000000
    """
    asked_ns = (deadline_ns - told for told in told_ns)
    fitting = [length_ns for length_ns in asked_ns if length_ns % _MS == 0 and low_ns <= length_ns <= high_ns]
    return min(fitting, key=lambda length_ns: (-_roundness(length_ns), length_ns), default=low_ns)


def _roundness(length_ns: int) -> int:
    """The largest unit that a length is a multiple of, in nanoseconds."""
    return next(unit_ns for unit_ns, _ in _UNITS if length_ns % unit_ns == 0)


def likeliest(low_ns: int, high_ns: int) -> int:
    """The length of time in an interval that a person most likely wrote, of which we saw the lower end a little late.

    >>> likeliest(1_999_900_000, 2_000_300_000)
    2000000000
    >>> likeliest(1_497_000_000, 1_501_000_000)
    1500000000

    A program that computed for long before it slept may have asked for much more, but hardly did; yet on a busy machine
    it may have lost its core just before it slept:

    >>> likeliest(1_699_900_000, 2_100_000_000), likeliest(332_970_000, 900_000_000)
    (1700000000, 333000000)
    >>> likeliest(1_948_630_000, 2_300_000_000)
    2000000000

    A deadline that has passed when it is seen was asked for all the same:

    >>> likeliest(0, 1_200_000)
    1000000
    """
    found = []
    for unit_ns, weight in _UNITS:
        length_ns = max(-(-low_ns // unit_ns), 1) * unit_ns
        if length_ns <= high_ns:
            found.append((unit_ns * weight * _odds(length_ns - low_ns), length_ns))
    return max(found)[1] if found else low_ns


def _odds(late_ns: int) -> float:
    """How often a deadline is seen so late, for each nanosecond."""
    prompt = (1 - _DISTURBED) / _LATE_NS * math.exp(-late_ns / _LATE_NS)
    return prompt + _DISTURBED / _POWERS / (late_ns + _LATE_NS)
