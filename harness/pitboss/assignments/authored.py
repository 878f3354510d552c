"""Calls the instructor's code: references, players, readers, mistakes and rules, which may fail.

All these calls go through here. Any exception of the code, SystemExit too, becomes an AssignmentError with file and
line of the assignment, and a call that does not end is aborted. Nothing helps against os._exit, a crash of the
interpreter, or a function of a C extension that never checks for signals.

Where and how the code failed is described in phrases for a message.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal` turns each value into an enum, which takes ten times as long
import functools
import signal
import sys
import sysconfig
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple, TypeVar

from pitboss.errors import AssignmentError, HarnessError, fitted
from pitboss.machine.stops import Stops

#: A message shows at most this many characters of a value or of an error's text.
_MAX_LENGTH = 120
_PITBOSS_FOLDER = str(Path(__file__).parent.parent)
_STDLIB_FOLDER = sysconfig.get_paths()["stdlib"]


def short_repr(value: object) -> str:
    """Returns a value for a message: its repr on one short line, or only its type if repr raises an exception."""
    if isinstance(value, str | bytes):  # the repr of a huge text would take long
        value = value[: 2 * _MAX_LENGTH]
    try:
        return _shorten(repr(value))
    except Exception:
        return f"a value of type {type(value).__name__}"


def _shorten(text: str) -> str:
    """Returns a text on one line, with an ellipsis if it is longer than _MAX_LENGTH."""
    return fitted(" ".join(text.split()), _MAX_LENGTH)


def failure_of(error: BaseException) -> str:
    """Returns the end of a sentence about a call that raised this error, such as `failed: ValueError: bad die`."""
    if isinstance(error, SystemExit):
        return f"called sys.exit({'' if error.code is None else short_repr(error.code)}) — it has to return"
    try:
        message = str(error)
    except Exception:
        message = ""
    kind = type(error).__name__
    return f"failed: {kind}: {_shorten(message)}" if message else f"failed: {kind}"


def location_of_error(error: BaseException, function: object) -> str:
    """Returns `file:line: ` of the innermost frame in the assignment's own files; empty if there is no such frame."""
    code = _code_of(function)
    top_folder = _top_folder_of(code.co_filename) if code else None
    frames = [(frame.f_code.co_filename, line) for frame, line in traceback.walk_tb(error.__traceback__)]
    if code:  # a call with wrong arguments leaves no frame of the function
        frames.insert(0, (code.co_filename, code.co_firstlineno))
    if isinstance(error, SyntaxError) and error.filename:
        frames.append((error.filename, error.lineno or 1))
    instructor_frames = [frame for frame in frames if top_folder and Path(frame[0]).is_relative_to(top_folder)]
    instructor_frames = instructor_frames or [frame for frame in frames if _may_be_instructors_file(frame[0])]
    return f"{_relative_path(instructor_frames[-1][0])}:{instructor_frames[-1][1]}: " if instructor_frames else ""


def _code_of(function: object) -> CodeType | None:
    """Returns the code object of a function, a partial or a callable object; None if it is not written in Python."""
    while isinstance(function, functools.partial):
        function = function.func
    code = getattr(function, "__code__", None) or getattr(type(function).__call__, "__code__", None)
    return code if isinstance(code, CodeType) else None


def _top_folder_of(file: str) -> Path | None:
    """Returns the folder with a module or its outermost package; None for pitboss and the standard library."""
    if not _may_be_instructors_file(file):
        return None
    folder = Path(file).parent
    while (folder.parent / "__init__.py").is_file():
        folder = folder.parent
    return folder


def _may_be_instructors_file(path: str) -> bool:
    """Whether a file may be the instructor's: it is neither part of pitboss nor in the standard library.

    Installed packages may be the instructor's, although their folder is usually below the standard library's.
    """
    if path.startswith("<") or Path(path).is_relative_to(_PITBOSS_FOLDER):
        return False
    return "site-packages" in path or not Path(path).is_relative_to(_STDLIB_FOLDER)


def _relative_path(file: str) -> str:
    """Returns a path below the working directory as a relative path, and any other path unchanged."""
    path, working_folder = Path(file), Path.cwd()
    return str(path.relative_to(working_folder) if path.is_relative_to(working_folder) else path)


T = TypeVar("T")
R = TypeVar("R")

