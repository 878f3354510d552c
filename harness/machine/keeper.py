"""A keeper: the process between pitboss and a command. What the command starts stays below it, and ends with it.

It is the subreaper of all that descends from it, so that nothing can leave: not by another session, nor by a changed
environment, nor by an end of its parent. It ends all of it when it is told to (SIGTERM), when pitboss is gone, and when
there is too much of it. It imports little, since it is started with each command.
"""

from __future__ import annotations

import os
import signal
import struct
import time

from harness.machine import abi, processes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

#: What is reported of a command that had to be ended since too many processes ran; no wait status is negative, and one
#: that could not be confined reports the negative of an errno.
TOO_MANY = -(1 << 16)
REPORT = struct.Struct("=i")
#: How often it is counted what runs, in seconds.
_LOOK_S = 0.05
#: How long the kernel may take to end processes that have been killed, in seconds; nobody waits for longer.
_ENDING_S = 10.0
_HEARD = (signal.SIGCHLD, signal.SIGTERM)


def become_keeper(parent: int, report: int, most: int) -> None:
    """Fork, and return in the child, which is to be the command; this process keeps it, and does not return.

    `parent` is the process that wants it, `report` a descriptor to which the command's wait status is written, and
    `most` how many processes may run at once. The child has `report` too, until it becomes the command: see `fail`.
    """
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, _HEARD)
    abi.call("prctl", abi.PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    abi.call("prctl", abi.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)
    # A program may signal its own user's processes where nothing keeps it from that: not us, by its group.
    command = os.fork()
    if command:
        _keep(command, report, most)
    os.set_inheritable(report, False)
    os.setsid()
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def fail(report: int, number: int) -> NoReturn:
    """Report from the child that it cannot become the command, by an errno, and end."""
    _tell(report, -number)
    os._exit(1)


def _keep(command: int, report: int, most: int) -> NoReturn:
    _let_go(report)
    is_running = True
    while not _is_told():
        ended, status = _reaped()
        while ended:
            if ended == command:
                is_running = False
                _tell(report, status)
            ended, status = _reaped()
        if ended is None:
            os._exit(0)
        if is_running and len(processes.tree([os.getpid()])) - 1 > most:
            _tell(report, TOO_MANY)
            break
    if is_running:
        # Where it is a bubblewrap, the kernel ends all that is in it at one go.
        os.kill(command, signal.SIGKILL)
    _end_all()
    os._exit(0)


def _let_go(report: int) -> None:
    """Hold nothing open that is the command's: who reads its output waits until nobody can write there."""
    nothing = os.open("/dev/null", os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)
    os.close(nothing)
    os.set_inheritable(report, False)


def _is_told() -> bool:
    """Wait for a moment, or until something ends; whether all is to be ended."""
    heard = signal.sigtimedwait(_HEARD, _LOOK_S)
    return heard is not None and heard.si_signo == signal.SIGTERM


def _reaped() -> tuple[int | None, int]:
    """A process that has ended and its wait status; 0 where all still run, None where nobody is left."""
    try:
        return os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        return None, 0


def _tell(report: int, status: int) -> None:
    try:
        os.write(report, REPORT.pack(status))
    except BrokenPipeError:
        pass


def _end_all() -> None:
    """Kill all that runs below us, until nobody is left to be waited for."""
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
