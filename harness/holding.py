"""Holding sessions of a program in this process, and judging those whose expected transcript is known before."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import msgspec

from harness.assignment import Assignment, Generated, Limits, Recorded, Stage
from harness.cases import Session, expectation_of
from harness.drivers import Conditions
from harness.errors import SessionError
from harness.judging import judged
from harness.players import typist_of
from harness.programs import Program
from harness.references import Performance, performance_of
from harness.results import Result
from harness.sessions import Script, typing
from harness.teams import Team
from harness.transcript import Ending, EndingKind, Transcript
from harness.verdicts import Verdict

#: Scripts that are made ready while a driver makes itself ready.
_MOST_PREPARED = 100
#: A program that never ends costs its whole limit each time: after so many the rest is not tried.
_MOST_ENDLESS = 3
_ENDLESS = frozenset(
    {
        EndingKind.OUT_OF_CPU_TIME,
        EndingKind.OUT_OF_IDLE_TIME,
        EndingKind.OUT_OF_REAL_TIME,
        EndingKind.OVER_OUTPUT,
        EndingKind.OVER_MEMORY,
    }
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


def hold_all(team: Team, job: Job, program: Program, sessions: Sequence[Session]) -> list[Result]:
    """Hold and judge sessions of one stage, dealt out among a team; the results in their order."""
    parts = team.deal(hold, job, program, sessions, count=len(sessions))
    results = {number: result for part in parts for number, result in part.items()}
    return [results.get(number) or not_held(session) for number, session in enumerate(sessions)]


def hold(numbers: Iterable[int], job: Job, program: Program, sessions: Sequence[Session]) -> dict[int, Result]:
    """Hold and judge those of a stage's sessions whose numbers come, in this process; the results by number."""
    results: dict[int, Result] = {}
    expected: dict[int, Transcript] = {}
    limits = sessions[0].stage.limits
    perform = performance_of(sessions[0].stage, lambda reference: job.conditions.driver_of(reference, limits))

    def script(number: int) -> Script:
        try:
            expected[number] = _expectation(sessions[number], perform)
        except SessionError as error:
            results[number] = fault(sessions[number], str(error), job)
            return Script(typing(()), ())
        return Script(typing(expected[number].lines), expected[number].events)

    for number, actual in _held(numbers, job, program, limits, script):
        if actual.ending.kind is EndingKind.FAULT:
            results[number] = fault(sessions[number], actual.ending.detail, job)
        elif number not in results:
            results[number] = judged(sessions[number], expected.pop(number, Transcript(())), actual, job.called)
    return results


def _held(
    numbers: Iterable[int], job: Job, program: Program, limits: Limits, script_of: Callable[[int], Script]
) -> Iterator[tuple[int, Transcript]]:
    """The transcripts of sessions with their numbers, in the order in which they end.

    No more numbers are taken once some sessions have not ended by themselves.
    """
    taken: list[int] = []
    ended: set[int] = set()
    endless = 0

    prepared: dict[int, Script] = {}
    left = iter(numbers)

    def scripts() -> Iterator[Script]:
        while endless < _MOST_ENDLESS and (number := next(left, None)) is not None:
            taken.append(number)
            yield prepared.get(number) or script_of(number)

    try:
        with job.conditions.driver_of(program, limits) as driver:
            if isinstance(numbers, range):  # nobody else takes any, and a sandbox takes its time to start
                prepared |= {number: script_of(number) for number in numbers[:_MOST_PREPARED]}
            for place, transcript in driver.sessions(scripts()):
                endless += transcript.ending.kind in _ENDLESS
                ended.add(taken[place])
                yield taken[place], transcript
    except SessionError as error:
        for number in (*taken, *left):
            if number not in ended:
                yield number, Transcript((), Ending(EndingKind.FAULT, detail=str(error)))


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


def hold_all_freely(team: Team, job: Job, program: Program, sessions: Sequence[Session]) -> list[Transcript | None]:
    """Hold sessions whose draws nobody fixed, dealt out among a team; their transcripts, None for those not tried."""
    parts = team.deal(hold_freely, job, program, sessions, count=len(sessions))
    held = {number: transcript for part in parts for number, transcript in part.items()}
    return [held.get(number) for number in range(len(sessions))]


def hold_freely(
    numbers: Iterable[int], job: Job, program: Program, sessions: Sequence[Session]
) -> dict[int, Transcript]:
    """Hold those sessions whose numbers come, in this process; the transcripts by number."""

    def script(number: int) -> Script:
        case = sessions[number].case
        assert isinstance(case.session, Generated)
        return Script(typist_of(case.session, None, case.place))

    return dict(_held(numbers, job, program, sessions[0].stage.limits, script))
