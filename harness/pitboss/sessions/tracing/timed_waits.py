"""Interprets calls that wait for time to pass: how long a call waits, what else ends the wait, and what it returns.

A program waits if no thread of any of its processes runs or is ready to run.
"""

from __future__ import annotations

import errno
import os
import select
import struct
from collections.abc import Callable, Collection, Iterable

import msgspec

from pitboss.machine import abi
from pitboss.machine.abi import NR
from pitboss.machine.processes import ASLEEP, GONE, VFORK_CALLS, is_gone, names_in, state_in, text_of


class Quiescence:
    """Checks whether all tasks of a program wait."""

    def __init__(self) -> None:
        #: The task that was last seen running, or 0: usually it still runs, and the other tasks need not be checked.
        self._runner = 0
        #: The number of tasks at the last full check.
        self.count = 0

    def are_all_waiting(self, roots: Iterable[int], stopped: Collection[int]) -> bool:
        """Whether all tasks of the processes `roots` and their descendants wait.

        `stopped` are tasks that wait for our answer. The first of `roots` is the program itself: once the program has
        ended the result is False.

        A task may be woken after we checked it, by a task that we check later. So all tasks are checked twice: if none
        has run in between, there was a moment at which all tasks waited.
        """
        if self._runner and not _is_inactive(self._runner, is_stopped=self._runner in stopped):
            return False
        self._runner = 0
        roots = list(roots)
        if len(stopped) == 1 and list(stopped) == roots and _is_single_task(roots[0]):
            self.count = 1  # the program's only task waits for our answer
            return True
        counts_before = self._run_counts(roots, stopped)
        if counts_before is None or counts_before != self._run_counts(roots, stopped):
            return False
        return not is_gone(roots[0])

    def is_alone(self, roots: list[int], tid: int) -> bool:
        """Whether this task is the program's only task."""
        return roots == [tid] and _is_single_task(tid)

    def _run_counts(self, roots: list[int], stopped: Collection[int]) -> dict[int, str] | None:
        """Returns how often each task has run, by the task's id; None if a task runs now."""
        run_counts = {}
        unchecked_pids = list(roots)
        while unchecked_pids:
            pid = unchecked_pids.pop()
            for tid in map(int, names_in(f"/proc/{pid}/task")):
                if not _is_inactive(tid, is_stopped=tid in stopped):
                    self._runner = tid
                    return None
                # The last number is how often the task was given a core.
                run_counts[tid] = text_of(f"/proc/{tid}/schedstat").rpartition(" ")[2]
                unchecked_pids += map(int, text_of(f"/proc/{pid}/task/{tid}/children").split())
        self.count = len(run_counts)
        return run_counts


def lives(pid: int) -> bool:
    """Whether a process has not ended."""
    return state_in(f"/proc/{pid}/stat") not in GONE


def _is_single_task(pid: int) -> bool:
    """Whether a process has one thread and no child."""
    try:
        # The link count of this folder is 2 plus the number of threads.
        return os.stat(f"/proc/{pid}/task").st_nlink == 3 and not text_of(f"/proc/{pid}/task/{pid}/children")
    except OSError:
        return False


def _is_inactive(tid: int, *, is_stopped: bool) -> bool:
    """Whether a task sleeps until it is woken, or has ended.

    A task in state D (uninterruptible sleep) counts only if it waits for our answer or for a vfork child.
    """
    state = state_in(f"/proc/{tid}/stat")
    if state == "D":
        return is_stopped or text_of(f"/proc/{tid}/syscall").partition(" ")[0] in VFORK_CALLS
    return state in ASLEEP or state in GONE


_NS = 1_000_000_000
#: The longest wait in nanoseconds: 146 years, about half the range of the kernel's own clocks (KTIME_MAX). A call that
#: asks for more is treated as a wait of this length.
LONGEST_NS = 1 << 62
#: The flag of clock_nanosleep for a deadline instead of a length.
_TIMER_ABSTIME = 1
#: The numbers of two clocks: see clock_gettime(2).
_REALTIME, _MONOTONIC = 0, 1
#: The invalid address in a call that is a step of a wait that polls the clock: see clocks.c.
_STEP_MARK = 1
#: The bits of a futex operation that contain the command.
_FUTEX_COMMAND = 0x7F
#: The command that gives the length of the wait; the other command, FUTEX_WAIT_BITSET, gives a deadline.
_FUTEX_WAIT = 0
#: The flag of a futex operation for a deadline on the real-time clock.
_FUTEX_REALTIME = 256
#: The events of poll(2) for the readable, writable and exceptional sets of select(2).
_SET_EVENTS = (select.POLLIN | select.POLLHUP | select.POLLERR, select.POLLOUT | select.POLLERR, select.POLLPRI)

