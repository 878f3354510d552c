"""The limit in real time that ends every session and every build.

A program can run forever without exceeding any other limit: it uses a little CPU time so that it is not idle,
prints a byte now and then, or starts another process when the last process has used up its time.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from pitboss.model.transcript import EndingKind
from pitboss.sandbox import processes

#: Time in which a program is ready but gets no core on a busy machine is not counted. But after this many times its
#: limit a session is ended in any case, and if the machine was too busy that is our fault.
_MAX_TIMES = 5


class Deadline:
    """The time limit of a session or a build."""

    def __init__(self, limit_s: float) -> None:
        """Start the time: the session may take `limit_s` from now."""
        self._began_at = time.monotonic()
        self._limit_s = self._next_s = limit_s
        self._allowed_s = 0.0

    @property
    def sentence(self) -> str:
        """The detail of the fault when a session was ended because the machine was busy."""
        return f"it had not ended after {_MAX_TIMES * self._limit_s:.0f} s, on a machine that is busy with other work"

    def allow(self, more_s: float) -> None:
        """Allow `more_s` more, for a sleep that is not skipped or a time in which pitboss itself did not run."""
        self._allowed_s += more_s

    @property
    def is_over(self) -> bool:
        """Whether the limit has passed, even if the machine is busy."""
        return self._passed_s() > self._limit_s

    def passed(self, running: Callable[[], list[int]]) -> EndingKind | None:
        """Why the session must end now; None if it may continue. `running` returns the processes of its program."""
        passed_s = self._passed_s()
        if passed_s <= self._next_s:
            return None
        own_s = passed_s - max(map(processes.kept_waiting_ns, running()), default=0) / 1e9
        if own_s > self._limit_s:
            return EndingKind.OUT_OF_REAL_TIME
        if passed_s > _MAX_TIMES * self._limit_s:
            return EndingKind.FAULT
        self._next_s = passed_s + max(self._limit_s / 50, self._limit_s - own_s)
        return None

    def _passed_s(self) -> float:
        return time.monotonic() - self._began_at - self._allowed_s
