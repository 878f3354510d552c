"""Workers: processes that each do a part of the work, on a core of their own. `worker_loop` runs inside them.

They are forked, so that they begin with all modules loaded, within a millisecond. A general pool of processes takes
five times as long to begin and end, which is more than many checks take as a whole.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import selectors
import signal
import socket
import time
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO, TypeVar

from pitboss.sandbox import processes, progress, scratch, signals
from pitboss.sandbox.pool import LostWorkerError, Pool, Task
from pitboss.sandbox.retry import obtain
from pitboss.sandbox.worker_loop import NUMBER, discard, on_core, serve, shared_numbers, with_shared

T = TypeVar("T")
_REFUSAL = "no worker process can be started"
#: This many numbers fit into any pipe at once: a pipe holds at least a page.
_MAX_SHARED = 4096 // NUMBER.size
#: How long we wait at a time, in seconds. Python does not notice a signal that comes between its last check and the
#: beginning of a wait (signal(7), "Interruption of system calls"): it is noticed at the end of that wait.
_LOOK_S = 0.5


class Workers(Pool):
    """Processes forked from this one."""

    def __init__(self, count: int, *, takes_part: bool = False) -> None:
        """Start `count` workers, each on a core; if this process takes part it is one of them.

        Starts fewer if this machine lacks resources; SessionError if none can be started.
        """
        _reap()
        self._takes_part, self._core = takes_part, count - 1
        self._waiting: deque[Task[Any]] = deque()
        self._members: list[_Member] = []
        #: Resources to release at the end.
        self._resources = contextlib.ExitStack()
        with contextlib.ExitStack() as undone:
            undone.callback(self.__exit__)
            self._resources.enter_context(scratch.run_folder())
            self._shared_out, self._shared_in = obtain(_REFUSAL, os.pipe)
            self._resources.callback(os.close, self._shared_out)
            self._resources.callback(os.close, self._shared_in)
            os.set_blocking(self._shared_out, False)
            self._selector = obtain(_REFUSAL, selectors.DefaultSelector)
            self._resources.callback(self._selector.close)
            #: Brings the progress events of the workers; None without a listener.
            self._events = obtain(_REFUSAL, progress.WorkerChannel) if progress.has_listener() else None
            if self._events is not None:
                self._resources.callback(self._events.close)
                self._selector.register(self._events, selectors.EVENT_READ)
            #: Finds the processes that workers leave behind.
            self._strays = processes.Strays()
            for number in range(count - takes_part):
                try:
                    self._begin(number)
                except OSError:
                    break
            if not self._members and not takes_part:
                obtain(_REFUSAL, lambda: self._begin(0))
            self.size = len(self._members) + takes_part
            undone.pop_all()

    def _begin(self, place: int) -> None:
        """Start the worker with index `place`; OSError if the machine lacks resources."""
        member = _Member(place, [member.channel for member in self._members], self._events)
        try:
            self._selector.register(member.channel, selectors.EVENT_READ, member)
        except OSError:
            member.send_off()
            raise
        self._members.insert(place, member)

    def __exit__(self, *_: object) -> None:
        """End the workers, even while they are busy."""
        with self._resources:
            busy = [member.send_off() for member in self._members]
            self._members.clear()
            _reap(waits=any(busy))

    def submit(self, function: Callable[..., T], *arguments: object) -> Task[T]:
        """Submit a call to the first worker that is free; if it dies, another worker makes the call."""
        return self._submitted(Task(self, function, arguments, tries=2))

    def submit_again(self, function: Callable[..., T], *arguments: object) -> Task[T]:
        """See Pool: if the worker dies, the call is not tried again."""
        return self._submitted(Task(self, function, arguments))

    def _submitted(self, task: Task[T]) -> Task[T]:
        self._waiting.append(task)
        self._hand_out()
        return task

    def share(self, function: Callable[..., T], *arguments: object, count: int) -> list[T]:
        """See Pool: each result is what one worker returned for the numbers it took."""
        results: list[T] = []
        is_lost = False
        for start in range(0, count, _MAX_SHARED):
            numbers = range(start, min(start + _MAX_SHARED, count))
            os.write(self._shared_in, b"".join(map(NUMBER.pack, numbers)))
            shared = (with_shared, self._shared_out, function, arguments)
            tasks = [self.submit_again(*shared) for _ in self._members[: len(numbers)]]
            try:
                if self._takes_part:
                    with on_core(self._core):
                        results.append(function(self._announced(count), *arguments))
                for task in tasks:
                    try:
                        results.append(task.result())
                    except LostWorkerError:
                        is_lost = True
            finally:
                self._take_back(tasks)
        if is_lost:
            raise LostWorkerError(results)
        return results

    def _announced(self, count: int) -> Iterator[int]:
        """Yields the numbers that this process takes; meanwhile passes on the progress events of the workers."""
        for number in shared_numbers(self._shared_out):
            if self._events is not None:
                self._events.pass_on()
            progress.notify(progress.WorkProgress(number + 1, count))
            yield number

    def _take_back(self, tasks: list[Task[T]]) -> None:
        """Discard the numbers left by a worker that gave up or died, and wait for the other workers."""
        discard(self._shared_out)
        while not all(task.is_done for task in tasks):
            self.wait()

    def wait(self) -> None:
        """Wait for some task to be done, but only for a moment."""
        if self._takes_part and self._waiting:
            self._waiting.popleft().do()
            return
        for key, _ in self._selector.select(_LOOK_S):
            if key.data is None and self._events is not None:
                self._events.pass_on()
            elif not key.data.hear():
                self._replace(key.data)
        self._hand_out()

    def _hand_out(self) -> None:
        for member in self._members:
            while self._waiting and member.task is None:
                task = self._waiting.popleft()
                if not member.give(task):
                    self._waiting.appendleft(task)
                    self._replace(member)
                    return self._hand_out()

    def _replace(self, member: _Member) -> None:
        """Replace a dead worker; its task is tried again, or fails as a fault of ours.

        This process has adopted the worker's children, and ends them. If no other worker can be started, the remaining
        ones do its work.
        """
        self._selector.unregister(member.channel)
        place = self._members.index(member)
        del self._members[place]
        member.send_off()
        if member.task is not None and member.task.lose():
            self._waiting.appendleft(member.task)
        _reap(waits=True)
        self._strays.end(but=[member.pid for member in self._members])
        try:
            self._begin(place)
        except OSError:
            if not self._members and not self._takes_part:
                obtain(_REFUSAL, lambda: self._begin(place))


class _Member:
    """Our end of one worker."""

    def __init__(self, number: int, others: list[socket.socket], events: progress.WorkerChannel | None) -> None:
        self.task: Task[Any] | None = None
        self.channel, theirs = socket.socketpair()
        with theirs, signals.put_off():
            try:
                self.pid = os.fork()
            except OSError:
                self.channel.close()
                raise
            if self.pid == 0:
                self.channel.close()
                for other in others:  # otherwise the other workers would not notice the end of their parent
                    other.close()
                serve(number, theirs, events)
        self._reader: BinaryIO = self.channel.makefile("rb")

    def give(self, task: Task[Any]) -> bool:
        """Send it a task; returns whether that succeeded."""
        message = pickle.dumps(task.call, pickle.HIGHEST_PROTOCOL)
        try:
            self.channel.sendall(message)
        except OSError:
            return False
        self.task = task
        return True

    def hear(self) -> bool:
        """Receive the result of its task; returns whether the worker is alive."""
        try:
            value, error = pickle.load(self._reader)
        except (EOFError, OSError, pickle.UnpicklingError):
            return False
        task, self.task = self.task, None
        assert task is not None
        task.finish(value, error)
        return True

    def send_off(self) -> bool:
        """Make it end; returns whether it was busy. A busy worker first ends all its children."""
        is_busy = self.task is not None
        if is_busy:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGTERM)
        self._reader.close()
        self.channel.close()
        _leaving.append(self.pid)
        return is_busy


#: Workers that are ending; idle ones end at once, and we do not wait for them.
_leaving: list[int] = []
#: How long a worker may take for an orderly exit before it is killed, in seconds.
_LEAVING_S = 10.0


def _reap(*, waits: bool = False) -> None:
    """Remove the workers that have ended from the list; with `waits`, wait until all have."""
    until = time.monotonic() + _LEAVING_S
    for pid in list(_leaving):
        while not (has_ended := _has_ended(pid)) and waits:
            if time.monotonic() > until:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            time.sleep(0.001)
        if has_ended:
            _leaving.remove(pid)


def _has_ended(pid: int) -> bool:
    try:
        return os.waitpid(pid, os.WNOHANG)[0] != 0
    except ChildProcessError:  # the code that reaps orphans has already waited for it
        return True


def workers(count: int, *, takes_part: bool = False) -> Pool:
    """A pool of `count` workers, including this process if it takes part; just this process if it cannot fork."""
    return Workers(count, takes_part=takes_part) if hasattr(os, "fork") and count > takes_part else Pool()


def core_count() -> int:
    """How many cores we may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
