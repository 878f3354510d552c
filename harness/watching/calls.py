"""What a stopped system call means for the session: a pause, a wait for a line, a change of the terminal."""

from __future__ import annotations

import fcntl
import struct
import termios
import time
from dataclasses import dataclass

from harness.transcript import Remark
from harness.watching import abi
from harness.watching.abi import NR
from harness.watching.processes import is_terminal

_NS = 1_000_000_000
_POLLIN = 0x001 | 0x040  # POLLIN, POLLRDNORM
_TIMER_ABSTIME = 1


@dataclass(frozen=True, slots=True)
class Pause:
    """A sleep. One until a deadline was measured when we saw it, so it was asked for as a little more than that."""

    duration_ns: int
    is_until_deadline: bool = False


@dataclass(frozen=True, slots=True)
class Wait:
    """A wait for a line to be typed."""


@dataclass(frozen=True, slots=True)
class ModeChange:
    """A new mode for the terminal, as the kernel's struct termios or termios2."""

    request: int
    mode: bytes


@dataclass(frozen=True, slots=True)
class Closing:
    """The terminal is closed on one of the three standard descriptors."""

    descriptor: int


@dataclass(frozen=True, slots=True)
class Replacing:
    """Something else is put in the place of descriptor 0."""


@dataclass(frozen=True, slots=True)
class Start:
    """Another program is about to begin in some process."""


@dataclass(frozen=True, slots=True)
class Other:
    """Nothing that matters here."""


Call = Pause | Wait | ModeChange | Closing | Replacing | Start | Other
_READS = (NR["read"], NR["readv"])
_OTHER, _WAIT, _START = Other(), Wait(), Start()


def call_in(notification: abi.Notification, device: int, *, has_input: bool = False) -> Call:
    """Read a notification; `device` is the device number of the session's terminal.

    `has_input` says that descriptor 0 of every process is known to be that terminal, which saves a look.
    An address that is none of the program's makes it Other: the kernel itself will tell the program so.
    """
    if has_input and notification.number in _READS:
        return _WAIT
    meaning = _MEANINGS.get(notification.number)
    try:
        return meaning(notification, device) if meaning else _OTHER
    except OSError:
        return _OTHER


def _of_read(call: abi.Notification, device: int) -> Call:
    return _WAIT if is_terminal(call.tid, call.arguments[0], device) else _OTHER


def _of_nanosleep(call: abi.Notification, device: int) -> Call:
    return Pause(_timespec(call.tid, call.arguments[0]))


def _of_clock_nanosleep(call: abi.Notification, device: int) -> Call:
    clock, flags, address = call.arguments[:3]
    asked_ns = _timespec(call.tid, address)
    if flags & _TIMER_ABSTIME:
        return Pause(max(0, asked_ns - time.clock_gettime_ns(clock)), is_until_deadline=True)
    return Pause(asked_ns)


def _of_poll(call: abi.Notification, device: int) -> Call:
    timeout_ms = struct.unpack("=i", struct.pack("=I", call.arguments[2] & 0xFFFFFFFF))[0]
    return _poll(call, device, None if timeout_ms < 0 else timeout_ms * 1_000_000)


def _of_ppoll(call: abi.Notification, device: int) -> Call:
    return _poll(call, device, _timespec(call.tid, call.arguments[2]) if call.arguments[2] else None)


def _poll(call: abi.Notification, device: int, timeout_ns: int | None) -> Call:
    address, count = call.arguments[:2]
    descriptor, events = struct.unpack("=ih", abi.memory_of(call.tid, address, 6)) if count else (-1, 0)
    if descriptor < 0:
        return _OTHER if timeout_ns is None else Pause(timeout_ns)
    waits = events & _POLLIN and timeout_ns != 0 and is_terminal(call.tid, descriptor, device)
    return _WAIT if waits else _OTHER


def _of_select(call: abi.Notification, device: int) -> Call:
    address = call.arguments[4]
    seconds, microseconds = struct.unpack("=qq", abi.memory_of(call.tid, address, 16)) if address else (0, 0)
    return _select(call, device, seconds * _NS + microseconds * 1000 if address else None)


def _of_pselect(call: abi.Notification, device: int) -> Call:
    address = call.arguments[4]
    return _select(call, device, _timespec(call.tid, address) if address else None)


def _select(call: abi.Notification, device: int, timeout_ns: int | None) -> Call:
    count, readable = call.arguments[:2]
    reads = count and readable and abi.memory_of(call.tid, readable, 1)[0] & 1
    if not reads:
        return _OTHER if timeout_ns is None or (count and any(call.arguments[2:4])) else Pause(timeout_ns)
    return _WAIT if timeout_ns != 0 and is_terminal(call.tid, 0, device) else _OTHER


def _of_ioctl(call: abi.Notification, device: int) -> Call:
    descriptor, request, address = call.arguments[:3]
    if not is_terminal(call.tid, descriptor, device):
        return _OTHER
    request &= 0xFFFFFFFF
    return ModeChange(request, abi.memory_of(call.tid, address, _MODE_SIZES[request]))


def _of_close(call: abi.Notification, device: int) -> Call:
    descriptor = call.arguments[0]
    return Closing(descriptor) if is_terminal(call.tid, descriptor, device) else _OTHER


def _of_execve(call: abi.Notification, device: int) -> Call:
    return _START


def _of_dup(call: abi.Notification, device: int) -> Call:
    return Replacing()


_MEANINGS = {
    NR["read"]: _of_read,
    NR["readv"]: _of_read,
    NR["nanosleep"]: _of_nanosleep,
    NR["clock_nanosleep"]: _of_clock_nanosleep,
    NR["poll"]: _of_poll,
    NR["ppoll"]: _of_ppoll,
    NR["select"]: _of_select,
    NR["pselect6"]: _of_pselect,
    NR["ioctl"]: _of_ioctl,
    NR["close"]: _of_close,
    NR["dup2"]: _of_dup,
    NR["dup3"]: _of_dup,
    NR["execve"]: _of_execve,
    NR["execveat"]: _of_execve,
}


def _timespec(tid: int, address: int) -> int:
    """A struct timespec of another process in nanoseconds."""
    seconds, nanoseconds = struct.unpack("=qq", abi.memory_of(tid, address, 16))
    if not 0 <= nanoseconds < _NS or seconds < 0:
        raise OSError("not a timespec")
    return int(seconds) * _NS + int(nanoseconds)


_MODE_SIZES = {abi.TCSETS: 36, abi.TCSETSW: 36, abi.TCSETSF: 36}
_MODE_SIZES |= {abi.TCSETS2: 44, abi.TCSETSW2: 44, abi.TCSETSF2: 44}
_FLAGS = struct.Struct("=4I")


def changed_mode(change: ModeChange, terminal: int) -> tuple[Remark, ...]:
    """Make a program's change of mode in its place, all but echo and translations; what is worth a remark.

    Echo stays ours to draw, and a newline stays a newline, so typed text can never come to stand in the output.
    """
    _, _, control, local = _FLAGS.unpack_from(change.mode)
    kept = local & ~(termios.ECHO | termios.ECHONL | termios.ISIG)
    fcntl.ioctl(terminal, change.request, _FLAGS.pack(0, 0, control, kept) + change.mode[_FLAGS.size :])
    remarks = []
    if local & termios.ECHO:
        remarks.append(Remark.ECHO)
    if not local & termios.ICANON:
        remarks.append(Remark.RAW)
    return tuple(remarks)