#: Called with the id of a task and the number of a clock; returns the time that the task sees, in nanoseconds.
Now = Callable[[int, int], int]


class Futex(msgspec.Struct, frozen=True):
    """The event that another thread changes the word of memory at `address`, which contained `value`."""

    address: int
    value: int

    def has_happened(self, tid: int) -> bool:
        """Whether the word has changed; we must read it, since the kernel does not know that the stopped task waits."""
        (current,) = struct.unpack("=I", abi.memory_of(tid, self.address, 4))
        return bool(current != self.value)


class Descriptors(msgspec.Struct, frozen=True):
    """The event that something happens on a descriptor.

    `wanted` are pairs of a descriptor's number and the events that the task waits for on it; see poll(2).
    """

    wanted: tuple[tuple[int, int], ...]

    def has_happened(self, tid: int) -> bool:
        """Whether one of these events has occurred; OSError or ValueError for a descriptor that we cannot poll."""
        poll = select.poll()
        duplicates = []
        try:
            for number, events in self.wanted:
                duplicates.append(abi.descriptor_of(tid, number))
                poll.register(duplicates[-1], events)
            return bool(poll.poll(0))
        finally:
            for duplicate in duplicates:
                os.close(duplicate)


class Signals(msgspec.Struct, frozen=True):
    """The event that one of these signals becomes pending; bit 0 of `mask` is signal 1."""

    mask: int

    def has_happened(self, tid: int) -> bool:
        """Whether one of the signals is pending."""
        return bool(self.mask & abi.signals_of(tid, "SigPnd", "ShdPnd"))


class Pause(msgspec.Struct):
    """A wait that ends when its time has passed."""

    #: The length of the wait. If the call gave a deadline: the time left when we saw the call, so a bit too short.
    duration_ns: int
    #: The time at which the wait ends, on the clock that the call named; None if the call gave a length.
    deadline_ns: int | None = None
    #: The errno with which the call fails when the time has passed; 0 if the call then returns 0.
    error: int = 0
    #: The event that ends the wait early; None if only a signal does.
    early_event: Futex | Descriptors | Signals | None = None
    #: The address to write the remaining time to when a signal ends the wait; 0 for none.
    remainder_at: int = 0
    #: Addresses and sizes of the memory that is cleared when the time has passed: descriptor sets, or returned events.
    cleared: tuple[tuple[int, int], ...] = ()
    #: Whether the program certainly reads the clock after the wait, and waits again if the clock has not moved.
    looks_at_clock: bool = False

    @property
    def is_step(self) -> bool:
        """Whether this is a step of a wait that polls the clock (see clocks.c), so that its length is not exact."""
        return self.remainder_at == _STEP_MARK


def timespec(tid: int, address: int) -> int:
    """Returns a struct timespec of another task in nanoseconds, at most `LONGEST_NS`; OSError if it is invalid."""
    seconds, nanoseconds = struct.unpack("=qq", abi.memory_of(tid, address, 16))
    if not 0 <= nanoseconds < _NS or seconds < 0:
        raise OSError("not a timespec")
    return min(int(seconds) * _NS + int(nanoseconds), LONGEST_NS)


def _time_until(tid: int, address: int, clock: int, now: Now) -> tuple[int, int]:
    """Returns the time left until the deadline at this address, and the deadline, in nanoseconds."""
    deadline_ns = timespec(tid, address)
    return max(0, deadline_ns - now(tid, clock)), deadline_ns


def pause_in(call: abi.Notification, now: Now) -> Pause | None:
    """Returns the wait that a call makes; None if the call does not wait for time. OSError if the call would fail."""
    if call.number in _DESCRIPTOR_WAITS:
        timeout_of, index, pause_of = _DESCRIPTOR_WAITS[call.number]
        timeout_ns = timeout_of(call.tid, call.arguments[index])
        return pause_of(call, timeout_ns) if timeout_ns else None
    interpret = _INTERPRETERS.get(call.number)
    return interpret(call, now) if interpret else None


