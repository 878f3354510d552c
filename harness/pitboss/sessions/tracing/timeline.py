"""The time of a session: it passes only while the whole program waits for it, and is skipped.

A wait of one thread is not a pause as long as another one runs: the threads of a runtime or a program often wait for
one another. So every wait with a timeout is parked until no thread runs or is ready to run. Then only time can
end a wait: it passes to the earliest end of these waits, and that is a pause. A wait that another thread ends is
released at once. A wait is no pause either if it ends because another thread has computed for as long.

In programs with several threads, some also nap for a few milliseconds to give others time, as a runtime does before it
ends. Many naps in a row are a pause, since together they wait for something. A somewhat longer nap is a pause if
something follows (see `SessionOutput.end`).
"""

from __future__ import annotations

import time
from collections.abc import Callable

import msgspec

from pitboss.sandbox import abi, processes
from pitboss.sessions.determinism import SeededEnvironment
from pitboss.sessions.tracing import timed_waits
from pitboss.sessions.tracing.quiescence import Quiescence
from pitboss.sessions.tracing.task_clocks import TaskClocks
from pitboss.sessions.tracing.timed_waits import Pause
from pitboss.sessions.tracing.timers import Timer, TimerCall, Timers

#: The value of `due_by_computing_ns` until the CPU time of the program has been measured.
_NEVER = 1 << 62
#: A wait shorter than _NAP_NS is a nap; a wait shorter than _LONG_NAP_NS is noted as a possible nap. Naps in a row that
#: add up to _LONG_NAP_NS are a pause.
_NAP_NS, _LONG_NAP_NS = 15_000_000, 50_000_000
#: How often to check how much a program computes while some of its threads wait.
_LOOK_NS = 10_000_000


class _PendingWait(msgspec.Struct):
    """A wait whose task stays stopped."""

    listener: int
    call: abi.Notification
    pause: Pause
    length_ns: int
    #: When it ends: by the time that has passed for the program, and by the CPU time that the program has used.
    due_ns: int
    due_by_computing_ns: int
    is_real: bool


