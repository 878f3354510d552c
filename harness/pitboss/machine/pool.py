"""A worker pool: the tasks of a check, run in this process, or in workers beside it (see workers.py)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Generic, TypeVar, overload

from pitboss.errors import SessionError
from pitboss.machine import progress

T = TypeVar("T")


class LostWorkerError(SessionError):
    """Each worker that tried a call died; the results of the call are lost."""

    def __init__(self, results: Sequence[Any] = ()) -> None:
        """`results` are the results of workers that did not die, if a call of `Pool.share` was lost."""
        super().__init__("a worker process of pitboss was killed")
        self.results = results


class Task(Generic[T]):
    """A call of a function, and the value that it returned or the exception that it raised."""

    def __init__(
        self, pool: Pool, function: Callable[..., T], arguments: tuple[object, ...], *, tries: int = 1
    ) -> None:
        """A task of `pool`: the call `function(*arguments)`, tried at most `tries` times if workers die."""
        self._pool, self._tries_left = pool, tries
        self.call = (function, arguments)
        self.is_done = False
        self._value: T | None = None
        self._error: BaseException | None = None

    def do(self) -> None:
        """Make the call, in this process."""
        function, arguments = self.call
        try:
            self.finish(function(*arguments), None)
        except Exception as error:
            self.finish(None, error)

    def lose(self) -> bool:
        """Note that the worker that made the call died; returns whether to try the call again."""
        self._tries_left -= 1
        if self._tries_left == 0:
            self.finish(None, LostWorkerError())
        return self._tries_left > 0

    def finish(self, value: T | None, error: BaseException | None) -> None:
        """Store the result or exception of the call."""
        self._value, self._error, self.is_done = value, error, True

    def result(self) -> T:
        """Wait until the call is done, and return what it returned or raise what it raised.

        Raises LostWorkerError if the worker that made the call died, each time that it was tried.
        """
        while not self.is_done:
            self._pool.wait()
        if self._error is not None:
            raise self._error
        return self._value  # type: ignore[return-value]


class _AnnouncedNumbers(Sequence[int]):
    """A range of numbers whose iterator notifies a WorkProgress event for each number before yielding it."""

    def __init__(self, numbers: range) -> None:
        self._numbers = numbers

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, index: int) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> range: ...

    def __getitem__(self, index: int | slice) -> int | range:
        return self._numbers[index]

    def __iter__(self) -> Iterator[int]:
        for number in self._numbers:
            progress.notify(progress.WorkProgress(number + 1, len(self)))
            yield number


class Pool:
    """A pool without workers: this process runs each task immediately."""

    #: How many tasks the pool runs at the same time.
    size = 1

    def submit(self, function: Callable[..., T], *arguments: object) -> Task[T]:
        """Submit a call of a function; tasks start in the order in which they were submitted.

        In a pool with workers: if the worker that makes the call dies, perhaps for lack of memory, another worker tries
        it again.
        """
        return self.submit_once(function, *arguments)

    def submit_once(self, function: Callable[..., T], *arguments: object) -> Task[T]:
        """Submit a call that is tried only once, even if the worker dies: perhaps a worker died in it before."""
        task = Task(self, function, arguments)
        task.do()
        return task

    def share(self, function: Callable[..., T], *arguments: object, count: int) -> list[T]:
        """Call `function(numbers, *arguments)` once in every worker, and return the results of the calls.

        The workers share the numbers from 0 to `count` - 1: a worker that has finished a number takes the next one.
        Each number taken is reported as a WorkProgress event.
        """
        numbers = _AnnouncedNumbers(range(count)) if progress.has_listener() else range(count)
        return [function(numbers, *arguments)]

    def wait(self) -> None:
        """Wait for some task to be done, but only for a moment: callers check and wait again.

        Nothing to do here: without workers each task is done when it has been submitted.
        """

    def as_done(self, tasks: Iterable[Task[T]]) -> Iterator[Task[T]]:
        """The tasks, in the order in which they are done."""
        pending = list(tasks)
        del tasks  # so that only the caller refers to tasks that are done
        while pending:
            finished = [task for task in pending if task.is_done]
            pending = [task for task in pending if not task.is_done]
            yield from finished
            if pending and not finished:
                self.wait()

    def __enter__(self) -> Pool:
        """Use the pool until the end of the block."""
        return self

    def __exit__(self, *_: object) -> None:
        """End all workers."""
