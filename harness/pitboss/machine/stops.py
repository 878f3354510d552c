"""Detects times in which pitboss itself did not run."""

from __future__ import annotations

import time

#: If a process that checks many times a second makes no check for this long, in seconds, it did not run: no machine
#: is busy enough to delay a check for so long.
_SHORTEST_STOP_S = 5.0


class Stops:
    """Times in which this process itself did not run: Ctrl-Z stopped it, or its container or machine was frozen.

    The programs that this process watches were frozen as well, or waited for it. So such a time must not be counted as
    time that a program took.
    """

    def __init__(self) -> None:
        """Begin to measure; this process runs now."""
        self._looked_at = time.monotonic()

    def stopped_time_s(self) -> float:
        """How long this process was stopped since the last call, in seconds; 0 if it was not stopped."""
        last_looked_at, self._looked_at = self._looked_at, time.monotonic()
        passed_s = self._looked_at - last_looked_at
        return passed_s if passed_s > _SHORTEST_STOP_S else 0.0
