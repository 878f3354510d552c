"""Calling what an instructor wrote: references, players, readers, mistakes and rules are code that is not ours.

Every call of it goes through here. Whatever it raises becomes an AssignmentError with file and line of the assignment,
also what is no Exception (sys.exit), and a call that does not end is broken off. What cannot be caught: os._exit, a
crash of the interpreter, and a function of a C extension that never looks for signals.
"""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import Any, NamedTuple, TypeVar

from harness.assignments.blame import failure_of, place_of
from harness.errors import AssignmentError, HarnessError

T = TypeVar("T")
R = TypeVar("R")

#: How long one call may compute, and how long it may take, real time that it waits for something included.
MOST_CPU_S, MOST_S = 10.0, 60.0
#: After so many calls that did not end there are no more.
MOST_ENDLESS = 3
#: A call within another that has taken this part of what it may is waited for.
_MUCH = 0.25
#: How often a call is looked at, and how soon code that catches everything meets its end again.
_TICK_S, _SOON_S = 0.25, 1e-5


class _TookTooLong(BaseException):
    """No Exception: an assignment may catch those."""

    def __init__(self, watch: _Watch) -> None:
        super().__init__()
        self.watch = watch


class _Watch:
    """How long one call may still take."""

    def __init__(self) -> None:
        self.is_left = False
        self.begin()

    def begin(self) -> None:
        """Give it all its time."""
        self._cpu_until = time.thread_time() + MOST_CPU_S
        self._until = time.monotonic() + MOST_S

    def is_over(self, part: float = 1) -> bool:
        """Whether it has taken more than it may, or than this part of it."""
        left = 1 - part
        return not self.is_left and (
            time.thread_time() > self._cpu_until - left * MOST_CPU_S or time.monotonic() > self._until - left * MOST_S
        )


def call(what: str, function: Callable[..., T], *arguments: object, read: Callable[[T], R] | None = None) -> Any:
    """What a function of an assignment returns, or what `read` makes of that; reading it may run its code as well.

    AssignmentError, in the name of `what`, for all that it raises. A HarnessError raised by what it calls of ours, and
    what a handler of a signal raises, as for Ctrl-C, pass through.
    """
    watch = _begin()
    try:
        value = function(*arguments)
        return value if read is None else read(value)
    except HarnessError:
        raise
    except _TookTooLong as error:
        watch.is_left = True
        if error.watch is not watch:
            raise
        for outer in _watches:  # what it has used up is not counted against those that called it
            outer.begin()
        raise AssignmentError(f"{place_of(error, function)}{what} {_ENDLESS}", is_endless=True) from None
    except BaseException as error:
        watch.is_left = True
        if _interruption is not None:
            raise
        raise AssignmentError(f"{place_of(error, function)}{what} {failure_of(error)}") from error
    finally:
        _end(watch)


class Patience:
    """Calls something that may fail, and no longer once it has not ended a few times: each time takes long."""

    def __init__(self) -> None:
        """Every call has ended so far."""
        self._endless: list[str] = []

    def call(self, function: Callable[..., T], *arguments: object) -> T:
        """What it returns; AssignmentError where it is not called any more, and whatever it raises itself."""
        if len(self._endless) >= MOST_ENDLESS:
            raise AssignmentError(f"{self._endless[-1]}; after {MOST_ENDLESS} times it is not called again")
        try:
            return function(*arguments)
        except AssignmentError as error:
            if error.is_endless:
                self._endless.append(str(error))
            raise


def call_live(what: str, function: Callable[..., T], *arguments: object) -> T:
    """What a function returns that a person talks to: for as long as they like, and Ctrl-C is theirs."""
    try:
        return function(*arguments)
    except (HarnessError, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise AssignmentError(f"{place_of(error, function)}{what} {failure_of(error)}") from error


def text_of(value: object) -> str:
    """A text as a plain str, whatever kind of str an assignment gives; TypeError for anything else.

    An enum's member, say, could not be sent from one process to another that does not have its module.
    """
    if not isinstance(value, str):
        raise TypeError(f"{type(value).__name__} instead of text")
    return str.__str__(value)


_ENDLESS = f"did not come to an end within {MOST_CPU_S:.0f} s of computing or {MOST_S:.0f} s of waiting"


# How long it may take

#: The calls that are under way, the outermost first.
_watches: list[_Watch] = []
#: What the outermost of them found, and leaves behind as it was; None where it cannot be watched.
_before: _Before | None = None
#: Whether a tick is being answered.
_is_ticking = False
#: What a handler of a signal has raised meanwhile: code that catches everything does not keep it.
_interruption: BaseException | None = None
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGXCPU)


class _Before(NamedTuple):
    streams: tuple[Any, Any]
    handlers: dict[signal.Signals, Callable[[int, FrameType | None], Any]]
    alarm: Any
    timer: tuple[float, float]


def _begin() -> _Watch:
    """Watch a call; those within another share its timer, and the one that takes too long is broken off."""
    global _before
    watch = _Watch()
    _watches.append(watch)
    # Only the main thread is told of signals.
    if len(_watches) == 1 and threading.current_thread() is threading.main_thread():
        streams, sys.stdin, sys.stdout = (sys.stdin, sys.stdout), _NO_INPUT, sys.stderr
        handlers = {number: handler for number in _SIGNALS if callable(handler := signal.getsignal(number))}
        alarm = signal.signal(signal.SIGALRM, _on_tick)
        _before = _Before(streams, handlers, alarm, signal.setitimer(signal.ITIMER_REAL, _TICK_S, _TICK_S))
        for number in handlers:
            signal.signal(number, _on_signal)
    return watch


def _end(watch: _Watch) -> None:
    global _before, _interruption
    watch.is_left = True
    _watches.remove(watch)
    if _watches or _before is None:
        return
    before = _before
    signal.setitimer(signal.ITIMER_REAL, *before.timer)
    signal.signal(signal.SIGALRM, before.alarm)
    sys.stdin, sys.stdout = before.streams
    for number, handler in before.handlers.items():
        signal.signal(number, handler)
    _before = None
    if _interruption is not None:
        interruption, _interruption = _interruption, None
        raise interruption


def _on_tick(_: int, frame: FrameType | None) -> None:
    """Break off what has taken too long; a tick that comes while another is answered would be answered within it."""
    global _is_ticking
    if not _is_ticking:
        _is_ticking = True
        try:
            _break_off(frame)
        finally:
            _is_ticking = False


def _break_off(frame: FrameType | None) -> None:
    """Break off what has taken too long, and again at once where that is caught; never in the middle of this module."""
    watch = next((watch for watch in reversed(_watches) if watch.is_over()), None)
    # Who called another is not to blame for what that one takes.
    if watch is None or (watch is not _watches[-1] and _watches[-1].is_over(_MUCH)):
        return
    signal.setitimer(signal.ITIMER_REAL, _SOON_S, _TICK_S)
    if frame is None or frame.f_code.co_filename != __file__:
        raise _TookTooLong(watch)


def _on_signal(number: int, frame: FrameType | None) -> None:
    """Raise what the handler that was there raises: now, and where it is caught, at the end of the call."""
    global _interruption
    handler = _before.handlers.get(signal.Signals(number)) if _before is not None else None
    if handler is None:
        return
    try:
        handler(number, frame)
    except BaseException as error:
        _interruption = error
        if frame is None or frame.f_code.co_filename != __file__:
            raise


class _NoInput:
    """What an assignment finds as standard input: a question asked there would wait for ever."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # what Python itself looks for, and does without
            raise AttributeError(name)
        raise OSError("there is nobody to type: a reference reads from its console")


_NO_INPUT = _NoInput()
