"""Whether a session has written more to files, in total, than it may: a full disk would affect all sessions."""

from __future__ import annotations

import time

from pitboss.sandbox import scratch
from pitboss.sandbox.limits import Limits

#: How often a session's folder is measured, in seconds; most sessions end before the first measurement.
_MEASURE_S = 0.02


class FolderQuota:
    """Periodically measures how much a session has written to its folder."""

    def __init__(self, limits: Limits) -> None:
        """Nothing is measured yet."""
        self._most = limits.folder_mb << 20
        self._measured_at = time.monotonic()

    def is_over(self, folder: str) -> bool:
        """Whether its folder holds too much; False without a folder, or if it is not yet time to measure again."""
        now = time.monotonic()
        if not folder or now - self._measured_at < _MEASURE_S:
            return False
        self._measured_at = now
        return scratch.used_bytes(folder) > self._most
