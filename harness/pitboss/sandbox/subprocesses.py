"""Starts a confined command with limits, reports how the command ends, and ends all processes that it has started.

On Linux a subreaper runs between us and the command, so that no process that the command starts can escape: see
subreaper.py. On other systems the command's process group is killed.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import cached_property, partial
from pathlib import Path
from typing import IO

import msgspec

from pitboss.errors import SessionError
from pitboss.machine import abi, processes, scratch, users
from pitboss.machine.retry import obtain
from pitboss.machine.users import prlimit, setarch, setpriv
from pitboss.sandbox import confine, landlock, limits
from pitboss.sandbox.sandbox import Level, bubblewrap_argv, can_switch_users_inside, landlock_rules, may_become_others
from pitboss.sandbox.subreaper import REPORT, TOO_MANY_PROCESSES

#: How long a subreaper may take to end, in seconds: longer than `processes.ENDING_S`, its own wait for the kernel.
_SUBREAPER_ENDING_S = 15.0
#: The limit of a command's processes and threads, if they are counted separately from other commands'. It must not be
#: too low: a Java program has some threads for each core.
_TASK_LIMIT = 2048
_HAS_SUBREAPER = sys.platform == "linux" and abi.IS_KNOWN


@contextmanager
def lend_user(level: Level) -> Iterator[int | None]:
    """Lend a user to a command, and afterwards end all processes of that user.

    Yields the user's id, or None if the command has to run as our user. If we are root, a command
    needs a lent user for the kernel to limit how many processes it has: the kernel does not limit root.
    """
    becomes_another_user = {
        Level.BUBBLEWRAP: can_switch_users_inside() and setpriv() is not None,
        Level.LANDLOCK: may_become_others(),
        Level.NONE: False,
    }
    if not becomes_another_user[level]:
        yield None
        return
    with users.lend_user_id() as user_id:
        try:
            yield user_id
        finally:
            obtain("processes that a command left running could not be ended", partial(users.end_all_of, user_id))


class Confinement(msgspec.Struct, frozen=True):
    """The files that a command may reach, and its limits."""

    level: Level
    #: The only folder that the command may write to.
    folder: Path
    #: The paths that the command may read besides the system and `folder`.
    readable: tuple[str, ...]
    #: Pairs of an rlimit's name and value.
    limits: tuple[tuple[str, int], ...]
    #: How many processes the command may have at once.
    processes: int
    #: How much memory these processes may use together.
    memory_mb: int
    #: The user that the command runs as; None for our user.
    user_id: int | None = None
    #: Environment variables that only the command gets, not the programs that confine it.
    environment: tuple[tuple[str, str], ...] = ()
    #: Whether the memory addresses of the command are the same in every run.
    has_fixed_addresses: bool = False
    #: Whether the command runs on a terminal into which lines are typed. Then bubblewrap leaves the command in the
    #: terminal's session: see setsid(2).
    is_on_terminal: bool = False


class Subprocess:
    """A confined command that was started, and may have ended."""

    def __init__(
        self,
        argv: Sequence[str],
        confinement: Confinement,
        environment: dict[str, str],
        *,
        stdin: int | IO[bytes],
        stdout: int | IO[bytes],
        stderr: int = subprocess.STDOUT,
    ) -> None:
        """Start the command `argv`; raises SessionError if it cannot be started."""
        self._wait_status: int | None = None
        start = partial(_start_process, argv, confinement, environment, stdin, stdout, stderr)
        self._process, self._report_pipe, self._bubblewrap_pipe = obtain(f"{argv[0]} could not be started", start)
        self.stdout = self._process.stdout

    @property
    def end_descriptors(self) -> tuple[int, ...]:
        """For a selector: the only descriptor in this tuple becomes readable when the command has ended.

        The tuple is empty on systems where the caller must call `poll` regularly instead.
        """
        return (self._report_pipe,) if _HAS_SUBREAPER else ()

    @property
    def excess(self) -> int:
        """TOO_MANY_PROCESSES or TOO_MUCH_MEMORY if the command's processes were too many or used too much; else 0."""
        status = self._wait_status or 0
        return status if status <= TOO_MANY_PROCESSES else 0

    @cached_property
    def was_begun(self) -> bool:
        """Whether the command itself was run; False if its bubblewrap failed before it could run the command.

        Read this only after the command has ended without being killed by us.
        Bubblewrap reports an exit code only if a command ran inside it; see --json-status-fd in bwrap(1).
        """
        if self._bubblewrap_pipe is None or self.excess:
            return True
        message = b""
        while chunk := _read_available(self._bubblewrap_pipe):
            message += chunk
        return b'"exit-code"' in message

    def poll(self) -> int | None:
        """The command's exit status, or the negative number of the signal that ended it; None while it runs.

        Raises OSError if this machine could not confine the command, SessionError if its subreaper has ended without a
        report.
        """
        if not _HAS_SUBREAPER:
            return self._process.poll()
        if self._wait_status is None:
            report = _read_available(self._report_pipe, REPORT.size)
            if report is None:
                return None
            if not report:
                raise SessionError("the process that supervises a command has ended")
            (self._wait_status,) = REPORT.unpack(report)
        if TOO_MANY_PROCESSES < self._wait_status < 0:  # a negative errno: the command was not confined
            raise OSError(-self._wait_status, os.strerror(-self._wait_status))
        return -signal.SIGKILL if self.excess else os.waitstatus_to_exitcode(self._wait_status)

    def living_processes(self) -> list[int]:
        """The processes of the command that have not ended, including the command itself."""
        if not _HAS_SUBREAPER:
            return [] if _is_group_gone(self._process.pid) else [self._process.pid]
        _, *descendants = processes.tree([self._process.pid])  # without the subreaper
        return [pid for pid in descendants if not processes.is_gone(pid)]

    def end(self) -> None:
        """End the command and all processes that it has started; the command cannot prevent this."""
        if _HAS_SUBREAPER:
            self._process.terminate()
            try:
                self._process.wait(_SUBREAPER_ENDING_S)
            except subprocess.TimeoutExpired:
                processes.kill_all([self._process.pid])
        else:
            try:
                os.killpg(self._process.pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                pass
        processes.wait_until(lambda: self._process.poll() is not None)
        if self.stdout is not None:
            self.stdout.close()
        os.close(self._report_pipe)
        if self._bubblewrap_pipe is not None:
            os.close(self._bubblewrap_pipe)


def _start_process(
    argv: Sequence[str],
    confinement: Confinement,
    environment: dict[str, str],
    stdin: int | IO[bytes],
    stdout: int | IO[bytes],
    stderr: int,
) -> tuple[subprocess.Popen[bytes], int, int | None]:
    """Start a command; returns its process and two pipes, on which its subreaper and its bubblewrap report its end.

    The second pipe is None without bubblewrap.
    """
    with ExitStack() as our_ends, ExitStack() as their_ends:
        report_pipe, report_writer = _pipe(our_ends, their_ends)
        is_in_bubblewrap = confinement.level is Level.BUBBLEWRAP
        bubblewrap_pipe, bubblewrap_writer = _pipe(our_ends, their_ends) if is_in_bubblewrap else (None, None)
        setup = _setup(confinement, report_writer)
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", confine.__file__, setup, *_full_argv(argv, confinement, bubblewrap_writer)],
            cwd=confinement.folder,
            env=environment,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            start_new_session=True,
            pass_fds=[descriptor for descriptor in (report_writer, bubblewrap_writer) if descriptor is not None]
            if _HAS_SUBREAPER
            else [],
        )
        our_ends.pop_all()
    return process, report_pipe, bubblewrap_pipe


