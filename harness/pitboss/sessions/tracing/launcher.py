"""A launcher: a thread that confines itself, then starts one program after another on terminals that it receives.

Before it starts the first program, the thread sets up everything that programs inherit and must not be able to undo:
the system call filter that notifies pitboss, the Landlock domain and the user id. Only this thread is confined, not the
other threads and launchers of the process. Programs of different launchers cannot reach each other.

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

A program is started many times, each time on another terminal, by posix_spawn(3) with arguments prepared once.
"""

from __future__ import annotations

import _thread
import ctypes
import errno
import fcntl
import marshal
import os
import resource

from pitboss.machine import abi, files
from pitboss.machine.channels import Channel
from pitboss.machine.children import CHILDREN
from pitboss.machine.shortages import is_short
from pitboss.sandbox import filters, landlock

TYPE_CHECKING = False  # instead of typing.TYPE_CHECKING: a process inside a bubblewrap imports little
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

#: The function of the C library that closes all descriptors from a number up; in glibc since 2.34.
CLOSE_FROM = "posix_spawn_file_actions_addclosefrom_np"
_SPAWN_SETSIGDEF, _SPAWN_SETSIGMASK, _SPAWN_SETSID = 0x04, 0x08, 0x80


#: The default: no changes of a program's environment.
NO_CHANGE: Mapping[str, str | None] = {}


class NotStartedError(OSError):
    """The kernel refused to start a program; its errno says why."""


class Spawner:
    """Starts a program by posix_spawn, whose constant arguments are prepared once.

    The C function is called through ctypes, since os.posix_spawn does not release the interpreter lock until the
    program runs, and the program does not run until another thread of ours has answered its execve.
    """

    def __init__(self, argv: Sequence[str], environment: dict[str, str]) -> None:
        """Prepare to start the program `argv` in this environment; OSError if no descriptor is free."""
        self._path, self._encoded_argv = os.fsencode(argv[0]), [os.fsencode(argument) for argument in argv]
        self._argv = _string_array(self._encoded_argv)
        self._variables = environment
        self._environment = _variable_array(environment)
        #: The descriptor number to which each session's terminal is duplicated.
        self._terminal_number = _open_reserved_descriptor(abi.max_files_of_a_program())
        #: The descriptor numbers to which standard input and error are duplicated in sessions where they may not be the
        #: terminal; empty before the first such session.
        self._other_numbers: list[int] = []
        #: The actions of posix_spawn in these sessions.
        self._actions_with_others = ctypes.create_string_buffer(256)
        # Each buffer is at least as large as the struct of the C library for which it is used.
        self._attributes = ctypes.create_string_buffer(512)
        self._actions = ctypes.create_string_buffer(256)
        no_signal, all_signals = ctypes.create_string_buffer(128), ctypes.create_string_buffer(b"\xff" * 128, 128)
        abi.libc.posix_spawnattr_init(self._attributes)
        abi.libc.posix_spawnattr_setsigmask(self._attributes, no_signal)
        # This process ignores some signals, because of Python, a shell or nohup, and a program would ignore them too.
        # Not sigfillset: it leaves out the internal signals of glibc, 32 and 33, which glibc ignores unless named here.
        abi.libc.posix_spawnattr_setsigdefault(self._attributes, all_signals)
        flags = _SPAWN_SETSIGDEF | _SPAWN_SETSIGMASK | _SPAWN_SETSID
        abi.libc.posix_spawnattr_setflags(self._attributes, ctypes.c_short(flags))
        self._prepare(self._actions, (self._terminal_number, self._terminal_number, self._terminal_number))

    def _prepare(self, actions: ctypes.Array[ctypes.c_char], sources: tuple[int, int, int]) -> None:
        """Prepare the actions that duplicate the descriptors `sources` to 0, 1 and 2 in the program."""
        abi.libc.posix_spawn_file_actions_init(actions)
        for target, source in enumerate(sources):
            abi.libc.posix_spawn_file_actions_adddup2(actions, source, target)
        self._close_others(actions)

    def _close_others(self, actions: ctypes.Array[ctypes.c_char]) -> None:
        """Close all descriptors above 2 in the program.

        One of them is the listener of the program's filter, with which the program could answer its own calls.
        """
        close_from = getattr(abi.libc, CLOSE_FROM, None)
        if close_from is not None:
            close_from(actions, 3)
            return
        # An older C library: have the execve close them. Even our highest descriptors are below twice the limit.
        for number in range(3, 2 * abi.max_files_of_a_program()):
            try:
                os.set_inheritable(number, False)
            except OSError:
                pass

    def close(self) -> None:
        """Close the descriptors for terminals, standard inputs and errors."""
        for number in (self._terminal_number, *self._other_numbers):
            os.close(number)

    def _redirect(self, others: Sequence[int]) -> ctypes.Array[ctypes.c_char]:
        """Duplicate a standard input and error to the numbers reserved for them; returns the actions that use these.

        Raises OSError if no descriptor is free.
        """
        while len(self._other_numbers) < len(others):
            self._other_numbers.append(_open_reserved_descriptor(abi.max_files_of_a_program()))
            if len(self._other_numbers) == len(others):
                stdin, stderr = self._other_numbers
                self._prepare(self._actions_with_others, (stdin, self._terminal_number, stderr))
        for source, number in zip(others, self._other_numbers, strict=True):
            os.dup2(source, number, inheritable=False)
        return self._actions_with_others

    def run(
        self,
        terminal: int,
        arguments: Sequence[str] = (),
        others: Sequence[int] = (),
        variables: Mapping[str, str | None] = NO_CHANGE,
    ) -> tuple[int, int, float]:
        """Run the program on this terminal, with additional arguments; `variables` are changes of its environment.

        Returns its wait status (see waitpid(2)), its peak memory in kB (0 if unknown) and its CPU time in seconds. The
        program's standard input and error are the descriptors `others`, or the terminal if there are none. Raises
        NotStartedError if the kernel refuses to start the program, OSError if we fail before that.
        """
        os.dup2(terminal, self._terminal_number, inheritable=False)
        actions = self._redirect(others) if others else self._actions
        argv = _string_array([*self._encoded_argv, *map(os.fsencode, arguments)]) if arguments else self._argv
        environment = self._environment
        if variables:
            environment = _variable_array({**self._variables, **variables})
        pid = ctypes.c_int()
        CHILDREN.note_starting()
        error = abi.libc.posix_spawn(ctypes.byref(pid), self._path, actions, self._attributes, argv, environment)
        CHILDREN.note_started(0 if error else pid.value)
        if error:
            raise NotStartedError(error, os.strerror(error))
        _, status, usage = os.wait4(pid.value, 0)
        CHILDREN.note_ended(pid.value)
        # The peak of a process started by vfork begins with its parent's peak, so it is meaningful only if above ours.
        ours_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        memory_kb = usage.ru_maxrss if usage.ru_maxrss > ours_kb else 0
        return status, memory_kb, usage.ru_utime + usage.ru_stime


