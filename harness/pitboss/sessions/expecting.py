"""The expecting driver: sessions on any POSIX terminal, without the kernel's help.

The driver follows the expected transcript: it types a line once the expected text has appeared and the program has been
silent for a moment. Sleeps are real, and a pause is the measured silence before a text, rounded to a tenth of a second.
Once a session differs from the expected transcript, lines are tried in its silences: they are typed, and taken back if
the program does not read them.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

import msgspec

from pitboss.model.scripts import Script
from pitboss.model.transcript import EndingKind, Transcript
from pitboss.sandbox import abi, files, scratch
from pitboss.sandbox.limits import STACK_BYTES, Limits
from pitboss.sandbox.retry import obtain, refusal_error
from pitboss.sandbox.sandbox import Level, Sandbox
from pitboss.sandbox.subprocesses import Confinement, lend_user
from pitboss.sandbox.tools import readable_folders
from pitboss.sessions.determinism import SeededEnvironment
from pitboss.sessions.measured_session import MeasuredSession
from pitboss.sessions.preloading import folder_of_environments
from pitboss.sessions.programs import Program, environment_of, with_variables
from pitboss.sessions.session_files import SessionFiles
from pitboss.sessions.tracing.exits import ending_behind_bubblewrap


class ExpectingDriver:
    """Runs sessions of one program, one after another."""

    def __init__(self, program: Program, limits: Limits, sandbox: Sandbox) -> None:
        """Set the program and its limits, which are enforced as far as this system supports them."""
        self._program, self._limits, self._sandbox = program, limits, sandbox
        #: The seeded environment of the current session.
        self._environment: SeededEnvironment | None = None
        #: Removes the run's folder and closes the environment at the end.
        self._resources = contextlib.ExitStack()

    def __enter__(self) -> ExpectingDriver:
        """Create the folders and the environment; SessionError if sessions cannot be run on this machine."""
        with contextlib.ExitStack() as resources:
            resources.enter_context(scratch.run_folder())
            environments_folder = resources.enter_context(folder_of_environments(self._program))
            create_environment = partial(
                SeededEnvironment, environments_folder, measuring_ns=self._program.measuring_ns
            )
            self._environment = obtain("no session can be run", create_environment)
            resources.callback(self._environment.close)
            self._resources.push(resources.pop_all())
        return self

    def __exit__(self, *_: object) -> None:
        """Close the environment and remove the folders."""
        self._resources.close()

    def sessions(self, scripts: Iterable[Script]) -> Iterator[tuple[int, Transcript]]:
        """Run a session for each script, in order; yields its number and transcript."""
        for number, script in enumerate(scripts):
            assert self._environment is not None
            self._environment.begin(script.environment_seed, is_unwatched=True)
            with scratch.folder("session", 0o700) as home, lend_user(self._level) as user_id:
                if user_id is not None:
                    os.chown(home, user_id, user_id)
                    os.chmod(home, 0o711)  # bubblewrap passes through this folder before it changes the user
                try:
                    transcript = self._run_session(home, user_id, script)
                except OSError as error:
                    raise refusal_error("the session could not be run", error) from error
            if self._level is Level.BUBBLEWRAP:  # bubblewrap reports a crash as an exit code
                transcript = msgspec.structs.replace(transcript, ending=ending_behind_bubblewrap(transcript.ending))
            yield number, transcript

    @property
    def _level(self) -> Level:
        return Level.NONE if self._program.is_trusted else self._sandbox.level

    def _run_session(self, home: str, user_id: int | None, script: Script) -> Transcript:
        """Runs a session with the files of its invocation, if any; returns its transcript."""
        environment = with_variables(environment_of(self._program, home), script.invocation.variables)
        confinement = self._confinement(home, user_id)
        session_files = SessionFiles(script.invocation, self._limits, self._program)
        try:
            files.write_files(home, session_files.files_to_write, user_id)
            session = MeasuredSession(self._program, confinement, environment, script, self._limits, session_files)
            transcript = session.run()
            has_exited = transcript.ending.kind is EndingKind.EXITED
            return session_files.complete(
                transcript, files.read_files(home, *session_files.compared_files) if has_exited else []
            )
        finally:
            session_files.close()

    def _confinement(self, home: str, user_id: int | None) -> Confinement:
        """The confinement of a session, with its limits."""
        level = self._level
        environments_folder = self._environment.folder if self._environment else None
        limits = [("RLIMIT_CPU", self._limits.cpu_s), ("RLIMIT_FSIZE", self._limits.file_mb << 20), ("RLIMIT_CORE", 0)]
        if sys.platform == "linux":
            limits += [("RLIMIT_STACK", STACK_BYTES), ("RLIMIT_NOFILE", abi.max_files_of_a_program())]
        return Confinement(
            level,
            Path(home),
            readable_folders(str(self._program.folder), *([environments_folder] if environments_folder else ())),
            tuple(limits),
            # Two more than the program may have: bubblewrap's own processes count too.
            processes=self._limits.processes + (2 if level is Level.BUBBLEWRAP else 0),
            memory_mb=self._limits.memory_mb,
            user_id=user_id,
            environment=tuple(self._environment.environment.items()) if self._environment else (),
            has_fixed_addresses=True,
            is_on_terminal=True,
        )
