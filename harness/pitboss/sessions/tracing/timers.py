"""The clocks of a session as its tasks see them, and timers that a program has set.

A timer sends a signal, or makes a descriptor readable, while the program continues.

Alarms are implemented here, since the kernel does not know that time was skipped. The kernel implements timers on a
descriptor, and we make them go off through a descriptor of our own. The kernel also implements the timers of
timer_create(2), and we cannot make them go off, so their time really passes.

A task that has loaded our library sees the clocks of the seeded environment, any other task those of the machine. A
deadline is a time on one of these clocks, so the length of a wait follows from the times that its task read last.
"""

from __future__ import annotations

import ctypes
import os
import signal
import struct
import time

import msgspec

from pitboss.machine import abi
from pitboss.machine.abi import NR
from pitboss.sessions.determinism import REPORTED_TIMES, SeededEnvironment, preloaded_library
from pitboss.sessions.tracing.session_events import Stopwatch, requested_on_seeded_clocks_ns
from pitboss.sessions.tracing.timed_waits import LONGEST_NS, Now, lives

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


_NS = 1_000_000_000
_ITIMER_REAL = 0
_MONOTONIC = 1
#: The flag of a call that gives a deadline instead of a length.
_ABSOLUTE = 1
#: The kernel's structs itimerval and itimerspec: the interval, and the time until the timer first goes off, both as
#: seconds and a fraction.
_SPEC = struct.Struct("=4q")


class TimerCall(msgspec.Struct, frozen=True):
    """A call that sets, reads or deletes a timer."""

    #: Identifies the timer in its process: the kind of timer, and its id or descriptor number.
    key: tuple[str, int]
    #: The time until the timer first goes off; 0 for never.
    first_ns: int = 0
    #: The time between two times that the timer goes off; 0 if it goes off once.
    interval_ns: int = 0
    #: The address to write the remaining time to; 0 for none.
    left_at: int = 0
    #: Whether the call only reads the timer, and does not change it.
    only_reads: bool = False
    #: The time at which the timer first goes off, on the timer's clock; None if the call gave a length.
    deadline_ns: int | None = None


def call_in(call: abi.Notification, now: Now) -> TimerCall | None:
    """Returns the change that a call makes to a timer; None for any other call. OSError if the call would fail."""
    arguments = call.arguments
    if call.number == NR["alarm"]:
        return TimerCall(("alarm", 0), (arguments[0] & 0xFFFFFFFF) * _NS)
    if call.number in (NR["setitimer"], NR["getitimer"]):
        if arguments[0] & 0xFFFFFFFF != _ITIMER_REAL:
            return None
        if call.number == NR["getitimer"]:
            return TimerCall(("itimer", 0), left_at=arguments[1], only_reads=True)
        first_ns, interval_ns = _first_and_interval_ns(call.tid, arguments[1], unit_ns=1000)
        return TimerCall(("itimer", 0), first_ns, interval_ns, left_at=arguments[2])
    if call.number == NR["timerfd_settime"]:
        clock = _clock_of(call.tid, arguments[0])
        return _settime_call(call, ("descriptor", arguments[0]), clock, now, left_at=arguments[3])
    if call.number == NR["timer_settime"]:
        return _settime_call(call, ("timer", arguments[0]), _MONOTONIC, now)
    return TimerCall(("timer", arguments[0])) if call.number == NR["timer_delete"] else None


def _first_and_interval_ns(tid: int, address: int, unit_ns: int) -> tuple[int, int]:
    """Returns how long until a timer goes off, and its interval, in nanoseconds; OSError if these times are invalid.

    The times are read from a struct at this address, whose fractions of seconds count units of `unit_ns`.
    """
    if not address:
        return 0, 0
    interval_s, interval, first_s, first = _SPEC.unpack(abi.memory_of(tid, address, _SPEC.size))
    if min(interval_s, interval, first_s, first) < 0 or max(interval, first) * unit_ns >= _NS:
        raise OSError("not a time")
    return min(first_s * _NS + first * unit_ns, LONGEST_NS), min(interval_s * _NS + interval * unit_ns, LONGEST_NS)


