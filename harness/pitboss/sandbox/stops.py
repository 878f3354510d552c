"""Times in which pitboss itself did not run."""

from __future__ import annotations

import time

#: What looks many times a second and has not looked for this long, in seconds, did not run: no machine is so busy.
_NO_LOOK_S = 5.0


class Stops:
    """Times in which this process itself did not run: Ctrl-Z stopped it, or its container or machine was frozen.

    What it watches was frozen as well, or waited for it: such a time is nobody's.
    """

    def __init__(self) -> None:
        """It runs now."""
        self._looked_at = time.monotonic()

    def since_last_look_s(self) -> float:
        """For how long it has not run since the last call, in seconds; 0 if it has."""
        before, self._looked_at = self._looked_at, time.monotonic()
        passed_s = self._looked_at - before
        return passed_s if passed_s > _NO_LOOK_S else 0.0
