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


#: A function that is called in place of the one that fails. Its argument is a callable that makes the real call.
Happening = Callable[[Callable[[], Any]], Any]


class Fault(NamedTuple):
    """What happens in place of the n-th call of a function; n counts from 1."""

    place: Place
    #: What happens, in words; several faults differ only in the number of the call.
    name: str
    happens: Happening
    call_number: int = 1
    #: False: it happens in this process. True: in a process forked from this one, the first that makes its n-th call.
    is_in_worker: bool = False
    #: Whether it happens at all later calls too; with the call number 0: at every call.
    lasts: bool = False

    def __str__(self) -> str:
        return f"{self.place} {self.call_number}: {self.name}"


class Planted:
    """A fault, and whether it has happened. Each process counts the calls of the function in all its threads."""

    def __init__(self, fault: Fault) -> None:
        self.count = 0
        self._fault, self._process, self._lock = fault, os.getpid(), threading.Lock()
        self._real = getattr(fault.place.owner, fault.place.name)
        #: One byte, not 0 once the fault has happened. It is shared with all processes that are forked from this one.
        self._has_happened = mmap.mmap(-1, 1)

    @property
    def has_happened(self) -> bool:
        return self._has_happened[0] != 0

    def call(self, *arguments: Any, **keywords: Any) -> Any:
        """Call the function, or let the fault happen in its place."""

        def real_call() -> Any:
            return self._real(*arguments, **keywords)

        is_worker = os.getpid() != self._process
        if is_worker != self._fault.is_in_worker:
            return real_call()
        with self._lock:
            self.count += 1
            is_first_time = self.count == self._fault.call_number and not self.has_happened
            is_due = is_first_time or (self._fault.lasts and self.count > self._fault.call_number)
            if is_due:
                self._has_happened[0] = 1
        return self._fault.happens(real_call) if is_due else real_call()


@contextlib.contextmanager
def planted(fault: Fault) -> Iterator[Planted]:
    """Plant a fault until the context ends."""
    planted_fault = Planted(fault)
    owner, name, real = fault.place.owner, fault.place.name, planted_fault._real
    # Not `planted_fault.call` itself: if the owner is a class, Python passes the instance only to a plain function.
    setattr(owner, name, lambda *arguments, **keywords: planted_fault.call(*arguments, **keywords))
    try:
        yield planted_fault
    finally:
        setattr(owner, name, real)


def no_fault(real_call: Callable[[], Any]) -> Any:
    return real_call()


def raises_os_error(number: int) -> Happening:
    """A happening that raises an OSError with this errno."""

    def happens(_: Callable[[], Any]) -> Any:
        raise OSError(number, os.strerror(number))

    return happens


def raises_exception(kind: type[BaseException], *words: str) -> Happening:
    def happens(_: Callable[[], Any]) -> Any:
        raise kind(*words)

    return happens


def returns(value: object) -> Happening:
    """A happening that returns this value, without the real call."""
    return lambda _: value


def sends(number: signal.Signals) -> Happening:
    """A happening that sends the process a signal just before the real call."""

    def happens(real_call: Callable[[], Any]) -> Any:
        os.kill(os.getpid(), number)
        return real_call()

    return happens


def loses(number: int) -> Happening:
    """A happening that receives a message, loses it with its descriptors, and raises an OSError with this errno."""

    def happens(real_call: Callable[[], Any]) -> Any:
        _, descriptors = real_call()
        for descriptor in descriptors:
            os.close(descriptor)
        raise OSError(number, os.strerror(number))

    return happens
