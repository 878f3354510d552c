"""Runs several sessions of one program at once: an epoll loop over the launcher clients of a worker process."""

from __future__ import annotations

import contextlib
import select
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial

from pitboss.errors import SessionError
from pitboss.model.scripts import Script
from pitboss.model.transcript import ENDLESS, Transcript
from pitboss.sandbox import shortages
from pitboss.sandbox.limits import Limits
from pitboss.sandbox.retry import obtain, refused
from pitboss.sessions.terminal import NO_TERMINAL
from pitboss.sessions.tracing.launcher_client import LauncherClient
from pitboss.sessions.tracing.traced_session import TracedSession

#: How often every session is checked, in seconds. No verdict depends on it: the check only lets programs that wait for
#: us to read their output continue, and finds events that no notification reports.
_TICK_S = 0.002
#: How long we wait before we try again to start a launcher, after an attempt failed, in seconds.
_RETRY_S = 0.2


class Loop:
    """Runs sessions on the launchers of one program."""

    def __init__(self, start_launcher: Callable[[], LauncherClient | None]) -> None:
        """Start the first launcher of a program, and later another whenever all running programs wait for something.

        One launcher keeps a core busy as long as programs only wait for us, and setting up a launcher takes a
        millisecond. `start_launcher` returns None when there are enough, and raises OSError while this machine is short
        of a resource. The loop closes its clients when it is closed.
        """
        self._start_launcher = start_launcher
        self._clients: list[LauncherClient] = []
        #: Whether sessions run one at a time: at first, and after an endless session, until a session ends by itself.
        self._runs_singly = True
        #: When to try again to start another launcher, after an attempt failed.
        self._next_start_at = 0.0
        #: A session for which no terminal was available while other sessions ran.
        self._postponed: tuple[int, Script] | None = None
        self._reactions: dict[int, Callable[[], None]] = {}
        self._poll = obtain("no session can be run", select.epoll)
        try:
            first = obtain("no session can be run", start_launcher)
            if first is None:
                raise SessionError("no session can be run: no launcher is left")
            self._add(first)
        except BaseException:
            self.close()
            raise

    def _add(self, client: LauncherClient) -> None:
        self._clients.append(client)
        for descriptor, react in ((client.listener, client.on_stop), (client.number, client.on_message)):
            obtain("no session can be run", partial(self._watch, descriptor, react))

    def _watch(self, descriptor: int, react: Callable[[], None]) -> None:
        """Call a function whenever a descriptor is readable; OSError if the kernel refuses."""
        self._poll.register(descriptor, select.EPOLLIN)
        self._reactions[descriptor] = react

    def _start_another(self) -> None:
        """Start another launcher, unless there are enough or a resource that it needs is short."""
        if time.monotonic() < self._next_start_at:
            return
        try:
            client = self._start_launcher()
        except OSError:
            self._next_start_at = time.monotonic() + _RETRY_S
            return
        if client is not None:
            self._add(client)

    def _is_idle(self) -> bool:
        """Whether another session could run now because all running sessions wait for something."""
        if self._runs_singly:
            return False
        return all(client.session is not None and client.session.is_asleep for client in self._clients)

    def run(
        self, scripts: Iterable[Script], limits: Limits, *, skips_pauses: bool = True
    ) -> Iterator[tuple[int, Transcript]]:
        """Run a session for each script; yields its number and transcript, in the order in which sessions end."""
        try:
            yield from self._run(enumerate(scripts), limits, skips_pauses)
        except OSError as error:
            raise refused("the sessions could not be run", error) from error

    def _run(
        self, waiting: Iterator[tuple[int, Script]], limits: Limits, skips_pauses: bool
    ) -> Iterator[tuple[int, Transcript]]:
        self._runs_singly, self._postponed = True, None
        numbers: dict[int, int] = {}
        self._start_sessions(waiting, numbers, limits, skips_pauses)
        ticked_at = time.monotonic()
        while numbers:
            ready = self._poll.poll(_TICK_S)
            for descriptor, _ in ready:
                self._reactions[descriptor]()
            if not ready and self._is_idle():
                self._start_another()
                self._start_sessions(waiting, numbers, limits, skips_pauses)
            now = time.monotonic()
            if now - ticked_at >= _TICK_S:
                ticked_at = now
                for client in self._clients:
                    client.on_tick()
            finished = [index for index in numbers if self._is_over(index)]
            for index in finished:
                yield numbers.pop(index), self._finish(index)
            if finished:
                self._start_sessions(waiting, numbers, limits, skips_pauses)

    def _is_over(self, index: int) -> bool:
        session = self._clients[index].session
        return session is not None and session.is_over

    def _finish(self, index: int) -> Transcript:
        transcript = self._clients[index].finish()
        # An endless program may be endless each time, and use up its limit: then sessions run one at a time.
        self._runs_singly = transcript.ending.kind in ENDLESS
        return transcript

    def _start_sessions(
        self, waiting: Iterator[tuple[int, Script]], numbers: dict[int, int], limits: Limits, skips_pauses: bool
    ) -> None:
        """Start the next sessions on idle launchers; only one session if they run one at a time."""
        for index, client in enumerate(self._clients):
            if self._runs_singly and numbers:
                return
            if client.session is None:
                number, script = self._postponed or next(waiting, (None, None))
                if number is None or script is None:
                    return
                create = partial(TracedSession, script, limits, client.context, skips_pauses=skips_pauses)
                try:
                    # Do not wait while other sessions run: they will release terminals, and would seem idle meanwhile.
                    session = create() if numbers else obtain(NO_TERMINAL, create)
                except OSError as error:
                    if not shortages.is_short(error.errno):
                        raise
                    self._postponed = (number, script)
                    return
                self._postponed = None
                numbers[index] = number
                client.start(session)

    def close(self) -> None:
        """Close all clients."""
        with contextlib.ExitStack() as resources:
            resources.callback(self._poll.close)
            for client in self._clients:
                resources.callback(client.close)
