"""Calls the instructor's code: references, players, readers, mistakes and rules, which may fail.

All such calls go through here. Whatever the code raises, SystemExit too, becomes an AssignmentError with file and line
of the assignment, and a call that does not end is aborted. Not caught are os._exit, a crash of the interpreter, and a
function of a C extension that never checks for signals.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal` turns each value into an enum, which takes ten times as long
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, NamedTuple, TypeVar

from pitboss.assignments.blame import failure_of, place_of
from pitboss.errors import AssignmentError, HarnessError
from pitboss.sandbox.stops import Stops

T = TypeVar("T")
R = TypeVar("R")

#: The most CPU time and the most real time, including waiting, that one call may take.
MAX_CPU_S, MAX_S = 10.0, 60.0
#: After this many calls that did not end, no further call is made.
MAX_ENDLESS = 3
#: An outer call is not aborted while its inner call has used more than this share of its own time.
_MUCH = 0.25
#: How often running calls are checked at least, and how soon the abort is raised again if the code caught it.
_TICK_S, _SOON_S = 0.25, 1e-5
#: A call with a short limit is checked this many times within it.
_TICKS = 2


class _TookTooLong(BaseException):
    """Not an Exception, because the assignment's code may catch those."""

    def __init__(self, watch: _Watch) -> None:
        super().__init__()
        self.watch = watch


class _Watch:
    """The time limits of one call."""

    def __init__(self) -> None:
        self.is_left = False
        self.begin()

    def begin(self) -> None:
        """Start both limits again."""
        self._cpu_until = time.thread_time() + MAX_CPU_S
        self._until = time.monotonic() + MAX_S

    def allow(self, stopped_s: float) -> None:
        """Extend the real time by the time in which everything was stopped."""
        self._until += stopped_s

    def is_over(self, part: float = 1) -> bool:
        """Whether the call has used up its CPU or real time, or this share of either."""
        left = 1 - part
        return not self.is_left and (
            time.thread_time() > self._cpu_until - left * MAX_CPU_S or time.monotonic() > self._until - left * MAX_S
        )


