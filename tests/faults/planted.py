"""Planted faults: a function of pitboss or of Python fails at the n-th of its calls, once or from then on."""

from __future__ import annotations

import contextlib
import mmap
import os
import signal
import threading
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple


def fault_point(name: str) -> None:
    """Does nothing: the functions of the small assignment call it, so that a fault can be planted in them."""


class Place(NamedTuple):
    """A function that may fail: the module, class or object that has it, and its name there."""

    owner: Any
    name: str

    def __str__(self) -> str:
        return f"{getattr(self.owner, '__name__', type(self.owner).__name__)}.{self.name}"


#: Called in place of a function, with a callable that makes the real call; it raises, or returns a value.
Happening = Callable[[Callable[[], Any]], Any]


class Fault(NamedTuple):
    """What happens in place of the n-th call of a function, n from 1."""

    place: Place
    kind: str
    happens: Happening
    call_number: int = 1
    #: Whether it happens in a process forked from this one: in the first that makes the n-th call.
    is_in_worker: bool = False
    #: Whether it happens at all later calls too.
    lasts: bool = False

    def __str__(self) -> str:
        return f"{self.place} {self.call_number}: {self.kind}"


class Planted:
    """A fault that waits for its call; each process counts the calls of all its threads."""

    def __init__(self, fault: Fault) -> None:
        self.count = 0
        self._fault, self._process, self._lock = fault, os.getpid(), threading.Lock()
        self._real = getattr(fault.place.owner, fault.place.name)
        #: Not 0 once the fault has happened; shared with all processes that are forked meanwhile.
        self._has_come = mmap.mmap(-1, 1)

    @property
    def has_come(self) -> bool:
        return self._has_come[0] != 0

    def call(self, *arguments: Any, **keywords: Any) -> Any:
        """Call the function, or let the fault happen in its place."""

        def real_call() -> Any:
            return self._real(*arguments, **keywords)

        if self._fault.is_in_worker == (self._process == os.getpid()):
            return real_call()
        with self._lock:
            self.count += 1
            is_due = self.count == self._fault.call_number and not self.has_come
            is_due = is_due or (self._fault.lasts and self.count > self._fault.call_number)
            if is_due:
                self._has_come[0] = 1
        return self._fault.happens(real_call) if is_due else real_call()


@contextlib.contextmanager
def planted(fault: Fault) -> Iterator[Planted]:
    """Plant a fault for the time of a context."""
    planted_fault = Planted(fault)
    owner, name, real = fault.place.owner, fault.place.name, planted_fault._real
    # A lambda, since a class makes it a method like the function that it replaces; a bound method would lack `self`.
    setattr(owner, name, lambda *arguments, **keywords: planted_fault.call(*arguments, **keywords))
    try:
        yield planted_fault
    finally:
        setattr(owner, name, real)


def no_fault(real_call: Callable[[], Any]) -> Any:
    """Make the real call, without a fault."""
    return real_call()


def raises_os_error(number: int) -> Happening:
    """Raise an OSError with this errno."""

    def happens(_: Callable[[], Any]) -> Any:
        raise OSError(number, os.strerror(number))

    return happens


def raises_exception(kind: type[BaseException], *words: str) -> Happening:
    """Raise an exception of this kind."""

    def happens(_: Callable[[], Any]) -> Any:
        raise kind(*words)

    return happens


def returns(value: object) -> Happening:
    """Return this value, without the real call."""
    return lambda _: value


def sends(number: signal.Signals) -> Happening:
    """Send this process a signal just before the real call."""

    def happens(real_call: Callable[[], Any]) -> Any:
        os.kill(os.getpid(), number)
        return real_call()

    return happens


def loses(number: int) -> Happening:
    """Lose a message, and the descriptors in it, with an OSError: the kernel could not deliver the whole message."""

    def happens(real_call: Callable[[], Any]) -> Any:
        _, descriptors = real_call()
        for descriptor in descriptors:
            os.close(descriptor)
        raise OSError(number, os.strerror(number))

    return happens
