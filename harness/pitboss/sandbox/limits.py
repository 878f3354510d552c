"""The limits of a session; the resource limits of a program, set from outside before its first instruction; our own.

The limits that a shell has set for us are raised, and pitboss refuses to run if one is so low that it would change a
verdict. We limit programs and builds ourselves, but they cannot get more than we have. With a smaller stack or less
memory a correct program would crash, so pitboss does not run.
"""

from __future__ import annotations

import functools
import os
import resource
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import msgspec

from pitboss.errors import SessionError
from pitboss.machine import abi, processes

#: The stack of a program, regardless of this shell's limit: verdicts depend on the possible depth of recursion.
STACK_BYTES = 8 << 20


class Limits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How much one session may use before it is stopped. Most limits have their own EndingKind."""

    #: CPU time of each process, in whole seconds (RLIMIT_CPU counts no finer).
    cpu_s: int = 1
    #: Real time, in seconds, in which the program does nothing, waits for no input and writes nothing.
    idle_s: int = 10
    #: Real time of the whole session, in seconds. It does not include sleeps that are skipped or expected, nor time in
    #: which the program gets no core because the machine is busy.
    session_s: int = 60
    #: Memory that all processes of the session use together, not the addresses that they reserve.
    memory_mb: int = 256
    output_kb: int = 1024
    #: How many processes may run at the same time.
    processes: int = 32
    #: How many times programs may be started in the whole session.
    starts: int = 1000
    #: The maximum size of each file that a program writes.
    file_mb: int = 16

    @property
    def folder_mb(self) -> int:
        """The maximum total size of the files in the session's folder, in MB: four files of the maximum size."""
        return 4 * self.file_mb

    @property
    def tasks(self) -> int:
        """How many processes and threads the session may have at the same time, including zombies.

        The kernel counts threads like processes, and a Java program has some for each core.
        """
        return 8 * self.processes

    @property
    def max_session_s(self) -> int:
        """How long a session may take, in seconds: `session_s`, or twice `cpu_s` + `idle_s` if that is longer."""
        return max(self.session_s, 2 * (self.cpu_s + self.idle_s))


#: The value with which setresuid(2) and setresgid(2) do not change an id.
_UNCHANGED = -1
#: The option of `ulimit` for each limit.
_ULIMIT_OPTIONS = {
    resource.RLIMIT_CPU: "-t",
    resource.RLIMIT_FSIZE: "-f",
    resource.RLIMIT_NPROC: "-u",
    resource.RLIMIT_STACK: "-s",
    resource.RLIMIT_NOFILE: "-n",
}
#: All process marks (see `set_limits`) are below this if RLIMIT_LOCKS is unlimited.
_MARK_BOUND = 1 << 40
#: The number of tasks that programs may have if they run as our user, in addition to the user's other tasks; only a
#: guard against fork bombs.
_MAX_FURTHER_TASKS = 1024


def set_limits(pid: int, limits: Limits, user_id: int | None, mark: int) -> None:
    """Limit a process that is stopped in its execve and runs as `user_id` (None: as our user).

    The process also gets `mark`, as the value of a limit that has no effect; see abi.RLIMIT_LOCKS. All its descendants
    inherit the mark, and the filter prevents programs from changing it. So the mark identifies the descendants, even if
    they change their environment, their sessions and their parents.

    No limit of the kernel counts the memory that a process uses, so the caller must check it. The limit of processes
    and threads only keeps a fork bomb small until we notice it. The process gets SIGXCPU at the CPU time limit, and
    SIGKILL one second later; see getrlimit(2).
    """
    pairs = _pairs(limits, user_id is None, abi.max_files_of_a_program())
    with _real_user(user_id):
        for kind, pair in pairs:
            try:
                resource.prlimit(pid, kind, pair)
            except (PermissionError, ValueError) as error:
                raise own_limit_too_low_error(_ULIMIT_OPTIONS.get(kind, "-a")) from error
        resource.prlimit(pid, abi.RLIMIT_LOCKS, (mark, mark))


