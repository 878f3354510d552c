"""The clocks of a session as its tasks see them: the clocks of its seeded environment if they have loaded our library.

A deadline is a time on one of these clocks, so the length of a wait follows from the times that its task read last.
"""

from __future__ import annotations

import struct
import time

from pitboss.sandbox import abi
from pitboss.sessions.determinism import SeededEnvironment
from pitboss.sessions.preloading import REPORTED_TIMES, built
from pitboss.sessions.tracing.pause_lengths import Stopwatch, requested_by_reported_ns

#: The times that the library records for us: see clocks.c.
_REPORTED = struct.Struct(f"={1 + REPORTED_TIMES}q")


class TaskClocks:
    """The clocks of one session."""

    def __init__(self, environment: SeededEnvironment) -> None:
        """`environment` provides the clocks of tasks that have loaded our library."""
        self._environment = environment
        self._stopwatch = Stopwatch()
        #: The address of our library in each task, 0 if it has not loaded it. An execve may change the address.
        self._libraries: dict[int, int] = {}

    def now_ns(self, tid: int, clock: int) -> int:
        """Returns the time on a clock as a task sees it, in nanoseconds."""
        if not self.are_ours(tid):
            return time.clock_gettime_ns(clock)
        return self._environment.now_ns(clock, self._reported_ns(tid)[0])

    def are_ours(self, tid: int) -> bool:
        """Whether a task sees the clocks of the seeded environment, and not the machine's."""
        return self._library_address(tid) > 0

    def _library_address(self, tid: int) -> int:
        if self._environment.library is None:
            return 0
        if tid not in self._libraries:
            try:
                with open(f"/proc/{tid}/maps", encoding="utf-8", errors="replace") as maps:
                    line = next((line for line in maps if line.rstrip().endswith(self._environment.library)), "0-")
            except OSError:
                return 0
            self._libraries[tid] = int(line.partition("-")[0], 16)
        return self._libraries[tid]

    def _reported_ns(self, tid: int) -> tuple[int, ...]:
        """How far a task's reads have moved its clocks, and the times that it last read, from any clock."""
        address, library = self._library_address(tid), built()
        if not address or library is None or not library.times_at:
            return (0,)
        try:
            return _REPORTED.unpack(abi.memory_of(tid, address + library.times_at, _REPORTED.size))
        except OSError:
            return (0,)

    def becomes_another(self, tid: int) -> None:
        """Note that a task is about to execute another program."""
        self._libraries.pop(tid, None)

    def continues(self, tid: int) -> None:
        """Note that a task is about to be answered."""
        self._stopwatch.continues(tid)

    def requested_ns(self, tid: int, left_ns: int, deadline_ns: int | None) -> int:
        """Returns how long a task asked to wait, if `left_ns` were left; `deadline_ns` is None if it gave a length."""
        if deadline_ns is None:
            return left_ns
        moved_ns, *reported_ns = self._reported_ns(tid)
        if self.are_ours(tid):
            return requested_by_reported_ns(deadline_ns, left_ns, moved_ns, reported_ns)
        return self._stopwatch.requested_ns(tid, deadline_ns, left_ns, reported_ns)