def call(what: str, function: Callable[..., T], *arguments: object, read: Callable[[T], R] | None = None) -> Any:
    """Call a function of an assignment; returns its value, or what `read` returns for that value.

    `read` is guarded as well, since reading the value may run the assignment's code. Raises AssignmentError, naming
    `what`, for whatever the code raises. A HarnessError from our own functions that it calls, and what a signal handler
    raises, such as for Ctrl-C, are passed on.
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
        for outer in _watches:  # the time that it used up is not charged to its callers
            outer.begin()
        raise AssignmentError(f"{place_of(error, function)}{what} {_ENDLESS}", is_endless=True) from None
    except BaseException as error:
        watch.is_left = True
        if _interruption is not None:
            raise
        raise AssignmentError(f"{place_of(error, function)}{what} {failure_of(error)}") from error
    finally:
        _end(watch)


@contextmanager
def at_most(cpu_s: float) -> Iterator[None]:
    """Within this context each new call may compute for at most this long."""
    global MAX_CPU_S
    before, MAX_CPU_S = MAX_CPU_S, cpu_s
    try:
        yield
    finally:
        MAX_CPU_S = before


class Patience:
    """Makes calls that may not end, and stops after MAX_ENDLESS of those, since each costs a whole time limit."""

    def __init__(self) -> None:
        """Start with no endless call."""
        self._endless: list[str] = []

    def call(self, function: Callable[..., T], *arguments: object) -> T:
        """Call the function; raises what it raises, and AssignmentError if no further call is made."""
        if len(self._endless) >= MAX_ENDLESS:
            raise AssignmentError(f"{self._endless[-1]}; after {MAX_ENDLESS} times it is not called again")
        try:
            return function(*arguments)
        except AssignmentError as error:
            if error.is_endless:
                self._endless.append(str(error))
            raise


def call_live(what: str, function: Callable[..., T], *arguments: object) -> T:
    """Call a function that a user interacts with: without a time limit, and Ctrl-C is passed on."""
    try:
        return function(*arguments)
    except (HarnessError, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise AssignmentError(f"{place_of(error, function)}{what} {failure_of(error)}") from error


def text_of(value: object) -> str:
    """Returns a text as a plain str, even if it is of a subclass of str; raises TypeError for anything else.

    A member of an enum, for example, cannot be sent to a process that does not have its module.
    """
    if not isinstance(value, str):
        raise TypeError(f"{type(value).__name__} instead of text")
    return str.__str__(value)


_ENDLESS = f"did not come to an end within {MAX_CPU_S:.0f} s of computing or {MAX_S:.0f} s of waiting"


# Time limits

#: The running calls, the outermost first.
_watches: list[_Watch] = []
#: Streams, handlers and timer to restore after the outermost call; None outside the main thread, or if no call runs.
_before: _Before | None = None
#: Checked by each tick.
_stops = Stops()
#: Whether a tick is being handled.
_is_ticking = False
#: What a signal handler raised during a call; raised again at its end, in case the code caught it.
_interruption: BaseException | None = None
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGXCPU)


class _Before(NamedTuple):
    streams: tuple[Any, Any]
    handlers: dict[signal.Signals, Callable[[int, FrameType | None], Any]]
    alarm: Any
    timer: tuple[float, float]


def _begin() -> _Watch:
    """Start watching a call; nested calls share one timer, and the one that takes too long is aborted."""
    global _before
    watch = _Watch()
    _watches.append(watch)
    # Only the main thread receives signals.
    if len(_watches) == 1 and threading.current_thread() is threading.main_thread():
        streams, sys.stdin, sys.stdout = (sys.stdin, sys.stdout), _NO_INPUT, sys.stderr
        handlers = {number: handler for number in _SIGNALS if callable(handler := _signal.getsignal(number))}
        alarm = _signal.signal(signal.SIGALRM, _on_tick)
        _stops.since_last_look_s()  # start counting now
        tick_s = min(_TICK_S, MAX_CPU_S / _TICKS)
        _before = _Before(streams, handlers, alarm, signal.setitimer(signal.ITIMER_REAL, tick_s, tick_s))
        for number in handlers:
            _signal.signal(number, _on_signal)
    return watch


def _end(watch: _Watch) -> None:
    global _before, _interruption
    watch.is_left = True
    _watches.remove(watch)
    if _watches or _before is None:
        return
    before = _before
    signal.setitimer(signal.ITIMER_REAL, *before.timer)
    _signal.signal(signal.SIGALRM, before.alarm)
    sys.stdin, sys.stdout = before.streams
    for number, handler in before.handlers.items():
        _signal.signal(number, handler)
    _before = None
    if _interruption is not None:
        interruption, _interruption = _interruption, None
        raise interruption


def _on_tick(_: int, frame: FrameType | None) -> None:
    """Abort the call that has taken too long; a tick that arrives while another is handled is ignored."""
    global _is_ticking
    if not _is_ticking:
        _is_ticking = True
        try:
            stopped_s = _stops.since_last_look_s()
            for watch in _watches:
                watch.allow(stopped_s)
            _break_off(frame)
        finally:
            _is_ticking = False


def _break_off(frame: FrameType | None) -> None:
    """Abort the call that has taken too long, again and again if the code catches it; never inside this module."""
    watch = next((watch for watch in reversed(_watches) if watch.is_over()), None)
    # A caller is not to blame for the time that its inner call takes.
    if watch is None or (watch is not _watches[-1] and _watches[-1].is_over(_MUCH)):
        return
    signal.setitimer(signal.ITIMER_REAL, _SOON_S, _TICK_S)
    if frame is None or frame.f_code.co_filename != __file__:
        raise _TookTooLong(watch)


def _on_signal(number: int, frame: FrameType | None) -> None:
    """Run the previous handler; what it raises is raised now, and again at the end of the call."""
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
    """Standard input during a call: reading raises OSError, since it would wait for ever."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # Python itself looks for these, and does without them
            raise AttributeError(name)
        raise OSError("there is nobody to type: a reference reads from its console")


_NO_INPUT = _NoInput()