def own_limit_too_low_error(option: str) -> SessionError:
    """The error to raise if our own limit is lower than a program's; `option` is the option of `ulimit` for it."""
    return SessionError(
        f"a program could not be given its limits, because this shell's own limit is lower (ulimit {option}): "
        f"raise it with `ulimit {option} unlimited`, in a new shell if this one refuses"
    )


def mark_of(number: int) -> int:
    """The mark of the programs of launcher `number`."""
    _, hard_limit = resource.prlimit(os.getpid(), abi.RLIMIT_LOCKS)
    return (_MARK_BOUND if hard_limit == resource.RLIM_INFINITY else hard_limit) - 1 - number


@functools.lru_cache
def _pairs(limits: Limits, is_our_user: bool, max_files: int) -> tuple[tuple[int, tuple[int, int]], ...]:
    """Each rlimit with its soft and hard value."""
    file_bytes = limits.file_mb << 20
    tasks = max_tasks_of_our_user() if is_our_user else limits.tasks
    return (
        (resource.RLIMIT_CPU, (limits.cpu_s, limits.cpu_s + 1)),
        (resource.RLIMIT_FSIZE, (file_bytes, file_bytes)),
        (resource.RLIMIT_CORE, (0, 0)),
        (resource.RLIMIT_STACK, (STACK_BYTES, STACK_BYTES)),
        (resource.RLIMIT_NOFILE, (max_files, max_files)),
        (resource.RLIMIT_NPROC, (tasks, tasks)),
    )


@functools.cache
def counts_by_namespace() -> bool:
    """Whether the kernel counts processes separately for each user namespace: Linux 5.14 or later."""
    parts = os.uname().release.replace("-", ".").split(".")
    return tuple(int(part) for part in parts[:2] if part.isdigit()) >= (5, 14)


@functools.cache
def max_tasks_of_our_user() -> int:
    """The limit of processes and threads for our user, counting those already running; never above the hard limit."""
    _, hard_limit = resource.getrlimit(resource.RLIMIT_NPROC)
    max_tasks = processes.task_count_of(os.getuid()) + _MAX_FURTHER_TASKS
    return max_tasks if hard_limit == resource.RLIM_INFINITY else min(max_tasks, hard_limit)


@contextmanager
def _real_user(user_id: int | None) -> Iterator[None]:
    """Make the program's user our real user ID as long as the context lasts.

    Without CAP_SYS_RESOURCE even root may not set limits of another user's process: prlimit(2) checks the real
    IDs. Only this thread's IDs change, and it keeps its capabilities.
    """
    if user_id is None:
        yield
        return
    abi.call("setresgid", user_id, _UNCHANGED, _UNCHANGED)
    abi.call("setresuid", user_id, _UNCHANGED, _UNCHANGED)
    try:
        yield
    finally:
        abi.call("setresuid", 0, _UNCHANGED, _UNCHANGED)
        abi.call("setresgid", 0, _UNCHANGED, _UNCHANGED)


_MB = 1 << 20
#: The number of descriptors that we need. We do not raise the limit further: some programs iterate over all descriptors
#: that they may have.
_MAX_FILES = 1024
#: How many processes and threads we need besides those that the user has already: workers, their children, and the
#: processes that a program may start.
_NEEDED_TASKS = 64
#: How long we have for an orderly exit, in seconds: between SIGXCPU, when our CPU time is used up, and SIGKILL.
_GRACE_S = 2


class _Need(msgspec.Struct, frozen=True):
    """A limit, and its lowest value that changes no verdict."""

    #: The name of the limit in the module `resource`.
    name: str
    #: The lowest value that changes no verdict.
    least: int
    #: The option of `ulimit` that sets the limit.
    option: str
    #: The name of the unit in which `ulimit` counts, for messages.
    unit_name: str
    #: The size of that unit: `ulimit` counts memory and the sizes of files in units of 1024 bytes.
    unit: int = 1
    #: The value, as an argument of `ulimit`, that we suggest to the user.
    suggested: str = "unlimited"
    #: The value to which the soft limit is raised; 0: to the hard limit.
    target: int = 0


