"""The limit of what a session may write to files in total: a full disk would affect all sessions."""

from __future__ import annotations

import time

from pitboss.sandbox import scratch
from pitboss.sandbox.limits import Limits

#: How often a session's folder is measured, in seconds; most sessions end before the first measurement.
_MEASURE_S = 0.02


class FolderQuota:
    """Periodically measures how much a session has written to its folder."""

    def __init__(self, limits: Limits) -> None:
        """Start without a measurement."""
        self._most = limits.folder_mb << 20
        self._measured_at = time.monotonic()

    def is_over(self, folder: str) -> bool:
        """Whether the session's folder holds too much; False without a folder, or before the next measurement."""
        now = time.monotonic()
        if not folder or now - self._measured_at < _MEASURE_S:
            return False
        self._measured_at = now
        return scratch.used_bytes(folder) > self._most
