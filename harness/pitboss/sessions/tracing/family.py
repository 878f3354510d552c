"""The processes of one session: its program and all processes that it has started, including orphans."""

from __future__ import annotations

import time

from pitboss.errors import SessionError
from pitboss.sandbox import processes, users
from pitboss.sandbox.limits import Limits, set_limits
from pitboss.sessions.tracing.launcher_context import LauncherContext

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
