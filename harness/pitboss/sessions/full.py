"""Whether what a session writes to files, all together, is more than it may: a full disk is everybody's."""

from __future__ import annotations

import time

from pitboss.sandbox import scratch
from pitboss.sandbox.limits import Limits

#: How often its folder is looked at, in seconds: most sessions are over before the first look.
_LOOK_S = 0.02


class Full:
    """How much a session has written to its folder, as far as it is time to look."""

    def __init__(self, limits: Limits) -> None:
        """Nothing yet."""
        self._most = limits.folder_mb << 20
        self._looked_at = time.monotonic()

    def is_over(self, folder: str) -> bool:
        """Whether what is in its folder is more than it may; of no folder it is not."""
        now = time.monotonic()
        if not folder or now - self._looked_at < _LOOK_S:
            return False
        self._looked_at = now
        return scratch.used_bytes(folder) > self._most