def is_sleep(call: abi.Notification) -> bool:
    """Whether a call is nanosleep or clock_nanosleep, which nearly all programs use to wait."""
    return call.number in _SLEEPS


def _pause_of_nanosleep(call: abi.Notification, now: Now) -> Pause:
    return Pause(timespec(call.tid, call.arguments[0]), remainder_at=call.arguments[1])


def _pause_of_clock_nanosleep(call: abi.Notification, now: Now) -> Pause:
    clock, flags, address, remainder_at = call.arguments[:4]
    if flags & _TIMER_ABSTIME:
        return Pause(*_time_until(call.tid, address, _signed_int(clock), now))
    return Pause(timespec(call.tid, address), remainder_at=remainder_at)


def _pause_of_futex(call: abi.Notification, now: Now) -> Pause:
    address, operation, value, timeout = call.arguments[:4]
    change = Futex(address, value & 0xFFFFFFFF)
    if operation & _FUTEX_COMMAND == _FUTEX_WAIT:
        return Pause(timespec(call.tid, timeout), error=errno.ETIMEDOUT, early_event=change)
    clock = _REALTIME if operation & _FUTEX_REALTIME else _MONOTONIC
    return Pause(*_time_until(call.tid, timeout, clock, now), errno.ETIMEDOUT, change, looks_at_clock=True)


def _pause_of_sigtimedwait(call: abi.Notification, now: Now) -> Pause:
    (mask,) = struct.unpack("=Q", abi.memory_of(call.tid, call.arguments[0], 8))
    return Pause(timespec(call.tid, call.arguments[2]), error=errno.EAGAIN, early_event=Signals(mask))


def _signed_int(argument: int) -> int:
    """Returns the value of an int argument: the kernel reads only the lower half of its register."""
    return (argument & 0x7FFFFFFF) - (argument & 0x80000000)


def _timeout_in_ms(tid: int, argument: int) -> int:
    """Returns a timeout in milliseconds as nanoseconds; 0 if it is negative, which means no timeout."""
    return max(0, _signed_int(argument)) * 1_000_000


def _timeout_in_timespec(tid: int, address: int) -> int:
    """Returns the timeout in a struct timespec; 0 without an address, which means no timeout."""
    return timespec(tid, address) if address else 0


def _timeout_in_timeval(tid: int, address: int) -> int:
    """Returns the timeout in a struct timeval; 0 without an address, which means no timeout."""
    if not address:
        return 0
    seconds, microseconds = struct.unpack("=qq", abi.memory_of(tid, address, 16))
    if seconds < 0 or microseconds < 0:
        raise OSError("not a timeval")
    return min(int(seconds) * _NS + int(microseconds) * 1000, LONGEST_NS)


def descriptors_of_poll(call: abi.Notification) -> list[tuple[int, int]]:
    """Returns the descriptors of a poll, and the events that it waits for on each."""
    count = _entry_count(call)
    entries = abi.much_memory_of(call.tid, call.arguments[0], 8 * count) if count else b""
    return [(number, events) for number, events, _ in struct.iter_unpack("=ihh", entries) if number >= 0]


def _entry_count(call: abi.Notification) -> int:
    """Returns how many entries a poll has; OSError, as poll(2) says, if they are more than a program may have files."""
    count = call.arguments[1] & 0xFFFFFFFF
    if count > abi.max_files_of_a_program():
        raise OSError(errno.EINVAL, "more entries than a program can have files")
    return count


def _pause_of_poll(call: abi.Notification, timeout_ns: int) -> Pause:
    wanted = tuple(descriptors_of_poll(call))
    # Only the returned events (revents), the last two bytes of each entry, are cleared.
    revents = tuple((call.arguments[0] + 8 * index + 6, 2) for index in range(_entry_count(call)))
    return Pause(timeout_ns, early_event=Descriptors(wanted) if wanted else None, cleared=revents)


def descriptors_of_select(call: abi.Notification) -> list[tuple[int, int]]:
    """Returns the descriptors of a select, and the events that it waits for on each."""
    selection = []
    for (address, size), events in zip(_sets(call), _SET_EVENTS, strict=True):
        bits = int.from_bytes(abi.much_memory_of(call.tid, address, size), "little") if address and size else 0
        selection += [(number, events) for number in range(_selected_count(call)) if bits >> number & 1]
    return selection


