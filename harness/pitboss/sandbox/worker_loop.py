"""Runs inside a worker: does tasks that arrive over a channel, and takes numbers that all workers share."""

from __future__ import annotations

import gc
import os
import pickle
import socket
import struct
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from pitboss.errors import HarnessError
from pitboss.sandbox import processes, progress, signals

T = TypeVar("T")
#: A number in the pipe.
NUMBER = struct.Struct("=I")
#: When a worker collects garbage: see gc.set_threshold.
_COLLECTING = (20_000, 20, 50)


@contextmanager
def on_core(number: int) -> Iterator[None]:
    """Pin this thread, and all that it starts, to one core during the context."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    cores = sorted(before)
    os.sched_setaffinity(0, {cores[number % len(cores)]})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def serve(number: int, channel: socket.socket, events: progress.WorkerChannel | None) -> None:
    """Run a worker until the pool is gone, sending progress events over `events`; never returns."""
    if events is None:
        progress.discard_events()
    else:
        events.use()
    code = 1
    try:
        # All present objects live as long as this process, and sessions seldom leave cycles behind.
        gc.freeze()
        gc.set_threshold(*_COLLECTING)
        signals.listen()
        signals.end_with_parent()
        # Adopt the processes that its bubblewraps leave behind: they are waited for before the next session.
        processes.adopt()
        with on_core(number):
            _answer_all(channel)
        code = 0
    except (KeyboardInterrupt, BrokenPipeError, ConnectionResetError):
        code = 0
    finally:
        os._exit(code)


def _answer_all(channel: socket.socket) -> None:
    """Do one task after another, until the other end of the channel is closed."""
    with channel.makefile("rb") as reader:
        while True:
            try:
                function, arguments = pickle.load(reader)
            except EOFError:
                return
            channel.sendall(_answer(function, arguments))


def _answer(function: Callable[..., object], arguments: tuple[object, ...]) -> bytes:
    """The pickled result or exception of a function."""
    try:
        return pickle.dumps((function(*arguments), None), pickle.HIGHEST_PROTOCOL)
    except HarnessError as error:
        return pickle.dumps((None, error), pickle.HIGHEST_PROTOCOL)
    except Exception as error:  # a mistake of ours: report where it happened
        described = RuntimeError("".join(traceback.format_exception(error)))
        return pickle.dumps((None, described), pickle.HIGHEST_PROTOCOL)


def with_shared(shared: int, function: Callable[..., T], arguments: tuple[object, ...]) -> T:
    """Call a function with the numbers that this worker takes from the pipe `shared`; returns its result.

    Numbers that it does not take are discarded.
    """
    try:
        return function(shared_numbers(shared), *arguments)
    finally:
        discard(shared)


def discard(shared: int) -> None:
    """Take and ignore the remaining numbers."""
    for _ in shared_numbers(shared):
        pass


def shared_numbers(shared: int) -> Iterator[int]:
    """Yields the remaining numbers: a number read from the pipe is gone for all others."""
    while True:
        try:
            yield NUMBER.unpack(os.read(shared, NUMBER.size))[0]
        except BlockingIOError:
            return