def _pipe(our_ends: ExitStack, their_ends: ExitStack) -> tuple[int, int]:
    """Returns a new pipe's read end, which does not block, and write end; each is closed by one of the stacks."""
    read_end, write_end = os.pipe()
    our_ends.callback(os.close, read_end)
    their_ends.callback(os.close, write_end)
    os.set_blocking(read_end, False)
    return read_end, write_end


def _read_available(pipe: int, count: int = 4096) -> bytes | None:
    """The bytes that can be read from a pipe now: empty at its end, None if there may be bytes later."""
    try:
        return os.read(pipe, count)
    except BlockingIOError:
        return None


def _setup(confinement: Confinement, report_writer: int) -> str:
    """The argument SETUP of confine.py; the subreaper writes its report to the descriptor `report_writer`."""
    level, resource_limits = confinement.level, [*confinement.limits]
    rules: tuple[tuple[str, int], ...] = ()
    if level is Level.LANDLOCK:
        rules = (*landlock_rules(*confinement.readable), (str(confinement.folder), landlock.WRITE))
    if _HAS_SUBREAPER and not _counts_by_namespace(confinement):
        tasks = limits.max_tasks_of_our_user() if confinement.user_id is None else _max_tasks(confinement)
        resource_limits.append(("RLIMIT_NPROC", tasks))
    subreaper = {
        "parent": os.getpid(),
        "report": report_writer,
        "max_processes": confinement.processes,
        "max_memory_kb": confinement.memory_mb << 10,
    }
    return json.dumps(
        {
            "limits": resource_limits,
            "rules": rules,
            # Inside a bubblewrap setpriv changes the user, after bubblewrap has done what only root may.
            "user_id": None if level is Level.BUBBLEWRAP else confinement.user_id,
            "groups": scratch.groups_of_programs(),
            "environment": {} if level is Level.BUBBLEWRAP else dict(confinement.environment),
            "has_fixed_addresses": confinement.has_fixed_addresses,
            # False for a build, which is not on a terminal: it has to change the modes of files that it creates.
            "is_of_our_user": confinement.is_on_terminal and confinement.user_id is None,
            "filter": {Level.BUBBLEWRAP: "inside", Level.LANDLOCK: "this"}.get(level),
            "subreaper": subreaper if _HAS_SUBREAPER else None,
        }
    )


