"""Starts a command confined and within limits, reports how it ends, and ends all processes that it has started.

On Linux a subreaper runs between us and the command, so that nothing it starts can outlive it: see subreaper.py. On
other systems its process group is killed.
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
from pitboss.sandbox import abi, confine, landlock, processes, rlimits, scratch, users
from pitboss.sandbox.retry import obtain
from pitboss.sandbox.sandbox import Level, becomes_others, bubblewrap_argv, landlock_rules, may_become_others
from pitboss.sandbox.subreaper import REPORT, TOO_MANY
from pitboss.sandbox.util_linux import prlimit, setarch, setpriv

#: How long a subreaper may take to end, in seconds: longer than it waits for the kernel itself.
_SUBREAPER_ENDING_S = 15.0
#: Limit of processes and threads of a command if they are counted separately: a Java program has some for each core.
_TASKS = 2048
_HAS_SUBREAPER = sys.platform == "linux" and abi.IS_KNOWN


@contextmanager
def lent_user(level: Level) -> Iterator[int | None]:
    """A user for a command, all of whose processes are ended afterwards; None if the command has to run as our user.

    The kernel limits the processes of such a user, but not those of root.
    """
    becomes_another = {
        Level.BUBBLEWRAP: becomes_others() and setpriv() is not None,
        Level.LANDLOCK: may_become_others(),
        Level.NONE: False,
    }
    if not becomes_another[level]:
        yield None
        return
    with users.lent() as user_id:
        try:
            yield user_id
        finally:
            obtain("what a command left running could not be ended", partial(users.end_all_of, user_id))


class Confinement(msgspec.Struct, frozen=True):
    """The files that a command may reach, and its limits."""

    level: Level
    #: The only folder it may write to.
    folder: Path
    #: The paths it may read besides the system and `folder`.
    readable: tuple[str, ...]
    #: Pairs of an rlimit's name and value.
    limits: tuple[tuple[str, int], ...]
    #: How many processes it may have at once.
    processes: int
    #: The user it runs as; None for ours.
    user_id: int | None = None
    #: Environment variables of the command alone, not of the programs that confine it.
    environment: tuple[tuple[str, str], ...] = ()
    #: Whether it sees the same addresses each time.
    has_fixed_addresses: bool = False
    #: Whether it runs on a terminal that is typed into; then it stays in its session inside bubblewrap.
    is_on_terminal: bool = False


class Subprocess:
    """A command that runs or has ended."""

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
        """Start it; SessionError if that is not possible."""
        self._wait_status: int | None = None
        start = partial(_started, argv, confinement, environment, stdin, stdout, stderr)
        self._process, self._begun, self._status = obtain(f"{argv[0]} could not be started", start)
        self.stdout = self._process.stdout

    @property
    def signals_its_end(self) -> tuple[int, ...]:
        """A descriptor for a selector, readable once the command has ended; empty if `poll` must be called instead."""
        return (self._begun,) if _HAS_SUBREAPER else ()

    @property
    def had_too_many(self) -> bool:
        """Whether it was ended because it had too many processes at once."""
        return self._wait_status == TOO_MANY

    @cached_property
    def was_begun(self) -> bool:
        """Whether the command itself has run, once it has ended by itself: its bubblewrap may have failed before.

        Bubblewrap reports an exit code only if something ran in it; see --json-status-fd in bwrap(1).
        """
        if self._status is None or self.had_too_many:
            return True
        message = b""
        while more := _available(self._status):
            message += more
        return b'"exit-code"' in message

    def poll(self) -> int | None:
        """Its exit code, or the negative number of its signal; None while it runs.

        Raises OSError if this machine could not confine it, SessionError if its subreaper has ended without a report.
        """
        if not _HAS_SUBREAPER:
            return self._process.poll()
        if self._wait_status is None:
            report = _available(self._begun, REPORT.size)
            if report is None:
                return None
            if not report:
                raise SessionError("the process that supervises a command has ended")
            (self._wait_status,) = REPORT.unpack(report)
        if TOO_MANY < self._wait_status < 0:
            raise OSError(-self._wait_status, os.strerror(-self._wait_status))
        return -signal.SIGKILL if self.had_too_many else os.waitstatus_to_exitcode(self._wait_status)

    def living_processes(self) -> list[int]:
        """The processes of the command that have not ended, itself included while it runs."""
        if not _HAS_SUBREAPER:
            return [] if _group_is_gone(self._process.pid) else [self._process.pid]
        below = processes.tree([self._process.pid])[1:]
        return [pid for pid in below if not processes.is_gone(pid)]

    def end(self) -> None:
        """End it and all processes that it has started; the command cannot prevent this."""
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
        self._process.wait()
        if self.stdout is not None:
            self.stdout.close()
        os.close(self._begun)
        if self._status is not None:
            os.close(self._status)


def _started(
    argv: Sequence[str],
    confinement: Confinement,
    environment: dict[str, str],
    stdin: int | IO[bytes],
    stdout: int | IO[bytes],
    stderr: int,
) -> tuple[subprocess.Popen[bytes], int, int | None]:
    """Start a process; returns it, and the pipes on which its subreaper and its bubblewrap, if any, report its end."""
    with ExitStack() as ours, ExitStack() as theirs:
        begun, reports = _pipe(ours, theirs)
        status, states = _pipe(ours, theirs) if confinement.level is Level.BUBBLEWRAP else (None, None)
        setup = _setup(confinement, reports)
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", confine.__file__, setup, *_in_bubblewrap(argv, confinement, states)],
            cwd=confinement.folder,
            env=environment,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            start_new_session=True,
            pass_fds=[descriptor for descriptor in (reports, states) if descriptor is not None]
            if _HAS_SUBREAPER
            else [],
        )
        ours.pop_all()
    return process, begun, status


def _pipe(ours: ExitStack, theirs: ExitStack) -> tuple[int, int]:
    """A pipe that is read here without blocking; its ends are closed by the two stacks."""
    reads, writes = os.pipe()
    ours.callback(os.close, reads)
    theirs.callback(os.close, writes)
    os.set_blocking(reads, False)
    return reads, writes


def _available(pipe: int, count: int = 4096) -> bytes | None:
    """The bytes that can be read now: empty at the end of the file, None if there may be more later."""
    try:
        return os.read(pipe, count)
    except BlockingIOError:
        return None


def _setup(confinement: Confinement, report: int) -> str:
    level, limits = confinement.level, [*confinement.limits]
    rules: tuple[tuple[str, int], ...] = ()
    if level is Level.LANDLOCK:
        rules = (*landlock_rules(*confinement.readable), (str(confinement.folder), landlock.WRITE))
    if _HAS_SUBREAPER and not _counts_by_namespace(confinement):
        tasks = rlimits.max_tasks_of_our_user() if confinement.user_id is None else _max_tasks(confinement)
        limits.append(("RLIMIT_NPROC", tasks))
    subreaper = {"parent": os.getpid(), "report": report, "most": confinement.processes}
    return json.dumps(
        {
            "limits": limits,
            "rules": rules,
            # Inside a bubblewrap setpriv changes the user, after bubblewrap has done what only root may.
            "user_id": None if level is Level.BUBBLEWRAP else confinement.user_id,
            "groups": scratch.groups_of_programs(),
            "environment": {} if level is Level.BUBBLEWRAP else dict(confinement.environment),
            "has_fixed_addresses": confinement.has_fixed_addresses,
            # A build has to change the modes of files that it creates.
            "is_of_our_user": confinement.is_on_terminal and confinement.user_id is None,
            "filter": {Level.BUBBLEWRAP: "inside", Level.LANDLOCK: "this"}.get(level),
            "subreaper": subreaper if _HAS_SUBREAPER else None,
        }
    )


def _counts_by_namespace(confinement: Confinement) -> bool:
    """Whether a command's processes are limited inside its bubblewrap, which has its own user namespace.

    The kernel counts them in that namespace, and also for our user, whose limit does not change. So a flood in one
    bubblewrap does not affect another. See user_namespaces(7) and setrlimit(2).
    """
    is_ours_inside = confinement.level is Level.BUBBLEWRAP and confinement.user_id is None
    return is_ours_inside and rlimits.counts_by_namespace() and prlimit() is not None


def _max_tasks(confinement: Confinement) -> int:
    """The limit of processes and threads of a command that is counted separately; SessionError if that is too low."""
    _, most = resource.getrlimit(resource.RLIMIT_NPROC)
    if most == resource.RLIM_INFINITY or most >= _TASKS:
        return _TASKS
    if most < confinement.processes:
        raise rlimits.own_limit_too_low_error("-u")
    return most


def _in_bubblewrap(argv: Sequence[str], confinement: Confinement, states: int | None) -> list[str]:
    """The command line, inside a bubblewrap if the level says so; this then reports the command's end on `states`."""
    if confinement.level is not Level.BUBBLEWRAP:
        return list(argv)
    folder, user_id = str(confinement.folder), confinement.user_id
    wrapped = bubblewrap_argv(readable=confinement.readable, writable=(folder,), becomes_others=user_id is not None)
    if confinement.is_on_terminal:
        wrapped.remove("--new-session")
    becoming: list[str] = []
    if _counts_by_namespace(confinement):
        becoming = [prlimit() or "", f"--nproc={_max_tasks(confinement)}", "--"]
    if user_id is not None:
        becoming = [setpriv() or "", "--reuid", str(user_id), "--regid", str(user_id), "--clear-groups", "--"]
    if confinement.has_fixed_addresses and (fixing := setarch()):  # the flag may be lost by now
        becoming += [fixing, "-R"]
    if confinement.environment:
        becoming += ["/usr/bin/env", *(f"{name}={value}" for name, value in confinement.environment)]
    wrapped += ["--json-status-fd", str(states)] if _HAS_SUBREAPER else []
    return [*wrapped, "--chdir", folder, "--", *becoming, *argv]


def _group_is_gone(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except (ProcessLookupError, PermissionError):
        return True
    return False
