"""Raises the limits that a shell has set for us, and refuses to run if one is so low that it would change a verdict.

We limit programs and builds ourselves, but they cannot get more than we have. With a smaller stack or less memory a
correct program would crash, so pitboss does not run.
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
