"""Progress events, with which each of our processes reports to listeners in the main process what it is doing.

Without a listener nothing is sent. Events are for people who wait: no result depends on them, and some may be lost.
"""

from __future__ import annotations

import contextlib
import pickle
import socket
from collections.abc import Callable, Iterator
from contextvars import ContextVar

import msgspec

Listener = Callable[[object], None]
#: The maximum size of an event. A larger event, such as one of a session that floods the terminal, is shortened by its
#: method `shortened` if it has one, else dropped.
_MAX_BYTES = 1 << 17

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


class WorkProgress(msgspec.Struct, frozen=True):
    """Of the work items that workers share, how many have been taken (`count`), and how many exist (`of`)."""

    count: int
    of: int


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
    previous = _listener.get()

    def call_both(event: object) -> None:
        listener(event)
        if previous is not None:
            previous(event)

    token = _listener.set(call_both)
    try:
        yield
    finally:
        _listener.reset(token)


class WorkerChannel:
    """A channel for events from workers to the process that forks them."""

    def __init__(self) -> None:
        """Open the channel; OSError if no descriptor is free."""
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
            if len(message) > _MAX_BYTES and hasattr(event, "shortened"):
                message = pickle.dumps(event.shortened(), pickle.HIGHEST_PROTOCOL)
            if len(message) <= _MAX_BYTES:
                self._theirs.send(message)

    def pass_on(self) -> None:
        """Report to the listener all events that have arrived; called in the process that forks the workers."""
        while True:
            try:
                message = self._ours.recv(_MAX_BYTES)
            except BlockingIOError:
                return
            notify(pickle.loads(message))


def discard_events() -> None:
    """Drop all events from now on; called in a worker without a channel."""
    _listener.set(None)
