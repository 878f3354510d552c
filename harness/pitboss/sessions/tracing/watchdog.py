"""The watchdog of a session: finds states that no notification reports, and programs that would never end.

It checks a program from outside when there is no sign of life: does it compute, wait for a line, or do nothing? And it
counts sleeps and starts of other programs: they take no time here, so a program could repeat them forever.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from enum import Enum

from pitboss.model.transcript import EndingKind
from pitboss.sandbox import processes
from pitboss.sandbox.limits import Limits

#: Real time without a sign of life after which a program is checked.
_QUIET_S = 0.03
#: Real time without a sign of life after which a program's memory is checked. Once it uses a quarter of its limit it
#: is checked on each tick, so that we know its peak when it ends.
_BUSY_S = 0.015
#: Skipped sleeps take no time, so a program could sleep for ever.
_PAUSES = 20_000
#: A runtime's long pause is skipped as many short pauses, which take real time on a busy machine: two seconds of Java
#: are 40 pauses. So a program that pauses is idle only once this many times the idle limit was also skipped without any
#: output or input in between.
_SKIPPED = 6


class Sign(Enum):
    """A state in which a program was found."""

    #: The program waits for a line in a call at which it is not stopped.
    WAITS = "waits for a line"


class Watchdog:
    """Observes the program of one session."""

    def __init__(self, limits: Limits, device: int) -> None:
        """`device` is the device number of its terminal."""
        self._limits, self._device = limits, device
        self._lived_at = time.monotonic()
        #: CPU time of all its processes, and the peak of its memory, at the last check.
        self.cpu_ns = self.memory_kb = 0
        self._pauses = self._starts = 0
        #: The position in the session where it pauses, since when in real time, and how much was skipped there.
        self._pause_position: tuple[object, float] = None, 0.0
        self._skipped_ns = 0
        #: Its CPU time when a check caused a line to be typed: until it has used more, it has not read that line.
        self._typed_at_cpu_ns = -1

    def saw_life(self) -> None:
        """Note a sign of life."""
        self._lived_at = time.monotonic()

    def saw_pause(self, place: object, duration_ns: int, *, skips: bool) -> EndingKind | None:
        """Note a pause at this position in the session; returns why the session must be stopped, or None.

        With `skips` pauses are skipped, so they take less real time.
        """
        self._pauses += 1
        now = time.monotonic()
        if place != self._pause_position[0]:
            self._pause_position, self._skipped_ns = (place, now), 0
        self._skipped_ns += duration_ns
        # The threads of a runtime wake up now and then even if the program waits for something that never happens.
        is_long = self._skipped_ns > _SKIPPED * self._limits.idle_s * 1_000_000_000
        is_idle = skips and is_long and now - self._pause_position[1] > self._limits.idle_s
        return EndingKind.OUT_OF_IDLE_TIME if is_idle or self._pauses > _PAUSES else None

    def saw_start(self, running: Callable[[], list[int]]) -> EndingKind | None:
        """Note that a program is started; returns why the session must be stopped, or None.

        `running` returns the processes of the session.
        """
        self._starts += 1
        max_processes = self._limits.processes
        if self._starts > self._limits.starts:
            return EndingKind.OVER_STARTS
        is_over = self._starts > max_processes and processes.are_living(running(), max_processes - 1)
        return EndingKind.OVER_PROCESSES if is_over else None

    def look(self, pid: int, orphans: Callable[[], list[int]]) -> EndingKind | Sign | None:
        """Check the program and its processes; returns why it must be stopped, that it waits for a line, or None."""
        silence_s = time.monotonic() - self._lived_at
        if silence_s > _BUSY_S or self.memory_kb > self._limits.memory_mb * 1024 / 4:
            self.memory_kb = max(self.memory_kb, processes.peak_memory_kb(pid))
            if self.memory_kb > self._limits.memory_mb * 1024:
                return EndingKind.OVER_MEMORY
        return self._look_closer([pid, *orphans()]) if silence_s > _QUIET_S else None

    def _look_closer(self, roots: list[int]) -> EndingKind | Sign | None:
        """Check whether these processes and their descendants are too many, compute, wait for a line, or are idle."""
        pids = processes.tree(roots)
        max_processes = self._limits.processes
        # If zombies nearly fill the kernel's limit, the number of other processes depends on the moment.
        if len(pids) > self._limits.tasks - max_processes or processes.are_living(pids, max_processes):
            return EndingKind.OVER_PROCESSES
        cpu_ns = sum(map(processes.cpu_ns, pids))
        if cpu_ns != self.cpu_ns or not processes.are_still(pids):
            self.cpu_ns = cpu_ns  # a process that is ready but gets no core on a busy machine is not idle either
            self.saw_life()
        elif cpu_ns != self._typed_at_cpu_ns and processes.waits_for(pids, self._device):
            self._typed_at_cpu_ns = cpu_ns
            return Sign.WAITS
        elif time.monotonic() - self._lived_at > self._limits.idle_s:
            return EndingKind.OUT_OF_IDLE_TIME
        return None
