"""Progress events: any of our processes reports what it does to listeners in the main process.

Without a listener nothing is sent. Events are for people who wait: no result depends on them, and some may be lost.
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
#: The maximum size of an event. Larger ones, as from a session that floods the terminal, are shortened if possible,
#: else dropped.
_MAX_BYTES = 1 << 17

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


class WorkProgress(msgspec.Struct, frozen=True):
    """How many of the work items shared by the workers have been taken, and how many there are."""

    count: int
    of: int


@runtime_checkable
class Shortened(Protocol):
    """An event that can be shortened."""

    def shortened(self) -> object:
        """The event without its long parts."""
        ...


def notify(event: object) -> None:
    """Report an event to the listener, if there is one."""
    listener = _listener.get()
    if listener is not None:
        listener(event)


def has_listener() -> bool:
    """Whether there is a listener."""
    return _listener.get() is not None


@contextlib.contextmanager
def subscribe(listener: Listener) -> Iterator[None]:
    """For the duration of the context, add a listener to the existing ones."""
    before = _listener.get()

    def both(event: object) -> None:
        listener(event)
        if before is not None:
            before(event)

    token = _listener.set(both)
    try:
        yield
    finally:
        _listener.reset(token)


class WorkerChannel:
    """A channel for events from the workers to the process that forks them; closed with `close`."""

    def __init__(self) -> None:
        """Open it; OSError if no descriptor is free."""
        self._ours, self._theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._ours.setblocking(False)
        self._theirs.setblocking(False)

    def fileno(self) -> int:
        """The descriptor that is readable when there are events."""
        return self._ours.fileno()

    def close(self) -> None:
        """Close both ends."""
        self._ours.close()
        self._theirs.close()

    def use(self) -> None:
        """Send events over this channel from now on; called in a worker."""
        _listener.set(self._send)

    def _send(self, event: object) -> None:
        with contextlib.suppress(OSError, pickle.PicklingError):
            message = pickle.dumps(event, pickle.HIGHEST_PROTOCOL)
            if len(message) > _MAX_BYTES and isinstance(event, Shortened):
                message = pickle.dumps(event.shortened(), pickle.HIGHEST_PROTOCOL)
            if len(message) <= _MAX_BYTES:
                self._theirs.send(message)

    def pass_on(self) -> None:
        """Report all events that have arrived."""
        while True:
            try:
                message = self._ours.recv(_MAX_BYTES)
            except BlockingIOError:
                return
            notify(pickle.loads(message))


def discard_events() -> None:
    """Drop all events from now on; called in a worker without a channel."""
    _listener.set(None)
