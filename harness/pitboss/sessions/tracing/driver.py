"""The tracing driver: launchers for one program, in this process or in a bubblewrap, and the loop over their clients.

The driver creates a folder that contains a folder for each launcher, and removes it at the end (see scratch.py):

    sessions-XXXXXXXX/0 … N      (inside a bubblewrap: its own /tmp/0 … N)

The loop runs several sessions of one program at once: epoll over the launcher clients of a worker process.
"""

from __future__ import annotations

import contextlib
import os
import select
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial

from pitboss.errors import RefusalError, SessionError
from pitboss.machine import abi, channels, processes, scratch, shortages, users
from pitboss.machine.channels import Channel
from pitboss.machine.children import CHILDREN
from pitboss.machine.processes import Orphanage
from pitboss.machine.retry import obtain, refusal_error
from pitboss.model.invocation import Script
from pitboss.model.transcript import OVER_A_LIMIT, Transcript
from pitboss.sandbox.limits import Limits
from pitboss.sandbox.sandbox import Level, Sandbox, can_switch_users_inside, landlock_rules, may_become_others
from pitboss.sandbox.tools import readable_folders
from pitboss.sessions.determinism import SeededEnvironment, folder_of_environments, is_native
from pitboss.sessions.executables import explain_start_failure
from pitboss.sessions.programs import Program, environment_of
from pitboss.sessions.terminal import NO_TERMINAL
from pitboss.sessions.tracing import launcher
from pitboss.sessions.tracing.bubblewrap import NOT_STARTED, InhabitedBubblewrap, JoinedBubblewrap, may_join
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


#: The maximum number of sessions that run at the same time. Another launcher is started only when all running programs
#: wait for something other than us.
AT_ONCE = 8
#: How long we wait for a launcher to end. A launcher with nothing more to do ends at once, unless the machine is in
#: trouble.
_LEAVING_S = 2.0


