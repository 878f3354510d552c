"""Runs an assignment's programs in sessions, like submissions, and never twice in the same session.

With the same arguments, files and draws, a program does the same until a different line is typed. So its runs are
cached by the typed lines, no matter which script typed the lines, and the program need not even be built for a cached
run: if all students' programs fail alike, a known mistake is run once. A run is also written to the user's cache
folder, under a digest of everything that it depends on, unless a time limit ended the run or the program was not
confined.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from functools import cache

import msgspec

from pitboss.assignments.assignment import Stage
from pitboss.errors import AssignmentError, HarnessError, SessionError, ShortageError
from pitboss.model.invocation import Invocation
from pitboss.model.scripts import InputScript, Script, again
from pitboss.model.transcript import ENDLESS, EndingKind, Event, InputEnded, Transcript, Typed
from pitboss.sandbox.digests import Digest
from pitboss.sandbox.fingerprint import digest_of_machine, digest_of_pitboss
from pitboss.sandbox.limits import Limits
from pitboss.sandbox.signals import FROM_OUTSIDE
from pitboss.sandbox.store import Store, opened
from pitboss.sessions.drivers import Conditions, find_conditions
from pitboss.sessions.programs import Program
from pitboss.sessions.protocol import Driver
from pitboss.sessions.references import DrawSource, environment_of_stage

Environment = tuple[tuple[str, str], ...]

#: Endings that depend on how fast or how busy this machine was.
_BY_TIME = frozenset(
    {EndingKind.OUT_OF_CPU_TIME, EndingKind.OUT_OF_IDLE_TIME, EndingKind.OUT_OF_REAL_TIME, EndingKind.LEFT_PROCESSES}
)
#: The maximum number of runs in the user's cache for one program with the same arguments, files and draws.
_MAX_CACHED = 2_000
#: The maximum number of runs in memory.
_MOST = 20_000
#: The maximum number of programs that stay ready to run: each has its own sandbox, which is slow to start.
_MAX_READY = 8
#: How many times to try a session that this machine fails to run.
_TRIES = 2


@cache
def conditions_here() -> Conditions:
    """The conditions for an assignment's programs on this machine: the same as for submissions without any options."""
    return find_conditions()


class ProgramRun:
    """Runs one program in sessions; called like a reference."""

    def __init__(self, what: str, program: Callable[[], Program], stage: Stage, limits: Limits) -> None:
        """`what` names the program in errors; `program` builds or finds the program, and is called for each run."""
        self._what, self._program, self._stage, self._limits = what, program, stage, limits

    def __call__(
        self, input_script: InputScript, draws: DrawSource | None = None, /, *, invocation: Invocation | None = None
    ) -> Transcript:
        """Run a session.

        Raises AssignmentError if the program does not end by itself, and ShortageError if this machine cannot run it.
        """
        invocation = invocation or self._stage.invocation
        environment = environment_of_stage(self._stage, draws)
        # A program that gets draws is never started in the same way again.
        transcript = self._transcript(_Asking(input_script), invocation, environment, is_started_again=draws is None)
        if transcript.ending.kind is not EndingKind.EXITED:
            how = transcript.ending.detail or transcript.ending.signal or transcript.ending.kind.value
            is_endless = transcript.ending.kind in ENDLESS
            raise AssignmentError(f"{self._what} did not end by itself: {how}", is_endless=is_endless)
        return transcript

    def _transcript(
        self, asking: _Asking, invocation: Invocation, environment: Environment, *, is_started_again: bool
    ) -> Transcript:
        """Run the session, and try once more if this machine fails to run it."""
        program, failure = self._program(), ""
        program = msgspec.structs.replace(program, environment=(*program.environment, *environment))
        for _ in range(_TRIES):
            asking = asking.from_the_start()
            try:
                transcript = _session(program, self._limits, Script(asking, invocation=invocation), is_started_again)
            except SessionError as error:
                failure = str(error)
                continue
            if asking.error is not None:
                raise asking.error
            if transcript.ending.kind is EndingKind.FAULT:
                failure = transcript.ending.detail or "it could not be run"
            elif transcript.ending.signal in FROM_OUTSIDE and not failure:
                failure = f"it was ended by {transcript.ending.signal}"
            else:
                return transcript
        raise ShortageError(f"{self._what} could not be run on this machine, twice: {failure}")


