"""A launcher: a thread that confines itself, then starts one program after another on terminals that it receives.

Before it starts the first program, the thread sets up everything that programs inherit and must not be able to undo:
the system call filter whose listener is ours, the Landlock domain and the user id. Only this thread is confined, not
the rest of the process with its other launchers. Programs of different launchers cannot reach each other.

The other end of its channel is a `launcher_client`. The channel is a SEQPACKET socket, so a launcher can run in this
process or in a process inside a bubblewrap (`init_process`):

    -> Setup, marshalled     once
    <- READY + listener fd + fd of its folder, or REFUSED + errno and reason, marshalled
    -> "start" + terminal fd [+ session files fd + standard error's fd]
    <- (errno,) if the kernel refused to start the program, (errno, "ours") if we failed before that, else (wait
       status, peak in kB or 0 for unknown, CPU time in s), marshalled
    -> "gather" + session files fd
    <- (), or (errno, "ours"), marshalled

The session files are a file in memory. For "start" it contains the arguments, files and environment of a session; for
"gather" the names of files and the maximum number of bytes of each, and in reply these files. All are marshalled.
"""

from __future__ import annotations

import _thread
import errno
import marshal
import os

from pitboss.sandbox import abi, files, filters, landlock, seccomp
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
        joins: int | None = None,
        is_drawing: bool = False,
    ) -> None:
        """`folder` is the launcher's folder, which it creates; it contains only the folder of a session.

        `rules` are pairs of a path and Landlock rights, empty for no Landlock; with `confines` the filter refuses calls
        that no console program needs; `user_id` is the user of the programs (None: ours), and `groups` are further
        groups of that user; `joins` is a pidfd, open in this process, of a process whose namespaces the launcher moves
        into; with `is_drawing` programs stop at calls in which the kernel gives them random bytes.
        """
        self.argv, self.environment, self.folder = argv, environment, folder
        self.rules, self.confines, self.joins = rules, confines, joins
        self.user_id, self.groups = user_id, groups
        self.is_drawing = is_drawing

    def marshalled(self) -> bytes:
        """Returns the setup as a message for a channel."""
        confinement = (self.rules, self.confines, self.user_id, self.groups, self.joins, self.is_drawing)
        return marshal.dumps((self.argv, self.environment, self.folder, *confinement))


#: The name of a session's folder in its launcher's folder.
SESSION = "session"
#: The mode of a launcher's folder: programs can neither list nor change it, even if their user owns it.
PASSED_THROUGH = 0o111
#: The number of the launcher, in the environment of its programs.
MARK = "PITBOSS_SESSION"

READY, REFUSED, START, GATHER = b"ready", b"refused: ", b"start", b"gather"
#: In an answer: the fault is ours and not the program's.
OURS = "ours"
#: Session files are never larger.
_MAX_BYTES = 1 << 40


def serve(channel: Channel) -> None:
    """Run a launcher until the other end of the channel is closed."""
    try:
        _serve(channel)
    except (OSError, MemoryError):  # the other end is closed, or will see that this end is closed
        pass
    finally:
        channel.close()


def _serve(channel: Channel) -> None:
    raw, _ = channel.receive(1 << 20)
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
        reason = error.strerror if is_short(error.errno) else str(error)
        channel.send(REFUSED + marshal.dumps((error.errno or 0, reason)))
        return
    try:
        try:
            channel.send(READY, listener, folder)
        finally:
            os.close(listener)
            os.close(folder)
        while _serve_next(channel, spawner, f"{setup.folder}/{SESSION}"):
            pass
    finally:
        spawner.close()


def _serve_next(channel: Channel, spawner: Spawner, scratch: str) -> bool:
    """Run the next program, or gather the files of the last program; False if there is nothing more to do."""
    try:
        message, descriptors = channel.receive()
    except OSError as error:  # no descriptor was free for the terminal
        if error.errno != errno.EMFILE:  # the message is still in the channel: it would be received again
            raise
        channel.send(marshal.dumps((error.errno or 0, OURS)))
        return True
    try:
        if message == START:
            answer = _run(spawner, scratch, *descriptors)
        elif message == GATHER:
            answer = _gather(scratch, *descriptors)
        else:
            return False
    except NotStartedError as error:
        answer = marshal.dumps((error.errno,))
    except OSError as error:
        answer = marshal.dumps((error.errno or 0, OURS))
    finally:
        for descriptor in descriptors:
            os.close(descriptor)
    channel.send(answer)
    return True


def _run(spawner: Spawner, scratch: str, terminal: int, files_descriptor: int = -1, errors: int = -1) -> bytes:
    """Run a program on a terminal, with session files and a separate standard error if these are given."""
    os.chdir(scratch)  # a new folder, created by our client
    CHILDREN.reap()
    if files_descriptor < 0:
        return marshal.dumps(spawner.run(terminal))
    arguments, given_files, variables = marshal.loads(files.read_open_file(files_descriptor, _MAX_BYTES))
    files.put(scratch, given_files)
    return marshal.dumps(spawner.run(terminal, arguments, errors, variables))


def _gather(scratch: str, files_descriptor: int) -> bytes:
    """Read the files named in the session files, and write them there."""
    names, max_bytes = marshal.loads(files.read_open_file(files_descriptor, _MAX_BYTES))
    files.overwrite(files_descriptor, marshal.dumps(files.left_in(scratch, names, max_bytes)))
    return marshal.dumps(())


def _confine(setup: Setup) -> tuple[int, int]:
    """Confine this thread; returns descriptors of the listener of its filter and of its folder."""
    abi.fix_addresses()
    abi.call("unshare", abi.CLONE_FS)  # a working directory of our own
    if setup.joins is not None:
        abi.call("setns", setup.joins, abi.NAMESPACES)
    os.makedirs(setup.folder, exist_ok=True)
    folder = os.open(setup.folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fchmod(folder, PASSED_THROUGH)
        return _drop_rights(setup), folder
    except BaseException:
        os.close(folder)
        raise


def _drop_rights(setup: Setup) -> int:
    """Drop all rights that programs must not have; returns the listener of the filter."""
    if setup.user_id is not None:
        abi.become(setup.user_id, setup.groups)
    elif setup.confines:
        # The program shares the user and the Landlock domain of our threads: it could read our memory through /proc.
        # (If threads become another user the kernel prevents this itself.) See PR_SET_DUMPABLE in prctl(2).
        abi.call("prctl", abi.PR_SET_DUMPABLE, 0, 0, 0, 0)
    if setup.rules:
        rules = [(str(path), int(rights)) for path, rights in setup.rules]
        landlock.restrict([*rules, (setup.folder, landlock.WRITE)])
    refuses_signals = setup.confines and not landlock.restricts_signals()
    program = filters.filter_program(
        watches=True,
        is_drawing=setup.is_drawing,
        confines=setup.confines,
        refuses_signals=refuses_signals,
        is_of_our_user=setup.confines and setup.user_id is None,
        # In other namespaces no process id refers to us.
        protects=(os.getpid(), _thread.get_native_id()) if setup.joins is None else (),
    )
    listener = seccomp.install(program, listens=True)
    assert listener is not None
    os.set_inheritable(listener, False)
    abi.wake_in_step(listener)
    return listener