def _counts_by_namespace(confinement: Confinement) -> bool:
    """Whether a command's processes are limited inside its bubblewrap, which has its own user namespace.

    The kernel counts these processes separately in that namespace, and the command's limit applies to this count alone.
    So a fork bomb in one bubblewrap does not affect another bubblewrap. The processes also count for our user outside,
    whose own limit does not change. See user_namespaces(7) and setrlimit(2).
    """
    runs_as_our_user = confinement.level is Level.BUBBLEWRAP and confinement.user_id is None
    return runs_as_our_user and limits.counts_by_namespace() and prlimit() is not None


def _max_tasks(confinement: Confinement) -> int:
    """The limit of processes and threads for a command whose processes are counted separately.

    Raises SessionError if our own limit is too low.
    """
    _, hard_limit = resource.getrlimit(resource.RLIMIT_NPROC)
    if hard_limit == resource.RLIM_INFINITY or hard_limit >= _TASK_LIMIT:
        return _TASK_LIMIT
    if hard_limit < confinement.processes:
        raise limits.own_limit_too_low_error("-u")
    return hard_limit


def _full_argv(argv: Sequence[str], confinement: Confinement, bubblewrap_writer: int | None) -> list[str]:
    """The command line that runs `argv`, inside a bubblewrap if the confinement's level says so.

    The bubblewrap reports the command's end on the descriptor `bubblewrap_writer`.
    """
    if confinement.level is not Level.BUBBLEWRAP:
        return list(argv)
    folder, user_id = str(confinement.folder), confinement.user_id
    wrapped = bubblewrap_argv(readable=confinement.readable, writable=(folder,), switches_users=user_id is not None)
    if confinement.is_on_terminal:
        wrapped.remove("--new-session")
    # The paths of prlimit and setpriv are not None here: see `_counts_by_namespace` and `lend_user`.
    prefix: list[str] = []
    if _counts_by_namespace(confinement):
        prefix = [prlimit() or "", f"--nproc={_max_tasks(confinement)}", "--"]
    if user_id is not None:
        prefix = [setpriv() or "", "--reuid", str(user_id), "--regid", str(user_id), "--clear-groups", "--"]
    if confinement.has_fixed_addresses and (setarch_path := setarch()):  # bubblewrap may undo the setting of confine.py
        prefix += [setarch_path, "-R"]
    if confinement.environment:
        prefix += ["/usr/bin/env", *(f"{name}={value}" for name, value in confinement.environment)]
    wrapped += ["--json-status-fd", str(bubblewrap_writer)] if _HAS_SUBREAPER else []
    return [*wrapped, "--chdir", folder, "--", *prefix, *argv]


def _is_group_gone(group: int) -> bool:
    """Whether a process group has no process that we can signal."""
    try:
        os.killpg(group, 0)
    except (ProcessLookupError, PermissionError):
        return True
    return False
