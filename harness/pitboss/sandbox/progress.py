"""News of the work: what any of our processes tells while it works, to whoever listens in the first of them.

Without a listener nothing is told. News are for people who wait: no result depends on them, and some may be lost.
"""

from __future__ import annotations

import contextlib
import pickle
import socket
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Protocol, runtime_checkable

import msgspec

Listener = Callable[[object], None]
#: Longer news are told in short where they can be, as those of a session that floods the terminal; else they are lost.
_MOST_BYTES = 1 << 17

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


class WorkProgress(msgspec.Struct, frozen=True):
    """How many of the numbers that workers share have been taken, and how many there are."""

    count: int
    of: int


@runtime_checkable
class Shortened(Protocol):
    """News that can be told in short."""

    def shortened(self) -> object:
        """The news without what makes them long."""
        ...


def tell(news: object) -> None:
    """Tell something to the listener, if there is one."""
    listener = _listener.get()
    if listener is not None:
        listener(news)


def has_listener() -> bool:
    """Whether anybody listens."""
    return _listener.get() is not None


@contextlib.contextmanager
def subscribe(listener: Listener) -> Iterator[None]:
    """Let somebody listen during the context, besides those who listen already."""
    before = _listener.get()

    def both(news: object) -> None:
        listener(news)
        if before is not None:
            before(news)

    token = _listener.set(both)
    try:
        yield
    finally:
        _listener.reset(token)


class WorkerChannel:
    """A line from the workers to the process that forks them; closed with `close`."""

    def __init__(self) -> None:
        """Open it; OSError if no descriptor is free."""
        self._ours, self._theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._ours.setblocking(False)
        self._theirs.setblocking(False)

    def fileno(self) -> int:
        """The descriptor that is readable when there are news."""
        return self._ours.fileno()

    def close(self) -> None:
        """Close both ends."""
        self._ours.close()
        self._theirs.close()

    def use(self) -> None:
        """Tell over this line from now on; called in a worker."""
        _listener.set(self._send)

    def _send(self, news: object) -> None:
        with contextlib.suppress(OSError, pickle.PicklingError):
            message = pickle.dumps(news, pickle.HIGHEST_PROTOCOL)
            if len(message) > _MOST_BYTES and isinstance(news, Shortened):
                message = pickle.dumps(news.shortened(), pickle.HIGHEST_PROTOCOL)
            if len(message) <= _MOST_BYTES:
                self._theirs.send(message)

    def pass_on(self) -> None:
        """Tell all that has come over the line."""
        while True:
            try:
                message = self._ours.recv(_MOST_BYTES)
            except BlockingIOError:
                return
            tell(pickle.loads(message))


def no_line() -> None:
    """Tell nobody from now on; called in a worker without a line."""
    _listener.set(None)
