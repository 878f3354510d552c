"""Installs a system call filter on a thread: see seccomp(2)."""

from __future__ import annotations

import ctypes
import errno

from pitboss.sandbox import abi

_SET_MODE_FILTER = 1
#: SECCOMP_FILTER_FLAG_NEW_LISTENER and SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV.
_NEW_LISTENER, _WAIT_KILLABLE = 1 << 3, 1 << 5
#: The size of an instruction of a filter, struct sock_filter.
_STEP_BYTES = 8


class _FilterProgram(ctypes.Structure):
    """The kernel's struct sock_fprog."""

    _fields_ = [("length", ctypes.c_ushort), ("steps", ctypes.c_void_p)]


def install(program: bytes, *, listens: bool) -> int | None:
    """Install the filter `program` on this thread and on all processes that it starts.

    Returns the listener, a descriptor from which notifications of system calls are read; None unless `listens`.

    Raises OSError if the kernel refuses: EBUSY if we already run under a filter with a listener, EINVAL or EACCES in
    containers that forbid filters.
    """
    steps = ctypes.create_string_buffer(program, len(program))
    argument = _FilterProgram(len(program) // _STEP_BYTES, ctypes.addressof(steps))
    abi.call("prctl", abi.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    if not listens:
        abi.call("seccomp", _SET_MODE_FILTER, 0, ctypes.byref(argument))
        return None
    try:
        # A signal must not interrupt a system call of which the listener was notified: a shell treats EINTR of fork as
        # a failure.
        return abi.call("seccomp", _SET_MODE_FILTER, _NEW_LISTENER | _WAIT_KILLABLE, ctypes.byref(argument))
    except OSError as error:
        if error.errno != errno.EINVAL:  # Linux before 5.19 does not know _WAIT_KILLABLE
            raise
        return abi.call("seccomp", _SET_MODE_FILTER, _NEW_LISTENER, ctypes.byref(argument))
