"""A slot: a thread that confines itself, then starts one program after another on terminals it is handed.

Everything the programs must not be able to undo is done by the thread before the first of them is started, so
that they inherit it: the system call filter whose listener is ours, the Landlock domain, the user id, and a
scratch folder of the slot's own as working directory. Only this thread is confined; the rest of the process, its
other slots included, is not, and no two slots can reach each other's programs.

A slot is spoken to over a SEQPACKET socket, so that it may live in this process or inside a bubblewrap (`box`):

    -> Setup, marshalled     once
    <- READY + listener fd, or REFUSED + errno and why, marshalled
    -> "start" + terminal fd
    <- (errno,) when it could not be started, or (wait status, peak in kB or 0 for unknown, CPU time in s), marshalled
"""

from __future__ import annotations

import _thread
import ctypes
import errno
import fcntl
import marshal
import os
import resource

from harness.watching import abi, filters, landlock
from harness.watching.channels import Channel
from harness.watching.emptying import empty
from harness.watching.shortages import is_short

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class Setup:
    """What a slot is told once, before its first program."""

    def __init__(
        self,
        argv: tuple[str, ...],
        environment: tuple[tuple[str, str], ...],
        scratch: str,
        rules: tuple[tuple[str, int], ...] = (),
        confines: bool = False,
        user_id: int | None = None,
        joins: int | None = None,
    ) -> None:
        """`scratch` is the working directory of every session, made by the slot and emptied before each of them.

        `rules` are pairs of a path and Landlock rights, none for no Landlock; `confines` says whether the filter
        refuses what no console program needs; `user_id` is whom the programs run as, None for who we are; `joins` is
        a pidfd in this process of one whose namespaces the slot moves into.
        """
        self.argv, self.environment, self.scratch = argv, environment, scratch
        self.rules, self.confines, self.user_id, self.joins = rules, confines, user_id, joins

    def marshalled(self) -> bytes:
        """The setup as it goes over a channel."""
        fields = (self.argv, self.environment, self.scratch, self.rules, self.confines, self.user_id, self.joins)
        return marshal.dumps(fields)


#: The number of the slot in the environment of its programs.
MARK = "PITBOSS_SLOT"

#: What closes all that is open from a number on, since glibc 2.34.
CLOSE_FROM = "posix_spawn_file_actions_addclosefrom_np"
READY, REFUSED, START = b"ready", b"refused: ", b"start"
_SPAWN_SETSIGDEF, _SPAWN_SETSIGMASK, _SPAWN_SETSID = 0x04, 0x08, 0x80
#: SIGPIPE and SIGXFSZ: Python ignores them, and an ignored signal stays ignored over exec.
_IGNORED_BY_PYTHON = (13, 25)


def serve(channel: Channel) -> None:
    """Be a slot until the other end of the channel is closed."""
    try:
        _serve(channel)
    except (BrokenPipeError, ConnectionResetError):
        pass
    finally:
        channel.close()


def _serve(channel: Channel) -> None:
    raw, _ = channel.receive(1 << 20)
    if not raw:
        return
    setup = Setup(*marshal.loads(raw))
    launcher = None
    try:
        launcher = _Launcher(setup.argv, dict(setup.environment))
        listener = _confined(setup)
    except OSError as error:
        if launcher is not None:
            launcher.close()
        said = error.strerror if is_short(error.errno) else str(error)
        channel.send(REFUSED + marshal.dumps((error.errno or 0, said)))
        return
    try:
        try:
            channel.send(READY, listener)
        finally:
            os.close(listener)
        while _serve_one(channel, launcher, setup.scratch):
            pass
    finally:
        launcher.close()


def _serve_one(channel: Channel, launcher: _Launcher, scratch: str) -> bool:
    """Run one program, if there is another to run."""
    try:
        message, descriptors = channel.receive()
    except OSError as error:  # its terminal did not fit among our descriptors
        channel.send(marshal.dumps((error.errno or 0,)))
        return True
    if message != START:
        return False
    try:
        # Emptied before a session, not after it: by now whatever the last one left running is dead.
        empty(scratch)
        CHILDREN.reap()
        answer = launcher.run(descriptors[0])
    except OSError as error:
        answer = marshal.dumps((error.errno or 0,))
    finally:
        os.close(descriptors[0])
    channel.send(answer)
    return True


def _confined(setup: Setup) -> int:
    """Confine this thread; the listener of its filter."""
    abi.call("unshare", abi.CLONE_FS)  # a working directory of our own
    if setup.joins is not None:
        abi.call("setns", setup.joins, abi.NAMESPACES)
    os.makedirs(setup.scratch, mode=0o700, exist_ok=True)
    os.chdir(setup.scratch)
    if setup.user_id is not None:
        os.chown(setup.scratch, setup.user_id, setup.user_id)
        abi.become(setup.user_id)
    elif setup.confines:
        # Our threads are the program's own user, in its own Landlock domain: it could read our memory by /proc.
        # (Where they become another user the kernel does this itself.) See PR_SET_DUMPABLE in prctl(2).
        abi.call("prctl", abi.PR_SET_DUMPABLE, 0, 0, 0, 0)
    if setup.rules:
        rules = [(str(path), int(rights)) for path, rights in setup.rules]
        landlock.restrict([*rules, (setup.scratch, landlock.WRITE)])
    refuses_signals = setup.confines and not landlock.holds_signals()
    program = filters.filter_program(
        watches=True,
        confines=setup.confines,
        refuses_signals=refuses_signals,
        # In other namespaces there is no number that means us.
        protects=(os.getpid(), _thread.get_native_id()) if setup.joins is None else (),
    )
    listener = filters.install(program, listens=True)
    assert listener is not None
    os.set_inheritable(listener, False)
    abi.wake_in_step(listener)
    return listener


