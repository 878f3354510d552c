"""Holding sessions of a program in this process, and judging those whose expected transcript is known before."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Generic, TypeVar

import msgspec

from harness.assignment import Assignment, Generated, Limits, Recorded, Stage
from harness.cases import Session, expectation_of
from harness.drivers import Conditions
from harness.errors import AssignmentError, HarnessError, SessionError
from harness.judging import judged
from harness.players import typist_of
from harness.pool import Pool
from harness.programs import Program
from harness.references import Performance, performance_of
from harness.results import Result
from harness.sessions import Script, Typist, typing
from harness.transcript import ENDLESS, Ending, EndingKind, Event, Transcript
from harness.verdicts import Verdict

T = TypeVar("T")

#: Scripts that are made ready while a driver makes itself ready.
_MOST_PREPARED = 100
#: A program that never ends costs its whole limit each time: after so many the rest is not tried.
_MOST_ENDLESS = 3


class Job(msgspec.Struct, frozen=True):
    """What is checked, and how."""

    assignment: Assignment
    stages: tuple[Stage, ...]
    conditions: Conditions
    #: How the assignment is called on the command line, for the commands that reports name.
    called: str
    #: Only these cases, by name; all where empty.
    only: tuple[str, ...] = ()
    #: Whether a stage is run although one that it needs failed.
    runs_all: bool = False


class Part(msgspec.Struct, Generic[T]):
    """What one worker made of the sessions it took, by number."""

    #: Results, or transcripts with what went wrong on our side.
    made: dict[int, T]
    #: Those that used up what they may use.
    endless: set[int]


def hold_all(pool: Pool, job: Job, program: Program, sessions: Sequence[Session]) -> list[Result]:
    """Hold and judge sessions of one stage, dealt out among a pool; the results in their order."""
    results = _counted(pool.share(hold, job, program, sessions, count=len(sessions)))
    return [results.get(number) or not_held(session) for number, session in enumerate(sessions)]


def _counted(parts: Sequence[Part[T]]) -> dict[int, T]:
    """What counts of what was made: everything up to the last of the first sessions, in their order, without an end.

    Which further ones were held depends on who took which when, so they do not count. Those before it were all held:
    whoever takes no more has met as many without an end, and every number below these had been taken by then.
    """
    endless = sorted(number for part in parts for number in part.endless)
    last = endless[_MOST_ENDLESS - 1] if len(endless) >= _MOST_ENDLESS else None
    return {number: one for part in parts for number, one in part.made.items() if last is None or number <= last}


def hold(numbers: Iterable[int], job: Job, program: Program, sessions: Sequence[Session]) -> Part[Result]:
    """Hold and judge those of a stage's sessions whose numbers come, in this process; the results by number."""
    expected: dict[int, Transcript] = {}
    perform = performance_of(sessions[0].stage, job.conditions.driver_of)

    def script(number: int) -> Script:
        expected[number] = _expectation(sessions[number], perform)
        return Script(typing(expected[number].lines), expected[number].events)

    part = Part[Result]({}, set())
    for number, held in _held(numbers, job, program, sessions[0].stage.limits, script):
        if held.failure:
            part.made[number] = fault(sessions[number], held.failure, job)
        else:
            part.made[number] = judged(sessions[number], expected.pop(number), held.transcript, job.called)
        if held.is_endless:
            part.endless.add(number)
    return part


class Attempt(msgspec.Struct, frozen=True):
    """A session that was tried."""

    transcript: Transcript
    #: What went wrong on our side, as a sentence; empty where nothing did.
    failure: str = ""
    #: Whether it used up what it, or we, may use.
    is_endless: bool = False


def _held(
    numbers: Iterable[int], job: Job, program: Program, limits: Limits, script_of: Callable[[int], Script]
) -> Iterator[tuple[int, Attempt]]:
    """Sessions that were tried, with their numbers, in the order in which they end.

    No more numbers are taken once some sessions have not ended by themselves.
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
    """Sessions of one program, run in this process.

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
        while self._endless < _MOST_ENDLESS and (number := next(numbers, None)) is not None:
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
        return script._replace(typist=self._guarded(number, script.typist))

    def _guarded(self, number: int, typist: Typist) -> Typist:
        def type_next(events: Sequence[Event]) -> bytes | None:
            try:
                return None if number in self._failures else typist(events)
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


#: What the reference does is computed once in a process, however many submissions it checks; so is how it fails, unless
#: that lies in the machine and not in the assignment.
_expectations: dict[tuple[object, ...], Transcript | HarnessError] = {}
#: No class has so many sessions; games that are made up have, and each is held once.
_MOST_EXPECTATIONS = 10_000


def _expectation(session: Session, perform: Performance) -> Transcript:
    case = session.case
    if isinstance(case.session, Recorded):
        return expectation_of(session, perform)
    key = (session.stage.reference, case.place, session.seed, case.session.answers, case.exit_code)
    if key not in _expectations:
        if len(_expectations) >= _MOST_EXPECTATIONS:
            _expectations.clear()
        try:
            _expectations[key] = expectation_of(session, perform)
        except SessionError:
            raise
        except HarnessError as error:
            _expectations[key] = error
    known = _expectations[key]
    if isinstance(known, HarnessError):
        raise known
    return known


def fault(session: Session, detail: str, job: Job) -> Result:
    """A session that could not be held, by our fault."""
    actual = Transcript((), Ending(EndingKind.FAULT, detail=detail))
    return judged(session, Transcript(()), actual, job.called)


def not_held(session: Session) -> Result:
    """A session that was not tried, since those before it did not end by themselves."""
    return Result(
        stage=session.stage.name,
        case=session.name,
        verdict=Verdict.SKIPPED,
        summary=f"Not run: {_MOST_ENDLESS} sessions of this stage before it did not end by themselves.",
        expected=Transcript(()),
        actual=Transcript(()),
        points=session.case.points,
        visibility=session.case.visibility,
        place=session.case.place,
    )


def hold_all_freely(pool: Pool, job: Job, program: Program, sessions: Sequence[Session]) -> list[Attempt | None]:
    """Hold sessions whose draws nobody fixed, dealt out among a pool; None for those not tried."""
    attempts = _counted(pool.share(hold_freely, job, program, sessions, count=len(sessions)))
    return [attempts.get(number) for number in range(len(sessions))]


def hold_freely(numbers: Iterable[int], job: Job, program: Program, sessions: Sequence[Session]) -> Part[Attempt]:
    """Hold those sessions whose numbers come, in this process, by number."""

    def script(number: int) -> Script:
        case = sessions[number].case
        assert isinstance(case.session, Generated)
        return Script(typist_of(case.session, None, case.place))

    made = dict(_held(numbers, job, program, sessions[0].stage.limits, script))
    return Part(made, {number for number, attempt in made.items() if attempt.is_endless})