class Timeline:
    """The waits and timers of one session, and the time that has passed for its program."""

    def __init__(
        self,
        environment: SeededEnvironment,
        *,
        skips: bool,
        roots: Callable[[], list[int]],
        progress: Callable[[], tuple[int, int]],
        note: Callable[[int, bool, bool], None],
    ) -> None:
        """`environment` has the clocks that programs see; `skips` says whether pauses are skipped.

        `roots` returns the processes that have no parent in the session. `progress` returns a pair that changes
        whenever the program shows or reads something; its first number is how much was shown. `note` is called as each
        pause begins, with its length in nanoseconds, whether it may be a nap, and whether it is a step of a wait that
        polls the clock.
        """
        self._environment, self._skips, self._roots, self._progress, self._note = (
            environment,
            skips,
            roots,
            progress,
            note,
        )
        self._pending: list[_PendingWait] = []
        #: The listener of the program's launcher; None until a wait is parked or a timer is used.
        self._listener: int | None = None
        self._timers = Timers()
        self._quiescence = Quiescence()
        self._clocks = TaskClocks(environment)
        #: The total of the pauses so far, and by how much the clocks have been moved for them.
        self._passed_ns = self._skipped_ns = 0
        #: The start and end of a pause that cannot be skipped, by the machine's clock; the end is 0 without one.
        self._passes_since_ns = self._passes_until_ns = 0
        #: The total of naps that have not been noted as a pause yet, and the progress at which they began.
        self._napped_ns = 0
        self._napped_at: object = None
        self._looked_ns = 0
        #: How much had been shown at the last step of a wait that polls the clock; None after any other call.
        self._stepped_at: int | None = None

    @property
    def passes_for_s(self) -> float:
        """For how many seconds the current pause has been passing in real time; 0 if none has."""
        return (time.monotonic_ns() - self._passes_since_ns) / 1e9 if self._passes_until_ns else 0.0

    def is_asleep(self) -> bool:
        """Whether the whole program waits, no matter for what."""
        return self._quiescence.is_still(self._roots(), {wait.call.tid for wait in self._pending})

    def now_ns(self, tid: int, clock: int) -> int:
        """The time on a clock as a task sees it, in nanoseconds."""
        return self._clocks.now_ns(tid, clock)

    def note_exec(self, tid: int) -> None:
        """Note that a task is about to execute another program."""
        self._clocks.becomes_another(tid)
        self._environment.note_start()

    def note_call(self) -> None:
        """Note that a task has made a call that is not a step of a wait that polls the clock."""
        self._stepped_at = None
        self._environment.note_call()

    def continues(self, tid: int) -> None:
        """Note that the call of a task is about to be answered."""
        self._clocks.continues(tid)

    def park(self, listener: int, call: abi.Notification, pause: Pause) -> None:
        """Keep a task stopped, from the moment it is about to wait for time, until the wait is over."""
        if not pause.is_step:
            self.note_call()
        elif not self._is_step_of_a_wait():
            self.continues(call.tid)
            timed_waits.end_by_time(listener, call, pause)
            return
        if self._passes_at_once(call, pause):
            self.continues(call.tid)
            self._passed_ns += pause.duration_ns
            self._note(pause.duration_ns, False, pause.is_step)
            self._skip(pause.duration_ns)
            timed_waits.end_by_time(listener, call, pause)
            return
        self._listener = listener
        length_ns = self._clocks.requested_ns(call.tid, pause.duration_ns, pause.deadline_ns)
        is_real = not self._skips or (pause.looks_at_clock and not self._clocks.are_ours(call.tid))
        # The task continues later, but may compute deadlines from deadlines that passed while we handled this call.
        self.continues(call.tid)
        wait = _PendingWait(listener, call, pause, length_ns, self._passed_ns + length_ns, _NEVER, is_real)
        self._pending.append(wait)
        self.go_on()

    def _is_step_of_a_wait(self) -> bool:
        """Whether a program that polls the clock has shown nothing since its last step; False for the first step.

        If it has shown something, it begins a new wait.
        """
        shown = self._progress()[0]
        before, self._stepped_at = self._stepped_at, shown
        if before is not None and before != shown:
            self.note_call()
        return before == shown

    def _passes_at_once(self, call: abi.Notification, pause: Pause) -> bool:
        """Whether this is a sleep of a program with a single task, as most programs have: such a sleep is a pause."""
        is_sleep = pause.otherwise is None and pause.deadline_ns is None and not pause.error
        if not (is_sleep and self._skips) or self._pending or self._timers.are_used:
            return False
        return self._quiescence.is_alone(self._roots(), call.tid)

    def set_timer(self, listener: int, call: abi.Notification, change: TimerCall) -> None:
        """Handle a call by which a task sets or reads a timer."""
        self._listener = listener
        first_ns = self._clocks.requested_ns(call.tid, change.first_ns, change.deadline_ns)
        self.continues(call.tid)
        try:
            self._timers.on_call(listener, call, msgspec.structs.replace(change, first_ns=first_ns), self._passed_ns)
        except OSError:  # not one of its timers: the kernel refuses it
            abi.let_through(listener, call)

    def go_on(self) -> None:
        """Let time pass if nothing else can happen; call this whenever the program may have begun to wait."""
        if self._passes_until_ns:
            if time.monotonic_ns() < self._passes_until_ns:
                return
            self._skip(self._passes_until_ns - self._passes_since_ns)
            self._passes_until_ns = 0
            self._end_due()
            return
        if self._released() or not self._is_still() or self._released():
            return
        timer, wait = self._first()
        if wait is not None and self._is_nap(wait):
            self._nap(wait)
        elif wait is not None:
            is_nap = wait.length_ns < _LONG_NAP_NS and self._quiescence.count > 1
            self._pass(wait.due_ns, is_real=wait.is_real, is_nap=is_nap)
        elif timer is not None:
            self._pass(timer.due_ns, is_real=timer.is_real or not self._skips)

    def _pass(self, due_ns: int, *, is_real: bool, is_nap: bool = False) -> None:
        """Let time pass until `due_ns`: a pause."""
        length_ns = max(0, due_ns - self._passed_ns)
        self._passed_ns += length_ns
        if length_ns:
            self._note(length_ns, is_nap, False)
            if is_real:
                self._passes_since_ns = time.monotonic_ns()
                self._passes_until_ns = self._passes_since_ns + length_ns
                return
            self._skip(length_ns)
        self._end_due()

    def _is_nap(self, wait: _PendingWait) -> bool:
        return wait.length_ns < _NAP_NS and self._quiescence.count > 1

    def _nap(self, wait: _PendingWait) -> None:
        """End a nap; it is a pause only together with many others."""
        place = self._progress()
        if place != self._napped_at:
            self._napped_ns, self._napped_at = 0, place
        self._napped_ns += wait.length_ns
        if self._napped_ns >= _LONG_NAP_NS:
            length_ns, self._napped_ns = self._napped_ns, 0
            self._passed_ns += length_ns
            self._note(length_ns, True, False)
        self._skip(wait.length_ns)
        self._end(wait)

    def on_tick(self) -> None:
        """Do the regular work: let time pass, and end waits while the program computes."""
        self.go_on()
        now_ns = time.monotonic_ns()
        if self._pending and not self._passes_until_ns and now_ns - self._looked_ns >= _LOOK_NS:
            self._looked_ns = now_ns
            self._end_by_computing()

    def _end_by_computing(self) -> None:
        """End the waits that are no longer than the CPU time that the program has used meanwhile."""
        used_ns = sum(map(processes.cpu_ns, processes.tree(self._roots())))
        for wait in list(self._pending):
            wait.due_by_computing_ns = min(wait.due_by_computing_ns, used_ns + wait.length_ns)
            if wait.due_by_computing_ns <= used_ns:
                self._end(wait)

    def _is_still(self) -> bool:
        if self._listener is None or (not self._pending and self._timers.earliest() is None):
            return False
        return self.is_asleep() and not abi.is_ready(self._listener)

    def _released(self) -> bool:
        """Release the waits that something other than time has ended; returns whether there were any."""
        ended = [wait for wait in self._pending if not abi.is_waiting(wait.listener, wait.call)]
        self._pending = [wait for wait in self._pending if wait not in ended]
        over = [wait for wait in self._pending if timed_waits.is_over(wait.call.tid, wait.pause)]
        for wait in over:
            self._pending.remove(wait)
            timed_waits.end_otherwise(wait.listener, wait.call, wait.pause)
        return bool(over) or self._are_interrupted()

    def _are_interrupted(self) -> bool:
        """Release the waits of tasks with a pending signal; returns whether there were any.

        The kernel delivers the signal once the call has returned.
        """
        if self._quiescence.count < 2 and not self._timers.are_used:
            return False
        found = [wait for wait in self._pending if abi.has_signal(wait.call.tid)]
        for wait in found:
            self._pending.remove(wait)
            timed_waits.end_by_signal(wait.listener, wait.call, wait.pause, wait.due_ns - self._passed_ns)
        return bool(found)

    def _first(self) -> tuple[Timer | None, _PendingWait | None]:
        """The timer or the wait that is due first; the other is None. Both are None if there are none."""
        timer = self._timers.earliest()
        wait = min(self._pending, key=lambda wait: wait.due_ns, default=None)
        if wait is not None and timer is not None and timer.due_ns < wait.due_ns:
            return timer, None
        return (None, wait) if wait is not None else (timer, None)

    def _skip(self, length_ns: int) -> None:
        """Move the clocks of the session, by at most 146 years in all: they count nanoseconds in 64 bits."""
        length_ns = min(length_ns, timed_waits.LONGEST_NS - self._skipped_ns)
        self._skipped_ns += length_ns
        self._environment.skip(length_ns)

    def _end_due(self) -> None:
        """End the first wait if it is due, or else fire the first timer if the timer is due."""
        timer, wait = self._first()
        if wait is not None and wait.due_ns <= self._passed_ns:
            self._end(wait)
        elif timer is not None and timer.due_ns <= self._passed_ns:
            self._timers.go_off(timer, is_skipped=self._skips)
            self._are_interrupted()

    def _end(self, wait: _PendingWait) -> None:
        self._pending.remove(wait)
        timed_waits.end_by_time(wait.listener, wait.call, wait.pause)

    def close(self) -> None:
        """Forget all waits and timers."""
        self._pending.clear()
        self._timers.forget()
