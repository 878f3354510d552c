"""Interprets wait statuses, and the errors with which the kernel refuses to start a program."""

from __future__ import annotations

import errno
import os
import signal

from pitboss.model.transcript import OVER_A_LIMIT, Ending, EndingKind, exited
from pitboss.sandbox.limits import Limits

#: Errors of execve(2) that the program's file causes. All other errors, such as a lack of memory, are our fault.
PROGRAM_FILE_ERRORS = frozenset(
    {
        errno.ENOEXEC,
        errno.ENOENT,
        errno.EACCES,
        errno.ENOTDIR,
        errno.EISDIR,
        errno.ELOOP,
        errno.ELIBBAD,
        errno.EINVAL,
        errno.EPERM,
        errno.ENAMETOOLONG,
    }
)
#: The signals that end a crashed program.
_CRASH_SIGNALS = ("SIGSEGV", "SIGBUS", "SIGFPE", "SIGILL", "SIGABRT", "SIGSYS", "SIGXFSZ")
#: These signals by the exit code with which a shell or bwrap(1) reports them.
_CRASH_SIGNAL_BY_CODE = {128 + signal.Signals[name]: name for name in _CRASH_SIGNALS}


def ending_of(status: int, cpu_s: float, memory_kb: int, limits: Limits) -> Ending:
    """Returns the ending of a program that we did not stop, from its wait status (waitpid(2)) and use of resources."""
    if memory_kb > limits.memory_mb * 1024:  # between two checks
        return Ending(EndingKind.OVER_MEMORY)
    if os.WIFEXITED(status):
        return exited(os.WEXITSTATUS(status))
    number = os.WTERMSIG(status)
    is_killed_at_cpu_limit = number == signal.SIGKILL and cpu_s >= limits.cpu_s
    if number == signal.SIGXCPU or is_killed_at_cpu_limit:
        return Ending(EndingKind.OUT_OF_CPU_TIME)
    return Ending(EndingKind.SIGNALLED, signal=signal_name(number))


def signal_name(number: int) -> str:
    """Returns a signal's name as in signal(7), such as SIGSEGV or SIGRTMIN+6, or its number if it has no name.

    >>> signal_name(11), signal_name(signal.SIGRTMIN + 6), signal_name(32)
    ('SIGSEGV', 'SIGRTMIN+6', 'number 32')
    """
    try:
        return signal.Signals(number).name
    except ValueError:
        first_realtime = getattr(signal, "SIGRTMIN", None)  # not on macOS; the C library reserves some signals below it
        if first_realtime is not None and number > first_realtime:
            return f"SIGRTMIN+{number - first_realtime}"
        return f"number {number}"


def survivors_ending_kind(ending: Ending, count: int, limits: Limits) -> EndingKind:
    """Returns the kind of ending of a session whose program ended while `count` processes that it started still ran."""
    if ending.kind in OVER_A_LIMIT:
        return ending.kind  # the program reached a limit, which explains why its processes still run
    return EndingKind.OVER_PROCESSES if count > limits.processes else EndingKind.LEFT_PROCESSES


def ending_behind_bubblewrap(ending: Ending) -> Ending:
    """Returns the ending of a program in a bubblewrap: if it crashes, bwrap(1) exits with 128 plus the signal."""
    if ending.kind is EndingKind.EXITED and ending.exit_code in _CRASH_SIGNAL_BY_CODE:
        return Ending(EndingKind.SIGNALLED, signal=_CRASH_SIGNAL_BY_CODE[ending.exit_code])
    return ending
