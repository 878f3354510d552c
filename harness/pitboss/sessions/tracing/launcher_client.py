"""Our end of a launcher's channel: exchanges messages with the launcher, and runs the sessions of its programs.

The folder of a session replaces the folder of the previous session on the same launcher. Nothing of the previous
session remains, not even changes of the folder's attributes, times or size. The folder of a session is created and
removed from outside the confinement, through an open descriptor, since programs cannot change its parent folder:

    sessions-XXXXXXXX/0/session     (inside a bubblewrap: its own /tmp/0/session)

Here 0 is the number of the launcher.
"""

from __future__ import annotations

import contextlib
import errno
import marshal
import os
import time

from pitboss.errors import RefusalError, SessionError, ShortageError
from pitboss.machine import abi, removal, shortages
from pitboss.machine.channels import Channel
from pitboss.machine.processes import Orphanage
from pitboss.machine.retry import refusal_error
from pitboss.model.transcript import EndingKind, Transcript
from pitboss.sandbox.limits import mark_of
from pitboss.sessions.determinism import SeededEnvironment
from pitboss.sessions.programs import Program
from pitboss.sessions.session_files import SessionFiles
from pitboss.sessions.tracing.draws import RandomBytes
from pitboss.sessions.tracing.family import PROGRAM_FILE_ERRORS, LauncherContext
from pitboss.sessions.tracing.launcher import (
    GATHER,
    LAUNCHER_FOLDER_MODE,
    LAUNCHER_NUMBER,
    READY,
    REFUSED,
    SESSION_FOLDER,
    START,
    Setup,
)
from pitboss.sessions.tracing.traced_session import TracedSession


class SessionFolder:
    """The folder of the session that runs on one launcher."""

    def __init__(self, parent_descriptor: int, user_id: int | None) -> None:
        """`parent_descriptor`: of the parent folder; `user_id`: the user of the programs, or None for our user."""
        self._parent, self._user_id = parent_descriptor, user_id

    def renew(self) -> None:
        """Replace the previous session's folder, after that session's processes have ended; OSError if it fails."""
        os.fchmod(self._parent, 0o700)
        try:
            removal.empty(".", self._parent)
            os.mkdir(SESSION_FOLDER, 0o700, dir_fd=self._parent)
            if self._user_id is not None:
                os.chown(SESSION_FOLDER, self._user_id, self._user_id, dir_fd=self._parent)
        finally:
            os.fchmod(self._parent, LAUNCHER_FOLDER_MODE)

    @property
    def path(self) -> str:
        """The path of the session's folder, valid as long as this process has the parent folder open."""
        return f"/proc/self/fd/{self._parent}/{SESSION_FOLDER}"

    def close(self) -> None:
        """Close the parent folder."""
        os.close(self._parent)


#: Errors if the kernel, or a supervisor of this process, does not allow tracing or confinement.
_REFUSALS = frozenset({errno.ENOSYS, errno.EINVAL, errno.EPERM, errno.EACCES, errno.EBUSY, errno.EOPNOTSUPP})


