"""A subreaper: the process between pitboss and a command. All processes of the command stay below it and end with it.

It adopts all orphans among its descendants, so none can escape: not by a new session, a changed environment, or the end
of its parent. It ends all of them on SIGTERM, when pitboss is gone, and when there are too many. It imports little,
since it is started with each command.
"""

from __future__ import annotations

import os
import signal
import struct
import time

from pitboss.sandbox import abi, processes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

#: The report when a command was ended because too many processes ran. No wait status is negative; for a command that
#: could not be confined the report is the negative of an errno.
TOO_MANY = -(1 << 16)
REPORT = struct.Struct("=i")
#: How often the running processes are counted, in seconds.
_LOOK_S = 0.05
#: How long we wait for the kernel to end processes that have been killed, in seconds.
_ENDING_S = 10.0
_AWAITED = (signal.SIGCHLD, signal.SIGTERM)


def become_subreaper(parent: int, report: int, most: int) -> None:
    """Fork, and return in the child, which is to become the command; this process supervises it and does not return.

    `parent` is the process that started us, `report` a descriptor to which the command's wait status is written, and
    `most` how many processes may run at once. The child has `report` too, until it executes the command: see `fail`.
    """
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, _AWAITED)
    abi.call("prctl", abi.PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    abi.call("prctl", abi.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)
    # A program may be able to signal processes of its own user. It has a group of its own, so group signals miss us.
    command = os.fork()
    if command:
        _supervise(command, report, most)
    os.set_inheritable(report, False)
    os.setsid()
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def fail(report: int, number: int) -> NoReturn:
    """Report from the child, by an errno, that it cannot execute the command, and exit."""
    _write_report(report, -number)
    os._exit(1)


def _supervise(command: int, report: int, most: int) -> NoReturn:
    _let_go(report)
    is_running = True
    while not _is_terminated():
        ended, status = _reaped()
        while ended:
            if ended == command:
                is_running = False
                _write_report(report, status)
            ended, status = _reaped()
        if ended is None:
            os._exit(0)
        if is_running and processes.are_living(processes.tree([os.getpid()])[1:], most):
            _write_report(report, TOO_MANY)
            break
    if is_running:
        # If it is a bubblewrap, the kernel ends everything in it at once.
        os.kill(command, signal.SIGKILL)
    _end_all()
    os._exit(0)


def _let_go(report: int) -> None:
    """Close the command's files: a reader of its output waits until no process can write to it."""
    nothing = os.open("/dev/null", os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)
    os.close(nothing)
    os.set_inheritable(report, False)


def _is_terminated() -> bool:
    """Wait a moment, or until a child ends; returns whether SIGTERM arrived."""
    arrived = signal.sigtimedwait(_AWAITED, _LOOK_S)
    return arrived is not None and arrived.si_signo == signal.SIGTERM


def _reaped() -> tuple[int | None, int]:
    """A child that has ended and its wait status; 0 if all still run, None if no child is left."""
    try:
        return os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        return None, 0


def _write_report(report: int, status: int) -> None:
    try:
        os.write(report, REPORT.pack(status))
    except BrokenPipeError:
        pass


def _end_all() -> None:
    """Kill all processes below us, until no child is left to wait for."""
    ourselves = os.getpid()
    until = time.monotonic() + _ENDING_S
    while time.monotonic() < until:
        processes.end_all(lambda: processes.children(ourselves))
        ended: int | None = 1
        while ended:
            ended, _ = _reaped()
        if ended is None:
            return
        signal.sigtimedwait((signal.SIGCHLD,), 0.01)
