"""The program that sessions are copied from: started once on each launcher, it becomes a session by being copied.

It stops before it does anything of its own, and stays there: see preload/server.c. When a session is to begin we let it
copy itself. The copy stops as well, until it has the session's terminal; from then on nothing tells it from a program
that was started. What could tell, or could be told, by way of the one that it was copied from ends that one: a session
that acts on others by their numbers, or kills them all.
"""

from __future__ import annotations

import os
import select
import stat
import time
from enum import Enum

from pitboss.harness.machine import abi, copies
from pitboss.harness.machine.abi import NR, Notification
from pitboss.harness.machine.limits import Limits
from pitboss.harness.machine.rlimits import set_limits
from pitboss.harness.running.copying import is_script
from pitboss.harness.running.watching.copied import Copied, Standing, Way
from pitboss.harness.running.watching.draws import DRAWS
from pitboss.harness.running.watching.launcher import EMPTY, SERVE
from pitboss.harness.running.watching.spawner import waited_for
from pitboss.harness.running.watching.watched_session import WatchedSession

#: Each so many sessions one is started, whatever happens; the first as well, since there may be no other.
_STARTED_EACH = 50
#: After so many copies another is started, before what copying costs counts for its limit of processor time.
_MOST_COPIES = 500
#: How often it may be ended by its sessions, or fail, before they are started instead.
_MOST_ENDED = 3
#: How long it may take to copy itself, in real time, before the session is started instead. It takes a millisecond.
_PATIENCE_S = 5.0
#: How long we wait for a copy that is on its way when nobody needs it any more.
_CATCHING_MS = 1000
#: What a program may do before it stops: load its libraries.
_LOADING = DRAWS | {NR[name] for name in ("close", "dup2", "dup3", "ioctl", "arch_prctl")}
_CLEAN = stat.S_IFDIR | 0o700


class _Stage(Enum):
    ABSENT = "not started"
    STARTING = "about to stop"
    READY = "stopped"
    COPYING = "asked for a copy"


