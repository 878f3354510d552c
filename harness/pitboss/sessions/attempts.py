"""Runs sessions of a program in this process; if several processes share them, decides which sessions count.

A session that this machine failed to run is run again once: a missing resource may be available by then, and a lost
launcher is started again. A session ended by a signal that another process may have sent is run again too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Generic, TypeVar

import msgspec

from pitboss.errors import AssignmentError, HarnessError, SessionError
from pitboss.model.scripts import InputScript, Script, again
from pitboss.model.transcript import ENDLESS, EndingKind, Event, Transcript
from pitboss.sandbox.limits import Limits
from pitboss.sandbox.pool import LostWorkerError, Pool
from pitboss.sandbox.procfs import killed_for_memory
from pitboss.sandbox.retry import our_faults
from pitboss.sandbox.signals import FROM_OUTSIDE
from pitboss.sessions.job import Job
from pitboss.sessions.programs import Program

T = TypeVar("T")

#: How many scripts are prepared while a driver prepares itself.
_MAX_PREPARED = 100
_NOT_RUN = "the sessions could not be run"
_NO_MEMORY = (
    "the program was ended by SIGKILL twice while the kernel was ending programs because memory had run out — end "
    "others, or use a smaller --jobs"
)
#: Each session that does not end uses its whole limit: after this many, the remaining sessions are not run. If the
#: first one does not end it counts as this many, since a program that does not end there most likely never ends.
MAX_ENDLESS = 3


class Part(msgspec.Struct, Generic[T]):
    """What one worker produced for the sessions it took, by number."""

    #: Results, or transcripts with our faults.
    made: dict[int, T]
    #: The sessions that used up a limit, each with the number of sessions it counts as.
    endless: dict[int, int]


def last_after(endless: Mapping[int, int]) -> float:
    """The number of the last session that counts; infinite if all count.

    `endless` maps each session that used up a limit to the number of sessions that it counts as.
    """
    total = 0
    for number in sorted(endless):
        total += endless[number]
        if total >= MAX_ENDLESS:
            return number
    return math.inf


def counted_sessions(parts: Sequence[Part[T]]) -> dict[int, T]:
    """The results of the sessions that count, in the order of their numbers: see `last_after`.

    Which later sessions were run depends on the timing of the workers, so they do not count. All earlier sessions
    were run: a worker stops only after its own last session, and all lower numbers were assigned by then.
    """
    last = _last_of(parts)
    return {number: attempt for part in parts for number, attempt in part.made.items() if number <= last}


def _last_of(parts: Iterable[Part[T]]) -> float:
    return last_after({number: weight for part in parts for number, weight in part.endless.items()})


def shared_sessions(
    pool: Pool,
    run: Callable[..., Part[T]],
    *arguments: object,
    count: int,
    fault_of: Callable[[int, str], T],
) -> dict[int, T]:
    """Run `count` sessions on several workers by `run(numbers, *arguments)`; returns what `counted_sessions` returns.

    If a worker dies its results are lost. Its sessions are run again, one at a time, since one of them may have killed
    the worker. The result of a session that kills another worker is `fault_of(number, sentence)`.
    """
    try:
        return counted_sessions(pool.share(run, *arguments, count=count))
    except LostWorkerError as lost:
        parts = list(lost.results)
    done = {number for part in parts for number in part.made}
    for number in (number for number in range(count) if number not in done):
        if number > _last_of(parts):
            break
        try:
            parts.append(pool.submit_again(run, [number], *arguments).result())
        except LostWorkerError as error:
            parts.append(Part({number: fault_of(number, str(error))}, {}))
    return counted_sessions(parts)


class Attempt(msgspec.Struct, frozen=True):
    """A session that was run, or that we failed to run."""

    transcript: Transcript
    #: What went wrong on our side, as a sentence; empty if nothing did.
    failure: str = ""
    #: The number of endless sessions it counts as, if the program or the assignment's code used up a limit; else 0.
    endless: int = 0
    #: Whether this machine may have failed, and not the assignment's code or the program: another try may succeed.
    may_succeed: bool = False


def attempts(
    numbers: Iterable[int], job: Job, program: Program, limits: Limits, script_of: Callable[[int], Script]
) -> Iterator[tuple[int, Attempt]]:
    """Run sessions by number; yields each number with its attempt, in the order in which the sessions end.

    Stops when further sessions would not count, because earlier sessions have used up a limit: see `last_after`.
    A fault of ours, or of the assignment's code, is reported in the attempt. A session that this machine failed to
    run is run a second time before it is reported.
    """
    failed: list[int] = []
    killed = killed_for_memory()
    for number, attempt in _run_once(_LocalSessions(script_of), numbers, job, program, limits):
        if attempt.may_succeed:
            failed.append(number)
        else:
            yield number, attempt
    if failed:
        # In order, so that if endless sessions stop the second run, only the last are missing: see `counted_sessions`.
        for number, attempt in _run_once(_LocalSessions(script_of), sorted(failed), job, program, limits):
            is_killed = attempt.transcript.ending.signal == "SIGKILL" and not attempt.failure
            if is_killed and killed_for_memory() > killed:  # another program may have used up the memory
                yield number, Attempt(attempt.transcript, _NO_MEMORY)
            else:
                yield number, attempt


def _run_once(
    run: _LocalSessions, numbers: Iterable[int], job: Job, program: Program, limits: Limits
) -> Iterator[tuple[int, Attempt]]:
    """Run each of these sessions once: see `attempts`."""
    left = iter(numbers)
    try:
        with our_faults(_NOT_RUN), job.conditions.driver_of(program, limits) as driver:
            if isinstance(numbers, Sequence):  # no other worker takes numbers, and a sandbox is slow to start
                run.prepare(numbers[:_MAX_PREPARED])
            for place, transcript in driver.sessions(run.scripts(left)):
                yield run.attempt(place, transcript)
    except SessionError as error:
        for number in (*run.waiting(), *left):
            yield number, Attempt(Transcript(()), str(error), may_succeed=True)
    yield from run.lost.items()


class _LocalSessions:
    """Sessions of one program that run in this process.

    An error in an assignment's own code fails the session that called it.
    """

    def __init__(self, script_of: Callable[[int], Script]) -> None:
        self._script_of = script_of
        self._prepared: dict[int, Script | None] = {}
        self._begun: list[int] = []
        self._ended: set[int] = set()
        self._endless: dict[int, int] = {}
        self._failures: dict[int, HarnessError] = {}
        #: Sessions that could not begin, because their input script or expected transcript could not be created.
        self.lost: dict[int, Attempt] = {}

    def prepare(self, numbers: Iterable[int]) -> None:
        """Prepare the scripts of these sessions."""
        self._prepared |= {number: self._script(number) for number in numbers}

    def scripts(self, numbers: Iterator[int]) -> Iterator[Script]:
        """Take numbers and yield their scripts, until further sessions would not count."""
        while last_after(self._endless) == math.inf and (number := next(numbers, None)) is not None:
            script = self._prepared[number] if number in self._prepared else self._script(number)
            if script is None:
                self.lost[number] = self._attempt(number, Transcript(()))
                continue
            self._begun.append(number)
            yield script

    def attempt(self, place: int, transcript: Transcript) -> tuple[int, Attempt]:
        """The number and attempt of an ended session; its script was yielded at index `place`."""
        number = self._begun[place]
        self._ended.add(number)
        return number, self._attempt(number, transcript)

    def waiting(self) -> list[int]:
        """The numbers of the sessions that have begun and not ended."""
        return [number for number in self._begun if number not in self._ended]

    def _script(self, number: int) -> Script | None:
        try:
            script = self._script_of(number)
        except HarnessError as error:
            self._failures[number] = error
            return None
        return script._replace(input=_Guarded(number, script.input, self._failures))

    def _attempt(self, number: int, transcript: Transcript) -> Attempt:
        failure, ending = self._failures.get(number), transcript.ending
        endless = int(isinstance(failure, AssignmentError) and failure.is_endless)
        if ending.kind in ENDLESS:
            endless = 1 if number else MAX_ENDLESS
        if endless:
            self._endless[number] = endless
        if failure is None and ending.kind is EndingKind.FAULT:
            return Attempt(transcript, ending.detail or "it could not be run", may_succeed=True)
        # A program that sent the signal to itself will do so in the second run too.
        may_succeed = isinstance(failure, SessionError) or ending.signal in FROM_OUTSIDE
        return Attempt(transcript, str(failure or ""), endless, may_succeed=may_succeed)


class _Guarded:
    """Wraps a session's input script: if it fails, stores the error by the session's number and ends the input."""

    def __init__(self, number: int, input_script: InputScript, failures: dict[int, HarnessError]) -> None:
        self._number, self._input_script, self._failures = number, input_script, failures

    def __call__(self, events: Sequence[Event]) -> bytes | None:
        return self._caught(lambda: self._input_script(events))

    def again(self, events: Sequence[Event], unread: bytes | None) -> bytes | None:
        """See `scripts.Deciding`."""
        return self._caught(lambda: again(self._input_script, events, unread))

    def _caught(self, decide: Callable[[], bytes | None]) -> bytes | None:
        try:
            return None if self._number in self._failures else decide()
        except HarnessError as error:
            self._failures[self._number] = error
            return None