def _settime_call(call: abi.Notification, key: tuple[str, int], clock: int, now: Now, *, left_at: int = 0) -> TimerCall:
    """Returns the change that timerfd_settime(2) or timer_settime(2) makes to a timer on this clock."""
    _, flags, address, _ = call.arguments[:4]
    first_ns, interval_ns = _first_and_interval_ns(call.tid, address, unit_ns=1)
    if first_ns and flags & _ABSOLUTE:
        left_ns = max(1, first_ns - now(call.tid, clock))
        return TimerCall(key, left_ns, interval_ns, left_at, deadline_ns=first_ns)
    return TimerCall(key, first_ns, interval_ns, left_at)


def _clock_of(tid: int, descriptor: int) -> int:
    """Returns the number of the clock of a timer on a descriptor."""
    with open(f"/proc/{tid}/fdinfo/{descriptor}", encoding="ascii") as info:
        return next((int(line.split()[1]) for line in info if line.startswith("clockid:")), _MONOTONIC)


class Timer:
    """A timer that is set; `due_ns` is when the timer goes off, in the time that passes for the program."""

    #: Whether the timer's time must really pass, since only the kernel can make the timer go off.
    is_real = False
    #: Whether the kernel itself makes the timer go off when its time really passes.
    is_kept_by_kernel = False

    def __init__(self, pid: int, due_ns: int, interval_ns: int) -> None:
        """A timer of the process `pid`; `interval_ns` is 0 if the timer goes off once."""
        self.pid, self.due_ns, self.interval_ns = pid, due_ns, interval_ns

    def is_set(self) -> bool:
        """Whether the timer will still go off."""
        return lives(self.pid)

    def go_off(self) -> None:
        """Send the timer's signal to the program, or make its descriptor readable; nothing if we can do neither."""

    def close(self) -> None:
        """Release the resources of the timer, if it has any."""


class _Alarm(Timer):
    """The timer of alarm(2) and setitimer(2)."""

    def go_off(self) -> None:
        try:
            os.kill(self.pid, signal.SIGALRM)
        except (ProcessLookupError, PermissionError):
            pass


class _DescriptorTimer(Timer):
    """A timer of timerfd_create(2)."""

    is_kept_by_kernel = True

    def __init__(self, pid: int, due_ns: int, interval_ns: int, number: int, our_descriptor: int) -> None:
        super().__init__(pid, due_ns, interval_ns)
        self._number, self._our_descriptor = number, our_descriptor

    def is_set(self) -> bool:
        current_spec = bytearray(_SPEC.size)
        abi.libc.timerfd_gettime(self._our_descriptor, _pointer_to(current_spec))  # fills current_spec
        try:  # the timer has no effect once the program has closed the descriptor
            is_open = "timerfd" in os.readlink(f"/proc/{self.pid}/fd/{self._number}")
        except OSError:
            is_open = False
        _, _, left_s, left_fraction_ns = _SPEC.unpack(current_spec)
        return is_open and (left_s > 0 or left_fraction_ns > 0)

    def go_off(self) -> None:
        _set_by_descriptor(self._our_descriptor, 1, self.interval_ns)  # in a nanosecond: 0 would switch the timer off

    def close(self) -> None:
        os.close(self._our_descriptor)


class _KernelTimer(Timer):
    """A timer of timer_create(2), which only the kernel can make go off."""

    is_real = is_kept_by_kernel = True