class Server:
    """The program of one launcher that its sessions are copied from."""

    def __init__(self, way: Way, limits: Limits) -> None:
        """Not started yet; sessions have these limits."""
        self._way, self._limits = way, limits
        program = way.surroundings.program
        #: Whether it is a script, whose interpreter looks at its terminal as it starts.
        self._is_script = program is not None and is_script(program)
        #: What its input and output are while it starts.
        self._standing: Standing | None = None
        self._stage = _Stage.ABSENT
        self._is_possible = copies.are_possible(way.listener)
        #: Its process, 0 if there is none, and the one before that, which may not have noticed yet that it was killed.
        self._pid = self._last_pid = 0
        #: A pidfd of it, which is readable when it has ended; -1 if there is none.
        self._own_end = -1
        #: Where it is stopped, and the folder of its sessions.
        self._stop: Notification | None = None
        self._folder = -1
        #: The session that waits for a copy, and since when; the session that has one.
        self._waiting: WatchedSession | None = None
        self._since_s = 0.0
        self._copied: Copied | None = None
        #: The process of the session that runs, as it numbers itself.
        self._own_of_session = 0
        #: Whether it was let copy itself, and the copy has not been seen yet. Nothing can keep it from that.
        self._is_due = False
        #: How many answers of the launcher, before all others, are for us.
        self._owed = 0
        self._sessions = self._copies = self._ended = 0
        #: Whether a session may have changed it.
        self._is_doubtful = False

    def takes(self) -> bool:
        """Whether the next session is copied; the others are to be started."""
        self._sessions += 1
        return self._is_possible and self._sessions % _STARTED_EACH != 1

    # From the beginning of a session to its copy

    def begin(self, session: WatchedSession) -> None:
        """Copy the program for a session; OSError if nothing can be sent to the launcher."""
        self._waiting, self._since_s, self._copied = session, time.monotonic(), None
        if self._pid and (self._is_doubtful or self._copies >= _MOST_COPIES or not self._is_stopped()):
            self._ended += self._copies < _MOST_COPIES
            self.end()
        if self._ended >= _MOST_ENDED:
            self._give_up()
        elif not self._pid:
            self._stage = _Stage.STARTING
            self._standing = Standing(is_terminal=self._is_script)
            self._ask(SERVE, self._standing.number)
        elif self._is_clean():
            self._let_copy()
        else:
            self._ask(EMPTY)

    def _ask(self, message: bytes, *descriptors: int) -> None:
        self._way.channel.send(message, *descriptors)
        self._owed += 1

    def _is_stopped(self) -> bool:
        return self._stop is not None and abi.is_waiting(self._way.listener, self._stop)

    def _is_clean(self) -> bool:
        """Whether the folder of the sessions is as at the beginning of the first."""
        return os.fstat(self._folder).st_mode == _CLEAN and not os.listdir(self._folder)

    def on_answer(self, answer: tuple[object, ...], descriptors: list[int]) -> bool:
        """Take an answer of the launcher; returns whether it was for us, and not for a session."""
        if not self._owed:
            return False
        self._owed -= 1
        if self._waiting is None:  # it was given up meanwhile
            for descriptor in descriptors:
                os.close(descriptor)
        elif answer:
            self._give_up()
        elif descriptors:
            (self._folder,) = descriptors
            if self._stage is _Stage.READY:
                self._let_copy()
        else:
            self._let_copy()
        return True

    def _let_copy(self) -> None:
        assert self._stop is not None
        stop, self._stop = self._stop, None
        self._stage = _Stage.COPYING
        abi.answer(self._way.listener, stop, copies.COPY)

    # What is stopped

    def on_notification(self, call: Notification) -> bool:
        """Answer the program that is copied, or a copy that is no session yet; returns whether it was answered."""
        if call.tid == self._last_pid:
            return True  # it gets no answer any more
        if self._stage is _Stage.STARTING:
            self._on_start(call)
            return True
        if call.tid == self._pid:
            self._on_own(call)
            return True
        if self._stage is _Stage.COPYING and call.number == abi.STOP and call.arguments[0] == copies.COPIED:
            self._on_copy(call)
            return True
        return self._on_others(call)

    def _on_start(self, call: Notification) -> None:
        """Take note of the start, from the execve to the stop."""
        way = self._way
        if not self._pid:
            self._pid, around = call.tid, way.surroundings
            self._own_end = os.pidfd_open(call.tid)
            way.watch(self._own_end, self._on_own_end)
            set_limits(call.tid, self._limits, around.user_id, around.mark, reserves_memory=around.reserves_memory)
            around.world.begin(0)
            around.draws.begin(call.tid)
            abi.let_through(way.listener, call)
        elif call.tid != self._pid or call.number not in _LOADING:
            self._give_up()
        elif call.number != abi.STOP:
            if call.number in DRAWS:
                way.surroundings.draws.meet(way.listener, call)
            else:
                abi.let_through(way.listener, call)
        elif copies.is_alone(call.tid) and self._standing is not None and self._standing.is_clean():
            self._stand_no_more()
            self._stop, self._stage = call, _Stage.READY
            if self._folder >= 0:
                self._let_copy()
        else:
            self._give_up()

    def _stand_no_more(self) -> None:
        if self._standing is not None:
            self._standing.close()
        self._standing = None

    def _on_own(self, call: Notification) -> None:
        """Let it copy itself where it was asked to, and hold it where it stops again."""
        if call.number == NR["clone"] and self._stage is _Stage.COPYING:
            self._is_due = True
            abi.let_through(self._way.listener, call)
        elif call.number == abi.STOP and call.arguments[0] == copies.HERE:
            self._stop = call
        else:
            self._give_up()

    def _on_copy(self, call: Notification) -> None:
        """Make the copy a session."""
        session, self._is_due = self._waiting, False
        assert session is not None
        try:
            self._copied = Copied(self._way, call, session)
            self._copied.begin()
        except OSError:
            copies.kill(call.tid)
            if self._copied is None and not self._way.is_apart:
                waited_for(call.tid, is_copy=True)
            self._give_up()
            return
        self._waiting, self._stage = None, _Stage.READY
        self._own_of_session = self._copied.own_pid
        self._copies += 1

    def _on_others(self, call: Notification) -> bool:
        """See to what sessions may do to others; returns whether the call was answered."""
        if call.number in copies.TO_OTHERS:
            own, other = self._own_of_session, call.arguments[call.number in copies.BY_THE_SECOND] & 0xFFFFFFFF
            self._is_doubtful = self._is_doubtful or other not in (0, own, (1 << 32) - own)
        elif call.number == abi.STOP and call.arguments[0] == copies.HERE:
            self._own_of_session = call.arguments[1] & 0xFFFFFFFF  # it was started
        return False

    # How the program itself ends

    def on_tick(self) -> None:
        """Start the session instead of copying it if that takes too long: the program may have been stopped.

        Not before the program has been seen: it would be taken for that of the session.
        """
        is_late = time.monotonic() - self._since_s > _PATIENCE_S
        if self._waiting is not None and self._pid and is_late and not self._is_due:
            self._give_up()

    def _on_own_end(self) -> None:
        """It has ended, by a session or because it cannot be started; the launcher waits for it."""
        self._ended += 1
        if self._is_due:
            self._forget()
        elif self._waiting is not None:
            self._give_up()
        else:
            self.end()

    def _give_up(self) -> None:
        """End it for good, and start its sessions from now on."""
        self._is_possible = False
        session, self._waiting = self._waiting, None
        if session is not None and self._copied is not None:
            self._copied.close()
            self._owed += self._way.is_apart
        self.end()
        if session is not None:
            self._way.start(session)

    def end(self) -> None:
        """Kill it, if there is one; the launcher waits for it."""
        if self._pid:
            copies.kill(self._pid)
        self._forget()
        self._stage, self._copies, self._is_doubtful = _Stage.ABSENT, 0, False

    def _forget(self) -> None:
        """Forget its process, which has ended or is about to."""
        self._stand_no_more()
        self._last_pid = self._pid or self._last_pid
        if self._own_end >= 0:
            self._way.unwatch(self._own_end)
            os.close(self._own_end)
        if self._folder >= 0:
            os.close(self._folder)
        self._pid, self._own_end, self._folder, self._stop = 0, -1, -1, None

    def close(self) -> None:
        """End it, and what is left of a copy; no session waits for one any more."""
        self._waiting = None
        if self._is_due:
            self._catch()
        self.end()
        if self._copied is not None:
            self._copied.close()

    def _catch(self) -> None:
        """Kill the copy that nobody waits for any more, when it stops."""
        stopped = select.poll()
        stopped.register(self._way.listener, select.POLLIN)
        while stopped.poll(_CATCHING_MS):
            call = abi.received(self._way.listener)
            if call is not None and call.number == abi.STOP and call.arguments[0] == copies.COPIED:
                copies.kill(call.tid)
                if not self._way.is_apart:
                    waited_for(call.tid, is_copy=True)
                return
