"""A subreaper: the process between pitboss and a command. All processes of the command stay below it and end with it.

The subreaper adopts all orphans among its descendants, so no process can escape by a new session, a changed environment
or the end of its parent. The subreaper ends all its descendants on SIGTERM, when pitboss has ended, and when they are
too many or use too much memory. This module imports little, since a subreaper is started for each command.
"""

from __future__ import annotations

import os
import signal
import struct
import time

from pitboss.machine import abi, processes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

#: Reported instead of a wait status if a command had too many processes or used too much memory. No wait status is
#: negative. If a command could not be confined, the negative of an errno is reported: greater than these numbers.
TOO_MANY_PROCESSES, TOO_MUCH_MEMORY = -(1 << 16), -(1 << 16) - 1
#: The format of a report: one number.
REPORT = struct.Struct("=i")
#: How often the running processes and their memory are counted, in seconds.
_COUNT_INTERVAL_S = 0.02
_AWAITED_SIGNALS = (signal.SIGCHLD, signal.SIGTERM)


def become_subreaper(parent: int, report: int, max_processes: int, max_memory_kb: int) -> None:
    """Fork, and return in the child, which is to become the command; this process supervises it and does not return.

    `parent` is the process that started us, `report` a descriptor to which the command's wait status is written,
    `max_processes` how many processes may run at once, and `max_memory_kb` how much memory they may use together. The
    child has `report` too, until it executes the command: see `fail`.
    """
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, _AWAITED_SIGNALS)
    abi.call("prctl", abi.PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    abi.call("prctl", abi.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)
    # A program may be able to signal processes of its own user. But it gets a process group of its own (os.setsid), so
    # signals to its group do not reach us.
    command_pid = os.fork()
    if command_pid != 0:
        _supervise(command_pid, report, max_processes, max_memory_kb)
    os.set_inheritable(report, False)
    os.setsid()
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def fail(report: int, number: int) -> NoReturn:
    """In the child, report that the command cannot be confined, with the errno `number`, and exit."""
    _write_report(report, -number)
    os._exit(1)


def _supervise(command_pid: int, report: int, max_processes: int, max_memory_kb: int) -> NoReturn:
    """Report the command's end, and exit when no child is left.

    Ends all processes on SIGTERM, if more than `max_processes` run, or if they use more than `max_memory_kb`.
    """
    _release_files(report)
    is_running = True
    while not _wait_for_sigterm():
        while (ended := _reap_child())[0]:
            pid, status, peak_kb = ended
            if pid == command_pid:
                is_running = False
                _write_report(report, TOO_MUCH_MEMORY if peak_kb > max_memory_kb else status)
        if ended[0] is None:
            os._exit(0)
        pids = processes.tree([os.getpid()])[1:] if is_running else []
        is_over_memory = processes.used_memory_kb(pids, max_memory_kb) > max_memory_kb
        if is_over_memory or processes.are_more_living_than(max_processes, pids):
            _write_report(report, TOO_MUCH_MEMORY if is_over_memory else TOO_MANY_PROCESSES)
            break
    if is_running:
        # If the command is a bubblewrap, the kernel ends everything inside it at once.
        os.kill(command_pid, signal.SIGKILL)
    _end_all()
    os._exit(0)


def _release_files(report: int) -> None:
    """Close the command's standard files: whoever reads the output waits until no process can write to it."""
    null = os.open("/dev/null", os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    os.close(null)
    os.set_inheritable(report, False)


def _wait_for_sigterm() -> bool:
    """Wait for SIGTERM for a moment, at most until a child ends; returns whether SIGTERM arrived."""
    signal_info = signal.sigtimedwait(_AWAITED_SIGNALS, _COUNT_INTERVAL_S)
    return signal_info is not None and signal_info.si_signo == signal.SIGTERM


def _reap_child() -> tuple[int | None, int, int]:
    """Reap a child that has ended, and return its process id, its wait status, and the most memory it used, in kB.

    The memory is that of the child, or of a process that it has reaped. The process id is 0 if all children still run,
    None if no child is left.
    """
    try:
        pid, status, usage = os.wait4(-1, os.WNOHANG)
    except ChildProcessError:
        return None, 0, 0
    return pid, status, usage.ru_maxrss


def _write_report(report: int, status: int) -> None:
    try:
        os.write(report, REPORT.pack(status))
    except BrokenPipeError:  # pitboss has ended
        pass


def _end_all() -> None:
    """Kill all processes below us, until no child is left to wait for."""
    ourselves = os.getpid()
    deadline = time.monotonic() + processes.ENDING_S
    while time.monotonic() < deadline:
        processes.end_all(lambda: processes.children(ourselves))
        while (ended := _reap_child())[0]:
            pass
        if ended[0] is None:
            return
        signal.sigtimedwait((signal.SIGCHLD,), 0.01)
