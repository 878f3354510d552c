"""Users for programs to run as, when we are root: each is one program's alone while it is lent.

What the kernel counts and kills by user is then exact, whoever else runs programs on this machine: no two programs
share a limit of processes, and all that one has left running ends at once, however fast it forks.
"""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from harness.errors import SessionError
from harness.machine import abi
from harness.machine.shortages import patiently, started

#: Above what systems give to people and services, below the id that stands for nobody (65534).
_LOW, _HIGH = 61_000, 65_533
#: Where every id is mapped there is room for two programs never to meet, not even from different containers.
_WIDE_LOW, _WIDE_HIGH = 1 << 30, (1 << 31) - 2
_TRIES = 1000


def are_there() -> bool:
    """Whether there is anybody to become: in a container with one user there is not."""
    return bool(_range())


@contextmanager
def lent() -> Iterator[int]:
    """A user id that nobody else has while the context lasts, a group id too; SessionError when there is none.

    OSError where there is no room for what claims it.
    """
    user_id, claim = _claimed()
    with claim:
        yield user_id


def _claimed() -> tuple[int, socket.socket]:
    """An id, and the socket whose name among the abstract ones of this machine makes it ours while it is open."""
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
    """The ids we may give, those that mean something here as a user's and as a group's."""
    mapped = [_mapped(f"/proc/self/{kind}_map") for kind in ("uid", "gid")]
    for low, high in ((_WIDE_LOW, _WIDE_HIGH), (_LOW, _HIGH)):
        if all(any(first <= low and high < end for first, end in spans) for spans in mapped):
            return range(low, high + 1)
    return range(0)


def _mapped(path: str) -> list[tuple[int, int]]:
    """The ids that are mapped, as pairs of a first and one past the last; see user_namespaces(7)."""
    try:
        with open(path, encoding="ascii") as file:
            rows = [[int(word) for word in line.split()] for line in file]
    except OSError:
        return []
    return [(first, first + count) for first, _, count in rows]


def end_all_of(user_id: int) -> None:
    """Kill every process of a user that is lent to us.

    kill(2) with -1 reaches all of them in one go, under the lock that a fork takes: nothing slips through. It is
    called by a thread that is that user and nothing more; OSError where it cannot become so.
    """
    failed: list[OSError] = []

    def end() -> None:
        try:
            abi.become(user_id)
            abi.kill_all_we_may()
        except OSError as error:
            failed.append(error)

    thread = threading.Thread(target=end, name=f"pitboss end of user {user_id}")
    patiently(lambda: started(thread))
    thread.join()
    if failed:
        raise failed[0]