def _selected_count(call: abi.Notification) -> int:
    """Returns from how many descriptors a select selects; OSError if the number is negative.

    A number above the maximum number of descriptors means all descriptors, as for the kernel.
    """
    count = _signed_int(call.arguments[0])
    if count < 0:
        raise OSError(errno.EINVAL, "a negative number of descriptors")
    return min(count, abi.max_files_of_a_program())


def _sets(call: abi.Notification) -> list[tuple[int, int]]:
    """Returns the addresses and sizes of the three descriptor sets of a select."""
    size = (_selected_count(call) + 63) // 64 * 8  # one bit for each descriptor, in words of 8 bytes
    return [(address, size) for address in call.arguments[1:4]]


def _pause_of_select(call: abi.Notification, timeout_ns: int) -> Pause:
    wanted = tuple(descriptors_of_select(call))
    sets = tuple((address, size) for address, size in _sets(call) if address and size)
    return Pause(timeout_ns, early_event=Descriptors(wanted) if wanted else None, cleared=sets)


def _pause_of_epoll(call: abi.Notification, timeout_ns: int) -> Pause:
    return Pause(timeout_ns, early_event=Descriptors(((call.arguments[0], select.POLLIN),)))


#: Calls that wait for descriptors: what reads the timeout from an argument, which argument that is, and the pause.
_DESCRIPTOR_WAITS: dict[int, tuple[Callable[[int, int], int], int, Callable[[abi.Notification, int], Pause]]] = {
    NR["poll"]: (_timeout_in_ms, 2, _pause_of_poll),
    NR["ppoll"]: (_timeout_in_timespec, 2, _pause_of_poll),
    NR["select"]: (_timeout_in_timeval, 4, _pause_of_select),
    NR["pselect6"]: (_timeout_in_timespec, 4, _pause_of_select),
    NR["epoll_wait"]: (_timeout_in_ms, 3, _pause_of_epoll),
    NR["epoll_pwait"]: (_timeout_in_ms, 3, _pause_of_epoll),
    NR["epoll_pwait2"]: (_timeout_in_timespec, 3, _pause_of_epoll),
}
#: All other calls that wait for time.
_INTERPRETERS: dict[int, Callable[[abi.Notification, Now], Pause]] = {
    NR["nanosleep"]: _pause_of_nanosleep,
    NR["clock_nanosleep"]: _pause_of_clock_nanosleep,
    NR["futex"]: _pause_of_futex,
    NR["rt_sigtimedwait"]: _pause_of_sigtimedwait,
}


_SLEEPS = frozenset({NR["nanosleep"], NR["clock_nanosleep"]})


def has_event_ended_wait(tid: int, pause: Pause) -> bool:
    """Whether an event has ended a wait early; True also if we cannot tell, since the kernel then decides."""
    try:
        return pause.early_event is not None and pause.early_event.has_happened(tid)
    except (OSError, ValueError):
        return True


def end_by_time(listener: int, call: abi.Notification, pause: Pause) -> None:
    """Let a task return from its wait as the kernel does when the time has passed."""
    for address, size in pause.cleared:
        abi.write_memory_of(call.tid, address, bytes(size))
    abi.answer(listener, call, error=pause.error)


def end_by_signal(listener: int, call: abi.Notification, pause: Pause, left_ns: int) -> None:
    """Let a task return from its wait as the kernel does when a signal has ended it, `left_ns` before its time."""
    if pause.remainder_at:
        abi.write_memory_of(call.tid, pause.remainder_at, struct.pack("=qq", *divmod(max(0, left_ns), _NS)))
    abi.answer(listener, call, error=errno.EINTR)


def end_by_event(listener: int, call: abi.Notification, pause: Pause) -> None:
    """Let a task return from a wait that an event has ended early: the kernel makes the call, and need not wait.

    A futex call is answered here instead, since the kernel must not wait in that call: its clock may differ from the
    program's clock.
    """
    if isinstance(pause.early_event, Futex):
        abi.answer(listener, call, error=errno.EAGAIN)
    else:
        abi.let_through(listener, call)
