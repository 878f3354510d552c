"""Runs an assignment's programs in sessions, like submissions; the runs are cached.

With the same arguments, files and draws, a program does the same until a different line is typed. So the runs of a
program are cached by the typed lines, no matter which script typed the lines. For a cached run the program need not
even be built: if all students' programs fail alike, the program of a known mistake is run once. A run is also written
to the user's cache folder, under a digest of everything that the run depends on, unless a time limit ended the run or
the program was not confined.
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
from pitboss.machine.signals import FROM_OUTSIDE
from pitboss.machine.store import Store, open_store
from pitboss.model.invocation import InputScript, Invocation, Script, replacement_line
from pitboss.model.transcript import MACHINE_DEPENDENT, OVER_A_LIMIT, EndingKind, Event, InputEnded, Transcript, Typed
from pitboss.sandbox.digests import Digest, digest_of_machine, digest_of_pitboss
from pitboss.sandbox.limits import Limits
from pitboss.sessions.drivers import Conditions, find_conditions
from pitboss.sessions.programs import Driver, Program
from pitboss.sessions.references import DrawSource, environment_of_stage

Environment = tuple[tuple[str, str], ...]

#: The maximum number of runs in the user's cache for one program with the same arguments, files and draws.
_MAX_CACHED = 2_000
#: The maximum number of runs in memory.
_MAX_IN_MEMORY = 20_000
#: The maximum number of programs that stay ready to run. Each of them keeps its own sandbox, since a new sandbox is
#: slow to start.
_MAX_READY = 8
#: How many times to try to run a session when this machine is at fault.
_TRIES = 2


@cache
def conditions_here() -> Conditions:
    """Return the conditions for an assignment's programs: those of a submission that is checked without any options."""
    return find_conditions()


class ProgramRun:
    """Runs one program in sessions. An instance is a function like a reference."""

    def __init__(self, name: str, program: Callable[[], Program], stage: Stage, limits: Limits) -> None:
        """`name` is the program's name in errors. `program` builds or finds the program; it is called for each run."""
        self._name, self._get_program, self._stage, self._limits = name, program, stage, limits

    def __call__(
        self, input_script: InputScript, draws: DrawSource | None = None, /, *, invocation: Invocation | None = None
    ) -> Transcript:
        """Run a session.

        Raises AssignmentError unless the program exits, and ShortageError if this machine cannot run the program.
        """
        invocation = invocation or self._stage.invocation
        environment = environment_of_stage(self._stage, draws)
        # Draws are in the environment, so a program that gets draws is hardly ever started in the same way again.
        transcript = self._run_session(
            _ReplayableScript(input_script), invocation, environment, is_restart_likely=draws is None
        )
        if transcript.ending.kind is not EndingKind.EXITED:
            ending_text = transcript.ending.detail or transcript.ending.signal or transcript.ending.kind.value
            is_endless = transcript.ending.kind in OVER_A_LIMIT
            raise AssignmentError(f"{self._name} did not end by itself: {ending_text}", is_endless=is_endless)
        return transcript

    def _run_session(
        self, recording: _ReplayableScript, invocation: Invocation, environment: Environment, *, is_restart_likely: bool
    ) -> Transcript:
        """Run a session, and try once more if this machine fails to run the session.

        `is_restart_likely`: whether later sessions are likely to start the program with the same environment. Only
        then does the program stay ready to run, and only then does a Runner store the run in the user's cache.
        """
        program, failure = self._get_program(), ""
        program = msgspec.structs.replace(program, environment=(*program.environment, *environment))
        for _ in range(_TRIES):
            recording = recording.replay_script()
            try:
                transcript = _session(
                    program, self._limits, Script(recording, invocation=invocation), is_restart_likely
                )
            except SessionError as error:
                failure = str(error)
                continue
            if recording.error is not None:
                raise recording.error
            if transcript.ending.kind is EndingKind.FAULT:
                failure = transcript.ending.detail or "it could not be run"
            # The signal may be this machine's, so the program is run again, unless an earlier try has failed already:
            # then the transcript is returned.
            elif transcript.ending.signal in FROM_OUTSIDE and not failure:
                failure = f"it was ended by {transcript.ending.signal}"
            else:
                return transcript
        raise ShortageError(f"{self._name} could not be run on this machine, twice: {failure}")


class Runner(ProgramRun):
    """Runs one program, or returns a cached run with the same typed lines: from memory or from the user's cache."""

    def __init__(self, name: str, digest: str, program: Callable[[], Program], stage: Stage, limits: Limits) -> None:
        """See ProgramRun; `digest` identifies everything that the program is built from.

        `program` is called only for a run that is not cached; the caller has checked that the program can be built.
        """
        super().__init__(name, _raising_shortages(program), stage, limits)
        self._digest = digest

    def _run_session(
        self, recording: _ReplayableScript, invocation: Invocation, environment: Environment, *, is_restart_likely: bool
    ) -> Transcript:
        digest = Digest("runs of a program")
        digest.add(self._digest, msgspec.msgpack.encode((invocation, environment, self._limits)))
        key = digest.text()
        transcript = _memory.root_of(key, is_shared=is_restart_likely).find_run(recording)
        if transcript is None:
            transcript = super()._run_session(recording, invocation, environment, is_restart_likely=is_restart_likely)
            _memory.add(key, transcript)
        return transcript