class TracingDriver:
    """Runs sessions of one program; the kernel stops the program at all relevant system calls."""

    def __init__(
        self,
        program: Program,
        limits: Limits,
        sandbox: Sandbox,
        *,
        skips_pauses: bool = True,
        stops_at_reads: bool = True,
        at_once: int = AT_ONCE,
    ) -> None:
        """`at_once` is the maximum number of sessions that run at the same time.

        Without `stops_at_reads` programs do not stop where they read their standard input: a file, which never waits.
        """
        self._program, self._limits, self._sandbox = program, limits, sandbox
        self._skips_pauses, self._stops_at_reads = skips_pauses, stops_at_reads
        #: How many more launchers may be started.
        self._launchers_left = at_once
        #: Everything that is ended or released when the driver exits, in reverse order.
        self._resources = contextlib.ExitStack()
        #: The users and channels of the launchers, released once the loop has closed all clients.
        self._client_resources = contextlib.ExitStack()
        self._bubblewrap: InhabitedBubblewrap | JoinedBubblewrap | None = None
        self._loop: Loop | None = None
        #: The folder of the seeded environments; None if the program loads no library for them.
        self._environments_folder: str | None = None
        #: How many launchers have been started.
        self._launcher_count = 0
        #: The threads of the launchers that run in this process.
        self._launchers: list[threading.Thread] = []

    @property
    def _readable(self) -> tuple[str, ...]:
        """The folders that the program may read."""
        environments_folders = (self._environments_folder,) if self._environments_folder else ()
        return readable_folders(str(self._program.folder), *environments_folders)

    @property
    def _level(self) -> Level:
        return Level.NONE if self._program.is_trusted else self._sandbox.level

    def __enter__(self) -> TracingDriver:
        """Start preparing sessions; SessionError if programs cannot be traced on this machine."""
        if not abi.IS_KNOWN:
            raise RefusalError("it needs Linux on x86-64")
        if "watching" in os.environ.get("PITBOSS_WITHOUT", ""):
            raise RefusalError("it is switched off by PITBOSS_WITHOUT")
        with contextlib.ExitStack() as resources:
            self._environments_folder = resources.enter_context(folder_of_environments(self._program))
            if self._level is Level.BUBBLEWRAP:
                obtain(NOT_STARTED, self._open_bubblewrap)
                resources.callback(self._end_bubblewrap)
            self._resources.push(resources.pop_all())
        return self

    def _open_bubblewrap(self) -> None:
        self._bubblewrap = self._new_bubblewrap(self._readable)

    def _end_bubblewrap(self) -> None:
        bubblewrap, self._bubblewrap = self._bubblewrap, None
        if bubblewrap is not None:
            bubblewrap.end()

    def _new_bubblewrap(self, readable: tuple[str, ...]) -> InhabitedBubblewrap | JoinedBubblewrap:
        if can_switch_users_inside() and may_join():
            return JoinedBubblewrap(readable)
        return InhabitedBubblewrap(readable, self._launchers_left)

    def __exit__(self, *_: object) -> None:
        """End the launchers and their programs, and remove their folders."""
        self._resources.close()

    def sessions(self, scripts: Iterable[Script]) -> Iterator[tuple[int, Transcript]]:
        """Run a session for each script; yields each session's number and transcript when the session ends."""
        self._loop = self._loop or self._prepare_loop()
        for number, transcript in self._loop.run(scripts, self._limits, skips_pauses=self._skips_pauses):
            ending = explain_start_failure(transcript.ending, self._program)
            yield number, transcript if ending is transcript.ending else Transcript(transcript.events, ending)

    def _prepare_loop(self) -> Loop:
        """Prepare everything that launchers need, and start the first launcher; returns the loop that runs sessions."""
        if self._bubblewrap is None:
            folder_of_launchers = self._resources.enter_context(scratch.folder("sessions", 0o711))
        else:
            folder_of_launchers = "/tmp"
        orphanage = self._open_orphanage()
        self._resources.callback(self._wait_for_launchers)
        self._resources.enter_context(self._client_resources)
        is_confined = self._level is not Level.NONE
        rules = landlock_rules(*self._readable) if is_confined else ()
        joined_process = self._bubblewrap.init_pidfd if isinstance(self._bubblewrap, JoinedBubblewrap) else None
        stops_at_draws = is_native(self._program)

        def setup_of_launcher(number: int, user_id: int | None, seeded: SeededEnvironment) -> launcher.Setup:
            folder = f"{folder_of_launchers}/{number}"
            home = f"{folder}/{launcher.SESSION_FOLDER}"
            variables = {**seeded.environment, launcher.LAUNCHER_NUMBER: str(number)}
            environment = tuple(environment_of(self._program, home, **variables).items())
            return launcher.Setup(
                self._program.argv,
                environment,
                folder,
                rules,
                confines=is_confined,
                user_id=user_id,
                groups=scratch.groups_of_programs(),
                joined_process=joined_process,
                stops_at_draws=stops_at_draws,
                stops_at_reads=self._stops_at_reads,
            )

        loop = Loop(lambda: self._start_client(setup_of_launcher, orphanage))
        self._resources.callback(loop.close)
        return loop

    def _open_orphanage(self) -> Orphanage:
        """Open and return the orphanage, which lists the processes that our programs have left without a parent."""
        if self._bubblewrap is None or isinstance(self._bubblewrap, JoinedBubblewrap):
            obtain("no session can be run", launcher.prepare_for_launchers)
            self._resources.callback(CHILDREN.reap)
        if self._bubblewrap is None:
            processes.adopt()
            reaper = os.getpid()
        else:
            reaper = obtain(NOT_STARTED, self._wait_for_bubblewrap)
        orphanage = obtain("no session can be run", lambda: Orphanage(reaper))
        self._resources.callback(orphanage.close)
        return orphanage

    def _wait_for_bubblewrap(self) -> int:
        """Wait until the bubblewrap has started; returns the id of the process that adopts orphans inside.

        Starts another bubblewrap if the last attempt failed because resources were short.
        """
        if self._bubblewrap is None:
            self._open_bubblewrap()
        assert self._bubblewrap is not None
        try:
            return self._bubblewrap.wait()
        except OSError:
            self._end_bubblewrap()
            raise

    def _start_client(
        self, setup_of_launcher: Callable[[int, int | None, SeededEnvironment], launcher.Setup], orphanage: Orphanage
    ) -> LauncherClient | None:
        """Start another launcher; returns its client, or None if there are enough. OSError if resources are short.

        If this fails halfway, the launcher cannot be used again, since a confined thread stays confined. Then the next
        call starts another launcher.
        """
        number = self._launcher_count
        prepared = self._bubblewrap.channels if isinstance(self._bubblewrap, InhabitedBubblewrap) else None
        if self._launchers_left == 0 or (prepared is not None and number == len(prepared)):
            return None
        with contextlib.ExitStack() as resources:
            # Each launcher has its own user, so that its program's processes are limited and ended independently.
            user_id = resources.enter_context(users.lend_user_id()) if self._can_switch_users() else None
            self._launcher_count += 1
            channel = self._open_launcher() if prepared is None else prepared[number]
            resources.callback(channel.close)
            environment = SeededEnvironment(self._environments_folder, number, self._program.measuring_ns)
            resources.callback(environment.close)
            launcher_setup = setup_of_launcher(number, user_id, environment)
            channel.send(launcher_setup.marshalled())
            client = LauncherClient(channel, launcher_setup, orphanage, environment, program=self._program)
            self._client_resources.push(resources.pop_all())
            self._launchers_left -= 1
            return client

    def _can_switch_users(self) -> bool:
        if self._level is Level.BUBBLEWRAP:
            return can_switch_users_inside()
        return self._level is Level.LANDLOCK and may_become_others()

    def _open_launcher(self) -> Channel:
        """Start a launcher in this process; returns our end of its channel."""
        ours, theirs = channels.open_channel()
        thread = threading.Thread(target=launcher.serve, args=(theirs,), name="pitboss launcher", daemon=True)
        try:
            shortages.start_thread(thread)
        except OSError:
            ours.close()
            theirs.close()
            raise
        self._launchers.append(thread)
        return ours

    def _wait_for_launchers(self) -> None:
        """Wait until the launchers in this process have ended, after their channels have been closed."""
        for thread in self._launchers:
            thread.join(_LEAVING_S)
        self._launchers.clear()
