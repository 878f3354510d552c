"""The limits that a shell has set for us: raises them if possible, and refuses to run if they would change a verdict.

Programs and builds have limits of their own, but cannot get more than we have ourselves. With a smaller stack or less
memory a correct program would crash, so pitboss does not run.
"""

from __future__ import annotations

import os
import resource
import threading

import msgspec

from pitboss.errors import SessionError
from pitboss.sandbox import processes
from pitboss.sandbox.limits import STACK_BYTES

_MB = 1 << 20
#: We do not need more descriptors than this, and some programs iterate over all that they may have.
_MAX_FILES = 1024
#: Processes and threads besides those that the user has: workers, their children, and those that a program may start.
_TASKS = 64
#: Seconds for an orderly exit, between the signal that our CPU time is used up and the kill.
_GRACE_S = 2


class _Need(msgspec.Struct, frozen=True):
    """A limit, and its lowest value that changes no verdict."""

    name: str
    least: int
    #: The option of `ulimit`, the unit that it counts, and the size of that unit.
    option: str
    things: str
    unit: int = 1
    #: The value to suggest to the user.
    wanted: str = "unlimited"
    #: The maximum to which the soft limit is raised; 0 for the hard limit.
    most: int = 0


_NEEDS = (
    _Need("RLIMIT_NOFILE", 128, "-n", "open files", wanted="1024", most=_MAX_FILES),
    _Need("RLIMIT_AS", 4096 * _MB, "-v", "kB of memory", 1024),
    _Need("RLIMIT_DATA", 4096 * _MB, "-d", "kB of data", 1024),
    _Need("RLIMIT_FSIZE", 64 * _MB, "-f", "blocks of 1024 bytes in a file", 1024),
    _Need("RLIMIT_STACK", STACK_BYTES, "-s", "kB of stack", 1024, wanted="8192", most=STACK_BYTES),
    _Need("RLIMIT_CPU", 60, "-t", "seconds of CPU time"),
)


def settle() -> None:
    """Raise our limits as far as useful; SessionError, with the remedy, if one is too low."""
    _open_standard_files()
    for need in _NEEDS:
        _settle(need)
    _look_at_processes()


def _settle(need: _Need) -> None:
    kind = getattr(resource, need.name, None)
    if kind is None:
        return
    soft, hard = (_finite(value) for value in resource.getrlimit(kind))
    if hard < need.least:
        raise SessionError(
            f"this shell allows {hard // need.unit} {need.things} (ulimit {need.option}), and pitboss needs "
            f"{need.least // need.unit}: give it more (ulimit {need.option} {need.wanted}, in a new shell where this "
            "one may not), or ask whoever has set the limit"
        )
    wanted = min(hard, max(soft, need.most or hard))
    if need.name == "RLIMIT_CPU" and hard < _UNLIMITED:
        wanted = hard - _GRACE_S
    if wanted > soft or (need.name == "RLIMIT_CPU" and wanted != soft):
        resource.setrlimit(kind, (_as_limit(wanted), _as_limit(hard)))
        if need.name == "RLIMIT_STACK":  # threads otherwise get the limit of when Python started
            threading.stack_size(STACK_BYTES)


def _look_at_processes() -> None:
    """Check that the user may have some more processes; root is not limited."""
    if not hasattr(resource, "RLIMIT_NPROC") or os.geteuid() == 0:
        return
    soft, hard = (_finite(value) for value in resource.getrlimit(resource.RLIMIT_NPROC))
    if soft < hard:
        resource.setrlimit(resource.RLIMIT_NPROC, (_as_limit(hard), _as_limit(hard)))
    running = processes.tasks_of(os.getuid())
    if hard < running + _TASKS:
        raise SessionError(
            f"this shell allows {hard} processes and threads (ulimit -u), of which your user has {running}, and "
            f"pitboss needs {_TASKS} more: end some, or give it more (ulimit -u unlimited, in a new shell where this "
            "one may not)"
        )


def _open_standard_files() -> None:
    """Open standard files that are closed: another file that gets their number would be used in their place."""
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


_UNLIMITED = 1 << 62


def _finite(value: int) -> int:
    return _UNLIMITED if value == resource.RLIM_INFINITY else value


def _as_limit(value: int) -> int:
    return resource.RLIM_INFINITY if value >= _UNLIMITED else value