def _raising_shortages(find_program: Callable[[], Program]) -> Callable[[], Program]:
    """Returns `find_program` with each error turned into ShortageError.

    The program can be built, as the caller of Runner has checked, so only this machine can be at fault.
    """

    def get_program() -> Program:
        try:
            return find_program()
        except ShortageError:
            raise
        except HarnessError as error:
            raise ShortageError(str(error)) from error

    return get_program


class _ReplayableScript:
    """Records the lines of an input script, so that the lines can be typed again without calling that script."""

    def __init__(self, script: InputScript, lines: Sequence[bytes | None] = ()) -> None:
        """Type `lines` first, then the lines of `script`. The line None represents the end of input."""
        self._script, self._lines, self._typed_count = script, list(lines), 0
        #: The error that `script` raised, if any; the input ends with the error.
        self.error: HarnessError | None = None

    def replay_script(self) -> _ReplayableScript:
        """Return a script that types the recorded lines again, then the further lines of the original script."""
        return _ReplayableScript(self._script, self._lines)

    def __call__(self, events: Sequence[Event]) -> bytes | None:
        """Return the next line; None for the end of input."""
        self._typed_count += 1
        if self._typed_count <= len(self._lines):
            return self._lines[self._typed_count - 1]
        if self._lines[-1:] == [None] or self.error is not None:
            return None
        line = self._call_safely(lambda: self._script(events))
        if self.error is None:
            self._lines.append(line)
        return line

    def revised_line(self, events: Sequence[Event], unread: bytes | None) -> bytes | None:
        """See `scripts.RevisableScript`."""
        # Lines that are typed again were recorded after their revision, so only the newest recorded line is revised.
        if self._typed_count != len(self._lines) or self.error is not None:
            return unread
        line = self._call_safely(lambda: replacement_line(self._script, events, unread))
        if self.error is None:
            self._lines[-1] = line
        return line

    def _call_safely(self, call: Callable[[], bytes | None]) -> bytes | None:
        """Return the line that `call` returns; if the call raises an error, store the error and return None."""
        try:
            return call()
        except HarnessError as error:
            self.error = error
            return None


class _Node:
    """A node in the tree of a program's runs with the same arguments, files and draws; each edge is a typed line."""

    def __init__(self) -> None:
        #: The index, in the events of `first_run`, of the read at this node; None if the program ended instead.
        self.read_index: int | None = None
        #: The first run that reads at this node, else the first run that ended here; None before the first run.
        self.first_run: Transcript | None = None
        #: The next nodes, by the line that the program reads at this node; None represents the end of input.
        self.next_nodes: dict[bytes | None, _Node] = {}

    def add(self, run: Transcript) -> None:
        """Add a run that starts at this node to each node on its way: see `first_run`."""
        node: _Node = self
        for index, event in enumerate(run.events):
            if isinstance(event, Typed | InputEnded):
                # A run that reads at this node replaces a run that ended here.
                if node.first_run is None or node.read_index is None:
                    node.first_run, node.read_index = run, index
                line = event.line if isinstance(event, Typed) else None
                node = node.next_nodes.setdefault(line, _Node())
        if node.first_run is None:
            node.first_run = run

    def find_run(self, recording: _ReplayableScript) -> Transcript | None:
        """Return the cached run with the lines that the script types; None if no run matches.

        Raises the errors of the script.
        """
        node: _Node = self
        while node.first_run is not None and node.read_index is not None:
            line = recording(node.first_run.events[: node.read_index])
            if recording.error is not None:
                raise recording.error
            if line not in node.next_nodes:
                return None
            node = node.next_nodes[line]
        return node.first_run