class LauncherClient:
    """Our end of a launcher: the channel to the launcher, the listener of its filter, and its current session."""

    def __init__(
        self,
        channel: Channel,
        setup: Setup,
        orphanage: Orphanage,
        environment: SeededEnvironment,
        *,
        program: Program | None = None,
    ) -> None:
        """Wait for a launcher to be set up; its programs run in `environment`, their orphans appear in `orphanage`.

        For `program` see `LauncherContext`.

        Raises SessionError if this machine refuses tracing or confinement, OSError if resources are short. Then the
        caller must close the channel; otherwise `close` does so.
        """
        self._channel = channel
        mark = mark_of(int(dict(setup.environment)[LAUNCHER_NUMBER]))
        draws = RandomBytes(environment)
        self.context = LauncherContext(orphanage, mark, environment, draws, setup.user_id, program)
        self.listener, parent_folder = _receive_ready(channel)
        self._folder = SessionFolder(parent_folder, setup.user_id)
        self.channel_descriptor = channel.fileno()
        self.session: TracedSession | None = None
        #: Whether the next tick tries again to start the program, since the last attempt failed.
        self._is_postponed = False
        #: Until when (monotonic clock) we try again.
        self._retry_until = 0.0

    def start(self, session: TracedSession) -> None:
        """Start the program on the session's terminal."""
        self.session = session
        session.folder = self._folder.path
        self._retry_until = time.monotonic() + shortages.PATIENCE_S
        self._try_start(session)

    def _try_start(self, session: TracedSession) -> None:
        try:
            self._folder.renew()
            terminal, session_files = session.terminal.program_end, session.session_files
            has_request = session_files.request >= 0
            others = (session_files.request, *session_files.input_and_error(terminal)) if has_request else ()
            self._channel.send(START, terminal, *others)
        except OSError as error:
            self._retry_or_fail(session, error.errno or 0)

    def _retry_or_fail(self, session: TracedSession, error_number: int) -> None:
        """Retry soon if resources were short, or raise ShortageError if they have been short for too long.

        Any other error ends the session as a fault: the program could not be started.
        """
        self._is_postponed = shortages.is_short(error_number) and time.monotonic() < self._retry_until
        if not self._is_postponed:
            fault = refusal_error("the program could not be started", OSError(error_number, os.strerror(error_number)))
            if isinstance(fault, ShortageError):
                raise fault
            session.on_fault(str(fault))

    def on_tick(self) -> None:
        """Do the regular work: a postponed start, and the work of the session."""
        if self.session is None:
            return
        if self._is_postponed:
            self._is_postponed = False
            self._try_start(self.session)
        self.session.on_tick()

    def on_message(self) -> None:
        """Read from the launcher how the program ended, or that it could not be started; OSError if reading fails."""
        try:
            raw, _ = self._channel.receive()
        except ConnectionResetError:
            raw = b""
        if self.session is None:
            return
        match marshal.loads(raw) if raw else None:
            case (status, memory_kb, cpu_s):
                self.session.on_ended(status, memory_kb, cpu_s)
            case (error, _):  # the launcher itself failed: see launcher.FAULT_IS_OURS
                self._retry_or_fail(self.session, error)
            case (error,):  # the kernel refused to start the program
                if error in PROGRAM_FILE_ERRORS:
                    self.session.on_refusal(error)
                else:
                    self._retry_or_fail(self.session, error)
            case _:
                # A launcher that still runs may answer later, and the next session would take that answer for its own.
                self._channel.shut()
                self.session.on_fault("the process that starts programs has ended")

    def finish(self) -> Transcript:
        """Close the current session, which is over, and return its transcript; OSError if resources are short."""
        session = self.session
        assert session is not None
        try:
            transcript = session.transcript
            gathered = self._gather_files(session.session_files) if transcript.ending.kind is EndingKind.EXITED else []
            return session.session_files.complete(transcript, gathered)
        finally:
            self.session = None
            session.close()

    def _gather_files(self, session_files: SessionFiles) -> list[tuple[str, str, bytes]]:
        """Returns the name, kind and content of each compared file; only the launcher can read the session's files."""
        names, _ = session_files.compared_files
        if not names:
            return []
        session_files.write_gather_request()
        self._channel.send(GATHER, session_files.request)
        raw, _ = self._channel.receive()
        if not raw:
            raise OSError(errno.EPIPE, "the process that starts programs has ended")
        if answer := marshal.loads(raw):
            error_number, _ = answer
            raise OSError(error_number, os.strerror(error_number))
        return session_files.gathered_files()

    def on_stop(self) -> None:
        """Answer a program that the filter has stopped at a call."""
        notification = abi.receive_notification(self.listener)
        if notification is not None and self.session is not None:
            self.session.on_notification(self.listener, notification)

    def close(self) -> None:
        """End the current session, and close the channel, which ends the launcher."""
        with contextlib.ExitStack() as resources:
            resources.callback(os.close, self.listener)
            resources.callback(self._folder.close)
            resources.callback(self._channel.close)
            if self.session is not None:
                resources.callback(self.session.close)


def _receive_ready(channel: Channel) -> tuple[int, int]:
    """Wait for a launcher to be set up; returns its listener and its folder. For errors see `LauncherClient`."""
    message, descriptors = channel.receive()
    if message == READY:
        listener, folder = descriptors
        return listener, folder
    if not message:
        raise OSError(errno.EAGAIN, "the launcher ended at once")
    error_number, reason = marshal.loads(message.removeprefix(REFUSED))
    if shortages.is_short(error_number):
        raise OSError(error_number, reason)
    raise RefusalError(reason) if error_number in _REFUSALS else SessionError(reason)
