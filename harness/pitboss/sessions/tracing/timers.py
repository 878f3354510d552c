"""Timers that a program has set: they send a signal or make a descriptor readable while it waits in another call.

An alarm is implemented here, since the kernel does not know that time was skipped. A timer on a descriptor is the
kernel's, and we make it go off through a descriptor of our own. A timer of timer_create(2) is entirely the kernel's, so
its time really passes.
"""

from __future__ import annotations

import ctypes
import os
import signal
import struct

import msgspec

from pitboss.sandbox import abi
from pitboss.sandbox.abi import NR
from pitboss.sessions.tracing.quiescence import lives
from pitboss.sessions.tracing.timed_waits import LONGEST_NS, Now

_NS = 1_000_000_000
_ITIMER_REAL = 0
_MONOTONIC = 1
_ABSOLUTE = 1
_SPEC = struct.Struct("=4q")


class TimerCall(msgspec.Struct, frozen=True):
    """A call that sets, reads or deletes a timer: nanoseconds until it first goes off (0: never) and its interval."""

    #: Which of the program's timers.
    key: tuple[str, int]
    first_ns: int = 0
    interval_ns: int = 0
    #: The address to write the remaining time to; 0 for none.
    left_at: int = 0
    only_reads: bool = False
    #: When it first goes off, on its own clock; None if it was set by a length.
    deadline_ns: int | None = None


def call_in(call: abi.Notification, now: Now) -> TimerCall | None:
    """The change that a call makes to a timer; None for any other call. Raises OSError if the kernel would refuse."""
    first, second, third, fourth = call.arguments[:4]
    if call.number == NR["alarm"]:
        return TimerCall(("alarm", 0), (first & 0xFFFFFFFF) * _NS)
    if call.number in (NR["setitimer"], NR["getitimer"]):
        if first & 0xFFFFFFFF != _ITIMER_REAL:
            return None
        if call.number == NR["getitimer"]:
            return TimerCall(("itimer", 0), left_at=second, only_reads=True)
        return TimerCall(("itimer", 0), *_spec(call.tid, second, 1000), left_at=third)
    if call.number == NR["timerfd_settime"]:
        clock = _clock_of(call.tid, first)
        return _set_until(call, ("descriptor", first), clock, now, left_at=fourth)
    if call.number == NR["timer_settime"]:
        return _set_until(call, ("timer", first), _MONOTONIC, now)
    return TimerCall(("timer", first)) if call.number == NR["timer_delete"] else None


def _spec(tid: int, address: int, unit_ns: int) -> tuple[int, int]:
    """How long until a timer goes off, and its interval, in nanoseconds; OSError if the kernel would refuse it."""
    if not address:
        return 0, 0
    again_s, again, first_s, first = _SPEC.unpack(abi.memory_of(tid, address, _SPEC.size))
    if min(again_s, again, first_s, first) < 0 or max(again, first) * unit_ns >= _NS:
        raise OSError("not a time")
    return min(first_s * _NS + first * unit_ns, LONGEST_NS), min(again_s * _NS + again * unit_ns, LONGEST_NS)


def _set_until(call: abi.Notification, key: tuple[str, int], clock: int, now: Now, *, left_at: int = 0) -> TimerCall:
    _, flags, address, _ = call.arguments[:4]
    first_ns, interval_ns = _spec(call.tid, address, 1)
    if first_ns and flags & _ABSOLUTE:
        left_ns = max(1, first_ns - now(call.tid, clock))
        return TimerCall(key, left_ns, interval_ns, left_at, deadline_ns=first_ns)
    return TimerCall(key, first_ns, interval_ns, left_at)


def _clock_of(tid: int, descriptor: int) -> int:
    with open(f"/proc/{tid}/fdinfo/{descriptor}", encoding="ascii") as info:
        return next((int(line.split()[1]) for line in info if line.startswith("clockid:")), 1)


class Timer:
    """A timer that is set; `due_ns` is when it goes off, in the time that passes for the program."""

    #: Whether its time must really pass, since we cannot make it go off earlier.
    is_real = False
    #: Whether the kernel fires it when its time really passes.
    is_kernels = False

    def __init__(self, group: int, due_ns: int, interval_ns: int) -> None:
        """A timer of the process `group`; `interval_ns` is 0 for one that goes off once."""
        self.group, self.due_ns, self.interval_ns = group, due_ns, interval_ns

    def is_set(self) -> bool:
        """Whether it will still go off."""
        return lives(self.group)

    def go_off(self) -> None:
        """Send the timer's signal to the program, or make its descriptor readable."""

    def close(self) -> None:
        """Release the resources of the timer."""


