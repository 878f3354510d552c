"""Running sessions of a program in this process, and what counts of them when several processes share them."""

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

#: Scripts that are made ready while a driver makes itself ready.
_MOST_PREPARED = 100
#: A program that never ends costs its whole limit each time: after so many the rest is not tried.
MOST_ENDLESS = 3


class Part(msgspec.Struct, Generic[T]):
    """What one worker made of the sessions it took, by number."""

    #: Results, or transcripts with what went wrong on our side.
    made: dict[int, T]
    #: Those that used up what they may use.
    endless: set[int]


def counted(parts: Sequence[Part[T]]) -> dict[int, T]:
    """What counts of what was made: everything up to the last of the first sessions, in their order, without an end.

    Which further ones were run depends on who took which when, so they do not count. Those before it were all run:
    whoever takes no more has met as many without an end, and every number below these had been taken by then.
    """
    endless = sorted(number for part in parts for number in part.endless)
    last = endless[MOST_ENDLESS - 1] if len(endless) >= MOST_ENDLESS else None
    return {number: one for part in parts for number, one in part.made.items() if last is None or number <= last}


class Attempt(msgspec.Struct, frozen=True):
    """A session that was run, or that we failed to run."""

    transcript: Transcript
    #: What went wrong on our side, as a sentence; empty where nothing did.
    failure: str = ""
    #: Whether it used up what it, or we, may use.
    is_endless: bool = False


def attempts(
    numbers: Iterable[int], job: Job, program: Program, limits: Limits, script_of: Callable[[int], Script]
) -> Iterator[tuple[int, Attempt]]:
    """Run the sessions whose numbers come; each number with its attempt, in the order in which the sessions end.

    No more numbers are taken once some sessions have not ended by themselves. What goes wrong on our side, or in code
    of the assignment, is in the attempt.
    """
    run, left = _Run(script_of), iter(numbers)
    try:
        with job.conditions.driver_of(program, limits) as driver:
            if isinstance(numbers, range):  # nobody else takes any, and a sandbox takes its time to start
                run.prepare(numbers[:_MOST_PREPARED])
            for place, transcript in driver.sessions(run.scripts(left)):
                yield run.attempt(place, transcript)
    except SessionError as error:
        for number in (*run.waiting(), *left):
            yield number, Attempt(Transcript(()), str(error))
    yield from run.lost.items()


class _Run:
    """Sessions of one program that are being run in this process.

    What an assignment's own code does wrong is a fault of the session in which it was called.
    """

    def __init__(self, script_of: Callable[[int], Script]) -> None:
        self._script_of = script_of
        self._prepared: dict[int, Script | None] = {}
        self._taken: list[int] = []
        self._ended: set[int] = set()
        self._endless = 0
        self._failures: dict[int, HarnessError] = {}
        #: Those that could not begin, since it is not known what is to be typed or what is expected.
        self.lost: dict[int, Attempt] = {}

    def prepare(self, numbers: Iterable[int]) -> None:
        """Make scripts ready."""
        self._prepared |= {number: self._script(number) for number in numbers}

    def scripts(self, numbers: Iterator[int]) -> Iterator[Script]:
        """Take numbers, and give their scripts."""
        while self._endless < MOST_ENDLESS and (number := next(numbers, None)) is not None:
            script = self._prepared[number] if number in self._prepared else self._script(number)
            if script is None:
                self.lost[number] = self._attempt(number, Transcript(()))
                continue
            self._taken.append(number)
            yield script

    def attempt(self, place: int, transcript: Transcript) -> tuple[int, Attempt]:
        """A session that has ended, the one whose script was given as number `place`."""
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
