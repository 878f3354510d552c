"""A team: who does the work of a check. This process alone, or workers beside it (see workers.py)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Generic, TypeVar

T = TypeVar("T")


class Task(Generic[T]):
    """Something to be done, and what came of it."""

    def __init__(self, team: Team, function: Callable[..., T], arguments: tuple[object, ...]) -> None:
        """A task of a team."""
        self._team = team
        self.call = (function, arguments)
        self.is_done = False
        self._value: T | None = None
        self._error: BaseException | None = None

    def do(self) -> None:
        """Do it here and now."""
        function, arguments = self.call
        try:
            self.finish(function(*arguments), None)
        except Exception as error:
            self.finish(None, error)

    def finish(self, value: T | None, error: BaseException | None) -> None:
        """Keep what came of it."""
        self._value, self._error, self.is_done = value, error, True

    def result(self) -> T:
        """What came of it, once it is done; what was raised is raised here. SessionError when its worker died."""
        while not self.is_done:
            self._team.wait()
        if self._error is not None:
            raise self._error
        return self._value  # type: ignore[return-value]


class Team:
    """Who does the work: this process alone, which is done with a task as soon as it has it."""

    def submit(self, function: Callable[..., T], *arguments: object) -> Task[T]:
        """Have something done; the order in which tasks begin is that in which they were given."""
        task = Task(self, function, arguments)
        task.do()
        return task

    def deal(self, function: Callable[..., T], *arguments: object, count: int) -> list[T]:
        """Have everybody do `function(numbers, *arguments)`; who is done with one of `count` numbers takes the next."""
        return [function(range(count), *arguments)]

    def wait(self) -> None:
        """Wait until something is done."""

    def as_done(self, tasks: Iterable[Task[T]]) -> Iterator[Task[T]]:
        """The tasks, in the order in which they are done."""
        left = list(tasks)
        while left:
            done = [task for task in left if task.is_done]
            left = [task for task in left if not task.is_done]
            yield from done
            if left and not done:
                self.wait()

    def __enter__(self) -> Team:
        """Be there."""
        return self

    def __exit__(self, *_: object) -> None:
        """Go."""
