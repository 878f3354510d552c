"""Interprets wait statuses, and the errors with which the kernel refuses to start a program."""

from __future__ import annotations

import errno
import os
import signal

from pitboss.model.transcript import ENDLESS, Ending, EndingKind, exited
from pitboss.sandbox.limits import Limits

#: Errors of execve(2) that the program's file causes; all other errors are our fault, such as a lack of memory.
OF_THE_PROGRAM = frozenset(
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
#: The exit codes by which a shell and bwrap(1) report a crashed program, and its signal.
_CRASHES = ("SIGSEGV", "SIGBUS", "SIGFPE", "SIGILL", "SIGABRT", "SIGSYS", "SIGXFSZ")
_CRASHED = {128 + signal.Signals[name]: name for name in _CRASHES}


def ending_of(status: int, cpu_s: float, memory_kb: int, limits: Limits) -> Ending:
    """Returns the ending of a program that we did not stop, from its wait status (waitpid(2)) and use of resources."""
    if os.WIFEXITED(status):
        ending = exited(os.WEXITSTATUS(status))
    else:
        number = os.WTERMSIG(status)
        used_up = number == signal.SIGKILL and cpu_s >= limits.cpu_s
        if number == signal.SIGXCPU or used_up:
            return Ending(EndingKind.OUT_OF_CPU_TIME)
        ending = Ending(EndingKind.SIGNALLED, signal=signal_name(number))
    # Programs fail in various ways when memory runs out, so we assume this cause if they used nearly all of it.
    if ending != exited() and memory_kb >= limits.memory_mb * 1024 * 0.9:
        return Ending(EndingKind.OVER_MEMORY)
    return ending


def signal_name(number: int) -> str:
    """Returns a signal's name as in signal(7), such as SIGSEGV or SIGRTMIN+6, or its number if it has no name.

    >>> signal_name(11), signal_name(signal.SIGRTMIN + 6), signal_name(32)
    ('SIGSEGV', 'SIGRTMIN+6', 'number 32')
    """
    try:
        return signal.Signals(number).name
    except ValueError:
        first = getattr(signal, "SIGRTMIN", None)  # not on macOS; the C library reserves some signals below it
        return f"SIGRTMIN+{number - first}" if first is not None and number > first else f"number {number}"


def left_behind(ending: Ending, count: int, limits: Limits) -> EndingKind:
    """Returns the kind of ending of a session whose program ended while `count` processes that it started still ran."""
    if ending.kind in ENDLESS:
        return ending.kind  # the program was killed, which explains the processes that it left
    return EndingKind.OVER_PROCESSES if count > limits.processes else EndingKind.LEFT_PROCESSES


def inside_bubblewrap(ending: Ending) -> Ending:
    """Returns the ending of a program in a bubblewrap: if it crashes, bwrap(1) exits with 128 plus the signal."""
    if ending.kind is EndingKind.EXITED and ending.exit_code in _CRASHED:
        return Ending(EndingKind.SIGNALLED, signal=_CRASHED[ending.exit_code])
    return ending
