"""Records the progress of a check, and builds a report if the check is stopped, or if its worker is lost.

The partial report contains the stages that were judged completely. The stage in progress is reported with its first
failed session; if no session has failed, it is reported as skipped. All later stages are reported as skipped. No stage
is accepted unless it was judged completely.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

from pitboss.compare.results import (
    Begun,
    Failed,
    Judged,
    Replayed,
    Report,
    Result,
    StageReport,
    StageWork,
    Tally,
    Verdict,
)
from pitboss.errors import SessionError
from pitboss.machine.pool import Task
from pitboss.machine.progress import WorkProgress
from pitboss.model.words import shortlist
from pitboss.sessions.job import Job


def report_from_task(task: Task[Report], job: Job, name: str) -> Report:
    """Returns the report of a worker's task, or a fault report on the submission `name` if the task failed."""
    try:
        return task.result()
    except SessionError as error:  # the submission has killed a worker; other submissions are not affected
        return fault_report(job, name, str(error))
    except Exception as error:  # a bug in pitboss; other submissions are not affected either
        sys.stderr.write(f"{error}\n")
        last_line = str(error).strip().rpartition("\n")[2]
        return fault_report(job, name, f"pitboss itself failed; please report this error: {last_line}")


def fault_report(job: Job, name: str, detail: str) -> Report:
    """Returns the report on the submission `name`, which could not be checked; `detail` describes the fault."""
    stages = (
        StageReport(stage.name, stage.title, Verdict.JUDGE_ERROR, summary=detail, is_manual=stage.is_manual)
        for stage in job.stages
    )
    return report_on_job(job, name, stages, faults=(detail,))


def report_on_job(job: Job, name: str, stages: Iterable[StageReport], **fields: Any) -> Report:
    """Returns the report on the submission `name` with these fields, and with those that describe the job."""
    return Report(
        job.assignment.name,
        job.assignment.title,
        name,
        tuple(stages),
        conditions=job.conditions.sentences,
        unrequested=job.unchecked_stages,
        **fields,
    )


def faults_in(reports: Iterable[StageReport]) -> tuple[str, ...]:
    """Returns the distinct sentences on faults in these reports, in order."""
    faults: dict[str, None] = {}
    for report in reports:
        faults |= dict.fromkeys(result.fault for result in report.results if result.verdict is Verdict.JUDGE_ERROR)
        if report.verdict is Verdict.JUDGE_ERROR and not report.results:
            faults[report.summary] = None
        faults |= dict.fromkeys(report.faults)
    return tuple(faults)


_STOP_TEXTS = {
    StageWork.COMPILING: "Stopped while {stage} was being compiled",
    StageWork.RUNNING: "Stopped while running the sessions of {stage}",
    StageWork.NAMING: "Stopped while looking for the mistake in {stage}",
    StageWork.CHECKING_MEMORY: "Stopped while looking for misuse of memory",
}


class CheckProgress:
    """The progress events of a check so far."""

    def __init__(self, job: Job, name: str) -> None:
        """Start without events; `name` is the name of the submission in the report."""
        self._job, self._name = job, name
        self._current: Begun | None = None
        self._progress: WorkProgress | None = None
        self._tally, self._is_replaying = Tally(), False
        # By the names of stages: the reports of judged stages, and the first failed sessions.
        self._reports: dict[str, StageReport] = {}
        self._first_failures: dict[str, Result] = {}

    def record_event(self, event: object) -> None:
        match event:
            case Begun():
                self._current, self._progress, self._tally, self._is_replaying = event, None, Tally(), False
            case WorkProgress():
                self._progress, self._is_replaying = self._tally.add(event), False
            case Replayed():
                self._is_replaying = True
            case Failed(result, is_cut) if not is_cut:
                self._first_failures.setdefault(result.stage, result)
            case Judged(report):
                self._reports[report.stage] = report

    def report(self) -> Report:
        """The partial report for a check that is stopped now."""
        stages = (
            self._reports.get(stage.name) or self._incomplete_report(stage.name, stage.title)
            for stage in self._job.stages
        )
        return report_on_job(self._job, self._name, stages, stopped=self._stop_message())

    def _incomplete_report(self, name: str, title: str) -> StageReport:
        failure = self._first_failures.get(name)
        if failure is None:
            return StageReport(name, title, Verdict.SKIPPED)
        total = self._progress.of if self._progress else 1
        return StageReport(name, title, failure.verdict, (failure,), total, is_partial=True)

    def _stop_message(self) -> str:
        """Returns a message that says where the check was stopped, and which stages were not judged completely."""
        current, progress = self._current, self._progress
        text = "Stopped before anything was compiled"
        if current is not None:
            text = _STOP_TEXTS[current.work].format(stage=current.stage)
        if current is not None and self._is_replaying:
            text = f"Stopped while the reference was replaying sessions of {current.stage}"
        elif progress is not None and current is not None and current.work is StageWork.RUNNING:
            total = "" if current.is_open else f" of {progress.of:,}"
            text = f"{text}, at session {progress.count:,}{total}"
        unjudged = [stage.name for stage in self._job.stages if stage.name not in self._reports]
        unjudged_sentence = f" Not judged completely: {shortlist(unjudged)}." if unjudged else ""
        return f"{text}: this report is partial.{unjudged_sentence}"
