"""Playing games with a submission until the time is over, and finding the smallest that it gets wrong.

build-*/<stage>/    the program, built as for a check
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol

import msgspec

from harness import scratch
from harness.assignment import Stage
from harness.building import build
from harness.compiling import Build
from harness.errors import UsageError
from harness.explaining import explanation_of
from harness.hunting.examples import known_games
from harness.hunting.games import Games
from harness.hunting.tables import DrawnTable, SeededTable, smallest
from harness.job import Job
from harness.pool import Pool
from harness.programs import Program
from harness.results import Report, Result, StageReport
from harness.sources import Source, expected_files
from harness.submissions import name_of, opened
from harness.verdicts import Verdict
from harness.workers import core_count, workers

#: How long a batch of games should take: between two the time is looked at.
_BATCH_S = 0.3
_MOST_AT_ONCE, _FASTEST_GROWTH = 1000, 8
#: However long the build took, so long is played.
_LEAST_S = 1.0
#: Of the time a part may be used to learn what the cases tell.
_LEARNING = 0.2


class Hunt(msgspec.Struct, frozen=True):
    """What a hunt found."""

    #: The smallest game that went wrong; None where none did.
    found: Result | None = None
    #: How many different games were played.
    count: int = 0
    #: What no single game shows: that a program draws the same in all of them.
    finding: str = ""
    #: Whether there are no other games.
    is_exhausted: bool = False
    #: Whether a person stopped it.
    was_stopped: bool = False
    #: Whether what went wrong did so once more.
    is_steady: bool = True
    #: Why games could not be played, by our fault.
    faults: tuple[str, ...] = ()
    #: How many games the reference itself failed in, and how.
    failed_references: int = 0
    failure: str = ""
    #: The report on a program that could not be built, as a check gives it; None where it was built.
    unbuilt: Report | None = None


class _Table(Protocol):
    """Where games are played."""

    finding: str

    @property
    def games(self) -> Games | None: ...

    @property
    def count(self) -> int: ...

    @property
    def is_exhausted(self) -> bool: ...

    def play(self, count: int, *, until: float) -> list[Result]: ...

    def smaller(self, found: Result, *, until: float) -> Iterator[Result]: ...

    def is_steady(self, found: Result) -> bool: ...


#: Told now and then how many games were played so far.
Progress = Callable[[int], None]


def hunted(
    job: Job, stage: Stage, folder: Path, *, seconds: float, count: int = 0, tell: Progress | None = None
) -> Hunt:
    """Build one stage of a submission and hunt for about so many seconds, on `count` cores (0: all).

    UsageError where the program is not there.
    """
    until = time.monotonic() + seconds
    with opened(folder) as submission:
        source = submission.sources((stage,))[stage.name]
        if source is None:
            raise UsageError(
                f"{folder}: no program is here — a submission has files such as {expected_files(stage)[0]}"
            )
        return _hunted(job, stage, folder, source, count, until, tell)


def _hunted(
    job: Job, stage: Stage, folder: Path, source: Source, count: int, until: float, tell: Progress | None
) -> Hunt:
    with scratch.folder("build") as builds:
        built = build(source, Path(builds) / stage.name, job.conditions.sandbox)
        if built.program is None:
            return Hunt(unbuilt=_unbuilt(job, stage, folder, built))
        with workers(count or core_count(), takes_part=True) as pool:
            until = max(until, time.monotonic() + _LEAST_S)
            return hunt_with(job, stage, built.program, pool, until=until, tell=tell)


def _unbuilt(job: Job, stage: Stage, folder: Path, built: Build) -> Report:
    report = StageReport(
        stage.name,
        stage.title,
        Verdict.COMPILE_ERROR,
        summary=built.reason,
        build_command=built.command,
        build_messages=built.messages,
        build_explanation=explanation_of(built.messages),
    )
    return Report(
        job.assignment.name, job.assignment.title, name_of(folder), (report,), conditions=job.conditions.sentences
    )


def hunt_with(
    job: Job, stage: Stage, program: Program, pool: Pool, *, until: float, tell: Progress | None = None
) -> Hunt:
    """Hunt with a program that is built, until this time of the monotonic clock, or until somebody presses Ctrl-C."""
    found: Result | None = None
    faults: dict[str, None] = {}
    was_stopped, is_steady = False, True
    table: _Table | None = None
    try:
        now = time.monotonic()
        known = known_games(stage, until=now + (until - now) * _LEARNING)
        table = (DrawnTable if stage.reader else SeededTable)(job, stage, program, pool, known)
        for results in _batches(table, until, tell or (lambda _: None)):
            faults |= dict.fromkeys(one.summary for one in results if one.verdict is Verdict.JUDGE_ERROR)
            found = smallest(results)
            if found is not None or faults or table.finding:
                break
        if found is not None:
            for smaller in table.smaller(found, until=until):
                found = smaller
            is_steady = table.is_steady(found)
    except KeyboardInterrupt:
        was_stopped = True
    return Hunt(
        found=found,
        count=table.count if table else 0,
        finding=table.finding if table else "",
        is_exhausted=table.is_exhausted if table else False,
        was_stopped=was_stopped,
        is_steady=is_steady,
        faults=tuple(faults),
        failed_references=len(table.games.failed) if table and table.games else 0,
        failure=table.games.failure if table and table.games else "",
    )


def _batches(table: _Table, until: float, tell: Progress) -> Iterator[list[Result]]:
    """Play one game, then a few, then as many at a time as take a moment: a program that does not end costs little."""
    size = 1
    while not table.is_exhausted and (table.count == 0 or time.monotonic() < until):
        begun = time.monotonic()
        yield table.play(size, until=max(until, begun + _LEAST_S) if table.count == 0 else until)
        tell(table.count)
        if table.count == 0 and time.monotonic() > until:
            return
        growth = _BATCH_S / max(time.monotonic() - begun, 0.001)
        size = max(1, min(int(size * min(growth, _FASTEST_GROWTH)), _MOST_AT_ONCE))
