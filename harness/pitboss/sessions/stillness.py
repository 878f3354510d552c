"""Measures how long a program has slept, even on a busy machine.

On a busy machine a program is also silent if it is ready to run but gets no core. So we do not measure how much time
has passed, but for how much of this time no process of the program ran or waited for a core, by the kernel's counters.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

from pitboss.machine import processes


class Stillness:
    """Measures how long a program has slept since its last sign of life: text that it showed, or a line it read."""

    def __init__(self, running: Callable[[], list[int]]) -> None:
        """`running` returns the ids of the program's processes."""
        self._running = running
        #: How many seconds the program has certainly slept.
        self.slept_s = 0.0
        #: How many further seconds the program may have slept: a look may come too late to be sure.
        self.perhaps_slept_s = 0.0
        self._last_look = self._silence_began = time.monotonic()
        #: For each process at the last look: how long it had run or waited for a core.
        self._busy_ns: dict[int, int] = {}
        self._was_still = False

    def look_at_text(self) -> None:
        """Measure after the program has shown text.

        The text may have appeared at any time since the last look. So all sleep since then is uncertain: the program
        may have slept before it showed the text, or it may sleep now, after the text.
        """
        slept_before_s = self.slept_s
        self.look()
        self.perhaps_slept_s += self.slept_s - slept_before_s
        self.slept_s = slept_before_s

    def begin(self) -> None:
        """Begin a new silence after a sign of life, which came at some time since the last look."""
        since_last_look_s = time.monotonic() - self._last_look
        self.look()
        self._silence_began = self._last_look
        self.slept_s, self.perhaps_slept_s = 0.0, since_last_look_s

    @property
    def silent_s(self) -> float:
        """The time between the last sign of life and the last look."""
        return self._last_look - self._silence_began

    def look(self) -> None:
        """Measure now. Call this often: the time since the last look is uncertain if a process began or ended in it."""
        now = time.monotonic()
        passed_s, self._last_look = now - self._last_look, now
        if sys.platform != "linux":
            self.slept_s += passed_s
            return
        pids = self._running()
        is_still = bool(pids) and processes.none_runs(pids)  # before the program has begun there is no process
        busy_ns = {pid: processes.busy_ns(pid) for pid in pids}
        if busy_ns.keys() == self._busy_ns.keys():
            # The maximum, not the sum: several processes may wait for a core at once, for more time than has passed.
            busiest_ns = max((busy_ns[pid] - self._busy_ns[pid] for pid in pids), default=0)
            idle_s = max(0.0, passed_s - busiest_ns / 1e9)
            # Asleep at both looks: all idle time was sleep. Asleep at one look: perhaps.
            if is_still and self._was_still:
                self.slept_s += idle_s
            elif is_still or self._was_still:
                self.perhaps_slept_s += idle_s
        else:
            self.perhaps_slept_s += passed_s
        self._busy_ns, self._was_still = busy_ns, is_still