class Runner(ProgramRun):
    """Runs one program whose runs are shared with other processes, never twice in the same session."""

    def __init__(self, what: str, digest: str, program: Callable[[], Program], stage: Stage, limits: Limits) -> None:
        """See ProgramRun; `digest` identifies everything that the program is built from.

        `program` is called only for a run that is not cached; the caller has checked that the program can be built.
        """
        super().__init__(what, _or_shortage(program), stage, limits)
        self._digest = digest

    def _transcript(
        self, asking: _Asking, invocation: Invocation, environment: Environment, *, is_started_again: bool
    ) -> Transcript:
        digest = Digest("runs of a program")
        digest.add(self._digest, msgspec.msgpack.encode((invocation, environment, self._limits)))
        key = digest.text()
        transcript = _memory.runs(key, is_shared=is_started_again).recalled(asking)
        if transcript is None:
            transcript = super()._transcript(asking, invocation, environment, is_started_again=is_started_again)
            _memory.add(key, transcript)
        return transcript


def _or_shortage(program: Callable[[], Program]) -> Callable[[], Program]:
    """Returns the same function, except that any failure raises ShortageError: this machine is at fault."""

    def obtained() -> Program:
        try:
            return program()
        except ShortageError:
            raise
        except HarnessError as error:
            raise ShortageError(str(error)) from error

    return obtained


class _Asking:
    """An input script that records its lines, so that the lines can be typed again without calling the original."""

    def __init__(self, script: InputScript, given: Sequence[bytes | None] = ()) -> None:
        """Type these lines first, then the lines of `script`."""
        self._script, self._given, self._count = script, list(given), 0
        #: The error that the script raised, if any; the input ends there.
        self.error: HarnessError | None = None

    def from_the_start(self) -> _Asking:
        """Return a script that types the same lines again, then continues like this script."""
        return _Asking(self._script, self._given)

    @property
    def has_ended(self) -> bool:
        """Whether the input is over."""
        return bool(self._given) and self._given[-1] is None

    def __call__(self, events: Sequence[Event]) -> bytes | None:
        """The next line."""
        self._count += 1
        if self._count <= len(self._given):
            return self._given[self._count - 1]
        if self.has_ended or self.error is not None:
            return None
        line = self._ask_safely(lambda: self._script(events))
        if self.error is None:
            self._given.append(line)
        return line

    def again(self, events: Sequence[Event], unread: bytes | None) -> bytes | None:
        """See `scripts.Deciding`."""
        if self._count != len(self._given) or self.error is not None:
            return unread
        line = self._ask_safely(lambda: again(self._script, events, unread))
        if self.error is None:
            self._given[-1] = line
        return line

    def _ask_safely(self, ask: Callable[[], bytes | None]) -> bytes | None:
        try:
            return ask()
        except HarnessError as error:
            self.error = error
            return None


class _Node:
    """A node in the tree of a program's runs with the same arguments, files and draws. Lines lead from node to node."""

    def __init__(self) -> None:
        #: The index of the event in `run` with which the program reads here; None if the program ended.
        self.read: int | None = None
        #: The first run to reach this node.
        self.run: Transcript | None = None
        #: The next nodes, by the line that the program reads; None represents the end of input.
        self.after: dict[bytes | None, _Node] = {}

    def add(self, run: Transcript) -> None:
        """Add a run that reaches this node, and the nodes that the run reaches next."""
        node: _Node = self
        for index, event in enumerate(run.events):
            if isinstance(event, Typed | InputEnded):
                if node.run is None or node.read is None:
                    node.run, node.read = run, index
                line = event.line if isinstance(event, Typed) else None
                node = node.after.setdefault(line, _Node())
        if node.run is None:
            node.run = run

    def recalled(self, asking: _Asking) -> Transcript | None:
        """The cached run with the lines that the script types; None if no run matches. Raises the script's errors."""
        node: _Node = self
        while node.run is not None and node.read is not None:
            line = asking(node.run.events[: node.read])
            if asking.error is not None:
                raise asking.error
            if line not in node.after:
                return None
            node = node.after[line]
        return node.run


class _CachedRuns(msgspec.Struct, frozen=True, array_like=True):
    """The cached runs of a program with the same arguments, files and draws."""

    transcripts: tuple[Transcript, ...]