class _Alarm(Timer):
    def go_off(self) -> None:
        try:
            os.kill(self.group, signal.SIGALRM)
        except (ProcessLookupError, PermissionError):
            pass


class _OnDescriptor(Timer):
    is_kernels = True

    def __init__(self, group: int, due_ns: int, interval_ns: int, number: int, ours: int) -> None:
        super().__init__(group, due_ns, interval_ns)
        self._number, self._ours = number, ours

    def is_set(self) -> bool:
        left = bytearray(_SPEC.size)
        abi.libc.timerfd_gettime(self._ours, _pointer(left))
        try:  # it does nothing once the program has closed it
            is_open = "timerfd" in os.readlink(f"/proc/{self.group}/fd/{self._number}")
        except OSError:
            is_open = False
        return is_open and any(_SPEC.unpack(left)[2:])

    def go_off(self) -> None:
        _set(self._ours, 1, self.interval_ns)

    def close(self) -> None:
        os.close(self._ours)


class _Kernels(Timer):
    is_real = is_kernels = True


class Timers:
    """The timers of the programs of a session."""

    def __init__(self) -> None:
        self._set: dict[tuple[int, str, int], Timer] = {}
        #: Whether any was ever set.
        self.are_used = False

    def earliest(self) -> Timer | None:
        """The timer that goes off first; None if none is set."""
        if not self._set:
            return None
        for key in [key for key, timer in self._set.items() if not timer.is_set()]:
            self._set.pop(key).close()
        return min(self._set.values(), key=lambda timer: timer.due_ns, default=None)

    def on_call(self, listener: int, call: abi.Notification, change: TimerCall, passed_ns: int) -> None:
        """Set, read or delete a timer, and answer the program; `passed_ns` is the time that has passed for it."""
        self.are_used = True
        kind, number = change.key
        group = abi.group_of(call.tid)
        key = (group, "alarm" if kind == "itimer" else kind, number)
        old = self._set.get(key) if change.only_reads else self._set.pop(key, None)
        due_ns = passed_ns + change.first_ns
        if kind in ("alarm", "itimer"):
            if change.first_ns:
                self._set[key] = _Alarm(group, due_ns, change.interval_ns)
            _answer_left(listener, call, change, old, passed_ns)
            return
        if kind == "descriptor" and change.first_ns:
            ours = abi.descriptor_of(call.tid, number)
            left = _set(ours, change.first_ns, change.interval_ns)
            if change.left_at:
                abi.write_memory_of(call.tid, change.left_at, left)
            self._set[key] = _OnDescriptor(group, due_ns, change.interval_ns, number, ours)
            abi.answer(listener, call)
        else:
            if change.first_ns:
                self._set[key] = _Kernels(group, due_ns, change.interval_ns)
            abi.let_through(listener, call)
        if old is not None:
            old.close()

    def go_off(self, timer: Timer, *, is_skipped: bool) -> None:
        """Fire a timer, and set it again if it has an interval; `is_skipped`: its time was skipped."""
        if is_skipped or not timer.is_kernels:
            timer.go_off()
        if timer.interval_ns:
            timer.due_ns += timer.interval_ns
        else:
            self._set = {key: other for key, other in self._set.items() if other is not timer}
            timer.close()

    def forget(self) -> None:
        """Release all timers."""
        for timer in self._set.values():
            timer.close()
        self._set.clear()


def _answer_left(listener: int, call: abi.Notification, change: TimerCall, old: Timer | None, passed_ns: int) -> None:
    """Answer with the time that was left until an alarm."""
    left_ns = max(1000, old.due_ns - passed_ns) if old else 0
    if call.number == NR["alarm"]:  # to the nearest second, but never 0
        abi.answer(listener, call, max(1, (left_ns + _NS // 2) // _NS) if left_ns else 0)
        return
    if change.left_at:
        again = old.interval_ns if old else 0
        values = (again // _NS, again % _NS // 1000, left_ns // _NS, left_ns % _NS // 1000)
        abi.write_memory_of(call.tid, change.left_at, _SPEC.pack(*values))
    abi.answer(listener, call)


def _set(descriptor: int, first_ns: int, interval_ns: int) -> bytes:
    """Set a timer through our descriptor for it; returns the time that was left, as a struct itimerspec."""
    new = bytearray(_SPEC.pack(*divmod(interval_ns, _NS), *divmod(first_ns, _NS)))
    old = bytearray(_SPEC.size)
    abi.libc.timerfd_settime(descriptor, 0, _pointer(new), _pointer(old))
    return bytes(old)


def _pointer(data: bytearray) -> object:
    return (ctypes.c_char * len(data)).from_buffer(data)
