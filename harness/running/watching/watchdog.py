"""The watchdog of a session: it finds what no notification tells of, and what goes on without an end.

It looks at a program from outside when that gives no sign of life: does it compute, wait for a line, or do nothing? And
it counts what costs a program nothing here and would let it go on for ever: sleeps, and starts of others.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from enum import Enum

from harness.machine import processes
from harness.machine.limits import Limits
from harness.transcripts.transcript import EndingKind

#: Real time without a sign of life after which a program is looked at.
_QUIET_S = 0.03
#: Real time after which a program that does nothing else may be filling its memory; from a quarter of what it may
#: have on it is looked at each time, to have seen it near its end.
_BUSY_S = 0.015
#: Sleeps cost nothing here, so a program could go on sleeping for ever; and starting others likewise.
_PAUSES, _STARTS = 20_000, 1_000


class Sign(Enum):
    """What a program was seen to do."""

    #: It waits for a line in a way of its own, which no call that is watched tells.
    WAITS = "waits for a line"


class Watchdog:
    """What has been seen of the program of one session."""

    def __init__(self, limits: Limits, device: int) -> None:
        """`device` is the number of its terminal."""
        self._limits, self._device = limits, device
        self._lived_at = time.monotonic()
        #: CPU time of all its processes, and the peak of its memory, when it was last looked at.
        self.cpu_ns = self.memory_kb = 0
        self._pauses = self._starts = 0
        #: Where it pauses, and since when in real time.
        self._paused_at: tuple[object, float] = None, 0.0
        #: What it had used when a look had a line typed: until it has used more, it has not read that line.
        self._typed_at_cpu_ns = -1

    def saw_life(self) -> None:
        """The program gave a sign of life."""
        self._lived_at = time.monotonic()

    def saw_pause(self, place: object, *, skips: bool) -> EndingKind | None:
        """Note a pause at this place in what the program shows and reads; why it must be stopped, if it must.

        Where `skips`, it does not take real time.
        """
        self._pauses += 1
        now = time.monotonic()
        if place != self._paused_at[0]:
            self._paused_at = place, now
        # The helpers of a runtime wake now and then, also while the program waits for what never comes.
        is_idle = skips and now - self._paused_at[1] > self._limits.idle_s
        return EndingKind.OUT_OF_IDLE_TIME if is_idle or self._pauses > _PAUSES else None

    def saw_start(self, running: Callable[[], list[int]]) -> EndingKind | None:
        """Note the start of a process beside those that `running` finds; why the program must be stopped, if so."""
        self._starts += 1
        most = self._limits.processes
        is_over = self._starts > _STARTS or (self._starts > most and len(running()) >= most)
        return EndingKind.OVER_PROCESSES if is_over else None

    def look(self, pid: int, orphans: Callable[[], list[int]]) -> EndingKind | Sign | None:
        """Look at the program and the processes it has started: why it must be stopped, or that it waits for a line."""
        silence_s = time.monotonic() - self._lived_at
        if silence_s > _BUSY_S or self.memory_kb > self._limits.memory_mb * 1024 / 4:
            self.memory_kb = max(self.memory_kb, processes.peak_memory_kb(pid))
            if self.memory_kb > self._limits.memory_mb * 1024:
                return EndingKind.OVER_MEMORY
        return self._closer([pid, *orphans()]) if silence_s > _QUIET_S else None

    def _closer(self, roots: list[int]) -> EndingKind | Sign | None:
        pids = processes.tree(roots)
        if len(pids) > self._limits.processes:
            return EndingKind.OVER_PROCESSES
        cpu_ns = sum(map(processes.cpu_ns, pids))
        if cpu_ns != self.cpu_ns or not processes.are_still(pids):
            self.cpu_ns = cpu_ns  # who would run, and does not get to on a busy machine, is not idle either
            self.saw_life()
        elif cpu_ns != self._typed_at_cpu_ns and processes.waits_for(pids, self._device):
            self._typed_at_cpu_ns = cpu_ns
            return Sign.WAITS
        elif time.monotonic() - self._lived_at > self._limits.idle_s:
            return EndingKind.OUT_OF_IDLE_TIME
        return None
