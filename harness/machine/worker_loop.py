"""The inside of a worker: it does the tasks that come over a channel, and takes numbers of those that all share."""

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

from harness.errors import HarnessError
from harness.machine import processes, signals

T = TypeVar("T")
#: A number as it stands in the pipe.
NUMBER = struct.Struct("=I")
#: When a worker collects: see gc.set_threshold.
_COLLECTING = (20_000, 20, 50)


@contextmanager
def on_core(number: int) -> Iterator[None]:
    """Keep this thread, and what it starts, on one core meanwhile."""
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


#: Where the numbers are that all workers share.
_shared = -1


def serve(number: int, shared: int, channel: socket.socket) -> None:
    """Be a worker, until the pool is gone. Never returns."""
    global _shared
    _shared = shared
    code = 1
    try:
        # What there is now lives as long as this process, and what a session leaves behind is seldom a cycle.
        gc.freeze()
        gc.set_threshold(*_COLLECTING)
        signals.listen()
        signals.end_with_parent()
        # What is left of its bubblewraps comes here, where it is waited for before the next session.
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
    """What a function returns or raises, pickled."""
    try:
        return pickle.dumps((function(*arguments), None), pickle.HIGHEST_PROTOCOL)
    except HarnessError as error:
        return pickle.dumps((None, error), pickle.HIGHEST_PROTOCOL)
    except Exception as error:  # a mistake of ours: it should be told with its place
        told = RuntimeError("".join(traceback.format_exception(error)))
        return pickle.dumps((None, told), pickle.HIGHEST_PROTOCOL)


def with_shared(function: Callable[..., T], arguments: tuple[object, ...]) -> T:
    """What a function returns of the numbers that this worker takes of those that all share."""
    return function(shared_numbers(_shared), *arguments)


def shared_numbers(shared: int) -> Iterator[int]:
    """The numbers that are left, one at a time: a read of a pipe takes them from everybody else."""
    while True:
        try:
            yield NUMBER.unpack(os.read(shared, NUMBER.size))[0]
        except BlockingIOError:
            return