class _Memory:
    """The runs in memory, under a digest of everything that a run depends on besides the typed lines."""

    def __init__(self) -> None:
        self._first: dict[str, _Node] = {}
        self._runs: dict[str, list[Transcript]] = {}
        self._count = 0
        #: The keys of runs that the user's cache may contain.
        self._shared: set[str] = set()
        #: The keys for which the user's cache lacks runs.
        self._new: set[str] = set()

    def runs(self, key: str, *, is_shared: bool) -> _Node:
        """The runs with this key. With `is_shared`, the user's cache is read now, and gets the new runs later."""
        if key not in self._first:
            self._first[key], self._runs[key] = _Node(), []
            if is_shared:
                self._shared.add(key)
                for transcript in _stored(key):
                    self._add(key, transcript)
        return self._first[key]

    def add(self, key: str, run: Transcript) -> None:
        """Add a run with a key for which `runs` was called."""
        if self._count >= _MOST:
            self.flush()
            for cached in (self._first, self._runs, self._shared):
                cached.clear()
            self._count = 0
        else:
            self._add(key, run)
            if key in self._shared and run.ending.kind not in _BY_TIME:
                self._new.add(key)

    def _add(self, key: str, run: Transcript) -> None:
        self._first[key].add(run)
        self._runs[key].append(run)
        self._count += 1

    def flush(self) -> None:
        """Add the missing runs to the user's cache, and keep runs that other processes have added meanwhile."""
        store = _store()
        for key in sorted(self._new):
            if store is None:
                break
            own_runs = (run for run in self._runs[key] if run.ending.kind not in _BY_TIME)
            runs = tuple(dict.fromkeys((*_stored(key), *own_runs)))[-_MAX_CACHED:]
            store.put(key, msgspec.msgpack.encode(_CachedRuns(runs)))
        self._new.clear()


_memory = _Memory()


def _stored(key: str) -> Sequence[Transcript]:
    store = _store()
    content = store.get(key) if store is not None else None
    try:
        return msgspec.msgpack.decode(content, type=_CachedRuns).transcripts if content is not None else ()
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return ()


@cache
def _store() -> Store | None:
    """The user's cache; None if caching is turned off, or if a program itself could write to the cache."""
    if "cache" in os.environ.get("PITBOSS_WITHOUT", "") or not conditions_here().are_repeatable:
        return None
    return opened(os.environ).store


@cache
def fingerprint() -> str:
    """A digest of pitboss and this machine, on which every run depends."""
    digest = Digest("surroundings of a program")
    conditions = conditions_here()
    digest.add(digest_of_pitboss(), digest_of_machine(os.environ), *conditions.sentences)
    return digest.text()


def is_noted(name: str) -> bool:
    """Whether a process has noted this digest before: see `note`."""
    store = _store()
    return store is not None and store.get(name) is not None


def note(name: str) -> None:
    """Note a digest in the user's cache."""
    store = _store()
    if store is not None:
        store.put(name, b"")


class _Ready:
    """Drivers of programs that are ready for further sessions; the least recently used is closed first."""

    def __init__(self) -> None:
        self._drivers: OrderedDict[tuple[Program, Limits], tuple[Driver, ExitStack]] = OrderedDict()

    def driver(self, program: Program, limits: Limits) -> Driver:
        """Return a program's driver, started now if it is not ready."""
        key = program, limits
        if key not in self._drivers:
            if len(self._drivers) >= _MAX_READY:
                self._drivers.popitem(last=False)[1][1].close()
            stack = ExitStack()
            self._drivers[key] = stack.enter_context(conditions_here().driver_of(program, limits)), stack
        self._drivers.move_to_end(key)
        return self._drivers[key][0]

    def close(self, program: Program, limits: Limits) -> None:
        """Close the driver of a program, if the driver is ready."""
        if (program, limits) in self._drivers:
            self._drivers.pop((program, limits))[1].close()

    def close_all(self) -> None:
        """Close all drivers."""
        while self._drivers:
            self._drivers.popitem()[1][1].close()


_ready: ContextVar[_Ready | None] = ContextVar("ready", default=None)


@contextmanager
def programs_ready() -> Iterator[None]:
    """Within this context, programs stay ready between sessions; at the end, the new runs go into the user's cache."""
    if _ready.get() is not None:
        yield
        return
    ready = _Ready()
    token = _ready.set(ready)
    try:
        yield
    finally:
        _ready.reset(token)
        ready.close_all()
        _memory.flush()


def _session(program: Program, limits: Limits, script: Script, stays_ready: bool) -> Transcript:
    """Run one session. Raises SessionError if this machine cannot run it."""
    ready = _ready.get()
    if ready is None or not stays_ready:
        with conditions_here().driver_of(program, limits) as driver:
            return _only(driver, script)
    try:
        return _only(ready.driver(program, limits), script)
    except BaseException:
        ready.close(program, limits)
        raise


def _only(driver: Driver, script: Script) -> Transcript:
    ((_, transcript),) = list(driver.sessions([script]))
    return transcript
