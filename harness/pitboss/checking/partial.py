"""Records the progress of a check, and builds a partial report if the check is stopped.

The report contains the stages that were judged completely. For the stage in progress it has a session that failed, if
any; for later stages it has nothing. No stage is accepted unless it was judged completely.
"""

from __future__ import annotations

from pitboss.compare.check_events import Begun, Failed, Judged, Replayed, StageWork, Tally
from pitboss.compare.results import Report, Result, StageReport
from pitboss.compare.verdicts import Verdict
from pitboss.sandbox.progress import WorkProgress
from pitboss.sessions.job import Job
from pitboss.submissions.submission import listed

_STOPPED = {
    StageWork.COMPILING: "Stopped while {stage} was being compiled",
    StageWork.RUNNING: "Stopped while running the sessions of {stage}",
    StageWork.NAMING: "Stopped while looking for the mistake in {stage}",
    StageWork.CHECKING_MEMORY: "Stopped while looking for misuse of memory",
}


class CheckProgress:
    """The progress events of a check so far."""

    def __init__(self, job: Job, name: str) -> None:
        """Start without events, for the submission with this name."""
        self._job, self._name = job, name
        self._begun: Begun | None = None
        self._progress: WorkProgress | None = None
        self._tally, self._is_replaying = Tally(), False
        self._reports: dict[str, StageReport] = {}
        self._failed: dict[str, Result] = {}

    def hear(self, event: object) -> None:
        """Record an event."""
        match event:
            case Begun():
                self._begun, self._progress, self._tally, self._is_replaying = event, None, Tally(), False
            case WorkProgress():
                self._progress, self._is_replaying = self._tally.add(event), False
            case Replayed():
                self._is_replaying = True
            case Failed(result, is_cut) if not is_cut:
                self._failed.setdefault(result.stage, result)
            case Judged(report):
                self._reports[report.stage] = report

    def report(self) -> Report:
        """The partial report for a check that is stopped now."""
        return Report(
            assignment=self._job.assignment.name,
            title=self._job.assignment.title,
            submission=self._name,
            stages=tuple(
                self._reports.get(stage.name) or self._incomplete_report(stage.name, stage.title)
                for stage in self._job.stages
            ),
            conditions=self._job.conditions.sentences,
            stopped=self._stop_message(),
            unasked=self._job.unasked,
        )

    def _incomplete_report(self, name: str, title: str) -> StageReport:
        """The report on a stage that was not judged completely."""
        failed = self._failed.get(name)
        if failed is None:
            return StageReport(name, title, Verdict.SKIPPED)
        total = self._progress.of if self._progress else 1
        return StageReport(name, title, failed.verdict, (failed,), total, is_partial=True)

    def _stop_message(self) -> str:
        """Where the check was stopped, and which stages were not judged completely."""
        begun, progress = self._begun, self._progress
        text = "Stopped before anything was compiled"
        if begun is not None:
            text = _STOPPED[begun.work].format(stage=begun.stage)
        if begun is not None and self._is_replaying:
            text = f"Stopped while the reference was replaying sessions of {begun.stage}"
        elif progress is not None and begun is not None and begun.work is StageWork.RUNNING:
            total = "" if begun.is_open else f" of {progress.of:,}"
            text = f"{text}, at session {progress.count:,}{total}"
        missing = [stage.name for stage in self._job.stages if stage.name not in self._reports]
        rest = f" Not judged completely: {listed(missing)}." if missing else ""
        return f"{text}: this report is partial.{rest}"
