"""Lends users for programs to run as, if we are root: while a user is lent, only one program runs as that user.

The kernel counts and kills processes by user, independently of other users' programs on this machine. So no two
programs share a limit of processes, and all processes of a program end at once, however fast it forks.

Inside a bubblewrap, programs of util-linux change the user and the limits of a command: setpriv(1), setarch(8) and
prlimit(1).
"""

from __future__ import annotations

import errno
import os
import shutil
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from pitboss.errors import SessionError
from pitboss.machine import abi, processes
from pitboss.machine.shortages import retry_shortages, start_thread

_FOLDERS = "/usr/bin:/bin"


def setpriv() -> str | None:
    """The path of setpriv, which runs a command as another user."""
    return _working_program("setpriv", "--reuid", "0", "--clear-groups", "true")


def setarch() -> str | None:
    """The path of setarch, which runs a command with the same memory addresses each time."""
    return _working_program("setarch", "-R", "true")


@cache
def prlimit() -> str | None:
    """The path of prlimit, which runs a command with limits."""
    return shutil.which("prlimit", path=_FOLDERS)


@cache
def _working_program(name: str, *arguments: str) -> str | None:
    """The path of a program; None if it is missing or fails with these arguments."""
    path = shutil.which(name, path=_FOLDERS)
    if path is None:
        return None
    trial = subprocess.run([path, *arguments], stderr=subprocess.DEVNULL, check=False, timeout=60)
    return None if trial.returncode else path


#: The ids that we lend: above the ids of people and services, below the id of the user nobody (65534).
_LOW, _HIGH = 61_000, 65_533
#: The ids that we lend if every id is mapped: so many that two programs are most unlikely to get the same id, even in
#: different containers.
_WIDE_LOW, _WIDE_HIGH = 1 << 30, (1 << 31) - 2
#: How many ids we try to claim before we give up.
_TRIES = 1000


def has_ids_to_lend() -> bool:
    """Whether there are user ids to lend; in a container with only one user there are none."""
    return bool(_lendable_ids())


@contextmanager
def lend_user_id() -> Iterator[int]:
    """Yields a user id, also valid as a group id, that only we use while the context lasts.

    Raises SessionError if no id is left, OSError if no descriptor is free for the socket that claims the id.
    """
    user_id, claim = _claim_id()
    with claim:
        yield user_id


@cache
def group_of_programs() -> int | None:
    """The id of a group whose only members are the programs that run as lent users; None if we lend no users.

    The id is not claimed: the group only lets these programs pass through a folder, and two runs of pitboss are
    unlikely to get the same id.
    """
    ids = _lendable_ids() if hasattr(os, "geteuid") and os.geteuid() == 0 else range(0)
    return ids[int.from_bytes(os.urandom(4)) % len(ids)] if ids else None


def _claim_id() -> tuple[int, socket.socket]:
    """Returns an id, and the open socket whose name, in this machine's abstract namespace, claims the id."""
    ids = _lendable_ids()
    claim = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    for _ in range(_TRIES if ids else 0):
        candidate = ids[int.from_bytes(os.urandom(4)) % len(ids)]
        try:
            claim.bind(f"\0pitboss user {candidate}")
        except OSError:
            continue
        return candidate, claim
    claim.close()
    raise SessionError("there is no user id left for programs to run as")


def _lendable_ids() -> range:
    """The ids we may lend: ids that are mapped here both for users and for groups."""
    spans_of_kinds = [_mapped_ids(f"/proc/self/{kind}_map") for kind in ("uid", "gid")]
    for low, high in ((_WIDE_LOW, _WIDE_HIGH), (_LOW, _HIGH)):
        if all(any(first <= low and high < end for first, end in spans) for spans in spans_of_kinds):
            return range(low, high + 1)
    return range(0)


def _mapped_ids(path: str) -> list[tuple[int, int]]:
    """The ids that are mapped here, as pairs of the first id and the id after the last; see user_namespaces(7)."""
    try:
        with open(path, encoding="ascii") as file:
            rows = [[int(word) for word in line.split()] for line in file]
    except OSError:
        return []
    return [(first, first + count) for first, _, count in rows]


def end_all_of(user_id: int) -> None:
    """Kill every process of a user that is lent to us.

    kill(2) with -1 reaches all of them in one call, under the lock that a fork takes, so no process escapes. A thread
    becomes that unprivileged user and makes this call; raises OSError if the thread cannot do so.
    """
    errors: list[OSError] = []

    def end() -> None:
        try:
            abi.become(user_id)
            abi.kill_all_we_may()
        except OSError as error:
            errors.append(error)

    thread = threading.Thread(target=end, name=f"pitboss end of user {user_id}")
    retry_shortages(lambda: start_thread(thread))
    thread.join(processes.ENDING_S)
    if thread.is_alive():
        raise TimeoutError(errno.ETIMEDOUT, f"the processes of user {user_id} could not be killed in time")
    if errors:
        raise errors[0]
