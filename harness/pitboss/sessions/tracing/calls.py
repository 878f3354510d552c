"""Interprets stopped system calls: as a pause, a wait for a line, a change of the terminal, and so on.

If a program changes its terminal, we make the allowed part of the change for it. Echo stays off and a newline stays a
newline, so typed text never appears in the output. Text that the program has written remains in the output: a person at
the terminal would have seen it, even if the program discards it afterwards.
"""

from __future__ import annotations

import errno
import fcntl
import os
import struct
import termios
from typing import ClassVar

import msgspec

from pitboss.machine import abi
from pitboss.machine.abi import NR
from pitboss.machine.processes import READS, is_terminal
from pitboss.model.transcript import Remark
from pitboss.sandbox import filters
from pitboss.sandbox.filters import UNAVAILABLE_CALLS
from pitboss.sessions.tracing import timed_waits, timers
from pitboss.sessions.tracing.timed_waits import Now, Pause
from pitboss.sessions.tracing.timers import TimerCall

#: The sizes in bytes of the kernel's structs termios, termios2 and termio, by the request of ioctl(2) that sets a mode
#: from such a struct. Programs are stopped at no other request except TCFLSH.
_SIZES = dict.fromkeys((filters.TCSETS, filters.TCSETSW, filters.TCSETSF), 36)
_SIZES |= dict.fromkeys((filters.TCSETS2, filters.TCSETSW2, filters.TCSETSF2), 44)
_SIZES |= dict.fromkeys((filters.TCSETA, filters.TCSETAW, filters.TCSETAF), 18)
#: The four flag words at the beginning of termios and termios2, and at the beginning of termio.
_FLAGS, _OLD_FLAGS = struct.Struct("=4I"), struct.Struct("=4H")
#: Local flags that a program cannot switch on.
_ALWAYS_OFF = termios.ECHO | termios.ECHONL | termios.ISIG
#: The queues of tcflush(3) that contain typed text.
_INPUT_QUEUES = (termios.TCIFLUSH, termios.TCIOFLUSH)
#: All queues that tcflush(3) can flush.
_QUEUES = (*_INPUT_QUEUES, termios.TCOFLUSH)
#: The major device numbers of terminals: see devices.txt of the kernel.
_TERMINAL_MAJORS = (4, 5, *range(128, 144))


class TerminalCall(msgspec.Struct, frozen=True):
    """A change of the session's terminal; before `perform`, all output of the program so far must be read."""

    #: The remarks that the transcript gets because of the change.
    remarks: ClassVar[tuple[Remark, ...]] = ()

    def perform(self, terminal: int) -> int:
        """Make the change; returns the errno for the program, 0 for none."""
        raise NotImplementedError


class _ModeChange(TerminalCall, frozen=True):
    """A new terminal mode, in one of the kernel's structs."""

    request: int
    mode: bytes

    @property
    def _flags(self) -> struct.Struct:
        return _OLD_FLAGS if len(self.mode) == _SIZES[filters.TCSETA] else _FLAGS

    @property
    def remarks(self) -> tuple[Remark, ...]:  # type: ignore[override]
        _, _, _, local_flags = self._flags.unpack_from(self.mode)
        remarks = []
        if local_flags & termios.ECHO:
            remarks.append(Remark.ECHO)
        if not local_flags & termios.ICANON:
            remarks.append(Remark.RAW)
        return tuple(remarks)

    def perform(self, terminal: int) -> int:
        _, _, control_flags, local_flags = self._flags.unpack_from(self.mode)
        changed_mode = self._flags.pack(0, 0, control_flags, local_flags & ~_ALWAYS_OFF) + self.mode[self._flags.size :]
        try:
            fcntl.ioctl(terminal, self.request, changed_mode)
        except OSError as error:
            return error.errno or errno.EIO
        return 0


class _Flush(TerminalCall, frozen=True):
    """Discards typed text that the program has not read; written text is unaffected, since we have already read it."""

    queue: int

    def perform(self, terminal: int) -> int:
        if self.queue in _INPUT_QUEUES:
            termios.tcflush(terminal, termios.TCIFLUSH)
        return 0 if self.queue in _QUEUES else errno.EINVAL


class _Refused(TerminalCall, frozen=True):
    """A call that fails: its file is closed or not a terminal, or its mode cannot be read.

    We answer the call, since the kernel must not make it: another thread may have replaced the file by the terminal.
    """

    error: int

    def perform(self, terminal: int) -> int:
        return self.error


def _ioctl_call(call: abi.Notification, device: int) -> Call:
    """Returns the change that an ioctl makes to the terminal whose device number is `device`.

    Returns Other if the kernel may make the call, for another terminal: only an unconfined program can have one.
    """
    descriptor, request, argument = call.arguments[0], call.arguments[1] & 0xFFFFFFFF, call.arguments[2]
    try:
        # The file is looked up only once, since another thread may replace it.
        target_device = os.stat(f"/proc/{call.tid}/fd/{descriptor}").st_rdev
    except OSError:
        return _Refused(errno.EBADF)
    if target_device != device:
        return _OTHER if os.major(target_device) in _TERMINAL_MAJORS else _Refused(errno.ENOTTY)
    if request == filters.TCFLSH:
        return _Flush(argument)
    try:
        return _ModeChange(request, abi.memory_of(call.tid, argument, _SIZES[request]))
    except OSError:
        return _Refused(errno.EFAULT)


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


def _close_call(call: abi.Notification, device: int) -> Call:
    descriptor = call.arguments[0]
    return Closing(descriptor) if is_terminal(call.tid, descriptor, device) else _OTHER


#: Calls of other kinds, each with a function that returns the call's meaning.
_INTERPRETERS = {**dict.fromkeys(READS, _read_call), NR["ioctl"]: _ioctl_call, NR["close"]: _close_call}
#: Calls that mean the same with any arguments at which the filter stops them.
_MEANINGS: dict[int, Call] = {
    **{NR[name]: Replacing() for name in ("dup2", "dup3")},
    **{NR[name]: Start() for name in ("execve", "execveat")},
    **{NR[name]: Unavailable() for name in (*UNAVAILABLE_CALLS, "setsockopt")},
}
