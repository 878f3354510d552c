"""The clocks of a session as its tasks see them.

A task that has loaded our library sees the clocks of the seeded environment, any other task those of the machine. A
deadline is a time on one of these clocks, so the length of a wait follows from the times that its task read last.
"""

from __future__ import annotations

import struct
import time

from pitboss.sandbox import abi
from pitboss.sessions.determinism import SeededEnvironment
from pitboss.sessions.preloading import REPORTED_TIMES, preloaded_library
from pitboss.sessions.tracing.pause_lengths import Stopwatch, requested_on_seeded_clocks_ns

#: The memory in which our library records how far the clocks have moved and which times tasks read: see clocks.c.
_REPORTED = struct.Struct(f"={2 + REPORTED_TIMES}q")


class TaskClocks:
    """The clocks of one session."""

    def __init__(self, environment: SeededEnvironment) -> None:
        """`environment` provides the clocks of tasks that have loaded our library."""
        self._environment = environment
        self._stopwatch = Stopwatch()
        #: The address of our library in the memory of each task; 0 if the task has not loaded the library. An execve
        #: may change the address.
        self._library_addresses: dict[int, int] = {}

    def now_ns(self, tid: int, clock: int) -> int:
        """Returns the time on a clock as a task sees it, in nanoseconds."""
        if not self.are_ours(tid):
            return time.clock_gettime_ns(clock)
        moved_ns, *_ = self._reported_ns(tid)
        return self._environment.now_ns(clock, moved_ns)

    def are_ours(self, tid: int) -> bool:
        """Whether a task sees the clocks of the seeded environment instead of the machine's clocks."""
        return self._library_address(tid) > 0

    def _library_address(self, tid: int) -> int:
        """Returns the address of our library in the memory of a task; 0 if the task has not loaded the library."""
        if self._environment.library is None:
            return 0
        if tid not in self._library_addresses:
            not_loaded = "0-"  # as a line whose address is 0
            try:
                with open(f"/proc/{tid}/maps", encoding="utf-8", errors="replace") as maps:
                    lines = (line for line in maps if line.rstrip().endswith(self._environment.library))
                    line = next(lines, not_loaded)
            except OSError:
                return 0
            self._library_addresses[tid] = int(line.partition("-")[0], 16)
        return self._library_addresses[tid]

    def _reported_ns(self, tid: int) -> tuple[int, ...]:
        """Returns how far a process's clocks have moved: of all threads, and of one thread in addition, at most.

        The times follow that its tasks last read, from any clock. Returns only (0, 0) if the task has not loaded our
        library, or if its memory cannot be read.
        """
        address, library = self._library_address(tid), preloaded_library()
        if not address or library is None or not library.times_at:
            return 0, 0
        try:
            return _REPORTED.unpack(abi.memory_of(tid, address + library.times_at, _REPORTED.size))
        except OSError:
            return 0, 0

    def forget_library_address(self, tid: int) -> None:
        """Note that a task is about to execute another program, which may load our library elsewhere or not at all."""
        self._library_addresses.pop(tid, None)

    def note_continuing(self, tid: int) -> None:
        """Note that the call of a task is about to be answered."""
        self._stopwatch.note_continuing(tid)

    def requested_ns(self, tid: int, left_ns: int, deadline_ns: int | None) -> int:
        """Returns how long a task asked to wait, if `left_ns` were left when we saw its call.

        `deadline_ns` is None if the task gave a length instead of a deadline: then `left_ns` is that length.
        """
        if deadline_ns is None:
            return left_ns
        moved_ns, ahead_ns, *reported_ns = self._reported_ns(tid)
        if self.are_ours(tid):
            return requested_on_seeded_clocks_ns(
                deadline_ns, max(0, left_ns - ahead_ns), moved_ns + ahead_ns, reported_ns
            )
        return self._stopwatch.requested_ns(tid, deadline_ns, left_ns, reported_ns)
