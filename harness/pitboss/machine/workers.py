"""Worker processes, each on a core of its own, which share the work: our end, and the loop that runs inside them.

Workers are forked, so they start within a millisecond, with all modules loaded. A general pool of processes takes five
times as long to start and end, which is more than many checks take as a whole.

A worker does the tasks from its channel, and takes numbers from a pipe that all workers share.
"""

from __future__ import annotations

import contextlib
import gc
import os
import pickle
import selectors
import signal
import socket
import struct
import traceback
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO, TypeVar

from pitboss.errors import HarnessError
from pitboss.machine import processes, progress, scratch, signals
from pitboss.machine.pool import LostWorkerError, Pool, Task
from pitboss.machine.retry import obtain

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


_REFUSAL = "no worker process can be started"
#: How many numbers (see `Workers.share`) fit into any pipe at once: a pipe holds at least a page of 4096 bytes.
_MAX_NUMBERS = 4096 // NUMBER.size
#: The longest single wait, in seconds. If a signal comes between Python's last check and the beginning of a wait,
#: Python notices the signal only at the end of that wait: see "Interruption of system calls" in signal(7).
_LONGEST_WAIT_S = 0.5


class Workers(Pool):
    """Processes forked from this one."""

    def __init__(self, count: int, *, takes_part: bool = False) -> None:
        """Start `count` workers, each on a core; `count` includes this process if it takes part, on the last core.

        Starts fewer workers if this machine lacks resources; SessionError if no worker can be started.
        """
        _reap()
        self._takes_part, self._core = takes_part, count - 1
        self._waiting_tasks: deque[Task[Any]] = deque()
        self._members: list[_Member] = []
        #: Resources to release at the end.
        self._resources = contextlib.ExitStack()
        with contextlib.ExitStack() as cleanup:
            cleanup.callback(self.__exit__)
            self._resources.enter_context(scratch.run_folder())
            #: The ends of the pipe from which workers take numbers: see `share`.
            self._numbers_read_end, self._numbers_write_end = obtain(_REFUSAL, os.pipe)
            self._resources.callback(os.close, self._numbers_read_end)
            self._resources.callback(os.close, self._numbers_write_end)
            os.set_blocking(self._numbers_read_end, False)
            self._selector = obtain(_REFUSAL, selectors.DefaultSelector)
            self._resources.callback(self._selector.close)
            #: The channel of the workers' progress events; None without a listener.
            self._events = obtain(_REFUSAL, progress.WorkerChannel) if progress.has_listener() else None
            if self._events is not None:
                self._resources.callback(self._events.close)
                self._selector.register(self._events, selectors.EVENT_READ)
            #: The processes that dead workers have left behind.
            self._strays = processes.Strays()
            own_count = 1 if takes_part else 0
            for index in range(count - own_count):
                try:
                    self._begin(index)
                except OSError:
                    break
            if not self._members and not takes_part:
                obtain(_REFUSAL, lambda: self._begin(0))
            self.size = len(self._members) + own_count
            cleanup.pop_all()

    def _begin(self, index: int) -> None:
        """Start the worker with this index; OSError if the machine lacks resources."""
        member = _Member(index, [member.channel for member in self._members], self._events)
        try:
            self._selector.register(member.channel, selectors.EVENT_READ, member)
        except OSError:
            member.dismiss()
            raise
        self._members.insert(index, member)

    def __exit__(self, *_: object) -> None:
        """End the workers, even while they are busy."""
        with self._resources:
            busy = [member.dismiss() for member in self._members]
            self._members.clear()
            _reap(waits=any(busy))

    def submit(self, function: Callable[..., T], *arguments: object) -> Task[T]:
        """Submit a call to the first worker that is free; if that worker dies, another one makes the call."""
        return self._enqueue(Task(self, function, arguments, tries=2))

    def submit_once(self, function: Callable[..., T], *arguments: object) -> Task[T]:
        """Submit a call that is not tried again if the worker dies."""
        return self._enqueue(Task(self, function, arguments))

    def _enqueue(self, task: Task[T]) -> Task[T]:
        """Add a task to the waiting tasks, hand it out if a worker is free, and return it."""
        self._waiting_tasks.append(task)
        self._hand_out()
        return task

    def share(self, function: Callable[..., T], *arguments: object, count: int) -> list[T]:
        """See `Pool.share`: each result is what one worker returned for the numbers that it took."""
        results: list[T] = []
        has_lost_worker = False
        for start in range(0, count, _MAX_NUMBERS):
            numbers = range(start, min(start + _MAX_NUMBERS, count))
            os.write(self._numbers_write_end, b"".join(map(NUMBER.pack, numbers)))
            call = (call_with_shared_numbers, self._numbers_read_end, function, arguments)
            tasks = [self.submit_once(*call) for _ in self._members[: len(numbers)]]
            try:
                if self._takes_part:
                    with on_core(self._core):
                        results.append(function(self._numbers_with_progress(count), *arguments))
                for task in tasks:
                    try:
                        results.append(task.result())
                    except LostWorkerError:
                        has_lost_worker = True
            finally:
                self._discard_and_wait(tasks)
        if has_lost_worker:
            raise LostWorkerError(results)
        return results

    def _numbers_with_progress(self, count: int) -> Iterator[int]:
        """Yields the numbers that this process takes; reports its own progress and passes on the workers' events."""
        for number in shared_numbers(self._numbers_read_end):
            if self._events is not None:
                self._events.pass_on()
            progress.notify(progress.WorkProgress(number + 1, count))
            yield number

    def _discard_and_wait(self, tasks: list[Task[T]]) -> None:
        """Discard the numbers that a failed or dead worker has left in the pipe, and wait until all tasks are done."""
        discard_numbers(self._numbers_read_end)
        while not all(task.is_done for task in tasks):
            self.wait()

    def wait(self) -> None:
        """Wait a moment for a task to be done; if this process takes part, do the first waiting task instead."""
        if self._takes_part and self._waiting_tasks:
            self._waiting_tasks.popleft().do()
            return
        for key, _ in self._selector.select(_LONGEST_WAIT_S):
            if key.data is None and self._events is not None:  # only the channel of events has no member
                self._events.pass_on()
            elif not key.data.receive_result():
                self._replace(key.data)
        self._hand_out()

    def _hand_out(self) -> None:
        """Send the waiting tasks to workers without a task, and replace workers that have died."""
        for member in self._members:
            while self._waiting_tasks and member.task is None:
                task = self._waiting_tasks.popleft()
                if not member.send_task(task):
                    self._waiting_tasks.appendleft(task)
                    self._replace(member)
                    return self._hand_out()  # start again, since `_replace` has changed the list of members

    def _replace(self, member: _Member) -> None:
        """Replace a dead worker; its task is tried again, or fails as a fault of ours.

        This process has adopted the worker's children, and ends them. If no new worker can be started, the remaining
        workers do the work.
        """
        self._selector.unregister(member.channel)
        index = self._members.index(member)
        del self._members[index]
        member.dismiss()
        if member.task is not None and member.task.lose():
            self._waiting_tasks.appendleft(member.task)
        _reap(waits=True)
        self._strays.end(but=[member.pid for member in self._members])
        try:
            self._begin(index)
        except OSError:
            if not self._members and not self._takes_part:
                obtain(_REFUSAL, lambda: self._begin(index))


