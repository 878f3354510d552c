"""Workers: processes that do a part of the work each, on a core of its own. What they do inside is `service`.

Forked, so that they begin with all that is loaded, within a millisecond; a general pool of processes takes five times
as long to begin and end, which is more than many a check takes as a whole.
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
from collections.abc import Callable
from typing import Any, BinaryIO, TypeVar

from harness.errors import SessionError
from harness.machine import processes, scratch, signals
from harness.machine.obtaining import obtained
from harness.machine.pool import Pool, Task
from harness.machine.worker_loop import NUMBER, on_core, serve, shared_numbers, with_shared

T = TypeVar("T")
_REFUSAL = "no worker process can be started"
#: So many numbers fit into any pipe at once (a page).
_MOST_SHARED = 4096 // NUMBER.size


class Workers(Pool):
    """Processes forked from this one."""

    def __init__(self, count: int, *, takes_part: bool = False) -> None:
        """Start them, each on a core; where this process takes part it is one of them, and one less is started.

        Fewer where this machine is short of something; SessionError where there would be none.
        """
        _reap()
        self._takes_part, self._core = takes_part, count - 1
        self._waiting: deque[Task[Any]] = deque()
        self._members: list[_Member] = []
        #: What is given back at the end.
        self._held = contextlib.ExitStack()
        with contextlib.ExitStack() as undone:
            undone.callback(self.__exit__)
            self._held.enter_context(scratch.kept_run())
            self._shared_out, self._shared_in = obtained(_REFUSAL, os.pipe)
            self._held.callback(os.close, self._shared_out)
            self._held.callback(os.close, self._shared_in)
            os.set_blocking(self._shared_out, False)
            self._selector = obtained(_REFUSAL, selectors.DefaultSelector)
            self._held.callback(self._selector.close)
            #: What runs below this process that no worker has left behind.
            self._strays = processes.Strays()
            for number in range(count - takes_part):
                try:
                    self._begin(number)
                except OSError:
                    break
            if not self._members and not takes_part:
                obtained(_REFUSAL, lambda: self._begin(0))
            undone.pop_all()

    def _begin(self, place: int) -> None:
        """Start a worker for a place; OSError where there is no room for one."""
        member = _Member(place, self._shared_out, [one.channel for one in self._members])
        try:
            self._selector.register(member.channel, selectors.EVENT_READ, member)
        except OSError:
            member.send_off()
            raise
        self._members.insert(place, member)

    def __exit__(self, *_: object) -> None:
        """End them, whatever they are doing."""
        with self._held:
            busy = [member.send_off() for member in self._members]
            self._members.clear()
            _reap(waits=any(busy))

    def submit(self, function: Callable[..., T], *arguments: object) -> Task[T]:
        """Have something done by whoever is free first."""
        task = Task(self, function, arguments)
        self._waiting.append(task)
        self._hand_out()
        return task

    def share(self, function: Callable[..., T], *arguments: object, count: int) -> list[T]:
        """See Pool: each result is what one worker made of the numbers it took."""
        results: list[T] = []
        for start in range(0, count, _MOST_SHARED):
            numbers = range(start, min(start + _MOST_SHARED, count))
            os.write(self._shared_in, b"".join(map(NUMBER.pack, numbers)))
            tasks = [self.submit(with_shared, function, arguments) for _ in self._members[: len(numbers)]]
            try:
                if self._takes_part:
                    with on_core(self._core):
                        results.append(function(shared_numbers(self._shared_out), *arguments))
                results += [task.result() for task in tasks]
            finally:
                self._take_back(tasks)
        return results

    def _take_back(self, tasks: list[Task[T]]) -> None:
        """Take what is left of the numbers, where somebody gave up or died, and let the others end."""
        for _ in shared_numbers(self._shared_out):
            pass
        while not all(task.is_done for task in tasks):
            self.wait()

    def wait(self) -> None:
        """Wait until something is done."""
        if self._takes_part and self._waiting:
            self._waiting.popleft().do()
            return
        for key, _ in self._selector.select():
            if not key.data.hear():
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
        """Put another in the place of one that has died; its task has failed, by our fault.

        What it had running has come to this process, and ends. Where there is no room for another, the others do
        its work.
        """
        self._selector.unregister(member.channel)
        place = self._members.index(member)
        del self._members[place]
        member.send_off()
        _reap(waits=True)
        self._strays.end(but=[one.pid for one in self._members])
        try:
            self._begin(place)
        except OSError:
            if not self._members and not self._takes_part:
                obtained(_REFUSAL, lambda: self._begin(place))


class _Member:
    """One worker as its pool sees it."""

    def __init__(self, number: int, shared: int, others: list[socket.socket]) -> None:
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
                for other in others:  # it would keep them from seeing the end of this process
                    other.close()
                serve(number, shared, theirs)
        self._reader: BinaryIO = self.channel.makefile("rb")

    def give(self, task: Task[Any]) -> bool:
        """Give it something to do; whether it took it."""
        message = pickle.dumps(task.call, pickle.HIGHEST_PROTOCOL)
        try:
            self.channel.sendall(message)
        except OSError:
            return False
        self.task = task
        return True

    def hear(self) -> bool:
        """Take the result of its task; whether it lives."""
        try:
            value, error = pickle.load(self._reader)
        except (EOFError, OSError, pickle.UnpicklingError):
            if self.task is not None:
                self.task.finish(None, SessionError("a worker process of pitboss was killed"))
            return False
        task, self.task = self.task, None
        assert task is not None
        task.finish(value, error)
        return True

    def send_off(self) -> bool:
        """Have it end; whether it was in the middle of something, which it leaves with nothing running."""
        is_busy = self.task is not None
        if is_busy:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGTERM)
        self._reader.close()
        self.channel.close()
        _leaving.append(self.pid)
        return is_busy


#: Workers that have been sent off; the idle ones have nothing more to do than to end, and are not waited for.
_leaving: list[int] = []
#: How long one may take to leave in order before it is killed, in seconds.
_LEAVING_S = 10.0


def _reap(*, waits: bool = False) -> None:
    """Take note of the workers that have ended; with `waits`, once all have."""
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
    except ChildProcessError:  # whoever waits for orphans here has met it first
        return True


def workers(count: int, *, takes_part: bool = False) -> Pool:
    """As many workers, this process among them where it takes part; none but this one where none can be forked."""
    return Workers(count, takes_part=takes_part) if hasattr(os, "fork") and count > takes_part else Pool()


def core_count() -> int:
    """How many cores we may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
