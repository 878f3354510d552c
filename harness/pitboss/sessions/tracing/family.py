"""The processes of one session: its program and all processes that it has started, including orphans."""

from __future__ import annotations

import time

from pitboss.errors import SessionError
from pitboss.sandbox import processes, users
from pitboss.sandbox.limits import Limits
from pitboss.sandbox.rlimits import set_limits
from pitboss.sessions.tracing.launcher_context import LauncherContext

#: How often a process that has not ended is killed again, and for how long: only a broken disk delays its end longer.
_KILLING_S, _ENDING_S = 0.1, 30.0


class Family:
    """The processes of one session, from the start of its program until the last of them has ended."""

    def __init__(self, context: LauncherContext) -> None:
        """No process yet; `pid` is the program once it has begun, and 0 until then."""
        self.pid = 0
        self._around = context
        #: When they were killed first and last.
        self._ending_since_s = self._killed_s = 0.0

    def begin(self, pid: int, limits: Limits) -> None:
        """Set the limits of the program `pid`, which is stopped in its first call, the execve."""
        self.pid, around = pid, self._around
        set_limits(pid, limits, around.user_id, around.mark, reserves_memory=around.reserves_memory)

    def orphans(self) -> list[int]:
        """Processes of this session whose parent has ended."""
        return [pid for pid in self.all_orphans() if processes.has_mark(pid, self._around.mark)]

    def all_orphans(self) -> list[int]:
        """Processes whose parent has ended, of all sessions of this program."""
        return self._around.orphanage.pids()

    def roots(self) -> list[int]:
        """The program and the orphans; all other processes descend from these."""
        return [self.pid, *self.orphans()]

    def running(self) -> list[int]:
        """All processes of the session."""
        return processes.tree(self.roots())

    def living_processes(self) -> list[int]:
        """Processes that still run after the program has ended."""
        return [pid for pid in processes.tree(self.orphans()) if not processes.is_gone(pid)]

    def kill(self, *, has_ended: bool) -> None:
        """Kill them all, in one call if they have a user of their own; `has_ended`: the program itself has ended."""
        self._killed_s = time.monotonic()
        self._ending_since_s = self._ending_since_s or self._killed_s
        if self._around.user_id is not None:
            users.end_all_of(self._around.user_id)
        else:
            processes.end_all(lambda: [*([] if has_ended else [self.pid]), *self.orphans()])

    def kill_again(self) -> None:
        """Kill the program again if it was killed long enough ago."""
        if time.monotonic() - self._killed_s > _KILLING_S:
            self.kill(has_ended=False)

    def check_killed_program_ends(self) -> None:
        """Raise SessionError if a process that was killed does not end."""
        if self._ending_since_s and time.monotonic() - self._ending_since_s > _ENDING_S:
            raise SessionError(f"a program has not ended {_ENDING_S:.0f} s after it was killed")
