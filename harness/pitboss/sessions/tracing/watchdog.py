"""The watchdog of a session: finds states that no notification reports, and programs that would never end.

The watchdog checks a program from outside when there is no sign of life: does the program compute, wait for a line, or
do nothing? The watchdog also counts sleeps and starts of other programs: sleeps and starts take no time here, so a
program could repeat them forever.

A limit in real time ends every session and every build, since a program can run forever without exceeding any other
limit: it uses a little CPU time so that it is not idle, prints a byte now and then, or starts another process when the
last process has used up its time.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from enum import Enum

from pitboss.machine import processes
from pitboss.model.transcript import EndingKind
from pitboss.sandbox.limits import Limits

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


#: Real time without a sign of life after which a program is checked.
_QUIET_S = 0.03
#: How often the memory of a session's processes is checked, in seconds. Once they use a quarter of their limit, each
#: call of `look` checks it.
_MEMORY_CHECK_S = 0.015
#: The maximum number of pauses in a session: skipped pauses take no time, so a program could pause forever.
_MAX_PAUSES = 20_000
#: A program that pauses is idle only if it exceeds the idle limit in real time, and if pauses that add up to this many
#: times the idle limit were skipped, without output or input in between. Real time alone is not enough: the long pause
#: of a runtime is skipped as many short pauses (two seconds of Java are 40), which take real time on a busy machine.
_MIN_SKIPPED_TIMES = 6


class SilentState(Enum):
    """A state of a program that only a check from outside detects."""

    #: The program waits for a line in a system call at which the tracer does not stop the program.
    WAITS_FOR_LINE = "waits for a line"


class Watchdog:
    """Observes the program of one session."""

    def __init__(self, limits: Limits, device: int) -> None:
        """`device` is the device number of the program's terminal."""
        self._limits, self._device = limits, device
        #: The time of the last sign of life.
        self._lived_at = self._memory_checked_at = time.monotonic()
        #: The CPU time of all processes of the program at the last check.
        self.cpu_ns = 0
        #: The most memory that the session's processes used together at any check.
        self.memory_kb = 0
        #: The number of pauses so far.
        self._pauses = 0
        #: How often a program has been started so far.
        self._starts = 0
        #: The position in the session where the program last paused.
        self._pause_position: object = None
        #: The time of the first pause at that position.
        self._first_pause_at = 0.0
        #: The total length of the pauses at that position.
        self._skipped_ns = 0
        #: The program's CPU time when `look` last returned SilentState.WAITS_FOR_LINE. Until the program has used more
        #: CPU time, it has not read the line that was typed then.
        self._typed_at_cpu_ns = -1

    def saw_life(self) -> None:
        """Note a sign of life."""
        self._lived_at = time.monotonic()

    def saw_pause(self, position: object, duration_ns: int, *, skips_pauses: bool) -> EndingKind | None:
        """Note a pause at the position `position` in the session; returns why the session must be stopped, or None.

        `skips_pauses`: whether the session skips pauses, so that they take less real time.
        """
        self._pauses += 1
        now = time.monotonic()
        if position != self._pause_position:
            self._pause_position, self._first_pause_at, self._skipped_ns = position, now, 0
        self._skipped_ns += duration_ns
        # The threads of a runtime wake up now and then even if the program waits for something that never happens.
        is_long = self._skipped_ns > _MIN_SKIPPED_TIMES * self._limits.idle_s * 1_000_000_000
        is_idle = skips_pauses and is_long and now - self._first_pause_at > self._limits.idle_s
        return EndingKind.OUT_OF_IDLE_TIME if is_idle or self._pauses > _MAX_PAUSES else None

    def saw_start(self, running: Callable[[], list[int]]) -> EndingKind | None:
        """Note that a program is started; returns why the session must be stopped, or None.

        `running` returns the ids of the session's processes.
        """
        self._starts += 1
        max_processes = self._limits.processes
        if self._starts > self._limits.starts:
            return EndingKind.OVER_STARTS
        is_over = self._starts > max_processes and processes.are_more_living_than(max_processes - 1, running())
        return EndingKind.OVER_PROCESSES if is_over else None

    def look(self, pid: int, orphans: Callable[[], list[int]]) -> EndingKind | SilentState | None:
        """Check the program `pid` and the processes that `orphans` returns.

        Returns why the program must be stopped, or SilentState.WAITS_FOR_LINE if it waits for a line, or None.
        """
        now, limit_kb = time.monotonic(), self._limits.memory_mb * 1024
        if now - self._memory_checked_at > _MEMORY_CHECK_S or self.memory_kb > limit_kb / 4:
            self._memory_checked_at = now
            used_kb = processes.used_memory_kb(processes.tree([pid, *orphans()]), limit_kb)
            self.memory_kb = max(self.memory_kb, used_kb)
            if self.memory_kb > limit_kb:
                return EndingKind.OVER_MEMORY
        return self._check_processes([pid, *orphans()]) if now - self._lived_at > _QUIET_S else None

    def _check_processes(self, roots: list[int]) -> EndingKind | SilentState | None:
        """Check whether these processes and their descendants are too many, compute, wait for a line, or are idle."""
        pids = processes.tree(roots)
        max_processes = self._limits.processes
        # Near the kernel's limit on tasks zombies count too: the number of living processes then depends on the moment.
        if len(pids) > self._limits.tasks - max_processes or processes.are_more_living_than(max_processes, pids):
            return EndingKind.OVER_PROCESSES
        cpu_ns = sum(map(processes.cpu_ns, pids))
        if cpu_ns != self.cpu_ns or not processes.none_runs(pids):
            self.cpu_ns = cpu_ns  # a process that is ready to run, but gets no core, is not idle
            self.saw_life()
        elif cpu_ns != self._typed_at_cpu_ns and processes.waits_for(pids, self._device):
            self._typed_at_cpu_ns = cpu_ns
            return SilentState.WAITS_FOR_LINE
        elif time.monotonic() - self._lived_at > self._limits.idle_s:
            return EndingKind.OUT_OF_IDLE_TIME
        return None
