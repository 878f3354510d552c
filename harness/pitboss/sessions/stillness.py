"""Measures how long a program has slept, even on a busy machine.

On a busy machine a program is also silent if it is ready to run but gets no core. So we do not measure how much time
has passed, but for how much of this time no process of the program ran or waited for a core, by the kernel's counters.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

from pitboss.sandbox import processes


class Stillness:
    """Measures how long a program has slept since its last sign of life."""

    def __init__(self, running: Callable[[], list[int]]) -> None:
        """`running` returns its processes."""
        self._running = running
        #: Seconds in which it certainly slept, and further seconds in which it may have slept, since we may look late.
        self.slept_s = self.perhaps_s = 0.0
        self._looked_at = self._began_at = time.monotonic()
        self._busy_ns: dict[int, int] = {}
        self._was_still = False

    def look_at_text(self) -> None:
        """Measure after the program has shown text, perhaps right after the last look.

        So it may have slept until now, or be in its next sleep already.
        """
        before_s = self.slept_s
        self.look()
        self.slept_s, self.perhaps_s = before_s, self.perhaps_s + self.slept_s - before_s

    def begin(self) -> None:
        """Note a sign of life, which came at some time since the last look."""
        late_s = time.monotonic() - self._looked_at
        self.look()
        self._began_at = self._looked_at
        self.slept_s, self.perhaps_s = 0.0, late_s

    @property
    def silent_s(self) -> float:
        """The time between the last sign of life and the last look."""
        return self._looked_at - self._began_at

    def look(self) -> None:
        """Measure now. Call this often: if a process has begun or ended since the last look, its sleep is unknown."""
        now = time.monotonic()
        passed_s, self._looked_at = now - self._looked_at, now
        if sys.platform != "linux":
            self.slept_s += passed_s
            return
        pids = self._running()
        is_still = bool(pids) and processes.are_still(pids)  # before it has begun there is no process
        busy_ns = {pid: processes.busy_ns(pid) for pid in pids}
        if busy_ns.keys() == self._busy_ns.keys():
            # Several processes may wait for a core at once, for a longer total time than has passed.
            used_ns = max((busy_ns[pid] - self._busy_ns[pid] for pid in pids), default=0)
            rest_s = max(0.0, passed_s - used_ns / 1e9)
            if is_still and self._was_still:
                self.slept_s += rest_s
            elif is_still or self._was_still:
                self.perhaps_s += rest_s
        else:
            self.perhaps_s += passed_s
        self._busy_ns, self._was_still = busy_ns, is_still