#: The limit of CPU time for one call.
MAX_CPU_S = 10.0
#: The limit of real time, which includes waiting, for one call.
MAX_S = 60.0
#: After this many aborted calls, no further call is made.
MAX_TIMED_OUT_CALLS = 3
#: An outer call is not aborted if the innermost call has used more than this share of the innermost call's own limits.
_INNER_SHARE = 0.25
#: The maximum time between two ticks, which check the running calls.
_TICK_S = 0.25
#: The time after which an abort that the code caught is repeated.
_RETRY_S = 1e-5
#: A call is checked at least this many times within its limit of CPU time, however short the limit.
_TICKS_PER_LIMIT = 2


class _TimeLimitExceeded(BaseException):
    """Aborts a call. Not an Exception, because the assignment's code may catch every Exception."""

    def __init__(self, deadline: _Deadline) -> None:
        super().__init__()
        self.deadline = deadline


class _Deadline:
    """The times at which one call exceeds its limits of CPU time and real time."""

    def __init__(self) -> None:
        self.is_finished = False
        self.restart()

    def restart(self) -> None:
        """Start both limits again."""
        self._cpu_until = time.thread_time() + MAX_CPU_S
        self._until = time.monotonic() + MAX_S

    def extend(self, stopped_s: float) -> None:
        """Extend the limit of real time by the time for which this process was stopped."""
        self._until += stopped_s

    def has_used(self, share: float = 1) -> bool:
        """Whether the running call has used up this share of its CPU time or real time."""
        remaining_share = 1 - share
        return not self.is_finished and (
            time.thread_time() > self._cpu_until - remaining_share * MAX_CPU_S
            or time.monotonic() > self._until - remaining_share * MAX_S
        )


def call(what: str, function: Callable[..., T], *arguments: object, read: Callable[[T], R] | None = None) -> Any:
    """Call a function of an assignment; returns its value, or the result of `read` for that value.

    The limits apply to `read` as well, since reading the value may run the assignment's code. Raises AssignmentError
    for any exception of the code; its message names the function by `what`. A HarnessError of a pitboss function that
    the code calls is passed on, and so is the exception of a signal handler, such as for Ctrl-C.
    """
    deadline = _start_deadline()
    try:
        value = function(*arguments)
        return value if read is None else read(value)
    except HarnessError:
        raise
    except _TimeLimitExceeded as error:
        deadline.is_finished = True
        if error.deadline is not deadline:
            raise
        for outer_deadline in _deadlines:  # the time of the aborted call does not count for the calls around it
            outer_deadline.restart()
        raise AssignmentError(
            f"{location_of_error(error, function)}{what} {_ENDLESS_MESSAGE}", is_endless=True
        ) from None
    except BaseException as error:
        deadline.is_finished = True
        if _interruption is not None:
            raise
        raise AssignmentError(f"{location_of_error(error, function)}{what} {failure_of(error)}") from error
    finally:
        _end_deadline(deadline)


@contextmanager
def limited_cpu_time(cpu_s: float) -> Iterator[None]:
    """Limits the CPU time of new calls within this context."""
    global MAX_CPU_S
    previous, MAX_CPU_S = MAX_CPU_S, cpu_s
    try:
        yield
    finally:
        MAX_CPU_S = previous


class CircuitBreaker:
    """Makes calls, but none after MAX_TIMED_OUT_CALLS aborted calls, since each of these took a full time limit."""

    def __init__(self) -> None:
        """Start with no aborted calls."""
        #: The messages about the aborted calls.
        self._messages: list[str] = []

    def call(self, function: Callable[..., T], *arguments: object, **keywords: object) -> T:
        """Call the function and pass its exceptions on; raises AssignmentError after too many aborted calls."""
        if len(self._messages) >= MAX_TIMED_OUT_CALLS:
            raise AssignmentError(
                f"{self._messages[-1]}; after {MAX_TIMED_OUT_CALLS} such calls it is not called again"
            )
        try:
            return function(*arguments, **keywords)
        except AssignmentError as error:
            if error.is_endless:
                self._messages.append(str(error))
            raise


def call_live(what: str, function: Callable[..., T], *arguments: object) -> T:
    """Call a function that a user interacts with, without a time limit. Ctrl-C and HarnessError are passed on.

    Any other exception becomes an AssignmentError, whose message names the function by `what`.
    """
    try:
        return function(*arguments)
    except (HarnessError, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise AssignmentError(f"{location_of_error(error, function)}{what} {failure_of(error)}") from error


def text_of(value: object) -> str:
    """Returns a string as a plain str, even if it is an instance of a subclass; raises TypeError for anything else.

    A member of an enum, for example, cannot be sent to a process that does not have its module.
    """
    if not isinstance(value, str):
        raise TypeError(f"{type(value).__name__} instead of text")
    return str.__str__(value)


_ENDLESS_MESSAGE = f"did not come to an end within {MAX_CPU_S:.0f} s of computing or {MAX_S:.0f} s of waiting"


# Time limits

#: The deadlines of the running calls, the outermost call first.
_deadlines: list[_Deadline] = []
#: Streams, handlers and timer to restore after the outermost call; None outside the main thread, or if no call runs.
_saved_state: _SavedState | None = None
#: Measures how long this process was stopped, such as by Ctrl-Z; read by each tick.
_stops = Stops()
#: Whether a tick is being handled.
_is_ticking = False
#: The exception that a signal handler raised during a call; raised again after the call, in case the code caught it.
_interruption: BaseException | None = None
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGXCPU)


