"""Limits how much a session writes to files in total: a full disk would affect all sessions."""

from __future__ import annotations

import time
from collections.abc import Callable

from pitboss.model.scripts import Script
from pitboss.sandbox import processes, scratch
from pitboss.sandbox.limits import Limits

#: How often a session's folder is measured, in seconds; most sessions end before the first measurement.
_MEASURE_S = 0.02


class FolderQuota:
    """Periodically measures how much a session has written to its folder and to files without a name."""

    def __init__(self, limits: Limits, script: Script) -> None:
        """Set the maximum from `limits`; the first measurement is due after `_MEASURE_S`."""
        self._max_bytes, self._max_file_bytes = limits.folder_mb << 20, limits.file_mb << 20
        if input_file := script.invocation.input_file:  # which is a file without a name
            self._max_bytes += len(input_file.content)
        self._measured_at = time.monotonic()

    def is_over(self, folder: str, running: Callable[[], list[int]]) -> bool:
        """Whether the files exceed the limit; False without a folder, or until the next measurement is due.

        `running` returns the ids of the session's processes.
        """
        now = time.monotonic()
        if not folder or now - self._measured_at < _MEASURE_S:
            return False
        self._measured_at = now
        unnamed_bytes = processes.unnamed_bytes(running(), self._max_file_bytes)
        return scratch.used_bytes(folder) + unnamed_bytes > self._max_bytes
