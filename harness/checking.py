"""Checking a submission: build its stages, hold their sessions, judge them; on all cores, or in this process."""

from __future__ import annotations

import gc
import multiprocessing
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from pathlib import Path

import msgspec

from harness.assignment import Assignment, Recorded, Stage
from harness.building import Build, Source, build, expected_files, find_source
from harness.cases import Session, expectation_of, sessions_of
from harness.drivers import Conditions
from harness.errors import SessionError, UsageError
from harness.judging import judged
from harness.programs import Program
from harness.references import Performance, performance_of
from harness.results import Report, Result, StageReport, worst
from harness.sessions import Script, typing
from harness.transcript import Ending, EndingKind, Transcript
from harness.verdicts import Verdict

#: A program that never ends costs its whole limit each time: after so many the rest is not tried.
_MOST_ENDLESS = 3
_ENDLESS = frozenset(
    {EndingKind.OUT_OF_CPU_TIME, EndingKind.OUT_OF_IDLE_TIME, EndingKind.OVER_OUTPUT, EndingKind.OVER_MEMORY}
)
#: With fewer sessions than this, more processes cost more than they bring.
_FEW_SESSIONS = 24


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


# In a worker process

_worker = 0


def _begin_worker(counter: object) -> None:
    """Give this process a number of its own, and a core."""
    global _worker
    # What there is now lives as long as this process, so the collector need not go through it again and again.
    gc.freeze()
    with counter.get_lock():  # type: ignore[attr-defined]
        counter.value += 1  # type: ignore[attr-defined]
        _worker = counter.value  # type: ignore[attr-defined]
    if hasattr(os, "sched_setaffinity"):
        cores = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {cores[_worker % len(cores)]})


def workers(count: int) -> ProcessPoolExecutor:
    """Processes that check, each on a core of its own."""
    context = multiprocessing.get_context("fork" if "fork" in multiprocessing.get_all_start_methods() else "spawn")
    counter = context.Value("i", 0)
    pool = ProcessPoolExecutor(count, mp_context=context, initializer=_begin_worker, initargs=(counter,))
    pool.submit(_begun)  # they are on their way while we go on
    return pool


def _begun() -> None:
    """Nothing, which has the workers started."""