class _Children:
    """The programs that slots of this process run now, told from the orphans that have come to it."""

    def __init__(self) -> None:
        self._running: set[int] = set()
        self._starting = 0
        self._listed = -1

    def begin(self) -> None:
        """Be those of this process; to be called before a slot moves to where /proc knows nothing of it."""
        if self._listed < 0:
            self._listed = os.open(f"/proc/self/task/{os.getpid()}/children", os.O_RDONLY | os.O_CLOEXEC)

    def forget(self) -> None:
        """Be nobody's, in a process that has just been forked."""
        if self._listed >= 0:
            os.close(self._listed)
        self._running.clear()
        self._starting, self._listed = 0, -1

    def starts(self) -> None:
        """A slot is about to start a program."""
        self._starting += 1

    def started(self, pid: int) -> None:
        """It runs, or with 0 could not be started."""
        self._running.add(pid)
        self._starting -= 1

    def ended(self, pid: int) -> None:
        """It has ended and been waited for."""
        self._running.discard(pid)

    def reap(self) -> None:
        """Wait for the orphans that have ended: until then each counts as a process of its user."""
        self.begin()
        with REAPING:
            here = os.pread(self._listed, 1 << 16, 0).split()
            if self._starting:  # one of them may be a program of which we do not know yet
                return
            for pid in {int(pid) for pid in here} - self._running:
                try:
                    os.waitpid(pid, os.WNOHANG)
                except ChildProcessError:
                    pass


#: Held while orphans are waited for: the kernel skips some when it lists children and others leave the list meanwhile.
REAPING = _thread.allocate_lock()
CHILDREN = _Children()
os.register_at_fork(after_in_child=CHILDREN.forget)


class _Launcher:
    """posix_spawn with what never changes prepared once.

    By way of ctypes, since os.posix_spawn keeps the interpreter locked until the program runs, and the program
    does not run until another thread of ours has answered for its execve.
    """

    def __init__(self, argv: Sequence[str], environment: dict[str, str]) -> None:
        self._path = os.fsencode(argv[0])
        self._argv = _strings([os.fsencode(argument) for argument in argv])
        self._environment = _strings([os.fsencode(f"{name}={value}") for name, value in environment.items()])
        self._terminal = _number_of_ours(abi.files_of_a_program())  # to put each terminal on
        self._attributes = ctypes.create_string_buffer(512)
        self._actions = ctypes.create_string_buffer(256)
        signals = ctypes.create_string_buffer(128)
        abi.libc.sigemptyset(signals)
        abi.libc.posix_spawnattr_init(self._attributes)
        abi.libc.posix_spawnattr_setsigmask(self._attributes, signals)
        for number in _IGNORED_BY_PYTHON:
            abi.libc.sigaddset(signals, number)
        abi.libc.posix_spawnattr_setsigdefault(self._attributes, signals)
        flags = _SPAWN_SETSIGDEF | _SPAWN_SETSIGMASK | _SPAWN_SETSID
        abi.libc.posix_spawnattr_setflags(self._attributes, ctypes.c_short(flags))
        abi.libc.posix_spawn_file_actions_init(self._actions)
        for target in (0, 1, 2):
            abi.libc.posix_spawn_file_actions_adddup2(self._actions, self._terminal, target)
        self._close_others()

    def _close_others(self) -> None:
        """Give the program nothing else that is open here, or that we were given: it could answer for itself then."""
        close_from = getattr(abi.libc, CLOSE_FROM, None)
        if close_from is not None:
            close_from(self._actions, 3)
            return
        for number in range(3, 2 * abi.files_of_a_program()):
            try:
                os.set_inheritable(number, False)
            except OSError:
                pass

    def close(self) -> None:
        """Give the number for terminals back."""
        os.close(self._terminal)

    def run(self, terminal: int) -> bytes:
        """Run the program on this terminal to its end; the answer to send."""
        os.dup2(terminal, self._terminal, inheritable=False)
        pid = ctypes.c_int()
        CHILDREN.starts()
        error = abi.libc.posix_spawn(
            ctypes.byref(pid), self._path, self._actions, self._attributes, self._argv, self._environment
        )
        CHILDREN.started(0 if error else pid.value)
        if error:
            return marshal.dumps((error,))
        _, status, usage = os.wait4(pid.value, 0)
        CHILDREN.ended(pid.value)
        # The peak of a process that was started by vfork begins with that of its parent: below ours it tells nothing.
        ours_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        memory_kb = usage.ru_maxrss if usage.ru_maxrss > ours_kb else 0
        return marshal.dumps((status, memory_kb, usage.ru_utime + usage.ru_stime))


def _number_of_ours(first: int) -> int:
    """A descriptor that no program can have, `first` or above, of nothing in particular; OSError where none is left."""
    allowed, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if allowed != resource.RLIM_INFINITY and first >= allowed:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
    nothing = os.open("/dev/null", os.O_RDONLY | os.O_CLOEXEC)
    try:
        return fcntl.fcntl(nothing, fcntl.F_DUPFD_CLOEXEC, first)
    finally:
        os.close(nothing)


def make_room() -> None:
    """Make ready for slots in this process, before the first of them begins.

    The table of open files is made large enough: once there are other threads the kernel waits ten milliseconds for
    its readers before it takes a larger one.
    """
    CHILDREN.begin()
    first = abi.files_of_a_program()
    allowed, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    last = 2 * first - 1 if allowed == resource.RLIM_INFINITY else min(2 * first, allowed) - 1
    os.close(_number_of_ours(last))


def _strings(values: Sequence[bytes]) -> ctypes.Array[ctypes.c_char_p]:
    array: ctypes.Array[ctypes.c_char_p] = (ctypes.c_char_p * (len(values) + 1))(*values, None)
    return array