class Timers:
    """All timers of one session."""

    def __init__(self) -> None:
        #: The timers that are set, by process id, kind, and the timer's id or descriptor number.
        self._timers: dict[tuple[int, str, int], Timer] = {}
        #: Whether the session has ever used a timer.
        self.are_used = False

    def earliest(self) -> Timer | None:
        """Returns the timer that goes off first; None if no timer is set."""
        if not self._timers:
            return None
        for key in [key for key, timer in self._timers.items() if not timer.is_set()]:
            self._timers.pop(key).close()
        return min(self._timers.values(), key=lambda timer: timer.due_ns, default=None)

    def on_call(self, listener: int, call: abi.Notification, change: TimerCall, passed_ns: int) -> None:
        """Set, read or delete a timer, and answer the call; `passed_ns` is the time that has passed for the program."""
        self.are_used = True
        kind, number = change.key
        pid = abi.process_of(call.tid)
        key = (pid, "alarm" if kind == "itimer" else kind, number)
        old_timer = self._timers.get(key) if change.only_reads else self._timers.pop(key, None)
        due_ns = passed_ns + change.first_ns
        if kind in ("alarm", "itimer"):
            if change.first_ns:
                self._timers[key] = _Alarm(pid, due_ns, change.interval_ns)
            _answer_with_time_left(listener, call, change, old_timer, passed_ns)
            return
        if kind == "descriptor" and change.first_ns:
            our_descriptor = abi.descriptor_of(call.tid, number)
            previous_spec = _set_by_descriptor(our_descriptor, change.first_ns, change.interval_ns)
            if change.left_at:
                abi.write_memory_of(call.tid, change.left_at, previous_spec)
            self._timers[key] = _DescriptorTimer(pid, due_ns, change.interval_ns, number, our_descriptor)
            abi.answer(listener, call)
        else:
            if change.first_ns:
                self._timers[key] = _KernelTimer(pid, due_ns, change.interval_ns)
            abi.let_through(listener, call)
        if old_timer is not None:
            old_timer.close()

    def go_off(self, timer: Timer, *, is_skipped: bool) -> None:
        """Make a timer go off, and set it again if it has an interval; `is_skipped`: the timer's time was skipped."""
        if is_skipped or not timer.is_kept_by_kernel:  # otherwise the kernel has made the timer go off
            timer.go_off()
        if timer.interval_ns:
            timer.due_ns += timer.interval_ns
        else:
            self._timers = {key: other for key, other in self._timers.items() if other is not timer}
            timer.close()

    def forget(self) -> None:
        """Release all timers."""
        for timer in self._timers.values():
            timer.close()
        self._timers.clear()


def _answer_with_time_left(
    listener: int, call: abi.Notification, change: TimerCall, old: Timer | None, passed_ns: int
) -> None:
    """Answer a call for an alarm with the time that was left until the previous alarm, `old`."""
    left_ns = max(1000, old.due_ns - passed_ns) if old else 0  # at least a microsecond: 0 would mean no alarm
    if call.number == NR["alarm"]:  # to the nearest second, but never 0
        abi.answer(listener, call, max(1, (left_ns + _NS // 2) // _NS) if left_ns else 0)
        return
    if change.left_at:
        interval_ns = old.interval_ns if old else 0
        values = (interval_ns // _NS, interval_ns % _NS // 1000, left_ns // _NS, left_ns % _NS // 1000)
        abi.write_memory_of(call.tid, change.left_at, _SPEC.pack(*values))
    abi.answer(listener, call)


def _set_by_descriptor(descriptor: int, first_ns: int, interval_ns: int) -> bytes:
    """Set a timer through our descriptor; returns its previous interval and remaining time, as a struct itimerspec."""
    new = bytearray(_SPEC.pack(*divmod(interval_ns, _NS), *divmod(first_ns, _NS)))
    old = bytearray(_SPEC.size)
    abi.libc.timerfd_settime(descriptor, 0, _pointer_to(new), _pointer_to(old))  # fills old
    return bytes(old)


def _pointer_to(data: bytearray) -> object:
    return (ctypes.c_char * len(data)).from_buffer(data)