class _Memory:
    """The runs in memory, under a digest of everything that a run depends on besides the typed lines."""

    def __init__(self) -> None:
        self._roots: dict[str, _Node] = {}
        self._runs: dict[str, list[Transcript]] = {}
        self._count = 0
        #: The keys whose runs are read from the user's cache and written to it.
        self._shared_keys: set[str] = set()
        #: The keys with new runs, which are not yet in the user's cache.
        self._unsaved_keys: set[str] = set()

    def root_of(self, key: str, *, is_shared: bool) -> _Node:
        """Return the root of the tree of runs with this key.

        With `is_shared`, the runs in the user's cache are read now, and `flush` writes the new runs to that cache.
        """
        if key not in self._roots:
            self._roots[key], self._runs[key] = _Node(), []
            if is_shared:
                self._shared_keys.add(key)
                for transcript in _stored_runs(key):
                    self._add(key, transcript)
        return self._roots[key]

    def add(self, key: str, run: Transcript) -> None:
        """Add a run with a key for which `root_of` was called. If the memory is full, clear it and drop the run."""
        if self._count >= _MAX_IN_MEMORY:
            self.flush()
            for collection in (self._roots, self._runs, self._shared_keys):
                collection.clear()
            self._count = 0
        else:
            self._add(key, run)
            if key in self._shared_keys and run.ending.kind not in MACHINE_DEPENDENT:
                self._unsaved_keys.add(key)

    def _add(self, key: str, run: Transcript) -> None:
        self._roots[key].add(run)
        self._runs[key].append(run)
        self._count += 1

    def flush(self) -> None:
        """Add the new runs to the user's cache, beside the runs that other processes have added meanwhile."""
        store = _store()
        for key in sorted(self._unsaved_keys):
            if store is None:
                break
            storable_runs = (run for run in self._runs[key] if run.ending.kind not in MACHINE_DEPENDENT)
            runs = tuple(dict.fromkeys((*_stored_runs(key), *storable_runs)))[-_MAX_CACHED:]
            store.put(key, msgspec.msgpack.encode(runs))
        self._unsaved_keys.clear()


_memory = _Memory()


def _stored_runs(key: str) -> Sequence[Transcript]:
    """Returns the runs with this key in the user's cache; none if the cache lacks the key or its entry is damaged."""
    store = _store()
    content = store.get(key) if store is not None else None
    try:
        return msgspec.msgpack.decode(content, type=tuple[Transcript, ...]) if content is not None else ()
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return ()


@cache
def _store() -> Store | None:
    """The user's cache; None if caching is off, sessions are not repeatable, or no cache folder can be used."""
    if "cache" in os.environ.get("PITBOSS_WITHOUT", "") or not conditions_here().are_repeatable:
        return None
    return open_store(os.environ).store


@cache
def fingerprint() -> str:
    """A digest of pitboss and this machine, on which every run depends."""
    digest = Digest("surroundings of a program")
    conditions = conditions_here()
    digest.add(digest_of_pitboss(), digest_of_machine(os.environ), *conditions.sentences)
    return digest.text()


def is_digest_recorded(digest: str) -> bool:
    """Whether this or another process has called `record_digest` with this digest."""
    store = _store()
    return store is not None and store.get(digest) is not None


def record_digest(digest: str) -> None:
    """Record a digest in the user's cache, for `is_digest_recorded`."""
    store = _store()
    if store is not None:
        store.put(digest, b"")


class _ReadyDrivers:
    """Drivers that are ready for further sessions of their programs; the least recently used driver is closed first."""

    def __init__(self) -> None:
        self._drivers: OrderedDict[tuple[Program, Limits], tuple[Driver, ExitStack]] = OrderedDict()

    def driver(self, program: Program, limits: Limits) -> Driver:
        """Return a program's driver, started now if it is not ready."""
        key = program, limits
        if key not in self._drivers:
            if len(self._drivers) >= _MAX_READY:
                self.close(*next(iter(self._drivers)))
            stack = ExitStack()
            self._drivers[key] = stack.enter_context(conditions_here().driver_of(program, limits)), stack
        self._drivers.move_to_end(key)
        return self._drivers[key][0]

    def close(self, program: Program, limits: Limits) -> None:
        if (program, limits) in self._drivers:
            _, stack = self._drivers.pop((program, limits))
            stack.close()

    def close_all(self) -> None:
        while self._drivers:
            _, (_, stack) = self._drivers.popitem()
            stack.close()


_ready_drivers: ContextVar[_ReadyDrivers | None] = ContextVar("ready", default=None)


@contextmanager
def programs_ready() -> Iterator[None]:
    """Within this context, programs stay ready between sessions; at the end, the new runs go into the user's cache."""
    if _ready_drivers.get() is not None:
        yield
        return
    ready = _ReadyDrivers()
    token = _ready_drivers.set(ready)
    try:
        yield
    finally:
        _ready_drivers.reset(token)
        ready.close_all()
        _memory.flush()


def _session(program: Program, limits: Limits, script: Script, stays_ready: bool) -> Transcript:
    """Run one session; with `stays_ready` the driver stays open within `programs_ready`.

    Raises SessionError if this machine cannot run the session.
    """
    ready = _ready_drivers.get()
    if ready is None or not stays_ready:
        with conditions_here().driver_of(program, limits) as driver:
            return _only_transcript(driver, script)
    try:
        return _only_transcript(ready.driver(program, limits), script)
    except BaseException:
        ready.close(program, limits)
        raise


def _only_transcript(driver: Driver, script: Script) -> Transcript:
    ((_, transcript),) = list(driver.sessions([script]))
    return transcript
