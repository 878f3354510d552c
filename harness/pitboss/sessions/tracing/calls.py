"""Interprets stopped system calls: as a pause, a wait for a line, a change of the terminal, and so on."""

from __future__ import annotations

import msgspec

from pitboss.sandbox import abi
from pitboss.sandbox.abi import NR
from pitboss.sandbox.filters import UNAVAILABLE_CALLS
from pitboss.sandbox.processes import READS, is_terminal
from pitboss.sessions.tracing import terminal_calls, timed_waits, timers
from pitboss.sessions.tracing.terminal_calls import TerminalCall
from pitboss.sessions.tracing.timed_waits import Now, Pause
from pitboss.sessions.tracing.timers import TimerCall

#: The events of poll(2) that a typed line causes: POLLIN and POLLRDNORM.
_LINE_EVENTS = 0x001 | 0x040


class LineWait(msgspec.Struct, frozen=True):
    """A call that waits for a line to be typed."""


class Closing(msgspec.Struct, frozen=True):
    """A descriptor of the terminal is closed."""

    descriptor: int


class Replacing(msgspec.Struct, frozen=True):
    """Descriptor 0 may be replaced by another file."""


class Start(msgspec.Struct, frozen=True):
    """A process is about to execute another program."""


class Unavailable(msgspec.Struct, frozen=True):
    """A call that fails here with ENOSYS, since we could not follow what the program waits for or reads."""


class Other(msgspec.Struct, frozen=True):
    """Any other call: it does not matter for the session."""


Call = Pause | LineWait | TimerCall | TerminalCall | Closing | Replacing | Start | Unavailable | Other
_OTHER, _LINE_WAIT = Other(), LineWait()


def call_in(notification: abi.Notification, device: int, now: Now, *, is_input_the_terminal: bool = False) -> Call:
    """Returns the meaning of a stopped system call; `device` is the device number of the session's terminal.

    With `is_input_the_terminal` descriptor 0 of every process is certainly that terminal. Then a read needs no check,
    since the filter stops only reads of descriptor 0.
    A call with an invalid address is Other: the kernel itself returns the error to the program.
    """
    number = notification.number
    if is_input_the_terminal and number in READS:
        return _LINE_WAIT
    if number in _MEANINGS:
        return _MEANINGS[number]
    try:
        if timed_waits.is_sleep(notification):
            return timed_waits.pause_in(notification, now) or _OTHER
        if number in _INTERPRETERS:
            return _INTERPRETERS[number](notification, device)
        if number in _TERMINAL_CHECKS and _TERMINAL_CHECKS[number](notification, device):
            return _LINE_WAIT
        return timers.call_in(notification, now) or timed_waits.pause_in(notification, now) or _OTHER
    except OSError:
        return _OTHER


def _read_call(call: abi.Notification, device: int) -> Call:
    return _LINE_WAIT if is_terminal(call.tid, call.arguments[READS[call.number]], device) else _OTHER


def _polls_terminal(call: abi.Notification, device: int) -> bool:
    """Whether a poll waits for a line; the length of its timeout does not matter, since we type the line at once."""
    if call.number == NR["poll"]:  # its timeout is an int, so only the lower half of the register counts
        is_immediate = not call.arguments[2] & 0xFFFFFFFF
    else:
        is_immediate = bool(call.arguments[2]) and not timed_waits.timespec(call.tid, call.arguments[2])
    return not is_immediate and _waits_for_terminal(call, timed_waits.descriptors_of_poll(call), device)


def _selects_terminal(call: abi.Notification, device: int) -> bool:
    """Whether a select waits for a line."""
    timeout = call.arguments[4]
    # A timeval or timespec, 16 bytes; if all are 0 the call does not wait.
    is_immediate = bool(timeout) and not any(abi.memory_of(call.tid, timeout, 16))
    return not is_immediate and _waits_for_terminal(call, timed_waits.descriptors_of_select(call), device)


def _waits_for_terminal(call: abi.Notification, polled: list[tuple[int, int]], device: int) -> bool:
    """Whether one of the `polled` pairs of descriptor and events is the terminal, with an event that a line causes."""
    return any(events & _LINE_EVENTS and is_terminal(call.tid, descriptor, device) for descriptor, events in polled)


def _epolls_terminal(call: abi.Notification, device: int) -> bool:
    """Whether an epoll_wait watches the terminal."""
    try:  # the kernel lists the watched descriptors in lines such as "tfd: 5 …"
        with open(f"/proc/{call.tid}/fdinfo/{call.arguments[0]}", encoding="ascii") as info:
            descriptors = [int(line.split()[1]) for line in info if line.startswith("tfd:")]
    except (OSError, ValueError, IndexError):
        return False
    return any(is_terminal(call.tid, descriptor, device) for descriptor in descriptors)


#: Calls that wait for descriptors, each with a function that returns whether the terminal is one of them.
_TERMINAL_CHECKS = {
    NR["poll"]: _polls_terminal,
    NR["ppoll"]: _polls_terminal,
    NR["select"]: _selects_terminal,
    NR["pselect6"]: _selects_terminal,
    NR["epoll_wait"]: _epolls_terminal,
    NR["epoll_pwait"]: _epolls_terminal,
    NR["epoll_pwait2"]: _epolls_terminal,
}


def _ioctl_call(call: abi.Notification, device: int) -> Call:
    return terminal_calls.call_in(call, device) or _OTHER


def _close_call(call: abi.Notification, device: int) -> Call:
    descriptor = call.arguments[0]
    return Closing(descriptor) if is_terminal(call.tid, descriptor, device) else _OTHER


#: Calls of other kinds, each with a function that returns the call's meaning.
_INTERPRETERS = {
    **dict.fromkeys(READS, _read_call),
    NR["ioctl"]: _ioctl_call,
    NR["close"]: _close_call,
}
#: Calls that mean the same with any arguments at which the filter stops them.
_MEANINGS: dict[int, Call] = {
    **{NR[name]: Replacing() for name in ("dup2", "dup3")},
    **{NR[name]: Start() for name in ("execve", "execveat")},
    **{NR[name]: Unavailable() for name in (*UNAVAILABLE_CALLS, "setsockopt")},
}
