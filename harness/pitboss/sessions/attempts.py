"""Runs sessions of a program in this process; if several processes share the sessions, selects the results to report.

A session that this machine failed to run is run again once: a missing resource may be available by then, and a lost
launcher is started again. A session ended by a signal that another process may have sent is run again too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Generic, TypeVar

import msgspec

from pitboss.errors import AssignmentError, HarnessError, SessionError
from pitboss.machine.pool import LostWorkerError, Pool
from pitboss.machine.processes import memory_kill_count
from pitboss.machine.retry import our_faults
from pitboss.machine.signals import FROM_OUTSIDE
from pitboss.model.invocation import InputScript, Script, replacement_line
from pitboss.model.transcript import OVER_A_LIMIT, EndingKind, Event, Transcript
from pitboss.sandbox.limits import Limits
from pitboss.sessions.job import Job
from pitboss.sessions.programs import Program

T = TypeVar("T")

#: How many scripts are prepared while a driver starts.
_MAX_PREPARED = 100
_NOT_RUN = "the sessions could not be run"
_NO_MEMORY = (
    "the program was ended by SIGKILL twice while the kernel was ending programs because memory had run out — end "
    "other programs, or use a smaller --jobs"
)
#: A session that does not end uses up its whole limit. After this many of them, the remaining sessions are not run. If
#: the first session does not end, it counts as this many, since its program most likely never ends.
MAX_ENDLESS = 3


class Part(msgspec.Struct, Generic[T]):
    """The results of the sessions that one worker ran. Sessions are identified by their numbers."""

    #: For each session its result, or a transcript with a fault of ours.
    results: dict[int, T]
    #: For each session that used up a limit, how many endless sessions it counts as: see `MAX_ENDLESS`.
    endless_weights: dict[int, int]


def last_counted_session(endless_weights: Mapping[int, int]) -> float:
    """The number of the last session that counts; infinite if all sessions count.

    `endless_weights` maps each session that used up a limit to the number of endless sessions that it counts as.
    """
    total = 0
    for number in sorted(endless_weights):
        total += endless_weights[number]
        if total >= MAX_ENDLESS:
            return number
    return math.inf


def counted_sessions(parts: Sequence[Part[T]]) -> dict[int, T]:
    """The results of the sessions that count, in the order of their numbers: see `last_counted_session`.

    Which sessions after the last counted one were run depends on the timing of the workers, so these do not count. All
    sessions before it were run: workers take numbers in order, and each finishes the session whose number it took.
    """
    last = _last_counted(parts)
    return {number: result for part in parts for number, result in part.results.items() if number <= last}


def _last_counted(parts: Iterable[Part[T]]) -> float:
    """The number of the last session that counts, given the parts of all workers; infinite if all count."""
    return last_counted_session({number: weight for part in parts for number, weight in part.endless_weights.items()})


def shared_sessions(
    pool: Pool,
    run: Callable[..., Part[T]],
    *arguments: object,
    count: int,
    fault_of: Callable[[int, str], T],
) -> dict[int, T]:
    """Run `count` sessions on several workers by `run(numbers, *arguments)`; returns what `counted_sessions` returns.

    If a worker dies, its results are lost. Its sessions are run again, one at a time, since one of them may have killed
    the worker. If a session kills a worker again, its result is `fault_of(number, sentence)`.
    """
    try:
        return counted_sessions(pool.share(run, *arguments, count=count))
    except LostWorkerError as lost:
        parts = list(lost.results)
    done = {number for part in parts for number in part.results}
    for number in (number for number in range(count) if number not in done):
        if number > _last_counted(parts):
            break
        try:
            parts.append(pool.submit_once(run, [number], *arguments).result())
        except LostWorkerError as error:
            parts.append(Part({number: fault_of(number, str(error))}, {}))
    return counted_sessions(parts)


class Attempt(msgspec.Struct, frozen=True):
    """A session that was run, or that we failed to run."""

    transcript: Transcript
    #: What went wrong on our side, as a sentence; empty if nothing went wrong.
    failure: str = ""
    #: The weight of the session in the count of endless sessions, if it used up a limit; else 0.
    endless_weight: int = 0
    #: Whether the session should be run again, since perhaps this machine failed, not the assignment's code or the
    #: program.
    is_worth_retrying: bool = False


def attempts(
    numbers: Iterable[int], job: Job, program: Program, limits: Limits, script_of: Callable[[int], Script]
) -> Iterator[tuple[int, Attempt]]:
    """Run sessions by number; yields each number with its attempt, in the order in which the sessions end.

    Stops when further sessions would not count, because earlier sessions have used up a limit: see
    `last_counted_session`. A fault of ours, or of the assignment's code, is reported in the attempt. A session that
    this machine failed to run is run a second time before it is reported.
    """
    numbers_to_retry: list[int] = []
    kills_before = memory_kill_count()
    for number, attempt in _run_once(_LocalSessions(script_of), numbers, job, program, limits):
        if attempt.is_worth_retrying:
            numbers_to_retry.append(number)
        else:
            yield number, attempt
    if numbers_to_retry:
        # Sorted: if endless sessions stop the second run, the sessions with the highest numbers have no result, and
        # `counted_sessions` does not count these anyway.
        for number, attempt in _run_once(_LocalSessions(script_of), sorted(numbers_to_retry), job, program, limits):
            is_killed = attempt.transcript.ending.signal == "SIGKILL" and not attempt.failure
            if is_killed and memory_kill_count() > kills_before:  # another program may have used up the memory
                yield number, Attempt(attempt.transcript, _NO_MEMORY)
            else:
                yield number, attempt


def _run_once(
    local_sessions: _LocalSessions, numbers: Iterable[int], job: Job, program: Program, limits: Limits
) -> Iterator[tuple[int, Attempt]]:
    """Run each of these sessions once: see `attempts`."""
    remaining_numbers = iter(numbers)
    try:
        with our_faults(_NOT_RUN), job.conditions.driver_of(program, limits) as driver:
            # An iterator may be shared with other workers, but a sequence is ours alone. There is time to prepare
            # scripts while the sandbox starts.
            if isinstance(numbers, Sequence):
                local_sessions.prepare(numbers[:_MAX_PREPARED])
            for index, transcript in driver.sessions(local_sessions.scripts(remaining_numbers)):
                yield local_sessions.attempt(index, transcript)
    except SessionError as error:
        for number in (*local_sessions.unfinished(), *remaining_numbers):
            yield number, Attempt(Transcript(()), str(error), is_worth_retrying=True)
    yield from local_sessions.not_begun.items()


class _LocalSessions:
    """Sessions of one program that run in this process.

    If an assignment's own code raises an error, the session that called the code fails.
    """

    def __init__(self, script_of: Callable[[int], Script]) -> None:
        self._script_of = script_of
        self._prepared: dict[int, Script | None] = {}
        #: The numbers of the sessions that have begun, in the order in which their scripts were yielded.
        self._begun: list[int] = []
        self._ended: set[int] = set()
        #: For each session that used up a limit, how many endless sessions it counts as.
        self._endless_weights: dict[int, int] = {}
        self._failures: dict[int, HarnessError] = {}
        #: The sessions that could not begin, because their input script or expected transcript could not be created.
        self.not_begun: dict[int, Attempt] = {}

    def prepare(self, numbers: Iterable[int]) -> None:
        """Prepare the scripts of these sessions."""
        self._prepared |= {number: self._script(number) for number in numbers}

    def scripts(self, numbers: Iterator[int]) -> Iterator[Script]:
        """Take numbers and yield their scripts, until further sessions would not count."""
        while last_counted_session(self._endless_weights) == math.inf and (number := next(numbers, None)) is not None:
            script = self._prepared[number] if number in self._prepared else self._script(number)
            if script is None:
                self.not_begun[number] = self._attempt(number, Transcript(()))
                continue
            self._begun.append(number)
            yield script

    def attempt(self, index: int, transcript: Transcript) -> tuple[int, Attempt]:
        """The number and attempt of an ended session; its script was yielded at this index."""
        number = self._begun[index]
        self._ended.add(number)
        return number, self._attempt(number, transcript)

    def unfinished(self) -> list[int]:
        """The numbers of the sessions that have begun but not ended."""
        return [number for number in self._begun if number not in self._ended]

    def _script(self, number: int) -> Script | None:
        """The script of a session, its input wrapped to record errors in it; None if the script cannot be created."""
        try:
            script = self._script_of(number)
        except HarnessError as error:
            self._failures[number] = error
            return None
        return script._replace(input=_Guarded(number, script.input, self._failures))

    def _attempt(self, number: int, transcript: Transcript) -> Attempt:
        """The attempt of a session with this transcript; also records whether the session used up a limit."""
        failure, ending = self._failures.get(number), transcript.ending
        endless_weight = int(isinstance(failure, AssignmentError) and failure.is_endless)
        if ending.kind in OVER_A_LIMIT:
            endless_weight = 1 if number else MAX_ENDLESS  # the first session has number 0
        if endless_weight:
            self._endless_weights[number] = endless_weight
        if failure is None and ending.kind is EndingKind.FAULT:
            return Attempt(transcript, ending.detail or "it could not be run", is_worth_retrying=True)
        # If the program sent the signal to itself, it will send the signal in the second run too.
        may_succeed = isinstance(failure, SessionError) or ending.signal in FROM_OUTSIDE
        return Attempt(transcript, str(failure or ""), endless_weight, is_worth_retrying=may_succeed)


class _Guarded:
    """Wraps a session's input script: if the script fails, stores the error and ends the input."""

    def __init__(self, number: int, input_script: InputScript, failures: dict[int, HarnessError]) -> None:
        """Wrap the input script of session `number`; errors are stored in `failures` by number."""
        self._number, self._input_script, self._failures = number, input_script, failures

    def __call__(self, events: Sequence[Event]) -> bytes | None:
        """The next line to type; None to end the input."""
        return self._decide_guarded(lambda: self._input_script(events))

    def revised_line(self, events: Sequence[Event], unread: bytes | None) -> bytes | None:
        """The line to type in place of `unread`, which the program has not read: see `scripts.RevisableScript`."""
        return self._decide_guarded(lambda: replacement_line(self._input_script, events, unread))

    def _decide_guarded(self, decide: Callable[[], bytes | None]) -> bytes | None:
        """The line that `decide` returns; None if it raises an error, or if the session has failed before."""
        try:
            return None if self._number in self._failures else decide()
        except HarnessError as error:
            self._failures[self._number] = error
            return None
