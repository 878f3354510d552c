"""Returns the report of a worker or of a check that was not possible, and lists the faults in reports."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from pitboss.compare.results import Report, StageReport
from pitboss.compare.verdicts import Verdict
from pitboss.errors import SessionError
from pitboss.sandbox.pool import Task
from pitboss.sessions.job import Job


def report_of(task: Task[Report], job: Job, name: str) -> Report:
    """The report of a worker, or a fault report if the task failed."""
    try:
        return task.result()
    except SessionError as error:  # it has killed a worker, which does not affect other submissions
        return fault_report(job, name, str(error))
    except Exception as error:  # a bug of ours, which does not affect other submissions either
        sys.stderr.write(f"{error}\n")
        last = str(error).strip().rpartition("\n")[2]
        return fault_report(job, name, f"pitboss itself failed; please report this error: {last}")


def fault_report(job: Job, name: str, detail: str) -> Report:
    """The report on a submission that could not be checked because of a fault."""
    stages = tuple(
        StageReport(stage.name, stage.title, Verdict.JUDGE_ERROR, summary=detail, is_manual=stage.is_manual)
        for stage in job.stages
    )
    return Report(
        job.assignment.name,
        job.assignment.title,
        name,
        stages,
        (detail,),
        job.conditions.sentences,
        unasked=job.unasked,
    )


def faults_in(reports: Iterable[StageReport]) -> tuple[str, ...]:
    """All distinct faults of these reports, in order."""
    faults: dict[str, None] = {}
    for report in reports:
        faults |= dict.fromkeys(result.fault for result in report.results if result.verdict is Verdict.JUDGE_ERROR)
        if report.verdict is Verdict.JUDGE_ERROR and not report.results:
            faults[report.summary] = None
        faults |= dict.fromkeys(report.faults)
    return tuple(faults)
