"""Starts a program many times, each time on another terminal, by posix_spawn(3) with arguments prepared once."""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import resource

from pitboss.sandbox import abi
from pitboss.sandbox.children import CHILDREN

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
