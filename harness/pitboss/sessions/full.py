"""Whether a session has written more to files, in total, than it may: a full disk would affect all sessions."""

from __future__ import annotations

import time

from pitboss.sandbox import scratch
from pitboss.sandbox.limits import Limits

#: How often its folder is measured, in seconds: most sessions are over before the first time.
_LOOK_S = 0.02


class Full:
    """Measures now and then how much a session has written to its folder."""

    def __init__(self, limits: Limits) -> None:
        """Nothing yet."""
        self._most = limits.folder_mb << 20
        self._looked_at = time.monotonic()

    def is_over(self, folder: str) -> bool:
        """Whether its folder holds more than it may; False without a folder, or if it is not yet time to look again."""
        now = time.monotonic()
        if not folder or now - self._looked_at < _LOOK_S:
            return False
        self._looked_at = now
        return scratch.used_bytes(folder) > self._most