def _variable_array(variables: Mapping[str, str | None]) -> ctypes.Array[ctypes.c_char_p]:
    """Returns an environment for posix_spawn; a variable whose value is None is left out."""
    return _string_array([os.fsencode(f"{name}={value}") for name, value in variables.items() if value is not None])


def _open_reserved_descriptor(first: int) -> int:
    """Opens /dev/null as a descriptor that no program can use, `first` or above; OSError if no descriptor is free."""
    max_files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if max_files != resource.RLIM_INFINITY and first >= max_files:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
    null = os.open("/dev/null", os.O_RDONLY | os.O_CLOEXEC)
    try:
        return fcntl.fcntl(null, fcntl.F_DUPFD_CLOEXEC, first)
    finally:
        os.close(null)


def prepare_for_launchers() -> None:
    """Prepare this process for launchers; call this before the first launcher starts.

    Makes the table of open files large enough: once there are other threads the kernel waits ten milliseconds for the
    table's readers before it enlarges the table. Also opens the list of our children, which a launcher may be unable to
    see later: see `CHILDREN.begin`.
    """
    CHILDREN.begin()
    first = abi.max_files_of_a_program()
    max_files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    last = 2 * first - 1 if max_files == resource.RLIM_INFINITY else min(2 * first, max_files) - 1
    os.close(_open_reserved_descriptor(last))


def _string_array(values: Sequence[bytes]) -> ctypes.Array[ctypes.c_char_p]:
    array: ctypes.Array[ctypes.c_char_p] = (ctypes.c_char_p * (len(values) + 1))(*values, None)
    return array


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
        return marshal.dumps(vars(self))


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
    setup = Setup(**marshal.loads(raw))
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
        landlock.restrict([*setup.rules, (setup.folder, landlock.WRITE)])
    program = filters.filter_program(
        watches=True,
        stops_at_draws=setup.stops_at_draws,
        stops_at_reads=setup.stops_at_reads,
        confines=setup.confines,
        refuses_signals=setup.confines and not landlock.restricts_signals(),
        is_of_our_user=setup.confines and setup.user_id is None,
        # In other namespaces no process id refers to us.
        protected_tasks=(os.getpid(), _thread.get_native_id()) if setup.joined_process is None else (),
    )
    listener = filters.install(program, listens=True)
    assert listener is not None
    os.set_inheritable(listener, False)
    abi.wake_on_same_core(listener)
    return listener
