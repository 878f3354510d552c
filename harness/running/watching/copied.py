"""One copy of a program, from where it has stopped as a copy to its end."""

from __future__ import annotations

import marshal
import os
from collections.abc import Callable
from typing import NamedTuple

from pitboss.harness.machine import abi, copies
from pitboss.harness.machine.abi import Notification
from pitboss.harness.machine.channels import Channel
from pitboss.harness.running.terminal import Terminal
from pitboss.harness.running.watching.launcher import WAIT
from pitboss.harness.running.watching.spawner import Used, waited_for
from pitboss.harness.running.watching.surroundings import Surroundings
from pitboss.harness.running.watching.watched_session import WatchedSession


class Way(NamedTuple):
    """How a launcher and our end of it work together."""

    channel: Channel
    listener: int
    surroundings: Surroundings
    #: Whether the launcher is in another process, which alone can wait for its programs.
    is_apart: bool
    #: Calls a function whenever this descriptor is readable, and no longer.
    watch: Callable[[int, Callable[[], None]], None]
    unwatch: Callable[[int], None]
    #: Starts the program for a session instead of copying it.
    start: Callable[[WatchedSession], None]


class Standing:
    """What a program has as its input and output until it is copied: a terminal, if it is one that looks at it."""

    def __init__(self, *, is_terminal: bool) -> None:
        """Open it; OSError if none is available."""
        self._terminal = Terminal() if is_terminal else None
        self.number = self._terminal.program_end if self._terminal else os.open("/dev/null", os.O_RDWR | os.O_CLOEXEC)

    def is_clean(self) -> bool:
        """Whether nothing has been written to it."""
        return self._terminal is None or not self._terminal.drained()

    def close(self) -> None:
        """Close our ends."""
        if self._terminal is not None:
            self._terminal.close()
        else:
            os.close(self.number)


class Copied:
    """A copy, which becomes a session."""

    def __init__(self, way: Way, call: Notification, session: WatchedSession) -> None:
        """The process that is stopped there, for this session; OSError if it cannot be watched."""
        self._way, self._call, self._session = way, call, session
        #: Its process here, and as it numbers itself.
        self.pid, self.own_pid = call.tid, call.arguments[1] & 0xFFFFFFFF
        #: A pidfd of it, -1 if the launcher waits for it.
        self._end = -1
        if way.is_apart:
            way.channel.send(WAIT + marshal.dumps(self.own_pid))
        else:
            self._end = os.pidfd_open(self.pid)
            way.watch(self._end, self._on_end)

    def begin(self) -> None:
        """Give it the terminal and the world of its session, and let it go on; OSError if it has ended."""
        listener = self._way.listener
        copies.give_terminal(listener, self._call, self._session.terminal.program_end)
        self._session.begin(self.pid, is_copy=True)
        guard = int.from_bytes(self._way.surroundings.world.guard, "little")
        abi.answer(listener, self._call, copies.as_signed(guard))

    def _on_end(self) -> None:
        self._session.on_ended(*self._waited_for())

    def _waited_for(self) -> Used:
        self._way.unwatch(self._end)
        os.close(self._end)
        self._end = -1
        return waited_for(self.pid, is_copy=True)

    def close(self) -> None:
        """Kill it, if it has not ended, unless the launcher waits for it."""
        if self._end >= 0:
            copies.kill(self.pid)
            self._waited_for()
