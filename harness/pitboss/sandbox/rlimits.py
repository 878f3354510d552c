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
#: Marks count down from here if no limit of locks is set.
_MARKS = 1 << 40
#: How many tasks programs may have in addition to all others of our own user: this only stops a fork bomb.
_OF_OUR_USER = 1024


def set_limits(pid: int, limits: Limits, user_id: int | None, mark: int, *, reserves_memory: bool = False) -> None:
    """Limit a process that is stopped in its execve and runs as `user_id` (None: as our user).

    `mark` is set as a limit that has no effect, see abi.RLIMIT_LOCKS: all descendants inherit it, and the filter lets
    no program change it. So we recognize them, whatever they do to their environment, sessions and parents.

    With `reserves_memory` its address space is not limited: the memory it uses must be checked instead. The limit of
    processes and threads only bounds a flood of them until we notice it. Between the limit of CPU time and the kill
    there is a second in which the process can catch SIGXCPU; see getrlimit(2).
    """
    pairs = _pairs(limits, user_id is None, reserves_memory, abi.files_of_a_program())
    with _real_user(user_id):
        for kind, pair in pairs:
            try:
                resource.prlimit(pid, kind, pair)
            except (PermissionError, ValueError) as error:
                raise too_little(_OPTIONS.get(kind, "-a")) from error
        resource.prlimit(pid, abi.RLIMIT_LOCKS, (mark, mark))


def too_little(option: str) -> SessionError:
    """The error to raise if our own limit, with this option of `ulimit`, is lower than what a program may have."""
    return SessionError(
        f"a program could not be given its limits, since this shell allows pitboss less (ulimit {option}): "
        f"give it more (ulimit {option} unlimited, in a new shell where this one may not)"
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
    tasks = most_tasks_of_our_user() if is_ours else limits.tasks
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
def most_tasks_of_our_user() -> int:
    """The limit of processes and threads for our own user, all included; at most what the machine allows."""
    _, most = resource.getrlimit(resource.RLIMIT_NPROC)
    wanted = processes.tasks_of(os.getuid()) + _OF_OUR_USER
    return wanted if most == resource.RLIM_INFINITY else min(wanted, most)


@contextmanager
def _real_user(user_id: int | None) -> Iterator[None]:
    """Become the program's user for a moment, as real user: root without CAP_SYS_RESOURCE may limit no other user.

    prlimit(2) checks the real ids. Only those of this thread change, and it keeps its capabilities.
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
