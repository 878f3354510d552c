"""The time of a session: it passes while the whole program waits for it, and is skipped.

A wait of one thread is no pause as long as another one runs: the helpers of a runtime wait for one another now and
then, and so do those of a program. So every wait that time may end is held, until nothing in the program runs or would
run if it got to. Then only time can go on, to the earliest of what is waited for: that is a pause. What another thread
ends is let go at once, and what ends while another thread computes for as long is no pause either.

A program of several threads also naps for some milliseconds, to leave them time for something, as a runtime does
before it ends. Such naps are pauses where there are many in a row, since together they wait for something then; and
somewhat longer ones where something follows (see `Output.end`).
"""

from __future__ import annotations

import struct
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from harness.machine import abi, processes
from harness.running.clock import Clock, place_of_what_was_told
from harness.running.watching import timed_waits
from harness.running.watching.pauses import Stopwatch
from harness.running.watching.quiescence import Quiescence
from harness.running.watching.timed_waits import Pause
from harness.running.watching.timers import Timer, TimerCall, Timers

#: The end of a wait while it is not known what the program has computed so far.
_NEVER = 1 << 62
#: A wait that is shorter is a nap; of one that is longer than the first it is said that it may be one, and so many naps
#: in a row are a pause.
_NAP_NS, _LONG_NAP_NS = 15_000_000, 50_000_000
#: How often it is looked at what a program computes while some of its threads wait.
_LOOK_NS = 10_000_000


@dataclass(slots=True)
class _Held:
    """A wait that has been stopped."""

    listener: int
    call: abi.Notification
    pause: Pause
    length_ns: int
    #: When time ends it, by what has passed for the program; and by the processor time that the program has used.
    due_ns: int
    due_by_computing_ns: int
    is_real: bool


