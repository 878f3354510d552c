r"""Exits in order on Ctrl-C and Ctrl-\, SIGTERM, SIGHUP, the end of our CPU time, and SIGUSR1 and 2.

With the last two, batch systems announce that a job is about to be ended.

The first of these signals is raised as KeyboardInterrupt, so that everything is cleaned up on the way out. Signals that
follow soon belong to the same request: a terminal sends Ctrl-C to every process, and the main process sends its workers
another signal. Raised during the cleanup they would interrupt it.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from pitboss.sandbox import abi, processes, scratch

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP", "SIGXCPU", "SIGQUIT", "SIGUSR1", "SIGUSR2")
_SIGNALS = tuple(getattr(signal, name) for name in _NAMES if hasattr(signal, name))
#: Signals that may come from this machine, as SIGKILL does when its memory is used up, or from people; not those of
#: crashes.
FROM_OUTSIDE = ("SIGKILL", "SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT")
#: How long after the first signal others are treated as the same request, in seconds.
_SAME_REQUEST_S = 5.0
_PR_SET_PDEATHSIG = 1

#: When a signal was last raised, and which.
_raised_at = -_SAME_REQUEST_S
_last: signal.Signals | None = None


def listen() -> None:
    """Make the signals raise KeyboardInterrupt in the main thread of this process; ignored ones stay ignored."""
    global _raised_at, _last
    _raised_at, _last = -_SAME_REQUEST_S, None
    for number in _SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _stop)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)


@contextmanager
def put_off() -> Iterator[None]:
    """Block the signals: raised in a process that has just been forked, they would clean up what its parent uses."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _stop(number: int, _: object) -> None:
    global _raised_at, _last
    if time.monotonic() - _raised_at < _SAME_REQUEST_S:
        return
    _raised_at, _last = time.monotonic(), signal.Signals(number)
    raise KeyboardInterrupt


def last_signal() -> signal.Signals | None:
    """The signal that was raised last; None if none was."""
    return _last


def end_with_parent() -> None:
    """Make this process stop when its parent has ended, for any reason."""
    if sys.platform == "linux":
        parent = os.getppid()
        abi.libc.prctl(_PR_SET_PDEATHSIG, int(signal.SIGTERM), 0, 0, 0)
        if os.getppid() != parent:  # it has ended in between
            raise KeyboardInterrupt


@contextmanager
def in_order() -> Iterator[None]:
    """Run the body, which the signals may end; then leave nothing behind: no process and no folder.

    After that the signals are ignored.
    """
    strays = processes.Strays()
    listen()
    try:
        yield
    finally:
        for number in _SIGNALS:
            signal.signal(number, signal.SIG_IGN)
        if _last is not None:
            strays.end()
        scratch.remove_all()
