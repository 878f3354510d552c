"""Holding sessions of a program in this process, and judging those whose expected transcript is known before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from harness.assignment import Assignment, Generated, Recorded, Stage
from harness.cases import Session, expectation_of
from harness.drivers import Conditions
from harness.errors import SessionError
from harness.judging import judged
from harness.players import typist_of
from harness.programs import Program
from harness.references import Performance, performance_of
from harness.results import Result
from harness.sessions import Script, typing
from harness.transcript import Ending, EndingKind, Transcript
from harness.verdicts import Verdict

#: A program that never ends costs its whole limit each time: after so many the rest is not tried.
_MOST_ENDLESS = 3
_ENDLESS = frozenset(
    {EndingKind.OUT_OF_CPU_TIME, EndingKind.OUT_OF_IDLE_TIME, EndingKind.OVER_OUTPUT, EndingKind.OVER_MEMORY}
)


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


def hold(job: Job, program: Program, sessions: Sequence[Session]) -> list[Result]:
    """Hold and judge sessions of one stage, in this process; the results in their order."""
    results: dict[int, Result] = {}
    endless = 0

    def scripts() -> Iterator[Script]:
        for number, session in enumerate(sessions):
            if endless >= _MOST_ENDLESS:
                return
            try:
                expected[number] = _expectation(session, perform)
            except SessionError as error:
                expected[number] = Transcript(())
                results[number] = fault(session, str(error), job)
                yield Script(typing(()), ())
                continue
            yield Script(typing(expected[number].lines), expected[number].events)

    expected: dict[int, Transcript] = {}
    limits = sessions[0].stage.limits
    perform = performance_of(sessions[0].stage, lambda reference: job.conditions.driver_of(reference, limits))
    try:
        with job.conditions.driver_of(program, limits) as driver:
            for number, actual in driver.sessions(scripts()):
                session = sessions[number]
                results.setdefault(number, judged(session, expected.pop(number), actual, job.called))
                endless += actual.ending.kind in _ENDLESS
    except SessionError as error:
        for number, session in enumerate(sessions):
            results.setdefault(number, fault(session, str(error), job))
    return [results.get(number) or not_held(session) for number, session in enumerate(sessions)]


#: What the reference does is computed once in a process, however many submissions it checks.
_expectations: dict[tuple[str, str, int | None], Transcript] = {}


def _expectation(session: Session, perform: Performance) -> Transcript:
    if isinstance(session.case.session, Recorded):
        return expectation_of(session, perform)
    key = (session.stage.name, session.case.place, session.seed)
    if key not in _expectations:
        _expectations[key] = expectation_of(session, perform)
    return _expectations[key]


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


def hold_freely(job: Job, program: Program, sessions: Sequence[Session]) -> list[Transcript | None]:
    """Hold sessions whose draws nobody fixed, in this process; their transcripts, None for those not tried."""
    held: dict[int, Transcript] = {}
    limits = sessions[0].stage.limits
    endless = 0

    def scripts() -> Iterator[Script]:
        for session in sessions:
            if endless >= _MOST_ENDLESS:
                return
            assert isinstance(session.case.session, Generated)
            yield Script(typist_of(session.case.session, None, session.case.place))

    try:
        with job.conditions.driver_of(program, limits) as driver:
            for number, transcript in driver.sessions(scripts()):
                held[number] = transcript
                endless += transcript.ending.kind in _ENDLESS
    except SessionError as error:
        for number in range(len(sessions)):
            held.setdefault(number, Transcript((), Ending(EndingKind.FAULT, detail=str(error))))
    return [held.get(number) for number in range(len(sessions))]
