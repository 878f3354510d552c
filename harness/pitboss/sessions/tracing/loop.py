"""Runs several sessions of one program at once: an epoll loop over the launcher clients of a worker process."""

from __future__ import annotations

import contextlib
import select
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial

from pitboss.errors import SessionError
from pitboss.model.scripts import Script
from pitboss.model.transcript import OVER_A_LIMIT, Transcript
from pitboss.sandbox import shortages
from pitboss.sandbox.limits import Limits
from pitboss.sandbox.retry import obtain, refusal_error
from pitboss.sessions.terminal import NO_TERMINAL
from pitboss.sessions.tracing.launcher_client import LauncherClient
from pitboss.sessions.tracing.traced_session import TracedSession

#: The time between two checks of every session, in seconds. No verdict depends on this number: the check only reads
#: output, so that a program whose terminal is full can continue, and finds events that no notification reports.
_TICK_S = 0.002
#: How many seconds we wait after a failed attempt to start a launcher before we try again.
_RETRY_S = 0.2


class Loop:
    """Runs sessions on the launchers of one program."""

    def __init__(self, start_launcher: Callable[[], LauncherClient | None]) -> None:
        """Start the first launcher of a program, and later another whenever all running programs wait for something.

        One launcher keeps a core busy as long as programs only wait for pitboss, and setting up a launcher takes a
        millisecond. `start_launcher` returns None when there are enough launchers, and raises OSError while this
        machine is short of a resource. `close` also closes the clients that `start_launcher` has returned.
        """
        self._start_launcher = start_launcher
        self._clients: list[LauncherClient] = []
        #: Whether sessions run one at a time: at first, and after a session that used up a limit; in both cases until
        #: another session ends without having used up a limit.
        self._runs_singly = True
        #: When to try again to start another launcher, after an attempt failed.
        self._next_start_at = 0.0
        #: The number and script of a session for which no terminal was available while other sessions ran.
        self._postponed: tuple[int, Script] | None = None
        #: The function to call when a descriptor is readable, by descriptor.
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
        """Add a client, and watch its listener and its channel."""
        self._clients.append(client)
        for descriptor, react in ((client.listener, client.on_stop), (client.channel_descriptor, client.on_message)):
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

    def _may_run_another(self) -> bool:
        """Whether another session could run now because all running sessions wait for something."""
        if self._runs_singly:
            return False
        return all(client.session is not None and client.session.is_asleep for client in self._clients)

    def run(
        self, scripts: Iterable[Script], limits: Limits, *, skips_pauses: bool = True
    ) -> Iterator[tuple[int, Transcript]]:
        """Run a session for each script; yields the number (from 0) and transcript of each session when it ends."""
        try:
            yield from self._run(enumerate(scripts), limits, skips_pauses)
        except OSError as error:
            raise refusal_error("the sessions could not be run", error) from error

    def _run(
        self, pending_scripts: Iterator[tuple[int, Script]], limits: Limits, skips_pauses: bool
    ) -> Iterator[tuple[int, Transcript]]:
        self._runs_singly, self._postponed = True, None
        script_numbers: dict[int, int] = {}  # the number of the script that a client runs, by the client's index
        self._start_sessions(pending_scripts, script_numbers, limits, skips_pauses)
        ticked_at = time.monotonic()
        while script_numbers:
            ready = self._poll.poll(_TICK_S)
            for descriptor, _ in ready:
                self._reactions[descriptor]()
            if not ready and self._may_run_another():
                self._start_another()
                self._start_sessions(pending_scripts, script_numbers, limits, skips_pauses)
            now = time.monotonic()
            if now - ticked_at >= _TICK_S:
                ticked_at = now
                for client in self._clients:
                    client.on_tick()
            finished = [client_index for client_index in script_numbers if self._is_over(client_index)]
            for client_index in finished:
                yield script_numbers.pop(client_index), self._finish(client_index)
            if finished:
                self._start_sessions(pending_scripts, script_numbers, limits, skips_pauses)

    def _is_over(self, client_index: int) -> bool:
        session = self._clients[client_index].session
        return session is not None and session.is_over

    def _finish(self, client_index: int) -> Transcript:
        transcript = self._clients[client_index].finish()
        # A program that used up a limit may do so in every session, so the next session runs alone.
        self._runs_singly = transcript.ending.kind in OVER_A_LIMIT
        return transcript

    def _start_sessions(
        self,
        pending_scripts: Iterator[tuple[int, Script]],
        script_numbers: dict[int, int],
        limits: Limits,
        skips_pauses: bool,
    ) -> None:
        """Start the next sessions on idle launchers, or only one session while sessions run one at a time."""
        for client_index, client in enumerate(self._clients):
            if self._runs_singly and script_numbers:
                return
            if client.session is None:
                number, script = self._postponed or next(pending_scripts, (None, None))
                if number is None or script is None:
                    return
                create = partial(TracedSession, script, limits, client.context, skips_pauses=skips_pauses)
                try:
                    # While other sessions run, do not wait here for a terminal: these sessions will release theirs, and
                    # their programs would seem idle if we did not answer them meanwhile.
                    session = create() if script_numbers else obtain(NO_TERMINAL, create)
                except OSError as error:
                    if not shortages.is_short(error.errno):
                        raise
                    self._postponed = (number, script)
                    return
                self._postponed = None
                script_numbers[client_index] = number
                client.start(session)

    def close(self) -> None:
        """Close all clients."""
        with contextlib.ExitStack() as resources:
            resources.callback(self._poll.close)
            for client in self._clients:
                resources.callback(client.close)
