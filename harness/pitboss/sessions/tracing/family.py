"""The processes of one session: its program and all processes that it has started, including orphans, and their ends.

Processes that a program leaves running when it ends are about to end too, or they keep running.
"""

from __future__ import annotations

import errno
import os
import signal
import time
from typing import NamedTuple

from pitboss.errors import SessionError
from pitboss.machine import processes, users
from pitboss.machine.processes import Orphanage
from pitboss.model.transcript import OVER_A_LIMIT, Ending, EndingKind, exited
from pitboss.sandbox.limits import Limits, set_limits
from pitboss.sessions.determinism import SeededEnvironment
from pitboss.sessions.programs import Program
from pitboss.sessions.tracing.draws import RandomBytes


class LauncherContext(NamedTuple):
    """The values that a session needs from the launcher that starts its program."""

    #: The orphanage in which orphans of the launcher's programs appear.
    orphanage: Orphanage
    #: The mark that identifies all processes of the launcher's programs: see limits.set_limits.
    mark: int
    #: The seeded environment in which the launcher's programs run.
    environment: SeededEnvironment
    #: Answers the calls by which these programs request random bytes.
    draws: RandomBytes
    #: The id of the user that the launcher's programs run as; None for our user.
    user_id: int | None = None
    #: The launcher's program; may be None if its sessions need nothing but a terminal.
    program: Program | None = None


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


#: The CPU time that survivors may use after the program has ended: enough to end, too little for further work.
_LEAVING_NS = 50_000_000
#: The number of checks that may find new orphans before we attribute further orphans to another session.
_MAX_ARRIVALS = 25


class Survivors:
    """Tracks the processes that one program left running."""

    def __init__(self) -> None:
        #: The CPU time that each survivor had used when we last checked it, by process id.
        self._cpu_ns: dict[int, int] = {}
        #: At the last check at which all survivors were asleep: how long each had run or waited for a core.
        self._last_busy: object = None
        #: All orphans that have appeared so far.
        self._orphans: set[int] = set()
        #: At how many checks there were new orphans.
        self._arrivals = 0

    def are_leaving(self, survivors: list[int], cpu_before_ns: int) -> bool:
        """Whether the processes `survivors` may still end without being killed, as far as we can tell now.

        `cpu_before_ns` is the CPU time that all processes of the session had used while the program ran.
        """
        self._cpu_ns |= {pid: processes.cpu_ns(pid) for pid in survivors}
        if sum(self._cpu_ns.values()) - cpu_before_ns >= _LEAVING_NS:
            return False
        if any(not processes.is_asleep(pid) for pid in survivors):
            return True
        # A process A may have been woken after we checked A, by a process B that ended before we checked B. If all
        # processes are asleep and none has run since the last check, nothing is left that would wake them.
        busy = [(pid, processes.busy_ns(pid)) for pid in survivors]
        has_changed, self._last_busy = busy != self._last_busy, busy
        return has_changed

    def are_joined_by(self, orphans: list[int]) -> bool:
        """Whether there are new orphans, so that another check is worthwhile; some may be of other sessions.

        If each orphan starts the next orphan and ends, no check finds a living orphan, but each check finds another
        process id. So after `_MAX_ARRIVALS` such checks the result is False.
        """
        is_joined = not self._orphans.issuperset(orphans)
        self._orphans.update(orphans)
        self._arrivals += is_joined
        return is_joined and self._arrivals <= _MAX_ARRIVALS


#: Seconds after which a killed program that has not ended is killed again.
_KILL_INTERVAL_S = 0.1
#: Seconds until we no longer expect a killed program to end: only a broken disk delays its end for longer.
_MAX_ENDING_S = 30.0


class Family:
    """The processes of one session, from the start of its program until the last of them has ended."""

    def __init__(self, context: LauncherContext) -> None:
        """Start without a process: `pid` is the process id of the program, or 0 until the program begins."""
        self.pid = 0
        self._context = context
        #: When the processes were first killed (monotonic clock); 0 for never.
        self._first_killed_at = 0.0
        #: When the processes were last killed (monotonic clock); 0 for never.
        self._last_killed_at = 0.0

    def begin(self, pid: int, limits: Limits) -> None:
        """Set the limits of the program `pid`, which is stopped in its first call, the execve."""
        self.pid = pid
        set_limits(pid, limits, self._context.user_id, self._context.mark)

    def orphans(self) -> list[int]:
        """Processes of this session whose parent has ended."""
        return [pid for pid in self.all_orphans() if processes.has_mark(pid, self._context.mark)]

    def all_orphans(self) -> list[int]:
        """Processes whose parent has ended, of all sessions of this program."""
        return self._context.orphanage.pids()

    def roots(self) -> list[int]:
        """The program and the orphans; all other processes of the session descend from these."""
        return [self.pid, *self.orphans()]

    def running(self) -> list[int]:
        """All processes of the session."""
        return processes.tree(self.roots())

    def survivors(self) -> list[int]:
        """Processes that still run after the program has ended, without zombies."""
        return [pid for pid in processes.tree(self.orphans()) if not processes.is_gone(pid)]

    def kill(self, *, has_ended: bool) -> None:
        """Kill all processes of the session, in one call if they run as a separate user.

        `has_ended` says that the program itself has ended: then `pid` may belong to another process.
        """
        self._last_killed_at = time.monotonic()
        self._first_killed_at = self._first_killed_at or self._last_killed_at
        if self._context.user_id is not None:
            users.end_all_of(self._context.user_id)
        else:
            processes.end_all(self.orphans if has_ended else self.roots)

    def kill_again(self) -> None:
        """Kill the program again if it was killed long enough ago."""
        if time.monotonic() - self._last_killed_at > _KILL_INTERVAL_S:
            self.kill(has_ended=False)

    def check_killed_program_ends(self) -> None:
        """Raise SessionError if the program has not ended in time after it was killed."""
        if self._first_killed_at and time.monotonic() - self._first_killed_at > _MAX_ENDING_S:
            raise SessionError(f"a program has not ended {_MAX_ENDING_S:.0f} s after it was killed")
