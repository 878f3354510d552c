"""Returns the report of a worker's task, even if the task failed, and lists the faults in reports."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from pitboss.compare.results import Report, StageReport, Verdict
from pitboss.errors import SessionError
from pitboss.sandbox.pool import Task
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
        unrequested=job.unchecked_stages,
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
