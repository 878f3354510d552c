"""The limit in real time that ends every session and every build.

A program can run forever without exceeding any other limit: it uses a little CPU time so that it is not idle,
prints a byte now and then, or starts another process when the last process has used up its time.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from pitboss.model.transcript import EndingKind
from pitboss.sandbox import processes

#: Time in which a program is ready to run but gets no core on a busy machine is not charged to the limit. But after
#: this many times its limit a session is ended in any case. Then the machine was too busy: that is our fault.
_MAX_TIMES = 5


class Deadline:
    """The time limit of a session or a build."""

    def __init__(self, limit_s: float) -> None:
        """Start the clock: the session may take `limit_s` from now."""
        self._began_at = time.monotonic()
        self._limit_s = limit_s
        #: Until this much time has passed, `check_deadline` need not look at the processes.
        self._next_s = limit_s
        #: Time that is not charged to the limit: see `allow`.
        self._allowed_s = 0.0

    @property
    def sentence(self) -> str:
        """The detail of the fault when a session was ended because the machine was busy."""
        return f"it had not ended after {_MAX_TIMES * self._limit_s:.0f} s, on a machine that is busy with other work"

    def allow(self, more_s: float) -> None:
        """Extend the limit by `more_s`, for a sleep that is not skipped or a time in which pitboss did not run."""
        self._allowed_s += more_s

    @property
    def is_over(self) -> bool:
        """Whether more time than the limit has passed, whether or not the program had a core in all of it."""
        return self._passed_s() > self._limit_s

    def check_deadline(self, running: Callable[[], list[int]]) -> EndingKind | None:
        """Returns why the session must end now; None if it may continue.

        `running` returns the ids of the program's processes.
        """
        passed_s = self._passed_s()
        if passed_s <= self._next_s:
            return None
        charged_s = passed_s - max(map(processes.longest_core_wait_ns, running()), default=0) / 1e9
        if charged_s > self._limit_s:
            return EndingKind.OUT_OF_REAL_TIME
        if passed_s > _MAX_TIMES * self._limit_s:
            return EndingKind.FAULT
        # The program cannot use up the rest of its limit sooner. If little is left, wait for a fiftieth of the limit.
        self._next_s = passed_s + max(self._limit_s / 50, self._limit_s - charged_s)
        return None

    def _passed_s(self) -> float:
        return time.monotonic() - self._began_at - self._allowed_s
