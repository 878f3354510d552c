"""Runs sessions of a program in this process, and decides which count when several processes share them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Generic, TypeVar

import msgspec

from harness.errors import AssignmentError, HarnessError, SessionError
from harness.machine.limits import Limits
from harness.running.job import Job
from harness.running.programs import Program
from harness.transcripts.scripts import InputScript, Script
from harness.transcripts.transcript import ENDLESS, EndingKind, Event, Transcript

T = TypeVar("T")

#: How many scripts are prepared while a driver prepares itself.
_MOST_PREPARED = 100
#: Each session that does not end uses its whole limit: after this many the remaining sessions are not run.
MOST_ENDLESS = 3


class Part(msgspec.Struct, Generic[T]):
    """What one worker produced for the sessions it took, by number."""

    #: Results, or transcripts with what went wrong on our side.
    made: dict[int, T]
    #: The sessions that used up a limit.
    endless: set[int]


def counted(parts: Sequence[Part[T]]) -> dict[int, T]:
    """The sessions that count, with what was made of them: all up to the third endless one, in the order of numbers.

    Which later ones were run depends on the timing of the workers, so they do not count. All earlier ones were run: a
    worker stops after `MOST_ENDLESS` endless sessions, and every number below these had been taken by then.
    """
    endless = sorted(number for part in parts for number in part.endless)
    last = endless[MOST_ENDLESS - 1] if len(endless) >= MOST_ENDLESS else None
    return {number: one for part in parts for number, one in part.made.items() if last is None or number <= last}


class Attempt(msgspec.Struct, frozen=True):
    """A session that was run, or that we failed to run."""

    transcript: Transcript
    #: What went wrong on our side, as a sentence; empty if nothing did.
    failure: str = ""
    #: Whether the program, or the assignment's code, used up a limit.
    is_endless: bool = False


def attempts(
    numbers: Iterable[int], job: Job, program: Program, limits: Limits, script_of: Callable[[int], Script]
) -> Iterator[tuple[int, Attempt]]:
    """Run sessions by number; yields each number with its attempt, in the order in which the sessions end.

    Takes no more numbers after `MOST_ENDLESS` sessions have used up a limit. What goes wrong on our side, or in code of
    the assignment, is reported in the attempt.
    """
    run, left = _Run(script_of), iter(numbers)
    try:
        with job.conditions.driver_of(program, limits) as driver:
            if isinstance(numbers, Sequence):  # no other worker takes any, and a sandbox is slow to start
                run.prepare(numbers[:_MOST_PREPARED])
            for place, transcript in driver.sessions(run.scripts(left)):
                yield run.attempt(place, transcript)
    except SessionError as error:
        for number in (*run.waiting(), *left):
            yield number, Attempt(Transcript(()), str(error))
    yield from run.lost.items()


class _Run:
    """Sessions of one program that run in this process.

    An error in an assignment's own code is a fault of the session in which it was called.
    """

    def __init__(self, script_of: Callable[[int], Script]) -> None:
        self._script_of = script_of
        self._prepared: dict[int, Script | None] = {}
        self._taken: list[int] = []
        self._ended: set[int] = set()
        self._endless = 0
        self._failures: dict[int, HarnessError] = {}
        #: Sessions that could not begin, because the input script or the expected transcript could not be made.
        self.lost: dict[int, Attempt] = {}

    def prepare(self, numbers: Iterable[int]) -> None:
        """Prepare the scripts of these sessions."""
        self._prepared |= {number: self._script(number) for number in numbers}

    def scripts(self, numbers: Iterator[int]) -> Iterator[Script]:
        """Take numbers, and yield their scripts."""
        while self._endless < MOST_ENDLESS and (number := next(numbers, None)) is not None:
            script = self._prepared[number] if number in self._prepared else self._script(number)
            if script is None:
                self.lost[number] = self._attempt(number, Transcript(()))
                continue
            self._taken.append(number)
            yield script

    def attempt(self, place: int, transcript: Transcript) -> tuple[int, Attempt]:
        """The number and attempt of a session that has ended, whose script was yielded as number `place`."""
        number = self._taken[place]
        self._ended.add(number)
        return number, self._attempt(number, transcript)

    def waiting(self) -> list[int]:
        """The numbers that were taken and have not ended."""
        return [number for number in self._taken if number not in self._ended]

    def _script(self, number: int) -> Script | None:
        try:
            script = self._script_of(number)
        except HarnessError as error:
            self._failures[number] = error
            return None
        return script._replace(input=self._guarded(number, script.input))

    def _guarded(self, number: int, input_script: InputScript) -> InputScript:
        def type_next(events: Sequence[Event]) -> bytes | None:
            try:
                return None if number in self._failures else input_script(events)
            except HarnessError as error:
                self._failures[number] = error
                return None

        return type_next

    def _attempt(self, number: int, transcript: Transcript) -> Attempt:
        failure, ending = self._failures.get(number), transcript.ending
        is_endless = ending.kind in ENDLESS or (isinstance(failure, AssignmentError) and failure.is_endless)
        self._endless += is_endless
        if failure is None and ending.kind is EndingKind.FAULT:
            return Attempt(transcript, ending.detail or "it could not be held")
        return Attempt(transcript, str(failure) if failure else "", is_endless)
