"""A launcher: a thread that confines itself, then starts one program after another on terminals that it receives.

Before it starts the first program, the thread sets up everything that programs inherit and must not be able to undo:
the system call filter that notifies pitboss, the Landlock domain and the user id. Only this thread is confined, not
the other threads and launchers of the process. Programs of different launchers cannot reach each other.

A `LauncherClient` uses the other end of the launcher's channel. The channel is a SEQPACKET socket, so a launcher can
run in this process or in a process inside a bubblewrap (`init_process`). Messages to (->) and from (<-) a launcher:

    -> Setup, marshalled     once
    <- READY + listener fd + fd of the launcher's folder, or REFUSED + errno and reason, marshalled
    -> "start" + terminal fd [+ request fd + fds of standard input and error]
    <- (errno,) if the kernel refused to start the program, (errno, "ours") if we failed before that, else (wait
       status, peak memory in kB or 0 for unknown, CPU time in s), marshalled
    -> "gather" + request fd
    <- (), or (errno, "ours"), marshalled

A request is a file in memory with marshalled contents. For "start" it contains the arguments, files and environment of
a session. For "gather" it contains the names of the files to read and the maximum number of bytes of each; the launcher
replaces them by the contents of these files.
"""

from __future__ import annotations

import _thread
import errno
import marshal
import os

from pitboss.sandbox import abi, files, filters, landlock
from pitboss.sandbox.channels import Channel
from pitboss.sandbox.children import CHILDREN
from pitboss.sandbox.shortages import is_short
from pitboss.sessions.tracing.spawner import NotStartedError, Spawner


class Setup:
    """The settings that a launcher receives once, before its first program."""

    def __init__(
        self,
        argv: tuple[str, ...],
        environment: tuple[tuple[str, str], ...],
        folder: str,
        rules: tuple[tuple[str, int], ...] = (),
        confines: bool = False,
        user_id: int | None = None,
        groups: tuple[int, ...] = (),
        joined_process: int | None = None,
        stops_at_draws: bool = False,
        stops_at_reads: bool = True,
    ) -> None:
        """`folder` is the launcher's folder: the launcher creates it, and it contains only the folder of a session.

        `rules` are pairs of a path and Landlock rights, empty for no Landlock. With `confines` the filter refuses calls
        that no console program needs. `user_id` is the user of the programs (None: ours), and `groups` are further
        groups of that user. `joined_process` is a pidfd, open in this process: the launcher moves into the
        namespaces of the process that the pidfd refers to. With `stops_at_draws` programs stop at calls that return
        random bytes, with `stops_at_reads` where they read descriptor 0.
        """
        self.argv, self.environment, self.folder = argv, environment, folder
        self.rules, self.confines, self.joined_process = rules, confines, joined_process
        self.user_id, self.groups = user_id, groups
        self.stops_at_draws, self.stops_at_reads = stops_at_draws, stops_at_reads

    def marshalled(self) -> bytes:
        """Returns the setup as a message for a channel."""
        confinement = (self.rules, self.confines, self.user_id, self.groups, self.joined_process)
        stops = (self.stops_at_draws, self.stops_at_reads)
        return marshal.dumps((self.argv, self.environment, self.folder, *confinement, *stops))


#: The name of a session's folder in its launcher's folder.
SESSION_FOLDER = "session"
#: The mode of a launcher's folder: programs can neither list nor change it, even if their user owns it.
LAUNCHER_FOLDER_MODE = 0o111
#: The environment variable by which the programs of a launcher are recognised: it contains the launcher's number.
LAUNCHER_NUMBER = "PITBOSS_SESSION"

READY, REFUSED, START, GATHER = b"ready", b"refused: ", b"start", b"gather"
#: The second part of an answer if pitboss, not the program, is to blame: the launcher failed before it started the
#: program, or it could not gather the files.
FAULT_IS_OURS = "ours"
#: The maximum numbers of bytes to read of a setup and of a request: no setup or request is that large.
_MAX_SETUP_BYTES, _MAX_REQUEST_BYTES = 1 << 20, 1 << 40


def serve(channel: Channel) -> None:
    """Run a launcher until the other end of the channel is closed."""
    try:
        _serve(channel)
    except (OSError, MemoryError):  # the client, if it still exists, notices that our end is closed
        pass
    finally:
        channel.close()


