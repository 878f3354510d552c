"""Checking a submission: build its stages, run and judge their sessions, on all cores or in this process."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec

from harness.assignments.assignment import Generated, Stage
from harness.assignments.cases import sessions_of
from harness.assignments.players import input_script_of
from harness.draws.reader import reader_of
from harness.draws.unseeded import judge_unseeded
from harness.errors import HarnessError, UsageError
from harness.judging.outcome import StageJudge
from harness.judging.results import Report, Result, StageReport
from harness.judging.seeded import judge_seeded
from harness.judging.verdicts import Verdict
from harness.judging.wording import without_guesses
from harness.machine import scratch
from harness.machine.pool import Pool, Task
from harness.machine.workers import core_count, workers
from harness.mistakes.diagnosis import with_diagnosis
from harness.mistakes.rerun import misused_memory
from harness.running.job import Job
from harness.running.outfitting import outfitted
from harness.running.programs import Program
from harness.running.references import expected_run_of
from harness.submissions.build import build
from harness.submissions.compilers import Build
from harness.submissions.explanations import explanation_of
from harness.submissions.sources import Source, expected_files
from harness.submissions.submission import Submission, name_of, opened
from harness.transcripts.transcript import EndingKind

#: With fewer sessions than this, starting more processes costs more than it saves.
_FEW_SESSIONS = 24
_FAILED = (Verdict.RUN_TIME_ERROR, Verdict.WRONG_ANSWER)
_ALL_HIDDEN = "Not run: all its cases are hidden; they are run when the class is graded."


def build_stage(job: Job, source: Source, into: str) -> Build:
    """Build one stage, in this process."""
    return build(source, Path(into), job.conditions.sandbox)


def check(job: Job, folder: Path, *, name: str = "", count: int = 0) -> Report:
    """Check one submission on `count` cores (0: all).

    Raises UsageError if nothing in the folder can be checked, SpecError if the assignment is wrong.
    """
    name = name or name_of(folder)
    with opened(folder) as submission:
        job, sources = _handed_in(job, submission)
        if not any(sources.values()):
            raise UsageError(_nothing(job, folder, submission))
        names_are_there(job)
        session_count = sum(len(sessions_of(stage, _only(job, stage))) for stage in job.stages)
        count = count or core_count()
        if count == 1 or session_count < _FEW_SESSIONS:
            return _checked(job, submission, name, sources, Pool())
        with workers(count, takes_part=True) as pool:
            return _checked(job, submission, name, sources, pool)


def _nothing(job: Job, folder: Path, submission: Submission) -> str:
    """The message for a submission that has no program."""
    ambiguous = next((stage for stage in job.stages if submission.is_ambiguous(stage)), None)
    if submission.problems or ambiguous:
        return f"{folder}: {' '.join(submission.problems) or submission.missing(ambiguous or job.stages[0])}"
    wanted = " or ".join(expected_files(job.stages[0])[:2])
    stages = f"of {job.assignment.name} " if len(job.stages) > 1 else ""
    return (
        f"{folder}: no program {stages}is here — a submission has files such as {wanted}, "
        f"or a Makefile that makes them; {submission.content}"
    )


def names_are_there(job: Job) -> None:
    """Check that what an assignment names exists, before a long run depends on it; raises SpecError if not."""
    for stage in job.stages:
        for reference in (stage.reference, *(one.reference for one in stage.tolerated)):
            expected_run_of(stage, job.conditions.driver_of, reference)
        if stage.reader:
            reader_of(stage)
        for case in stage.spec.cases:
            if isinstance(case.session, Generated):
                input_script_of(case.session, None, case.place)


def check_here(job: Job, folder: Path, name: str) -> Report:
    """Check one submission in this process alone; a worker calls this for each submission of a class.

    An error on our side or in the assignment becomes a fault in this report; other submissions are not affected.
    """
    try:
        with opened(folder, is_alone=True) as submission:
            job, sources = _handed_in(job, submission)
            return _checked(job, submission, name if folder.is_dir() else name_of(folder), sources, Pool())
    except HarnessError as error:
        return fault_report(job, name, str(error))


def fault_report(job: Job, name: str, detail: str) -> Report:
    """The report on a submission that could not be checked because of a fault."""
    stages = tuple(StageReport(stage.name, stage.title, Verdict.JUDGE_ERROR, summary=detail) for stage in job.stages)
    return Report(job.assignment.name, job.assignment.title, name, stages, (detail,), job.conditions.sentences)


def _handed_in(job: Job, submission: Submission) -> tuple[Job, dict[str, Source | None]]:
    """The job without optional stages that were not handed in, and the sources of the other stages."""
    sources = submission.sources(job.stages)
    kept = tuple(stage for stage in job.stages if sources[stage.name] or not stage.is_optional)
    kept = kept or job.stages
    return msgspec.structs.replace(job, stages=kept), {stage.name: sources[stage.name] for stage in kept}


def _only(job: Job, stage: Stage) -> tuple[str, ...]:
    return job.only if len(job.stages) == 1 else ()


def _checked(job: Job, submission: Submission, name: str, sources: dict[str, Source | None], pool: Pool) -> Report:
    with scratch.folder("build") as builds:
        made = {
            stage: pool.submit(build_stage, job, source, f"{builds}/{stage}")
            for stage, source in sources.items()
            if source is not None
        }
        reports: dict[str, StageReport] = {}
        for stage in job.stages:
            task, source = made.get(stage.name), sources[stage.name]
            reports[stage.name] = (
                _stage_report(job, stage, task, reports, pool, source) if task else _not_handed_in(stage, submission)
            )
    return Report(
        assignment=job.assignment.name,
        title=job.assignment.title,
        submission=name,
        stages=tuple(reports.values()),
        faults=_faults(reports.values()),
        conditions=job.conditions.sentences,
        notes=tuple(submission.notes),
    )


def _faults(reports: Iterable[StageReport]) -> tuple[str, ...]:
    """All distinct faults of these reports, in order."""
    faults: dict[str, None] = {}
    for report in reports:
        faults |= dict.fromkeys(one.summary for one in report.results if one.verdict is Verdict.JUDGE_ERROR)
        if report.verdict is Verdict.JUDGE_ERROR and not report.results:
            faults[report.summary] = None
        faults |= dict.fromkeys(report.faults)
    return tuple(faults)


def _not_handed_in(stage: Stage, submission: Submission) -> StageReport:
    verdict, summary = Verdict.NOT_HANDED_IN, submission.missing(stage)
    if submission.is_empty:
        verdict, summary = Verdict.EMPTY, "Empty: nothing was handed in."
    return StageReport(stage.name, stage.title, verdict, summary=summary, total=len(sessions_of(stage)))


def _stage_report(
    job: Job,
    stage: Stage,
    task: Task[Build],
    earlier: dict[str, StageReport],
    pool: Pool,
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
        verdict = Verdict.JUDGE_ERROR if built.is_fault else Verdict.COMPILE_ERROR
        return msgspec.structs.replace(base, verdict=verdict, summary=built.reason)
    if not sessions:
        return msgspec.structs.replace(base, summary=_ALL_HIDDEN)
    failed = [need for need in stage.needs if need in earlier and earlier[need].verdict is not Verdict.ACCEPTED]
    if failed and not job.runs_all:
        return msgspec.structs.replace(base, summary=_not_run(stage, earlier[failed[0]]))
    report = msgspec.structs.replace(judge_program(job, stage, built.program, pool), **said)
    suspect = _suspect(report)
    if suspect is None or source is None or source.language not in ("c", "cpp"):
        return report
    crash = misused_memory(job, outfitted(stage, built.program.folder), source, suspect)
    return _with_crash(report, crash, suspect.case) if crash else report


def _with_crash(report: StageReport, crash: str, case: str) -> StageReport:
    """The report with the crash that was found, and without guesses at the cause."""
    results = tuple(
        msgspec.structs.replace(one, summary=without_guesses(one.summary)) if one.verdict in _FAILED else one
        for one in report.results
    )
    return msgspec.structs.replace(report, crash=crash, crash_case=case, results=results)


def _not_run(stage: Stage, failed: StageReport) -> str:
    """Why a stage is not run: a stage that it needs failed or was not handed in."""
    was_missing = failed.verdict is Verdict.NOT_HANDED_IN
    if len(stage.needs) > 1:
        reason = f", and {failed.stage} {'was not handed in' if was_missing else 'is not'}"
        return f"Not run: {stage.name} counts only when {' and '.join(stage.needs)} are perfect{reason}."
    reason = ", and that was not handed in" if was_missing else ""
    return f"Not run: {stage.name} counts only when {failed.stage} is perfect{reason}."


def _suspect(report: StageReport) -> Result | None:
    """A session worth running again with memory checks: one that crashed, or an unexplained wrong one that exited."""
    # The report says nothing about a hidden case, not even where it crashed, so public ones come first.
    results = sorted(report.results, key=lambda one: one.visibility != "public")
    crashed = next((one for one in results if one.actual.ending.kind is EndingKind.SIGNALLED), None)
    if crashed or report.diagnosis:
        return crashed
    wrong = (one for one in results if one.verdict is Verdict.WRONG_ANSWER)
    return next((one for one in wrong if one.actual.ending.kind is EndingKind.EXITED), None)


def judge_program(job: Job, stage: Stage, program: Program, pool: Pool) -> StageReport:
    """Run and judge all sessions of a stage with a built program, and diagnose the failed ones."""
    stage = outfitted(stage, program.folder)
    outcome = judge_of(stage)(job, stage, program, sessions_of(stage, _only(job, stage)), pool)
    report = outcome.report(stage)
    return with_diagnosis(report, stage, outcome.witnesses) if report.verdict is Verdict.WRONG_ANSWER else report


def judge_of(stage: Stage) -> StageJudge:
    """The function that judges this stage."""
    return judge_unseeded if stage.reader else judge_seeded


def judge_here(job: Job, stage: Stage, program: Program) -> StageReport:
    """Like `judge_program`, in this process: what a worker does for one submission of a class."""
    return judge_program(job, stage, program, Pool())
