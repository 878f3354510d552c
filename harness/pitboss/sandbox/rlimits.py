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

_SAME = -1
#: The option of `ulimit` for each limit.
_OPTIONS = {
    resource.RLIMIT_CPU: "-t",
    resource.RLIMIT_AS: "-v",
    resource.RLIMIT_FSIZE: "-f",
    resource.RLIMIT_NPROC: "-u",
    resource.RLIMIT_STACK: "-s",
    resource.RLIMIT_NOFILE: "-n",
}
#: All process marks (see `set_limits`) are below this if RLIMIT_LOCKS is unlimited.
_MARKS = 1 << 40
#: How many tasks programs may have beyond those our user already runs; only a guard against fork bombs.
_OF_OUR_USER = 1024


def set_limits(pid: int, limits: Limits, user_id: int | None, mark: int, *, reserves_memory: bool = False) -> None:
    """Limit a process that is stopped in its execve and runs as `user_id` (None: as our user).

    `mark` is set as a limit that has no effect, see abi.RLIMIT_LOCKS: all descendants inherit it, and the filter lets
    no program change it. This identifies them, whatever they do to their environment, sessions and parents.

    With `reserves_memory` its address space is not limited: the memory it uses must be checked instead. The limit of
    processes and threads only contains a fork bomb until it is noticed. The process gets SIGXCPU at the CPU time limit,
    and SIGKILL one second later; see getrlimit(2).
    """
    pairs = _pairs(limits, user_id is None, reserves_memory, abi.files_of_a_program())
    with _real_user(user_id):
        for kind, pair in pairs:
            try:
                resource.prlimit(pid, kind, pair)
            except (PermissionError, ValueError) as error:
                raise own_limit_too_low_error(_OPTIONS.get(kind, "-a")) from error
        resource.prlimit(pid, abi.RLIMIT_LOCKS, (mark, mark))


def own_limit_too_low_error(option: str) -> SessionError:
    """The error to raise if our own limit, with this option of `ulimit`, is lower than what a program may have."""
    return SessionError(
        f"a program could not be given its limits, because this shell's own limit is lower (ulimit {option}): "
        f"raise it with `ulimit {option} unlimited`, in a new shell if this one refuses"
    )


def mark_of(number: int) -> int:
    """The mark of the programs of launcher `number`."""
    _, most = resource.prlimit(os.getpid(), abi.RLIMIT_LOCKS)
    return (_MARKS if most == resource.RLIM_INFINITY else most) - 1 - number


@functools.lru_cache
def _pairs(limits: Limits, is_ours: bool, reserves_memory: bool, files: int) -> tuple[tuple[int, tuple[int, int]], ...]:
    """Each limit with its soft and hard value."""
    memory = resource.RLIM_INFINITY if reserves_memory else limits.memory_mb << 20
    file = limits.file_mb << 20
    tasks = max_tasks_of_our_user() if is_ours else limits.tasks
    return (
        (resource.RLIMIT_CPU, (limits.cpu_s, limits.cpu_s + 1)),
        (resource.RLIMIT_AS, (memory, memory)),
        (resource.RLIMIT_FSIZE, (file, file)),
        (resource.RLIMIT_CORE, (0, 0)),
        (resource.RLIMIT_STACK, (STACK_BYTES, STACK_BYTES)),
        (resource.RLIMIT_NOFILE, (files, files)),
        (resource.RLIMIT_NPROC, (tasks, tasks)),
    )


@functools.cache
def counts_by_namespace() -> bool:
    """Whether the kernel counts processes separately for each user namespace: Linux 5.14 or later."""
    numbers = os.uname().release.replace("-", ".").split(".")
    return tuple(int(number) for number in numbers[:2] if number.isdigit()) >= (5, 14)


@functools.cache
def max_tasks_of_our_user() -> int:
    """The limit of processes and threads for our user, counting those already running; never above the hard limit."""
    _, most = resource.getrlimit(resource.RLIMIT_NPROC)
    wanted = processes.tasks_of(os.getuid()) + _OF_OUR_USER
    return wanted if most == resource.RLIM_INFINITY else min(wanted, most)


@contextmanager
def _real_user(user_id: int | None) -> Iterator[None]:
    """Temporarily take the program's user as real user ID.

    Without CAP_SYS_RESOURCE even root may not set limits of another user's process: prlimit(2) checks the
    real IDs. Only this thread's IDs change, and it keeps its capabilities.
    """
    if user_id is None:
        yield
        return
    abi.call("setresgid", user_id, _SAME, _SAME)
    abi.call("setresuid", user_id, _SAME, _SAME)
    try:
        yield
    finally:
        abi.call("setresuid", 0, _SAME, _SAME)
        abi.call("setresgid", 0, _SAME, _SAME)
