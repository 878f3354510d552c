"""Checking a submission: build its stages, hold their sessions, judge them; on all cores, or in this process."""

from __future__ import annotations

import time
from itertools import islice
from pathlib import Path

import msgspec

from harness import scratch
from harness.assignment import Stage
from harness.building import Build, build
from harness.cases import sessions_of
from harness.diagnosing import Witness, diagnosed
from harness.errors import SessionError, UsageError
from harness.explaining import explanation_of
from harness.holding import Job, hold_all
from harness.hunting import games_of, session_of, smallest
from harness.programs import Program
from harness.rechecking import misused_memory
from harness.results import Report, Result, StageReport, worst
from harness.sources import Source, expected_files, find_source
from harness.teams import Task, Team
from harness.transcript import EndingKind
from harness.unseeded import judge_unseeded
from harness.verdicts import Verdict
from harness.workers import core_count, workers

#: With fewer sessions than this, more processes cost more than they bring.
_FEW_SESSIONS = 24
#: Games that are hunted for at once: a failure among the first is the smallest there is.
_HUNTED_AT_ONCE = 400


def build_stage(job: Job, source: Source, into: str) -> Build:
    """Build one stage, in this process."""
    return build(source, Path(into), job.conditions.sandbox)


def check(job: Job, folder: Path, *, name: str = "", count: int = 0) -> Report:
    """Check one submission on `count` cores (0: all).

    UsageError when nothing of it can be checked, SpecError when the assignment is wrong.
    """
    job, sources = _handed_in(job, folder)
    if not any(sources.values()):
        wanted = " or ".join(expected_files(job.stages[0])[:2])
        stages = f"of {job.assignment.name} " if len(job.stages) > 1 else ""
        raise UsageError(f"{folder}: no program {stages}is here — a submission has files such as {wanted}, "
                         "or a Makefile that makes them")  # fmt: skip
    session_count = sum(len(sessions_of(stage, _only(job, stage))) for stage in job.stages)
    count = count or core_count()
    if count == 1 or session_count < _FEW_SESSIONS:
        return _checked(job, folder, name, sources, Team())
    with workers(count, takes_part=True) as team:
        return _checked(job, folder, name, sources, team)


def check_here(job: Job, folder: Path, name: str) -> Report:
    """Check one submission in this process alone: what a worker does for one of a class.

    A submission that cannot be read or built here is a fault of its own, and costs the others nothing.
    """
    try:
        job, sources = _handed_in(job, folder)
        return _checked(job, folder, name, sources, Team())
    except (UsageError, SessionError) as error:
        return fault_report(job, name, str(error))


def fault_report(job: Job, name: str, detail: str) -> Report:
    """The report on a submission that could not be checked, by our fault."""
    stages = tuple(StageReport(stage.name, stage.title, Verdict.JUDGE_ERROR, summary=detail) for stage in job.stages)
    return Report(job.assignment.name, job.assignment.title, name, stages, (detail,), job.conditions.sentences)


def _handed_in(job: Job, folder: Path) -> tuple[Job, dict[str, Source | None]]:
    """The job without optional stages that are not here, and where the programs of the others are."""
    sources = {stage.name: find_source(folder, stage) for stage in job.stages}
    kept = tuple(stage for stage in job.stages if sources[stage.name] or not stage.is_optional)
    kept = kept or job.stages
    return msgspec.structs.replace(job, stages=kept), {stage.name: sources[stage.name] for stage in kept}


def _only(job: Job, stage: Stage) -> tuple[str, ...]:
    return job.only if len(job.stages) == 1 else ()


def _checked(job: Job, folder: Path, name: str, sources: dict[str, Source | None], team: Team) -> Report:
    with scratch.folder("build") as builds:
        made = {
            stage: team.submit(build_stage, job, source, f"{builds}/{stage}")
            for stage, source in sources.items()
            if source is not None
        }
        reports: dict[str, StageReport] = {}
        for stage in job.stages:
            task = made.get(stage.name)
            reports[stage.name] = (
                _stage_report(job, stage, task, reports, team, sources[stage.name]) if task else _not_handed_in(stage)
            )
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
    files = ", ".join(expected_files(stage)[:2])
    summary = f"Not handed in: there is no {files} or the like, and no Makefile that makes {stage.name}."
    return StageReport(stage.name, stage.title, Verdict.SKIPPED, summary=summary, total=len(sessions_of(stage)))