class _SavedState(NamedTuple):
    """The streams, signal handlers and timer of this process before the outermost call."""

    streams: tuple[Any, Any]
    handlers: dict[signal.Signals, Callable[[int, FrameType | None], Any]]
    alarm: Any
    timer: tuple[float, float]


def _start_deadline() -> _Deadline:
    """Start the time limits of a call and return its deadline; the outermost call sets streams, handlers and timer."""
    global _saved_state
    deadline = _Deadline()
    _deadlines.append(deadline)
    # Only the main thread receives signals.
    if len(_deadlines) == 1 and threading.current_thread() is threading.main_thread():
        streams, sys.stdin, sys.stdout = (sys.stdin, sys.stdout), _NO_INPUT, sys.stderr
        handlers = {number: handler for number in _SIGNALS if callable(handler := _signal.getsignal(number))}
        alarm = _signal.signal(signal.SIGALRM, _on_tick)
        _stops.stopped_time_s()  # start counting now
        tick_s = min(_TICK_S, MAX_CPU_S / _TICKS_PER_LIMIT)
        _saved_state = _SavedState(streams, handlers, alarm, signal.setitimer(signal.ITIMER_REAL, tick_s, tick_s))
        for number in handlers:
            _signal.signal(number, _on_signal)
    return deadline


def _end_deadline(deadline: _Deadline) -> None:
    """Remove the deadline of a call that ended; after the outermost call, restore streams, handlers and timer."""
    global _saved_state, _interruption
    deadline.is_finished = True
    _deadlines.remove(deadline)
    if _deadlines or _saved_state is None:
        return
    state = _saved_state
    signal.setitimer(signal.ITIMER_REAL, *state.timer)
    _signal.signal(signal.SIGALRM, state.alarm)
    sys.stdin, sys.stdout = state.streams
    for number, handler in state.handlers.items():
        _signal.signal(number, handler)
    _saved_state = None
    if _interruption is not None:
        interruption, _interruption = _interruption, None
        raise interruption


def _on_tick(_: int, frame: FrameType | None) -> None:
    """Handle a tick: abort a call that has taken too long. Ignores a tick that arrives while another is handled."""
    global _is_ticking
    if not _is_ticking:
        _is_ticking = True
        try:
            stopped_s = _stops.stopped_time_s()
            for deadline in _deadlines:
                deadline.extend(stopped_s)
            _abort_slow_call(frame)
        finally:
            _is_ticking = False


def _abort_slow_call(frame: FrameType | None) -> None:
    """Abort the innermost call that has taken too long; `frame` is where the tick interrupted the code.

    The next tick comes almost at once, and repeats the abort if the code caught it. An abort is never raised in this
    module's own code.
    """
    deadline = next((deadline for deadline in reversed(_deadlines) if deadline.has_used()), None)
    # An outer call is not to blame for the time that its inner call takes.
    if deadline is None or (deadline is not _deadlines[-1] and _deadlines[-1].has_used(_INNER_SHARE)):
        return
    signal.setitimer(signal.ITIMER_REAL, _RETRY_S, _TICK_S)
    if frame is None or frame.f_code.co_filename != __file__:
        raise _TimeLimitExceeded(deadline)


def _on_signal(number: int, frame: FrameType | None) -> None:
    """Run the handler that the signal had before the call; its exception is raised now, and again after the call."""
    global _interruption
    handler = _saved_state.handlers.get(signal.Signals(number)) if _saved_state is not None else None
    if handler is None:
        return
    try:
        handler(number, frame)
    except BaseException as error:
        _interruption = error
        if frame is None or frame.f_code.co_filename != __file__:
            raise


class _NoInput:
    """Standard input during a call: reading raises OSError, since it would wait forever."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # Python looks for special attributes, and does without them
            raise AttributeError(name)
        raise OSError("standard input is not available here: a reference reads from its console")


_NO_INPUT = _NoInput()
