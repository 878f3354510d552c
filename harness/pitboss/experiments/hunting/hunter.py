"""Plays games with a submission until the time is up, and finds the smallest game that the submission gets wrong.

Scratch files while a hunt runs:

build-*/<stage>/    the program, built as for a check
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from pitboss.assignments.assignment import Stage
from pitboss.compare.check_events import Begun, Failed, StageWork
from pitboss.compare.findings import OddDraws
from pitboss.compare.results import Report, Result, StageReport
from pitboss.compare.verdicts import Verdict
from pitboss.errors import UsageError
from pitboss.experiments.hunting.examples import known_games
from pitboss.experiments.hunting.game_runners import DrawnGameRunner, SeededGameRunner, smallest
from pitboss.sandbox import progress, scratch
from pitboss.sandbox.pool import Pool
from pitboss.sandbox.workers import core_count, workers
from pitboss.sessions.job import Job
from pitboss.sessions.programs import Program
from pitboss.sessions.session_files_setup import with_submitted_files
from pitboss.submissions.build import build
from pitboss.submissions.compilers import Build
from pitboss.submissions.explanations import fields_on_build
from pitboss.submissions.sources import Source
from pitboss.submissions.stage_files import likely_files
from pitboss.submissions.submission import name_of, open_submission

#: How many seconds a batch of games should take; time is checked between batches.
_BATCH_S = 0.3
#: The maximum number of games in a batch.
_MAX_BATCH = 1000
#: How many times as large as the previous batch a batch may be to fill _BATCH_S.
_MAX_GROWTH = 8
#: If all earlier games are judged again after each batch, a batch has at least as many games as were played earlier,
#: divided by this number.
_EARLIER_GAMES_DIVISOR = 3
#: Games are played for at least this many seconds, even if the build used up the time.
_MIN_PLAYING_S = 1.0
#: The fraction of the hunt's time that may be used to learn from the cases.
_LEARNING_FRACTION = 0.2


class Hunt(msgspec.Struct, frozen=True):
    """The result of a hunt."""

    #: The smallest game that failed; None if no game failed.
    found: Result | None = None
    #: The number of different games played.
    count: int = 0
    #: A problem that no single game shows, such as equal draws in all games.
    finding: OddDraws | None = None
    #: Whether there are no more games.
    is_exhausted: bool = False
    #: Whether Ctrl-C stopped the hunt.
    was_stopped: bool = False
    #: Whether the game failed again when it was repeated.
    is_steady: bool = True
    #: The faults of pitboss or of the assignment's code that prevented games.
    faults: tuple[str, ...] = ()
    #: The number of games in which the reference itself failed.
    failed_references: int = 0
    #: The message of the reference's first failure.
    failure: str = ""
    #: The report on the failed build, like a check's; None if the program was built.
    unbuilt: Report | None = None


#: Either class plays the games of a hunt.
_GameRunner = SeededGameRunner | DrawnGameRunner
#: A function that is called after each batch with the number of games played so far.
Progress = Callable[[int], None]


def hunt_program(
    job: Job, stage: Stage, folder: Path, *, seconds: float, cores: int = 0, report_count: Progress | None = None
) -> Hunt:
    """Build a submission's program for one stage, and hunt for about `seconds` seconds on `cores` cores (0: all).

    Progress events announce the current work (building, running, shrinking) and the first game that fails.

    Raises UsageError if the submission has no program for the stage.
    """
    until = time.monotonic() + seconds
    with open_submission(folder) as submission:
        source = submission.sources((stage,))[stage.name]
        if source is None:
            raise UsageError(f"{folder}: no program is here — a submission has files such as {likely_files(stage)[0]}")
        return _build_and_hunt(job, stage, folder, source, cores, until, report_count)


def _build_and_hunt(
    job: Job, stage: Stage, folder: Path, source: Source, cores: int, until: float, report_count: Progress | None
) -> Hunt:
    with scratch.folder("build") as builds:
        progress.notify(Begun(StageWork.COMPILING, stage.name))
        built = build(source, Path(builds) / stage.name, job.conditions)
        if built.program is None:
            return Hunt(unbuilt=_build_failure_report(job, stage, folder, built))
        # Workers report progress only if a subscriber exists when they start; the reports are used after Ctrl-C.
        with progress.subscribe(lambda _: None), workers(cores or core_count(), takes_part=True) as pool:
            until = max(until, time.monotonic() + _MIN_PLAYING_S)
            progress.notify(Begun(StageWork.RUNNING, stage.name))
            return hunt_with(job, stage, built.program, pool, until=until, report_count=report_count)


def _build_failure_report(job: Job, stage: Stage, folder: Path, built: Build) -> Report:
    report = StageReport(stage.name, stage.title, Verdict.COMPILE_ERROR, summary=built.reason, **fields_on_build(built))
    return Report(
        job.assignment.name, job.assignment.title, name_of(folder), (report,), conditions=job.conditions.sentences
    )


def hunt_with(
    job: Job, stage: Stage, program: Program, pool: Pool, *, until: float, report_count: Progress | None = None
) -> Hunt:
    """Hunt with a built program until the time `until` (time.monotonic), or until Ctrl-C is pressed."""
    failed_result: Result | None = None
    reported: list[Result] = []
    faults: dict[str, None] = {}
    was_stopped, is_steady = False, True
    runner: _GameRunner | None = None
    stage = _with_common_invocation(with_submitted_files(stage, program.folder))
    try:
        now = time.monotonic()
        known = known_games(stage, until=now + (until - now) * _LEARNING_FRACTION)
        runner = (DrawnGameRunner if stage.reader else SeededGameRunner)(job, stage, program, pool, known)
        with progress.subscribe(lambda event: reported.append(event.result) if isinstance(event, Failed) else None):
            for results in _batches(runner, until, report_count or (lambda _: None), pool.size):
                faults |= dict.fromkeys(result.fault for result in results if result.verdict is Verdict.JUDGE_ERROR)
                failed_result = smallest(results)
                if failed_result is not None or faults or runner.finding:
                    break
        if failed_result is not None:
            progress.notify(Failed(failed_result))
            progress.notify(Begun(StageWork.SHRINKING, stage.name))
            for smaller in runner.smaller(failed_result, until=until):
                failed_result = smaller
            is_steady = runner.is_steady(failed_result)
    except KeyboardInterrupt:
        was_stopped = True
        failed_result = failed_result or smallest(reported)  # reported by an unfinished batch
    hunt = Hunt(found=failed_result, was_stopped=was_stopped, is_steady=is_steady, faults=tuple(faults))
    return _with_counts(hunt, runner) if runner else hunt


def _with_counts(hunt: Hunt, runner: _GameRunner) -> Hunt:
    return msgspec.structs.replace(
        hunt,
        count=runner.count,
        finding=runner.finding,
        is_exhausted=runner.is_exhausted,
        failed_references=len(runner.games.failed) if runner.games else 0,
        failure=runner.games.failure if runner.games else "",
    )


def _with_common_invocation(stage: Stage) -> Stage:
    """The stage with only the cases that have the stage's own invocation; raises UsageError if no case has it."""
    cases = tuple(case for case in stage.spec.cases if case.invocation == stage.invocation)
    if not cases:
        raise UsageError(
            f"{stage.spec.path}: each case of {stage.name} has its own arguments or files — hunt uses the stage's "
            "arguments and files, so it needs a case that uses them too"
        )
    return msgspec.structs.replace(stage, spec=msgspec.structs.replace(stage.spec, cases=cases))


def _batches(runner: _GameRunner, until: float, report_count: Progress, cores: int) -> Iterator[list[Result]]:
    """Play one game, then growing batches, so that a program that never ends costs little time.

    A batch should take about _BATCH_S, have a game for each core, and end before the time is up. If the runner judges
    all earlier games again after each batch, batches also grow with the number of earlier games.
    """
    size = 1
    while not runner.is_exhausted and (runner.count == 0 or time.monotonic() < until):
        start = time.monotonic()
        yield runner.play(size, until=max(until, start + _MIN_PLAYING_S) if runner.count == 0 else until)
        report_count(runner.count)
        now = time.monotonic()
        if runner.count == 0 and now > until:
            return
        game_s = max(now - start, 0.001) / max(1, size)
        timed_size = min(int(_BATCH_S / game_s), int(size * _MAX_GROWTH), _MAX_BATCH)
        min_size = cores
        if runner.judges_all_again:
            min_size = max(cores, min(runner.count // _EARLIER_GAMES_DIVISOR, _MAX_BATCH))
        size = max(1, min(max(timed_size, min_size), int((until - now) / game_s)))
