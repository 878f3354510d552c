r"""Cleans up and exits on Ctrl-C, Ctrl-\, SIGTERM, SIGHUP, SIGXCPU (our CPU time is used up), SIGUSR1 and SIGUSR2.

Batch systems send SIGUSR1 or SIGUSR2 to announce that a job is about to be ended.

The first of these signals raises KeyboardInterrupt, so that everything is cleaned up on the way out. Signals that
follow soon are ignored, since they belong to the same request: a terminal sends Ctrl-C to every process, and the main
process sends its workers another signal. A second KeyboardInterrupt would interrupt the cleanup.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from pitboss.machine import abi, processes, scratch

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP", "SIGXCPU", "SIGQUIT", "SIGUSR1", "SIGUSR2")
_SIGNALS = tuple(getattr(signal, name) for name in _NAMES if hasattr(signal, name))
#: The names of signals that a program may get from outside: from people, or from the kernel, which sends SIGKILL when
#: memory is used up. The signals of crashes are not among them.
FROM_OUTSIDE = ("SIGKILL", "SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT")
#: How long after the first signal further signals are treated as the same request, in seconds.
_SAME_REQUEST_S = 5.0

#: When a signal last raised KeyboardInterrupt, and which signal.
_raised_at = -_SAME_REQUEST_S
_last_raised: signal.Signals | None = None


def listen() -> None:
    """Make the signals raise KeyboardInterrupt in the main thread of this process; ignored signals stay ignored."""
    global _raised_at, _last_raised
    _raised_at, _last_raised = -_SAME_REQUEST_S, None
    for number in _SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _interrupt)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)


@contextmanager
def block_signals() -> Iterator[None]:
    """Block the signals in the context: a process that has just been forked would clean up what its parent uses."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _interrupt(number: int, _: object) -> None:
    """Raise KeyboardInterrupt, unless the signal belongs to the same request as the signal before."""
    global _raised_at, _last_raised
    if time.monotonic() - _raised_at < _SAME_REQUEST_S:
        return
    _raised_at, _last_raised = time.monotonic(), signal.Signals(number)
    raise KeyboardInterrupt


def last_signal() -> signal.Signals | None:
    """The last signal that raised KeyboardInterrupt; None if no signal did."""
    return _last_raised


def end_with_parent() -> None:
    """Make this process stop when its parent has ended, for any reason."""
    if sys.platform == "linux":
        parent = os.getppid()
        abi.libc.prctl(abi.PR_SET_PDEATHSIG, int(signal.SIGTERM), 0, 0, 0)
        if os.getppid() != parent:  # the parent has ended in between
            raise KeyboardInterrupt


@contextmanager
def clean_exit() -> Iterator[None]:
    """Run the body of the context, which the signals may interrupt; then ignore the signals, and clean up.

    The cleanup removes all temporary folders. After a signal it also ends the processes that were left behind.
    """
    strays = processes.Strays()
    listen()
    try:
        yield
    finally:
        for number in _SIGNALS:
            signal.signal(number, signal.SIG_IGN)
        if _last_raised is not None:
            strays.end()
        scratch.remove_all()
