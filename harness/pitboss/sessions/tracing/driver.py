"""The tracing driver: launchers for one program, in this process or in a bubblewrap, and the loop over their clients.

The driver creates a folder that contains a folder for each launcher, and removes it at the end (see scratch.py):

    sessions-XXXXXXXX/0 … N      (inside a bubblewrap: its own /tmp/0 … N)
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Iterable, Iterator

from pitboss.errors import RefusalError
from pitboss.model.scripts import Script
from pitboss.model.transcript import Transcript
from pitboss.sandbox import abi, channels, processes, scratch, shortages, users
from pitboss.sandbox.channels import Channel
from pitboss.sandbox.children import CHILDREN
from pitboss.sandbox.limits import Limits
from pitboss.sandbox.processes import Orphanage
from pitboss.sandbox.retry import obtain
from pitboss.sandbox.sandbox import (
    Level,
    Sandbox,
    can_switch_users_inside,
    landlock_rules,
    may_become_others,
)
from pitboss.sandbox.tools import readable_folders
from pitboss.sessions.binaries import explain_start_failure
from pitboss.sessions.determinism import SeededEnvironment
from pitboss.sessions.preloading import folder_of_environments, is_native
from pitboss.sessions.programs import Program, environment_of
from pitboss.sessions.tracing import launcher, spawner
from pitboss.sessions.tracing.bubblewrap import NOT_STARTED, InhabitedBubblewrap, JoinedBubblewrap, may_join
from pitboss.sessions.tracing.launcher_client import LauncherClient
from pitboss.sessions.tracing.loop import Loop

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
            obtain("no session can be run", spawner.prepare_for_launchers)
            self._resources.callback(CHILDREN.reap)
        reaper = _adopt_orphans() if self._bubblewrap is None else obtain(NOT_STARTED, self._wait_for_bubblewrap)
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
        if self._launchers_left == 0 or (
            isinstance(self._bubblewrap, InhabitedBubblewrap) and number == len(self._bubblewrap.channels)
        ):
            return None
        with contextlib.ExitStack() as resources:
            # Each launcher has its own user, so that its program's processes are limited and ended independently.
            user_id = resources.enter_context(users.lend_user_id()) if self._can_switch_users() else None
            self._launcher_count += 1
            channel = (
                self._bubblewrap.channels[number]
                if isinstance(self._bubblewrap, InhabitedBubblewrap)
                else self._open_launcher()
            )
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


def _adopt_orphans() -> int:
    """Make this process adopt the orphans of our programs; returns this process's id."""
    processes.adopt()
    return os.getpid()