class Timeline:
    """What waits for time in one session."""

    def __init__(
        self,
        clock: Clock | None,
        *,
        skips: bool,
        roots: Callable[[], list[int]],
        progress: Callable[[], object],
        note: Callable[[int, bool, bool], None],
    ) -> None:
        """`clock` is what programs see; None for the machine's.

        `roots` finds the processes that have no parent in the session. `progress` is another value whenever the program
        has shown or read something. `note` is told of each pause as it begins, whether it may be but a nap, and whether
        it is a step of a wait that looks at the clock.
        """
        self._clock, self._skips, self._roots, self._progress, self._note = clock, skips, roots, progress, note
        self._held: list[_Held] = []
        #: By whom we are told of calls; nobody before the first that matters here.
        self._listener: int | None = None
        self._timers = Timers()
        self._quiescence = Quiescence()
        self._stopwatch = Stopwatch()
        #: The pauses so far.
        self._passed_ns = 0
        #: Until when, by the machine's clock, a pause that cannot be skipped passes; 0 when none does.
        self._passes_since_ns = self._passes_until_ns = 0
        #: Naps that have been no pause yet, since the program was at this place.
        self._napped_ns = 0
        self._napped_at: object = None
        self._looked_ns = 0
        #: By task: where it has the library of our clock, 0 for nowhere. It may be another program after an execve.
        self._libraries: dict[int, int] = {}

    @property
    def passes_for_s(self) -> float:
        """How long a pause has been passing in real time; 0 where none does."""
        return (time.monotonic_ns() - self._passes_since_ns) / 1e9 if self._passes_until_ns else 0.0

    def is_asleep(self) -> bool:
        """Whether the whole program waits, for whatever it may be."""
        return self._quiescence.is_still(self._roots(), {held.call.tid for held in self._held})

    def now_ns(self, tid: int, clock: int) -> int:
        """The time on a clock as a task sees it."""
        now_ns = time.clock_gettime_ns(clock)
        return now_ns + self._clock.moved_ns(clock) if self._clock and self._sees_ours(tid) else now_ns

    def _sees_ours(self, tid: int) -> bool:
        return self._library_of(tid) > 0

    def _library_of(self, tid: int) -> int:
        if self._clock is None:
            return 0
        if tid not in self._libraries:
            try:
                with open(f"/proc/{tid}/maps", encoding="utf-8", errors="replace") as maps:
                    line = next((line for line in maps if line.rstrip().endswith(self._clock.library)), "0-")
            except OSError:
                return 0
            self._libraries[tid] = int(line.partition("-")[0], 16)
        return self._libraries[tid]

    def _told_ns(self, tid: int) -> tuple[int, ...]:
        """What a task was last told of the time, by any clock."""
        library = self._library_of(tid)
        place, count = place_of_what_was_told() if library else (0, 0)
        try:
            return struct.unpack(f"={count}q", abi.much_memory_of(tid, library + place, 8 * count))
        except OSError:
            return ()

    def becomes_another(self, tid: int) -> None:
        """Another program is about to begin in a task."""
        self._libraries.pop(tid, None)

    def goes_on(self, tid: int) -> None:
        """A task is about to be answered."""
        self._stopwatch.goes_on(tid)

    def hold(self, listener: int, call: abi.Notification, pause: Pause) -> None:
        """A task is about to wait for time."""
        if self._passes_at_once(call, pause):
            self.goes_on(call.tid)
            self._passed_ns += pause.duration_ns
            self._note(pause.duration_ns, False, pause.is_step)
            self._skip(pause.duration_ns)
            timed_waits.end_by_time(listener, call, pause)
            return
        self._listener = listener
        length_ns = self._asked_ns(call.tid, pause.duration_ns, pause.deadline_ns)
        is_real = not self._skips or (pause.looks_at_clock and not self._sees_ours(call.tid))
        # It goes on later, but deadlines may be computed from others, which went by while we saw to it.
        self.goes_on(call.tid)
        held = _Held(listener, call, pause, length_ns, self._passed_ns + length_ns, _NEVER, is_real)
        self._held.append(held)
        self.go_on()

    def _passes_at_once(self, call: abi.Notification, pause: Pause) -> bool:
        """Whether this is the sleep of a program that consists of one task, as most do: then it is a pause."""
        is_sleep = pause.otherwise is None and pause.deadline_ns is None and not pause.error
        if not (is_sleep and self._skips) or self._held or self._timers.are_used:
            return False
        return self._quiescence.is_alone(self._roots(), call.tid)

    def _asked_ns(self, tid: int, left_ns: int, deadline_ns: int | None) -> int:
        """How long a task asked to wait, when so much was left until a deadline, if there is one."""
        if deadline_ns is None:
            return left_ns
        return self._stopwatch.asked_ns(tid, deadline_ns, left_ns, self._told_ns(tid))

    def set_timer(self, listener: int, call: abi.Notification, change: TimerCall) -> None:
        """A task sets a timer, or asks for one."""
        self._listener = listener
        first_ns = self._asked_ns(call.tid, change.first_ns, change.deadline_ns)
        self.goes_on(call.tid)
        try:
            self._timers.on_call(listener, call, replace(change, first_ns=first_ns), self._passed_ns)
        except OSError:  # what is none of its timers is the kernel's to refuse
            abi.let_through(listener, call)

    def go_on(self) -> None:
        """Let time pass if nothing else can happen: to be called whenever the program may have come to wait."""
        if self._passes_until_ns:
            if time.monotonic_ns() < self._passes_until_ns:
                return
            self._passes_until_ns = 0
            self._end_due()
            return
        if self._released() or not self._is_still() or self._released():
            return
        timer, held = self._first()
        if held is not None and self._is_nap(held):
            self._nap(held)
        elif held is not None:
            is_nap = held.length_ns < _LONG_NAP_NS and self._quiescence.count > 1
            self._pass(held.due_ns, is_real=held.is_real, is_nap=is_nap)
        elif timer is not None:
            self._pass(timer.due_ns, is_real=timer.is_real or not self._skips)

    def _pass(self, due_ns: int, *, is_real: bool, is_nap: bool = False) -> None:
        """Have time pass until then: a pause."""
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

    def _is_nap(self, held: _Held) -> bool:
        return held.length_ns < _NAP_NS and self._quiescence.count > 1

    def _nap(self, held: _Held) -> None:
        """End a nap; only where there are many is it a pause."""
        place = self._progress()
        if place != self._napped_at:
            self._napped_ns, self._napped_at = 0, place
        self._napped_ns += held.length_ns
        if self._napped_ns >= _LONG_NAP_NS:
            length_ns, self._napped_ns = self._napped_ns, 0
            self._passed_ns += length_ns
            self._note(length_ns, True, False)
        if self._skips:
            self._skip(held.length_ns)
        self._end(held)

    def on_tick(self) -> None:
        """Do what time does while the program computes."""
        self.go_on()
        now_ns = time.monotonic_ns()
        if self._held and not self._passes_until_ns and now_ns - self._looked_ns >= _LOOK_NS:
            self._looked_ns = now_ns
            self._end_by_computing()

    def _end_by_computing(self) -> None:
        """End the waits that are as long as what the program has computed meanwhile."""
        used_ns = sum(map(processes.cpu_ns, processes.tree(self._roots())))
        for held in list(self._held):
            held.due_by_computing_ns = min(held.due_by_computing_ns, used_ns + held.length_ns)
            if held.due_by_computing_ns <= used_ns:
                self._end(held)

    def _is_still(self) -> bool:
        if self._listener is None or (not self._held and self._timers.earliest() is None):
            return False
        return self.is_asleep() and not abi.is_ready(self._listener)

    def _released(self) -> bool:
        """Let those go on whose wait something else has ended; whether there were any."""
        ended = [held for held in self._held if not abi.is_waiting(held.listener, held.call)]
        self._held = [held for held in self._held if held not in ended]
        over = [held for held in self._held if timed_waits.is_over(held.call.tid, held.pause)]
        for held in over:
            self._held.remove(held)
            timed_waits.end_otherwise(held.listener, held.call, held.pause)
        return bool(over) or self._are_interrupted()

    def _are_interrupted(self) -> bool:
        """Let those go on for whom a signal has come, which the kernel delivers once their call has returned."""
        if self._quiescence.count < 2 and not self._timers.are_used:
            return False
        found = [held for held in self._held if abi.has_signal(held.call.tid)]
        for held in found:
            self._held.remove(held)
            timed_waits.end_by_signal(held.listener, held.call, held.pause, held.due_ns - self._passed_ns)
        return bool(found)

    def _first(self) -> tuple[Timer | None, _Held | None]:
        """The timer or the wait that time comes for first."""
        timer = self._timers.earliest()
        held = min(self._held, key=lambda held: held.due_ns, default=None)
        if held is not None and timer is not None and timer.due_ns < held.due_ns:
            return timer, None
        return (None, held) if held is not None else (timer, None)

    def _skip(self, length_ns: int) -> None:
        if self._clock is not None:
            self._clock.skip(length_ns)

    def _end_due(self) -> None:
        """End the first wait that time has come for, or have a timer go off."""
        timer, held = self._first()
        if held is not None and held.due_ns <= self._passed_ns:
            self._end(held)
        elif timer is not None and timer.due_ns <= self._passed_ns:
            self._timers.go_off(timer, is_skipped=self._skips)
            self._are_interrupted()

    def _end(self, held: _Held) -> None:
        self._held.remove(held)
        timed_waits.end_by_time(held.listener, held.call, held.pause)

    def close(self) -> None:
        """Let all go."""
        self._held.clear()
        self._timers.forget()
