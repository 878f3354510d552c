"""The resource limits of a program, set from outside before its first instruction."""

from __future__ import annotations

import functools
import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager

from pitboss.errors import SessionError
from pitboss.sandbox import abi, processes
from pitboss.sandbox.limits import STACK_BYTES, Limits

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
