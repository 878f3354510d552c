"""Calls by which a program changes its terminal: we make them for the program, as far as they are allowed.

Echo stays off and a newline stays a newline, so typed text never appears in the output. And text that the program has
written stays written: a person at the terminal would have seen it, even if the program discards it afterwards.
"""

from __future__ import annotations

import errno
import fcntl
import os
import struct
import termios
from typing import ClassVar

import msgspec

from pitboss.model.transcript import Remark
from pitboss.sandbox import abi, requests

#: The sizes of the kernel's structs termios, termios2 and termio; the flags of the first two, and those of termio.
_SIZES = dict.fromkeys((requests.TCSETS, requests.TCSETSW, requests.TCSETSF), 36)
_SIZES |= dict.fromkeys((requests.TCSETS2, requests.TCSETSW2, requests.TCSETSF2), 44)
_SIZES |= dict.fromkeys((requests.TCSETA, requests.TCSETAW, requests.TCSETAF), 18)
_FLAGS, _OLD_FLAGS = struct.Struct("=4I"), struct.Struct("=4H")
_ALWAYS_OFF = termios.ECHO | termios.ECHONL | termios.ISIG
#: The queues of tcflush(3) that contain typed text.
_TYPED = (termios.TCIFLUSH, termios.TCIOFLUSH)
_QUEUES = (*_TYPED, termios.TCOFLUSH)
#: The major device numbers of terminals: see devices.txt of the kernel.
_TERMINALS = (4, 5, *range(128, 144))


class TerminalCall(msgspec.Struct, frozen=True):
    """A change of the session's terminal; the program's output so far must be read first."""

    #: The remarks to make about it.
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
        return _OLD_FLAGS if len(self.mode) == _SIZES[requests.TCSETA] else _FLAGS

    @property
    def remarks(self) -> tuple[Remark, ...]:  # type: ignore[override]
        local = self._flags.unpack_from(self.mode)[3]
        remarks = [Remark.ECHO] if local & termios.ECHO else []
        return (*remarks, *([] if local & termios.ICANON else [Remark.RAW]))

    def perform(self, terminal: int) -> int:
        _, _, control, local = self._flags.unpack_from(self.mode)
        changed = self._flags.pack(0, 0, control, local & ~_ALWAYS_OFF) + self.mode[self._flags.size :]
        try:
            fcntl.ioctl(terminal, self.request, changed)
        except OSError as error:
            return error.errno or errno.EIO
        return 0


class _Flush(TerminalCall, frozen=True):
    """Discards unread typed text, or written text, which has already been read by us."""

    queue: int

    def perform(self, terminal: int) -> int:
        if self.queue in _TYPED:
            termios.tcflush(terminal, termios.TCIFLUSH)
        return 0 if self.queue in _QUEUES else errno.EINVAL


class _Refused(TerminalCall, frozen=True):
    """A call for a file that is not a terminal, or with a mode that cannot be read.

    The kernel must not make the call: by then another thread may have replaced that file by the terminal.
    """

    error: int

    def perform(self, terminal: int) -> int:
        return self.error


def call_in(call: abi.Notification, device: int) -> TerminalCall | None:
    """Returns the change that an ioctl makes.

    None if the kernel may make it: for another terminal, which only an unconfined program can have.
    """
    descriptor, request, argument = call.arguments[0], call.arguments[1] & 0xFFFFFFFF, call.arguments[2]
    try:
        target = os.stat(f"/proc/{call.tid}/fd/{descriptor}").st_rdev  # looked up once: it may change afterwards
    except OSError:
        return _Refused(errno.EBADF)
    if target != device:
        return None if os.major(target) in _TERMINALS else _Refused(errno.ENOTTY)
    if request == requests.TCFLSH:
        return _Flush(argument)
    try:
        return _ModeChange(request, abi.memory_of(call.tid, argument, _SIZES[request]))
    except OSError:
        return _Refused(errno.EFAULT)
