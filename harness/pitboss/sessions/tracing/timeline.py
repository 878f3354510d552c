"""The time of a session: time passes only while the whole program waits for time to pass, and is skipped.

A wait of one thread is not a pause as long as another thread runs: the threads of a runtime or a program often wait for
one another. So every wait with a timeout is parked until no thread runs or is ready to run. Then only time can end a
wait: time passes to the earliest end of the parked waits, and that is a pause. A wait that another thread ends is
released at once. A wait is not a pause either if it ends because another thread has computed for as long as the wait.

In programs with several threads, some threads also nap for a few milliseconds to give the other threads time, as a
runtime does before it ends. Many naps in a row are a pause, since together they wait for something. A somewhat longer
nap is a pause if something follows (see `SessionOutput.end`).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol

import msgspec

from pitboss.machine import abi, processes
from pitboss.sessions.determinism import SeededEnvironment
from pitboss.sessions.tracing import timed_waits
from pitboss.sessions.tracing.timed_waits import Pause, Quiescence
from pitboss.sessions.tracing.timers import TaskClocks, Timer, TimerCall, Timers

#: The value of `due_by_computing_ns` until the CPU time of the program has been measured.
_NOT_MEASURED = 1 << 62
#: A wait shorter than _NAP_NS is a nap. A longer wait that is shorter than _LONG_NAP_NS is noted as a possible nap.
#: Naps in a row that add up to _LONG_NAP_NS are a pause.
_NAP_NS, _LONG_NAP_NS = 15_000_000, 50_000_000
#: How many nanoseconds pass between two checks of how much a program computes while some of its threads wait.
_COMPUTING_CHECK_NS = 10_000_000


class _ParkedWait(msgspec.Struct):
    """A parked wait: its task stays stopped until the wait is over."""

    listener: int
    call: abi.Notification
    pause: Pause
    #: How long the task asked to wait.
    length_ns: int
    #: When the wait ends, in the time that passes for the program.
    due_ns: int
    #: The CPU time of the program at which the wait ends, if the program computes meanwhile.
    due_by_computing_ns: int
    #: Whether the time must really pass, so that it cannot be skipped.
    is_real: bool


class NotePause(Protocol):
    """Called as each pause begins."""

    def __call__(self, duration_ns: int, *, is_nap: bool = False, is_step: bool = False) -> None:
        """Note a pause; `is_nap`: it may be a nap, `is_step`: it is a step of a wait that polls the clock."""
        ...


class Timeline:
    """The waits and timers of one session, and the time that has passed for its program."""

    def __init__(
        self,
        environment: SeededEnvironment,
        *,
        skips: bool,
        roots: Callable[[], list[int]],
        progress: Callable[[], tuple[int, int]],
        note_pause: NotePause,
    ) -> None:
        """`environment` has the clocks that programs see; `skips` says whether pauses are skipped.

        `roots` returns the processes that have no parent in the session. `progress` returns a pair that changes
        whenever the program shows or reads something; its first number is the number of bytes shown. `note_pause` is
        called as each pause begins.
        """
        self._environment, self._skips = environment, skips
        self._roots, self._progress, self._note_pause = roots, progress, note_pause
        self._parked: list[_ParkedWait] = []
        #: The listener of the program's launcher; None until a wait is parked or a timer is used.
        self._listener: int | None = None
        self._timers = Timers()
        self._quiescence = Quiescence()
        self._clocks = TaskClocks(environment)
        #: The total length of all pauses so far: the time that has passed for the program.
        self._passed_ns = 0
        #: By how much the clocks that the program sees have been advanced.
        self._clocks_advanced_ns = 0
        #: When the current pause began, by the machine's clock, if the pause passes in real time.
        self._real_pause_began_ns = 0
        #: When that pause ends, by the machine's clock; 0 if no pause passes in real time now.
        self._real_pause_ends_ns = 0
        #: The total of the naps in a row that have not been noted as a pause yet.
        self._napped_ns = 0
        #: The progress at which these naps began.
        self._progress_at_nap: object = None
        #: The task that napped last, how many bytes had been shown then, and the total of its naps that were not noted.
        self._last_nap = (0, 0, 0)
        #: When we last checked how much the program computes while some of its threads wait.
        self._computing_checked_ns = 0
        #: For each task whose last call was a step of a wait that polls the clock: how many bytes had been shown then.
        self._shown_bytes_at_last_step: dict[int, int] = {}

    @property
    def real_pause_s(self) -> float:
        """For how many seconds a pause that passes in real time has lasted; 0 if no pause passes in real time now."""
        return (time.monotonic_ns() - self._real_pause_began_ns) / 1e9 if self._real_pause_ends_ns else 0.0

    def is_asleep(self) -> bool:
        """Whether the whole program waits, no matter for what."""
        return self._quiescence.are_all_waiting(self._roots(), {wait.call.tid for wait in self._parked})

    def now_ns(self, tid: int, clock: int) -> int:
        """Returns the time on a clock as a task sees it, in nanoseconds."""
        return self._clocks.now_ns(tid, clock)

    def note_exec(self, tid: int) -> None:
        """Note that a task is about to execute another program."""
        self._clocks.forget_library_address(tid)
        self._environment.note_start()

    def note_call(self, tid: int) -> None:
        """Note that a task has made a call that is not a step of a wait that polls the clock."""
        self._shown_bytes_at_last_step.pop(tid, None)
        self._environment.note_call()

    def note_continuing(self, tid: int) -> None:
        """Note that the call of a task is about to be answered."""
        self._clocks.note_continuing(tid)

    def park(self, listener: int, call: abi.Notification, pause: Pause) -> None:
        """Handle a call that waits for time: keep the task stopped until the wait is over."""
        if not pause.is_step:
            self.note_call(call.tid)
        elif not self._continues_polling(call.tid):
            # The wait only begins with this step, so no time passes for the step.
            self.note_continuing(call.tid)
            timed_waits.end_by_time(listener, call, pause)
            return
        if self._is_sleep_of_single_task(call, pause):
            self.note_continuing(call.tid)
            self._passed_ns += pause.duration_ns
            self._note_pause(pause.duration_ns, is_step=pause.is_step)
            self._advance_clocks(pause.duration_ns)
            timed_waits.end_by_time(listener, call, pause)
            return
        self._listener = listener
        length_ns = self._clocks.requested_ns(call.tid, pause.duration_ns, pause.deadline_ns)
        # We cannot move the machine's clocks: a program that looks at one of them after the wait would wait again.
        is_real = not self._skips or (pause.looks_at_clock and not self._clocks.are_ours(call.tid))
        # The task continues only when its wait is over. But it may compute its next deadline from the deadline of this
        # wait, which comes before that moment. So its running time is counted from now on.
        self.note_continuing(call.tid)
        wait = _ParkedWait(listener, call, pause, length_ns, self._passed_ns + length_ns, _NOT_MEASURED, is_real)
        self._parked.append(wait)
        self.advance_time()

    def _continues_polling(self, tid: int) -> bool:
        """Note a step of a wait that polls the clock; returns whether the wait began with an earlier step.

        If the program has shown something since the task's last step, this step begins a new wait.
        """
        shown_bytes, _ = self._progress()
        shown_bytes_before = self._shown_bytes_at_last_step.get(tid)
        self._shown_bytes_at_last_step[tid] = shown_bytes
        return shown_bytes_before == shown_bytes

    def _is_sleep_of_single_task(self, call: abi.Notification, pause: Pause) -> bool:
        """Whether a call is a sleep that can be skipped at once: the program's only task makes it, so it is a pause.

        This saves time, since most programs have only one task, and its sleep need not be parked.
        """
        is_sleep = pause.early_event is None and pause.deadline_ns is None and not pause.error
        if not (is_sleep and self._skips) or self._parked or self._timers.are_used:
            return False
        return self._quiescence.is_alone(self._roots(), call.tid)

    def set_timer(self, listener: int, call: abi.Notification, change: TimerCall) -> None:
        """Handle a call by which a task sets or reads a timer."""
        self._listener = listener
        first_ns = self._clocks.requested_ns(call.tid, change.first_ns, change.deadline_ns)
        self.note_continuing(call.tid)
        try:
            self._timers.on_call(listener, call, msgspec.structs.replace(change, first_ns=first_ns), self._passed_ns)
        except OSError:  # the call is not for one of the task's timers: the kernel refuses the call
            abi.let_through(listener, call)

    def advance_time(self) -> None:
        """Let time pass if nothing else can happen; call this whenever the program may have begun to wait."""
        if self._real_pause_ends_ns:
            if time.monotonic_ns() < self._real_pause_ends_ns:
                return
            # Real time does not move the session's clocks, so we advance them now.
            self._advance_clocks(self._real_pause_ends_ns - self._real_pause_began_ns)
            self._real_pause_ends_ns = 0
            self._end_due()
            return
        # An event may have ended a wait while the tasks were still being checked, so look for ended waits again.
        if self._release_ended() or not self._waits_only_for_time() or self._release_ended():
            return
        timer, wait = self._earliest()
        if wait is not None and self._is_nap(wait):
            self._end_nap(wait)
        elif wait is not None:
            may_be_nap = wait.length_ns < _LONG_NAP_NS and self._quiescence.count > 1
            self._let_pass(wait.due_ns, is_real=wait.is_real, may_be_nap=may_be_nap, is_step=wait.pause.is_step)
        elif timer is not None:
            self._let_pass(timer.due_ns, is_real=timer.is_real or not self._skips)

    def _let_pass(self, due_ns: int, *, is_real: bool, may_be_nap: bool = False, is_step: bool = False) -> None:
        """Let time pass until `due_ns`, and note that time as a pause."""
        length_ns = max(0, due_ns - self._passed_ns)
        self._passed_ns += length_ns
        if length_ns:
            self._note_pause(length_ns, is_nap=may_be_nap and not is_step, is_step=is_step)
            if is_real:
                self._real_pause_began_ns = time.monotonic_ns()
                self._real_pause_ends_ns = self._real_pause_began_ns + length_ns
                return
            self._advance_clocks(length_ns)
        self._end_due()

    def _is_nap(self, wait: _ParkedWait) -> bool:
        """Whether a wait is a nap: it is short, no step of a longer wait, and the program has several tasks."""
        return wait.length_ns < _NAP_NS and self._quiescence.count > 1 and not wait.pause.is_step

    def _end_nap(self, wait: _ParkedWait) -> None:
        """End a nap; note a pause only once the naps in a row are long enough in total."""
        progress = self._progress()
        if progress != self._progress_at_nap:
            self._napped_ns, self._progress_at_nap = 0, progress
        self._napped_ns += wait.length_ns
        unnoted_ns = self._unnoted_nap_ns(wait.call.tid) + wait.length_ns
        if self._napped_ns >= _LONG_NAP_NS:
            length_ns, self._napped_ns, unnoted_ns = self._napped_ns, 0, 0
            self._passed_ns += length_ns
            self._note_pause(length_ns, is_nap=True)
        self._last_nap = (wait.call.tid, progress[0], unnoted_ns)
        self._advance_clocks(wait.length_ns)
        self._end_wait(wait)

    def _unnoted_nap_ns(self, tid: int) -> int:
        """Returns the total of the last naps, if this task made them and nothing has been shown since."""
        napper, shown_bytes, unnoted_ns = self._last_nap
        return unnoted_ns if (napper, shown_bytes) == (tid, self._progress()[0]) else 0

    def on_tick(self) -> None:
        """Do the regular work: let time pass, and end waits while the program computes."""
        self.advance_time()
        now_ns = time.monotonic_ns()
        if self._parked and not self._real_pause_ends_ns and now_ns - self._computing_checked_ns >= _COMPUTING_CHECK_NS:
            self._computing_checked_ns = now_ns
            self._end_computed_waits()

    def _end_computed_waits(self) -> None:
        """End each wait whose length the program has meanwhile used as CPU time."""
        used_ns = sum(map(processes.cpu_ns, processes.tree(self._roots())))
        for wait in list(self._parked):
            wait.due_by_computing_ns = min(wait.due_by_computing_ns, used_ns + wait.length_ns)
            if wait.due_by_computing_ns <= used_ns:
                self._end_wait(wait)

    def _waits_only_for_time(self) -> bool:
        """Whether a wait is parked or a timer is set, the whole program waits, and we have seen all its calls."""
        if self._listener is None or (not self._parked and self._timers.earliest() is None):
            return False
        return self.is_asleep() and not abi.is_ready(self._listener)

    def _release_ended(self) -> bool:
        """Release the waits that an event or a signal has ended early; returns whether there were such waits.

        Forgets the waits of tasks that have been killed.
        """
        obsolete_waits = [wait for wait in self._parked if not abi.is_waiting(wait.listener, wait.call)]
        self._parked = [wait for wait in self._parked if wait not in obsolete_waits]
        ended_waits = [wait for wait in self._parked if timed_waits.has_event_ended_wait(wait.call.tid, wait.pause)]
        for wait in ended_waits:
            self._parked.remove(wait)
            timed_waits.end_by_event(wait.listener, wait.call, wait.pause)
        return bool(ended_waits) or self._release_interrupted()

    def _release_interrupted(self) -> bool:
        """Release the waits of tasks with a pending signal; returns whether there were such waits.

        The kernel delivers the signal once the call has returned.
        """
        if self._quiescence.count < 2 and not self._timers.are_used:  # neither another task nor a timer sends a signal
            return False
        interrupted_waits = [wait for wait in self._parked if abi.has_signal(wait.call.tid)]
        for wait in interrupted_waits:
            self._parked.remove(wait)
            timed_waits.end_by_signal(wait.listener, wait.call, wait.pause, wait.due_ns - self._passed_ns)
        return bool(interrupted_waits)

    def _earliest(self) -> tuple[Timer | None, _ParkedWait | None]:
        """Returns (timer, None) or (None, wait), whichever is due first; (None, None) if there is neither."""
        timer = self._timers.earliest()
        wait = min(self._parked, key=lambda wait: wait.due_ns, default=None)
        if wait is not None and timer is not None and timer.due_ns < wait.due_ns:
            return timer, None
        return (None, wait) if wait is not None else (timer, None)

    def _advance_clocks(self, length_ns: int) -> None:
        """Advance the session's clocks, by at most 146 years in total, since they count nanoseconds in 64 bits."""
        length_ns = min(length_ns, timed_waits.LONGEST_NS - self._clocks_advanced_ns)
        self._clocks_advanced_ns += length_ns
        self._environment.advance_clocks(length_ns)

    def _end_due(self) -> None:
        """If the wait or timer that is due first is due by now, end the wait or make the timer go off."""
        timer, wait = self._earliest()
        if wait is not None and wait.due_ns <= self._passed_ns:
            if nap_ns := self._unnoted_nap_ns(wait.call.tid):  # a longer wait of this task began with the nap
                self._last_nap = (0, 0, 0)
                self._passed_ns += nap_ns
                self._note_pause(nap_ns)
            self._end_wait(wait)
        elif timer is not None and timer.due_ns <= self._passed_ns:
            self._timers.go_off(timer, is_skipped=self._skips)
            self._release_interrupted()

    def _end_wait(self, wait: _ParkedWait) -> None:
        """Let a task continue as if the time of its wait had passed."""
        self._parked.remove(wait)
        timed_waits.end_by_time(wait.listener, wait.call, wait.pause)

    def close(self) -> None:
        """Forget all waits and timers."""
        self._parked.clear()
        self._timers.forget()
