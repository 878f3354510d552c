"""Users for programs to run as, if we are root: while a user is lent, only one program has it.

The kernel counts and kills processes by user, so this is exact whatever else runs on this machine: no two programs
share a limit of processes, and all processes of a program end at once, however fast it forks.
"""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from pitboss.errors import SessionError
from pitboss.sandbox import abi
from pitboss.sandbox.shortages import retry_shortages, started

#: Above the ids of people and services, below that of the user nobody (65534).
_LOW, _HIGH = 61_000, 65_533
#: Used if every id is mapped: so many that no two programs get the same id, not even from different containers.
_WIDE_LOW, _WIDE_HIGH = 1 << 30, (1 << 31) - 2
_TRIES = 1000


def are_there() -> bool:
    """Whether there are user ids to lend, unlike in a container with one user."""
    return bool(_range())


@contextmanager
def lent() -> Iterator[int]:
    """A user id, also valid as a group id, that only we use while the context lasts.

    Raises SessionError if none is left, OSError if no descriptor is free for the socket that claims it.
    """
    user_id, claim = _claimed()
    with claim:
        yield user_id


@cache
def group_of_programs() -> int | None:
    """A group whose only members are programs with users that we lend; None if we lend none.

    It is not claimed: it only lets them pass through a folder, and two runs are unlikely to get the same.
    """
    ids = _range() if hasattr(os, "geteuid") and os.geteuid() == 0 else range(0)
    return ids[int.from_bytes(os.urandom(4)) % len(ids)] if ids else None


def _claimed() -> tuple[int, socket.socket]:
    """An id, and the open socket that claims it by its name in this machine's abstract namespace."""
    ids = _range()
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


def _range() -> range:
    """The ids we may lend: ids that are mapped here both for users and for groups."""
    mapped = [_mapped(f"/proc/self/{kind}_map") for kind in ("uid", "gid")]
    for low, high in ((_WIDE_LOW, _WIDE_HIGH), (_LOW, _HIGH)):
        if all(any(first <= low and high < end for first, end in spans) for spans in mapped):
            return range(low, high + 1)
    return range(0)


def _mapped(path: str) -> list[tuple[int, int]]:
    """The mapped ids, as pairs of the first and one past the last; see user_namespaces(7)."""
    try:
        with open(path, encoding="ascii") as file:
            rows = [[int(word) for word in line.split()] for line in file]
    except OSError:
        return []
    return [(first, first + count) for first, _, count in rows]


def end_all_of(user_id: int) -> None:
    """Kill every process of a user that is lent to us.

    kill(2) with -1 reaches all of them in one call, under the lock that a fork takes, so none escapes. A thread that
    has become that unprivileged user calls it; OSError if that is not possible.
    """
    failed: list[OSError] = []

    def end() -> None:
        try:
            abi.become(user_id)
            abi.kill_all_we_may()
        except OSError as error:
            failed.append(error)

    thread = threading.Thread(target=end, name=f"pitboss end of user {user_id}")
    retry_shortages(lambda: started(thread))
    thread.join()
    if failed:
        raise failed[0]
