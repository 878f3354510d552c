"""Installs a system call filter on a thread: see seccomp(2)."""

from __future__ import annotations

import ctypes
import errno

from pitboss.sandbox import abi

_NEW_LISTENER, _WAIT_KILLABLE = 1 << 3, 1 << 5


class _FilterProgram(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("steps", ctypes.c_void_p)]


def install(program: bytes, *, listens: bool) -> int | None:
    """Filter this thread and all processes that it starts; returns the listener, None unless `listens`.

    Raises OSError if the kernel refuses: EBUSY if we already run under a filter with a listener, EINVAL or EACCES in
    containers that forbid it.
    """
    steps = ctypes.create_string_buffer(program, len(program))
    argument = _FilterProgram(len(program) // 8, ctypes.addressof(steps))
    abi.call("prctl", abi.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    if not listens:
        abi.call("seccomp", 1, 0, ctypes.byref(argument))
        return None
    try:
        # A signal must not interrupt a call after its notification: a shell treats EINTR of fork as a failure.
        return abi.call("seccomp", 1, _NEW_LISTENER | _WAIT_KILLABLE, ctypes.byref(argument))
    except OSError as error:
        if error.errno != errno.EINVAL:  # before Linux 5.19
            raise
        return abi.call("seccomp", 1, _NEW_LISTENER, ctypes.byref(argument))