_NEEDS = (
    _Need("RLIMIT_NOFILE", 128, "-n", "open files", suggested="1024", target=_MAX_FILES),
    _Need("RLIMIT_AS", 4096 * _MB, "-v", "kB of memory", 1024),
    _Need("RLIMIT_DATA", 4096 * _MB, "-d", "kB of data", 1024),
    _Need("RLIMIT_FSIZE", 64 * _MB, "-f", "blocks of 1024 bytes in a file", 1024),
    _Need("RLIMIT_STACK", STACK_BYTES, "-s", "kB of stack", 1024, suggested="8192", target=STACK_BYTES),
    _Need("RLIMIT_CPU", 60, "-t", "seconds of CPU time"),
)


def raise_limits() -> None:
    """Raise our soft limits as far as useful; SessionError, with the remedy, if a hard limit is too low."""
    _open_standard_files()
    for need in _NEEDS:
        _raise_soft_limit(need)
    _check_process_limit()


def _raise_soft_limit(need: _Need) -> None:
    """Raise one soft limit as far as useful; SessionError, with the remedy, if the hard limit is too low."""
    kind = getattr(resource, need.name, None)
    if kind is None:
        return
    soft, hard = (_comparable_limit(value) for value in resource.getrlimit(kind))
    if hard < need.least:
        raise SessionError(
            f"this shell allows {hard // need.unit} {need.unit_name} (ulimit {need.option}), and pitboss needs "
            f"{need.least // need.unit}: raise the limit (ulimit {need.option} {need.suggested}, in a new shell if "
            "this one refuses), or ask whoever has set the limit"
        )
    new_soft = min(hard, max(soft, need.target or hard))
    if need.name == "RLIMIT_CPU" and hard < _UNLIMITED:  # at the soft limit we get SIGXCPU, see signals.py
        new_soft = hard - _GRACE_S
    if new_soft > soft or (need.name == "RLIMIT_CPU" and new_soft != soft):
        resource.setrlimit(kind, (_rlimit_value(new_soft), _rlimit_value(hard)))
        if need.name == "RLIMIT_STACK":  # otherwise threads get the limit as it was when Python started
            threading.stack_size(STACK_BYTES)


def _check_process_limit() -> None:
    """Raise the soft limit of processes, and check that the user may have enough more; root is not limited."""
    if not hasattr(resource, "RLIMIT_NPROC") or os.geteuid() == 0:
        return
    soft, hard = (_comparable_limit(value) for value in resource.getrlimit(resource.RLIMIT_NPROC))
    if soft < hard:
        resource.setrlimit(resource.RLIMIT_NPROC, (_rlimit_value(hard), _rlimit_value(hard)))
    running = processes.task_count_of(os.getuid())
    if hard < running + _NEEDED_TASKS:
        raise SessionError(
            f"this shell allows {hard} processes and threads (ulimit -u), of which your user has {running}, and "
            f"pitboss needs {_NEEDED_TASKS} more: end some, or raise the limit (ulimit -u unlimited, in a new shell if "
            "this one refuses)"
        )


def _open_standard_files() -> None:
    """Open /dev/null for standard files that are closed: otherwise the next file that we open would replace them."""
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


#: Represents RLIM_INFINITY, which may be -1, so that limits can be compared.
_UNLIMITED = 1 << 62


def _comparable_limit(value: int) -> int:
    """A limit as getrlimit returns it, with _UNLIMITED in place of RLIM_INFINITY."""
    return _UNLIMITED if value == resource.RLIM_INFINITY else value


def _rlimit_value(value: int) -> int:
    """A limit for setrlimit, with RLIM_INFINITY in place of _UNLIMITED."""
    return resource.RLIM_INFINITY if value >= _UNLIMITED else value