def core_count() -> int:
    """How many cores we may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


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
                results[number] = _fault(session, str(error), job)
                yield Script(typing(()), ())
                continue
            yield Script(typing(expected[number].lines), expected[number].events)

    expected: dict[int, Transcript] = {}
    limits = sessions[0].stage.limits
    perform = performance_of(sessions[0].stage, lambda reference: job.conditions.driver_of(reference, limits, _worker))
    try:
        with job.conditions.driver_of(program, limits, _worker) as driver:
            for number, actual in driver.sessions(scripts()):
                session = sessions[number]
                results.setdefault(number, judged(session, expected.pop(number), actual, job.called))
                endless += actual.ending.kind in _ENDLESS
    except SessionError as error:
        for number, session in enumerate(sessions):
            results.setdefault(number, _fault(session, str(error), job))
    return [results.get(number) or _not_held(session) for number, session in enumerate(sessions)]


#: What the reference does is computed once in a process, however many submissions it checks.
_expectations: dict[tuple[str, str, int | None], Transcript] = {}


def _expectation(session: Session, perform: Performance) -> Transcript:
    if isinstance(session.case.session, Recorded):
        return expectation_of(session, perform)
    key = (session.stage.name, session.case.place, session.seed)
    if key not in _expectations:
        _expectations[key] = expectation_of(session, perform)
    return _expectations[key]


def _fault(session: Session, detail: str, job: Job) -> Result:
    """A session that could not be held, by our fault."""
    actual = Transcript((), Ending(EndingKind.FAULT, detail=detail))
    return judged(session, Transcript(()), actual, job.called)


def _not_held(session: Session) -> Result:
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


def build_stage(job: Job, source: Source, stage: str, into: str) -> Build:
    """Build one stage, in this process."""
    return build(source, stage, Path(into), job.conditions.sandbox, worker=_worker)


# In the process that was asked


class _Inline(Executor):
    """An executor that does everything at once, here."""

    def submit(self, function: Callable[..., object], /, *arguments: object, **options: object) -> Future[object]:  # type: ignore[override]
        future: Future[object] = Future()
        try:
            future.set_result(function(*arguments, **options))
        except BaseException as error:
            future.set_exception(error)
        return future


def check(job: Job, folder: Path, *, name: str = "", count: int = 0) -> Report:
    """Check one submission on `count` cores (0: all).

    UsageError when nothing of it can be checked, SpecError when the assignment is wrong.
    """
    sources = {stage.name: find_source(folder, stage.name) for stage in job.stages}
    if not any(sources.values()):
        wanted = " or ".join(expected_files(job.stages[0].name)[:2])
        stages = f"of {job.assignment.name} " if len(job.stages) > 1 else ""
        raise UsageError(f"{folder}: no program {stages}is here — a submission has files such as {wanted}, "
                         "or a Makefile that makes them")  # fmt: skip
    session_count = sum(len(sessions_of(stage, _only(job, stage))) for stage in job.stages)
    count = count or core_count()
    if count == 1 or session_count < _FEW_SESSIONS:
        return _checked(job, folder, name, sources, _Inline(), 1)
    with workers(count) as pool:
        return _checked(job, folder, name, sources, pool, count)


def check_here(job: Job, folder: Path, name: str) -> Report:
    """Check one submission in this process alone: what a worker does for one of a class.

    A submission that cannot be read or built here is a fault of its own, and costs the others nothing.
    """
    try:
        sources = {stage.name: find_source(folder, stage.name) for stage in job.stages}
        return _checked(job, folder, name, sources, _Inline(), 1)
    except (UsageError, SessionError) as error:
        stages = tuple(
            StageReport(stage.name, stage.title, Verdict.JUDGE_ERROR, summary=str(error)) for stage in job.stages
        )
        return Report(job.assignment.name, job.assignment.title, name, stages, (str(error),), job.conditions.sentences)


def _only(job: Job, stage: Stage) -> tuple[str, ...]:
    return job.only if len(job.stages) == 1 else ()


def _checked(
    job: Job, folder: Path, name: str, sources: dict[str, Source | None], pool: Executor, count: int
) -> Report:
    builds = tempfile.mkdtemp(prefix="pitboss-build-")
    os.chmod(builds, 0o755)
    try:
        made = {
            stage: pool.submit(build_stage, job, source, stage, f"{builds}/{stage}")
            for stage, source in sources.items()
            if source is not None
        }
        reports: dict[str, StageReport] = {}
        for stage in job.stages:
            future = made.get(stage.name)
            reports[stage.name] = (
                _stage_report(job, stage, future, reports, pool, count) if future else _not_handed_in(stage)
            )
    finally:
        shutil.rmtree(builds, ignore_errors=True)
    faults = tuple(
        dict.fromkeys(
            result.summary
            for report in reports.values()
            for result in report.results
            if result.verdict is Verdict.JUDGE_ERROR
        )
    )
    return Report(
        assignment=job.assignment.name,
        title=job.assignment.title,
        submission=name or folder.resolve().name,
        stages=tuple(reports.values()),
        faults=faults,
        conditions=job.conditions.sentences,
    )


def _not_handed_in(stage: Stage) -> StageReport:
    files = ", ".join(expected_files(stage.name)[:2])
    summary = f"Not handed in: there is no {files} or the like, and no Makefile that makes {stage.name}."
    return StageReport(stage.name, stage.title, Verdict.SKIPPED, summary=summary, total=len(sessions_of(stage)))


def _stage_report(
    job: Job, stage: Stage, future: Future[Build], earlier: dict[str, StageReport], pool: Executor, count: int
) -> StageReport:
    sessions = sessions_of(stage, _only(job, stage))
    base = StageReport(stage.name, stage.title, Verdict.SKIPPED, total=len(sessions))
    built = future.result()
    base = msgspec.structs.replace(base, build_command=built.command, build_messages=built.messages)
    if built.program is None:
        return msgspec.structs.replace(base, verdict=Verdict.COMPILE_ERROR, summary=built.reason)
    failed = [need for need in stage.needs if need in earlier and earlier[need].verdict is not Verdict.ACCEPTED]
    if failed and not job.runs_all:
        summary = (
            f"Not run: {stage.name} counts only when {' and '.join(stage.needs)} are perfect, and {failed[0]} is not."
        )
        if len(stage.needs) == 1:
            summary = f"Not run: {stage.name} counts only when {failed[0]} is perfect."
        return msgspec.structs.replace(base, summary=summary)
    return msgspec.structs.replace(
        judge_program(job, stage, built.program, pool, count),
        build_command=built.command,
        build_messages=built.messages,
    )


def judge_program(job: Job, stage: Stage, program: Program, pool: Executor, count: int) -> StageReport:
    """Hold and judge all sessions of a stage with a program that is built, on the `count` workers of a pool."""
    sessions = sessions_of(stage, _only(job, stage))
    results = tuple(_held(job, program, sessions, pool, count))
    verdict = worst(result.verdict for result in results)
    return StageReport(stage.name, stage.title, verdict, results, len(sessions))


def judge_here(job: Job, stage: Stage, program: Program) -> StageReport:
    """Hold and judge all sessions of a stage in this process: what a worker does for one submission of a class."""
    return judge_program(job, stage, program, _Inline(), 1)


def _held(job: Job, program: Program, sessions: list[Session], pool: Executor, count: int) -> Iterable[Result]:
    """Hold sessions on all workers, dealt out in turn."""
    chunks = [sessions[start::count] for start in range(count)]
    futures = [pool.submit(hold, job, program, chunk) for chunk in chunks if chunk]
    results = [future.result() for future in futures]
    return [results[number % count][number // count] for number in range(len(sessions))]