def _stage_report(
    job: Job,
    stage: Stage,
    task: Task[Build],
    earlier: dict[str, StageReport],
    team: Team,
    source: Source | None,
) -> StageReport:
    sessions = sessions_of(stage, _only(job, stage))
    base = StageReport(stage.name, stage.title, Verdict.SKIPPED, total=len(sessions))
    built = task.result()
    said = {
        "build_command": built.command,
        "build_messages": built.messages,
        "build_explanation": explanation_of(built.messages),
    }
    base = msgspec.structs.replace(base, **said)
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
    report = msgspec.structs.replace(judge_program(job, stage, built.program, team), **said)
    suspect = _suspect(report)
    if suspect is None or source is None or source.language not in ("c", "cpp"):
        return report
    return msgspec.structs.replace(report, crash=misused_memory(job, stage, source, suspect))


def _suspect(report: StageReport) -> Result | None:
    """A session that crashed, or one that came to its end and went wrong for no reason that is known."""
    crashed = next((one for one in report.results if one.actual.ending.kind is EndingKind.SIGNALLED), None)
    if crashed or report.diagnosis:
        return crashed
    wrong = (one for one in report.results if one.verdict is Verdict.WRONG_ANSWER)
    return next((one for one in wrong if one.actual.ending.kind is EndingKind.EXITED), None)


def judge_program(job: Job, stage: Stage, program: Program, team: Team) -> StageReport:
    """Hold and judge all sessions of a stage with a program that is built, dealt out among a team."""
    sessions = sessions_of(stage, _only(job, stage))
    if stage.reader:
        return judge_unseeded(job, stage, program, sessions, team)
    results = tuple(hold_all(team, job, program, sessions))
    verdict = worst(result.verdict for result in results)
    witnesses = [
        Witness(
            result.actual,
            session.case.policy,
            result.verdict is Verdict.ACCEPTED,
            expected=result.expected.events,
        )
        for session, result in zip(sessions, results, strict=True)
        if result.verdict in (Verdict.ACCEPTED, Verdict.WRONG_ANSWER)
    ]
    diagnosis = diagnosed(stage, witnesses) if verdict is Verdict.WRONG_ANSWER else ()
    return StageReport(stage.name, stage.title, verdict, results, len(sessions), diagnosis=diagnosis)


def judge_here(job: Job, stage: Stage, program: Program) -> StageReport:
    """Hold and judge all sessions of a stage in this process: what a worker does for one submission of a class."""
    return judge_program(job, stage, program, Team())


def hunted(job: Job, stage: Stage, folder: Path, *, seconds: float) -> tuple[Result | None, int]:
    """The smallest game that fails with a submission, or None, and how many were played in about so many seconds."""
    source = find_source(folder, stage)
    if source is None:
        raise UsageError(f"{folder}: no program is here — a submission has files such as {expected_files(stage)[0]}")
    with scratch.folder("build") as builds:
        built = build_stage(job, source, f"{builds}/{stage.name}")
        if built.program is None:
            raise UsageError(f"{folder}: {built.reason}")
        return _hunted(job, stage, built.program, seconds)


def _hunted(job: Job, stage: Stage, program: Program, seconds: float) -> tuple[Result | None, int]:
    until, games, count = time.monotonic() + seconds, games_of(stage), 0
    with workers(core_count(), takes_part=True) as team:
        while time.monotonic() < until:
            batch = [session_of(stage, game) for game in islice(games, _HUNTED_AT_ONCE)]
            if not batch:
                break
            count += len(batch)
            if stage.reader:
                alone = msgspec.structs.replace(job, only=("hunted",))
                results = judge_unseeded(alone, stage, program, batch, team).results
            else:
                results = tuple(hold_all(team, job, program, batch))
            found = smallest(results)
            if found is not None:
                return found, count
    return None, count
