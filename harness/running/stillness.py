"""How long a program has done nothing, whatever else the machine had to do meanwhile.

On a busy machine a program is silent also where it would go on and does not get to. So what counts is not how much
time has passed but how much of it none of its processes ran or waited for a core, as the kernel counts it.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

from harness.machine import processes


class Stillness:
    """What has been seen of a program since its last sign of life."""

    def __init__(self, running: Callable[[], list[int]]) -> None:
        """`running` gives its processes."""
        self._running = running
        #: Seconds for which it slept for sure, and seconds for which it may have slept besides: looks are late too.
        self.slept_s = self.perhaps_s = 0.0
        self._at = self._began_at = time.monotonic()
        self._busy_ns: dict[int, int] = {}
        self._was_still = False

    def begin(self) -> None:
        """It gave a sign of life, at some time since the look before this one."""
        late_s = time.monotonic() - self._at
        self.look()
        self._began_at = self._at
        self.slept_s, self.perhaps_s = 0.0, late_s

    @property
    def silent_s(self) -> float:
        """How long ago the last sign of life was seen, at the last look."""
        return self._at - self._began_at

    def look(self) -> None:
        """Look at it now. Look often: of a process that begins or ends, what it did since the last look is unknown."""
        now = time.monotonic()
        passed_s, self._at = now - self._at, now
        if sys.platform != "linux":
            self.slept_s += passed_s
            return
        pids = self._running()
        is_still = bool(pids) and processes.are_still(pids)  # before it has begun there is nobody
        busy_ns = {pid: processes.busy_ns(pid) for pid in pids}
        if busy_ns.keys() == self._busy_ns.keys():
            used_ns = sum(busy_ns.values()) - sum(self._busy_ns.values())
            rest_s = max(0.0, passed_s - used_ns / 1e9)
            if is_still and self._was_still:
                self.slept_s += rest_s
            elif is_still or self._was_still:
                self.perhaps_s += rest_s
        else:
            self.perhaps_s += passed_s
        self._busy_ns, self._was_still = busy_ns, is_still
