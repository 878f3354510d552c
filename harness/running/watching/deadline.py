"""The end of a session that comes to none by itself, whatever its program does.

Every other limit can be kept by a program that goes on for ever: it uses a little CPU time so that it is not idle,
prints a byte now and then, or starts another process when one has used up its time. This one is real time.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from harness.machine import processes
from harness.transcripts.transcript import EndingKind

#: On a busy machine the time for which a program is kept from running is not its own; but even then a session has an
#: end, after so many times its limit, which is our fault.
_MOST_TIMES = 5


class Deadline:
    """How long a session may still take."""

    def __init__(self, limit_s: float) -> None:
        """It may take so long, from now on."""
        self._began_at = time.monotonic()
        self._limit_s = self._next_s = limit_s
        self._allowed_s = 0.0

    @property
    def sentence(self) -> str:
        """Why it is our fault that a session was ended."""
        return f"it had not ended after {_MOST_TIMES * self._limit_s:.0f} s, on a machine that is busy with much else"

    def allow(self, more_s: float) -> None:
        """Let it take more: for a sleep that is not skipped."""
        self._allowed_s += more_s

    @property
    def is_over(self) -> bool:
        """Whether the limit has passed, on a machine that has nothing else to do."""
        return self._passed_s() > self._limit_s

    def passed(self, running: Callable[[], list[int]]) -> EndingKind | None:
        """Why the session must end now, if it must; `running` gives the processes of its program."""
        passed_s = self._passed_s()
        if passed_s <= self._next_s:
            return None
        own_s = passed_s - max(map(processes.kept_waiting_ns, running()), default=0) / 1e9
        if own_s > self._limit_s:
            return EndingKind.OUT_OF_REAL_TIME
        if passed_s > _MOST_TIMES * self._limit_s:
            return EndingKind.FAULT
        self._next_s = passed_s + max(self._limit_s / 50, self._limit_s - own_s)
        return None

    def _passed_s(self) -> float:
        return time.monotonic() - self._began_at - self._allowed_s
