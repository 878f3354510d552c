"""Detects times in which pitboss itself did not run."""

from __future__ import annotations

import time

#: If a process that checks many times a second has not checked for this long, in seconds, it did not run: no machine is
#: that busy.
_NO_LOOK_S = 5.0


class Stops:
    """Times in which this process itself did not run: Ctrl-Z stopped it, or its container or machine was frozen.

    The programs that it watches were frozen as well, or waited for it, so such a time counts for none of them.
    """

    def __init__(self) -> None:
        """Begin to measure; this process runs now."""
        self._looked_at = time.monotonic()

    def since_last_look_s(self) -> float:
        """How long it has not run since the last call, in seconds; 0 if it has."""
        before, self._looked_at = self._looked_at, time.monotonic()
        passed_s = self._looked_at - before
        return passed_s if passed_s > _NO_LOOK_S else 0.0