class _Member:
    """One worker, as its parent sees it: the process id, the channel to it, and the task that it is doing."""

    def __init__(self, number: int, other_channels: list[socket.socket], events: progress.WorkerChannel | None) -> None:
        """Fork worker `number`; `other_channels` are our channels to the other workers."""
        self.task: Task[Any] | None = None
        self.channel, worker_end = socket.socketpair()
        with worker_end, signals.block_signals():
            try:
                self.pid = os.fork()
            except OSError:
                self.channel.close()
                raise
            if self.pid == 0:
                self.channel.close()
                for channel in other_channels:  # otherwise those workers would not notice the end of their parent
                    channel.close()
                serve(number, worker_end, events)
        self._reader: BinaryIO = self.channel.makefile("rb")

    def send_task(self, task: Task[Any]) -> bool:
        """Send the worker a task; returns whether that succeeded."""
        message = pickle.dumps(task.call, pickle.HIGHEST_PROTOCOL)
        try:
            self.channel.sendall(message)
        except OSError:
            return False
        self.task = task
        return True

    def receive_result(self) -> bool:
        """Receive the result of the worker's task; returns False if the worker has died."""
        try:
            value, error = pickle.load(self._reader)
        except (EOFError, OSError, pickle.UnpicklingError):
            return False
        task, self.task = self.task, None
        assert task is not None
        task.finish(value, error)
        return True

    def dismiss(self) -> bool:
        """Make the worker end; returns whether it was busy. A busy worker first ends all its children."""
        is_busy = self.task is not None
        if is_busy:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGTERM)
        self._reader.close()
        self.channel.close()
        _ending_pids.append(self.pid)
        return is_busy


#: The process ids of workers that are ending. Idle workers end at once, and we do not wait for them.
_ending_pids: list[int] = []


def _reap(*, waits: bool = False) -> None:
    """Reap the ending workers that have ended; with `waits`, wait until all have, and kill those that take too long."""

    def have_ended() -> bool:
        _ending_pids[:] = [pid for pid in _ending_pids if not processes.has_ended(pid)]
        return not (waits and _ending_pids)

    if not processes.wait_until(have_ended):
        processes.kill_all(_ending_pids)
        processes.wait_until(have_ended)


def workers(count: int, *, takes_part: bool = False) -> Pool:
    """A pool of `count` workers, including this process if it takes part.

    If there would be no other process, or this process cannot fork, returns a pool without workers.
    """
    own_count = 1 if takes_part else 0
    return Workers(count, takes_part=takes_part) if hasattr(os, "fork") and count > own_count else Pool()


def core_count() -> int:
    """How many cores we may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
