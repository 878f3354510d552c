"""The resource limits of a program, set from outside before its first instruction."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager

from harness.assignment import Limits
from harness.watching import abi

_OPEN_FILES = 256
_SAME = -1


def set_limits(pid: int, limits: Limits, user_id: int | None) -> None:
    """Limit a process that is stopped in its execve and runs as `user_id` (None: as we do).

    CPU time has a second to catch SIGXCPU in between the limit and the kill; see getrlimit(2).
    """
    memory, file = limits.memory_mb << 20, limits.file_mb << 20
    with _real_user(user_id):
        for kind, soft, hard in (
            (resource.RLIMIT_CPU, limits.cpu_s, limits.cpu_s + 1),
            (resource.RLIMIT_AS, memory, memory),
            (resource.RLIMIT_FSIZE, file, file),
            (resource.RLIMIT_CORE, 0, 0),
            (resource.RLIMIT_NOFILE, _OPEN_FILES, _OPEN_FILES),
        ):
            resource.prlimit(pid, kind, (soft, hard))


@contextmanager
def _real_user(user_id: int | None) -> Iterator[None]:
    """Be the program's user in name for a moment: root without CAP_SYS_RESOURCE may limit nobody else's.

    Only this thread's real ids change and its powers stay, which is what prlimit(2) looks at.
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