def _serve(channel: Channel) -> None:
    raw, _ = channel.receive(_MAX_SETUP_BYTES)
    if not raw:
        return
    setup = Setup(*marshal.loads(raw))
    spawner = None
    try:
        spawner = Spawner(setup.argv, dict(setup.environment))
        listener, folder = _confine(setup)
    except (OSError, MemoryError) as failure:
        if spawner is not None:
            spawner.close()
        error = failure if isinstance(failure, OSError) else OSError(errno.ENOMEM, os.strerror(errno.ENOMEM))
        # For a shortage the client raises an OSError, whose text itself contains the errno. So the reason must not.
        reason = error.strerror if is_short(error.errno) else str(error)
        channel.send(REFUSED + marshal.dumps((error.errno or 0, reason)))
        return
    try:
        try:
            channel.send(READY, listener, folder)
        finally:
            os.close(listener)
            os.close(folder)
        while _serve_next(channel, spawner, f"{setup.folder}/{SESSION_FOLDER}"):
            pass
    finally:
        spawner.close()


def _serve_next(channel: Channel, spawner: Spawner, session_folder: str) -> bool:
    """Run the next program, or gather the files of the last program; returns False once the channel is closed."""
    try:
        message, descriptors = channel.receive()
    except OSError as error:
        if error.errno != errno.EMFILE:
            raise  # the message is still in the channel, and we would receive it again and again
        # The message was received, but no descriptor was free for the terminal.
        channel.send(marshal.dumps((error.errno or 0, FAULT_IS_OURS)))
        return True
    try:
        if message == START:
            answer = _run(spawner, session_folder, *descriptors)
        elif message == GATHER:
            answer = _gather(session_folder, *descriptors)
        else:
            return False
    except NotStartedError as error:
        answer = marshal.dumps((error.errno,))
    except OSError as error:
        answer = marshal.dumps((error.errno or 0, FAULT_IS_OURS))
    finally:
        for descriptor in descriptors:
            os.close(descriptor)
    channel.send(answer)
    return True


def _run(spawner: Spawner, session_folder: str, terminal: int, request: int = -1, *others: int) -> bytes:
    """Run a program on a terminal; returns the answer to send.

    `request` is the descriptor of the request, and `others` those of standard input and error; -1 and none if these
    are the terminal, and there is no request.
    """
    os.chdir(session_folder)  # a new folder, created by our client
    CHILDREN.reap()
    if request < 0:
        return marshal.dumps(spawner.run(terminal))
    arguments, session_files, variables = marshal.loads(files.read_open_file(request, _MAX_REQUEST_BYTES))
    files.write_files(session_folder, session_files)
    return marshal.dumps(spawner.run(terminal, arguments, others, variables))


def _gather(session_folder: str, request: int) -> bytes:
    """Replace the names of files in the request by the contents of these files; returns the answer to send."""
    names, max_bytes = marshal.loads(files.read_open_file(request, _MAX_REQUEST_BYTES))
    files.overwrite(request, marshal.dumps(files.read_files(session_folder, names, max_bytes)))
    return marshal.dumps(())


def _confine(setup: Setup) -> tuple[int, int]:
    """Confine this thread; returns two descriptors: the listener of its filter, and the launcher's folder."""
    abi.turn_off_address_randomization()
    abi.call("unshare", abi.CLONE_FS)  # a working directory of our own
    if setup.joined_process is not None:
        abi.call("setns", setup.joined_process, abi.BUBBLEWRAP_NAMESPACES)
    os.makedirs(setup.folder, exist_ok=True)
    folder = os.open(setup.folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fchmod(folder, LAUNCHER_FOLDER_MODE)
        return _drop_rights(setup), folder
    except BaseException:
        os.close(folder)
        raise


def _drop_rights(setup: Setup) -> int:
    """Drop all rights that programs must not have; returns the listener of the filter."""
    if setup.user_id is not None:
        abi.become(setup.user_id, setup.groups)
    elif setup.confines:
        # A program with our user, in this thread's Landlock domain, could read our memory through /proc: the thread's
        # memory is that of the whole process. (From another user the kernel protects it.) See PR_SET_DUMPABLE in
        # prctl(2).
        abi.call("prctl", abi.PR_SET_DUMPABLE, 0, 0, 0, 0)
    if setup.rules:
        rules = [(str(path), int(rights)) for path, rights in setup.rules]
        landlock.restrict([*rules, (setup.folder, landlock.WRITE)])
    refuses_signals = setup.confines and not landlock.restricts_signals()
    program = filters.filter_program(
        watches=True,
        stops_at_draws=setup.stops_at_draws,
        stops_at_reads=setup.stops_at_reads,
        confines=setup.confines,
        refuses_signals=refuses_signals,
        is_of_our_user=setup.confines and setup.user_id is None,
        # In other namespaces no process id refers to us.
        protected_tasks=(os.getpid(), _thread.get_native_id()) if setup.joined_process is None else (),
    )
    listener = filters.install(program, listens=True)
    assert listener is not None
    os.set_inheritable(listener, False)
    abi.wake_on_same_core(listener)
    return listener
