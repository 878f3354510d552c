"""Limits how much a session writes to files in total: a full disk would affect all sessions."""

from __future__ import annotations

import time

from pitboss.sandbox import scratch
from pitboss.sandbox.limits import Limits

#: How often a session's folder is measured, in seconds; most sessions end before the first measurement.
_MEASURE_S = 0.02


class FolderQuota:
    """Periodically measures how much a session has written to its folder."""

    def __init__(self, limits: Limits) -> None:
        """Set the maximum from `limits`; the first measurement is due after `_MEASURE_S`."""
        self._max_bytes = limits.folder_mb << 20
        self._measured_at = time.monotonic()

    def is_over(self, folder: str) -> bool:
        """Whether the folder's files exceed the limit; False without a folder, or until the next measurement is due."""
        now = time.monotonic()
        if not folder or now - self._measured_at < _MEASURE_S:
            return False
        self._measured_at = now
        return scratch.used_bytes(folder) > self._max_bytes
