"""Faults that are planted: a function of ours or of Python's that fails at the n-th of its calls, once."""

from __future__ import annotations

import contextlib
import mmap
import os
import signal
import threading
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple


def here(name: str) -> None:
    """Called by the functions of the small assignment, so that they can be made to fail."""


class Place(NamedTuple):
    """A function that may fail: what it hangs on, and its name there."""

    owner: Any
    name: str

    def __str__(self) -> str:
        return f"{getattr(self.owner, '__name__', type(self.owner).__name__)}.{self.name}"


#: Called in place of a function, with what makes the call itself: raises, or returns.
Happening = Callable[[Callable[[], Any]], Any]


class Fault(NamedTuple):
    """What happens in place of the n-th call of a function, n from 1."""

    place: Place
    kind: str
    happens: Happening
    at: int = 1
    #: Whether it happens in a process that was forked from this one, the first that comes to it.
    is_in_worker: bool = False
    #: Whether it happens at all further calls too.
    lasts: bool = False

    def __str__(self) -> str:
        return f"{self.place} {self.at}: {self.kind}"


class Planted:
    """A fault while it waits for its call; each process counts the calls of all its threads."""

    def __init__(self, fault: Fault) -> None:
        self.count = 0
        self._fault, self._process, self._lock = fault, os.getpid(), threading.Lock()
        self._real = getattr(fault.place.owner, fault.place.name)
        #: Shared with all processes that are forked meanwhile.
        self._has_come = mmap.mmap(-1, 1)

    @property
    def has_come(self) -> bool:
        return self._has_come[0] != 0

    def called(self, *arguments: Any, **more: Any) -> Any:
        def makes() -> Any:
            return self._real(*arguments, **more)

        if self._fault.is_in_worker == (self._process == os.getpid()):
            return makes()
        with self._lock:
            self.count += 1
            comes = self.count == self._fault.at and not self.has_come
            comes = comes or (self._fault.lasts and self.count > self._fault.at)
            if comes:
                self._has_come[0] = 1
        return self._fault.happens(makes) if comes else makes()


@contextlib.contextmanager
def planted(fault: Fault) -> Iterator[Planted]:
    """Plant a fault for the time of a context."""
    one = Planted(fault)
    owner, name, real = fault.place.owner, fault.place.name, one._real
    # A function becomes a method of a class, as the one in its place is; a bound method would not.
    setattr(owner, name, lambda *arguments, **more: one.called(*arguments, **more))
    try:
        yield one
    finally:
        setattr(owner, name, real)


def nothing(makes: Callable[[], Any]) -> Any:
    """No fault: for counting calls."""
    return makes()


def raises(number: int) -> Happening:
    """An OSError with this errno."""

    def happens(_: Callable[[], Any]) -> Any:
        raise OSError(number, os.strerror(number))

    return happens


def raising(kind: type[BaseException], *words: str) -> Happening:
    """Another exception."""

    def happens(_: Callable[[], Any]) -> Any:
        raise kind(*words)

    return happens


def returns(value: object) -> Happening:
    """Another value, and the call is not made."""
    return lambda _: value


def sends(number: signal.Signals) -> Happening:
    """A signal to this process just before the call."""

    def happens(makes: Callable[[], Any]) -> Any:
        os.kill(os.getpid(), number)
        return makes()

    return happens


def loses(number: int) -> Happening:
    """A message that the kernel could not deliver whole: it is gone, and with it the descriptors in it."""

    def happens(makes: Callable[[], Any]) -> Any:
        _, descriptors = makes()
        for descriptor in descriptors:
            os.close(descriptor)
        raise OSError(number, os.strerror(number))

    return happens
