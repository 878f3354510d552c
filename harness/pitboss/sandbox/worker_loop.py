"""Runs inside a worker: does the tasks from its channel, and takes numbers from a pipe that all workers share."""

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
#: The format of a number in the pipe.
NUMBER = struct.Struct("=I")
#: When a worker collects garbage: the arguments of gc.set_threshold.
_GC_THRESHOLDS = (20_000, 20, 50)


@contextmanager
def on_core(number: int) -> Iterator[None]:
    """Pin this thread, and all threads and processes that it starts, to core `number` during the context."""
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
    """Run worker `number` until its pool closes the other end of `channel`; never returns.

    Progress events are sent over `events`, or discarded if it is None.
    """
    if events is None:
        progress.discard_events()
    else:
        events.use()
    exit_status = 1
    try:
        # All objects that exist now live as long as this process, and sessions seldom leave reference cycles behind.
        gc.freeze()
        gc.set_threshold(*_GC_THRESHOLDS)
        signals.listen()
        signals.end_with_parent()
        # Adopt the processes that this worker's bubblewraps leave behind: they are reaped before the next session.
        processes.adopt()
        with on_core(number):
            _do_tasks(channel)
        exit_status = 0
    except (KeyboardInterrupt, BrokenPipeError, ConnectionResetError):
        exit_status = 0
    finally:
        os._exit(exit_status)


def _do_tasks(channel: socket.socket) -> None:
    """Do one task after another, until the other end of the channel is closed."""
    with channel.makefile("rb") as reader:
        while True:
            try:
                function, arguments = pickle.load(reader)
            except EOFError:
                return
            channel.sendall(_pickled_outcome(function, arguments))


def _pickled_outcome(function: Callable[..., object], arguments: tuple[object, ...]) -> bytes:
    """Call a function; returns the pickled pair of its result and its exception, one of which is None."""
    try:
        return pickle.dumps((function(*arguments), None), pickle.HIGHEST_PROTOCOL)
    except HarnessError as error:
        return pickle.dumps((None, error), pickle.HIGHEST_PROTOCOL)
    except Exception as error:  # an error in our code: report its traceback
        error_with_traceback = RuntimeError("".join(traceback.format_exception(error)))
        return pickle.dumps((None, error_with_traceback), pickle.HIGHEST_PROTOCOL)


def call_with_shared_numbers(shared: int, function: Callable[..., T], arguments: tuple[object, ...]) -> T:
    """Call a function with an iterator that takes numbers from the pipe `shared`; returns the function's result.

    Numbers that are still in the pipe when the function ends are discarded.
    """
    try:
        return function(shared_numbers(shared), *arguments)
    finally:
        discard_numbers(shared)


def discard_numbers(shared: int) -> None:
    """Take all numbers that are still in the pipe `shared`, and ignore them."""
    for _ in shared_numbers(shared):
        pass


def shared_numbers(shared: int) -> Iterator[int]:
    """Takes numbers from the pipe `shared` and yields them, until the pipe is empty.

    Each number is taken by only one process.
    """
    while True:
        try:
            yield NUMBER.unpack(os.read(shared, NUMBER.size))[0]
        except BlockingIOError:
            return
