"""Calls by which a program changes its terminal: we make the allowed part of the change for the program.

Echo stays off and a newline stays a newline, so typed text never appears in the output. Text that the program has
written remains in the output: a person at the terminal would have seen it, even if the program discards it afterwards.
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
from pitboss.sandbox import abi, filters

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


def call_in(call: abi.Notification, device: int) -> TerminalCall | None:
    """Returns the change that an ioctl makes to the terminal whose device number is `device`.

    Returns None if the kernel may make the call: it is for another terminal, which only an unconfined program can have.
    """
    descriptor, request, argument = call.arguments[0], call.arguments[1] & 0xFFFFFFFF, call.arguments[2]
    try:
        # The file is looked up only once, since another thread may replace it.
        target_device = os.stat(f"/proc/{call.tid}/fd/{descriptor}").st_rdev
    except OSError:
        return _Refused(errno.EBADF)
    if target_device != device:
        return None if os.major(target_device) in _TERMINAL_MAJORS else _Refused(errno.ENOTTY)
    if request == filters.TCFLSH:
        return _Flush(argument)
    try:
        return _ModeChange(request, abi.memory_of(call.tid, argument, _SIZES[request]))
    except OSError:
        return _Refused(errno.EFAULT)
