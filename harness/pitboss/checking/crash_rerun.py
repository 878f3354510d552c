"""Looks for misused memory: reruns one session of a program that crashed, or is wrong for an unknown reason."""

from __future__ import annotations

import msgspec

from pitboss.assignments.assignment import Stage
from pitboss.compare.findings import Compared
from pitboss.compare.results import Result, StageReport
from pitboss.compare.verdicts import Verdict
from pitboss.experiments.sanitizers import LANGUAGES, misused_memory
from pitboss.model.transcript import EndingKind
from pitboss.sessions.job import Job
from pitboss.submissions.sources import Source

_FAILED = (Verdict.RUN_TIME_ERROR, Verdict.WRONG_ANSWER)


def with_memory_checked(job: Job, stage: Stage, source: Source | None, report: StageReport) -> StageReport:
    """The report with the line of a crash, if a crashed or unexplained session shows it under memory checks."""
    suspect = _suspect(report)
    if suspect is None or source is None or source.language not in LANGUAGES:
        return report
    crash = misused_memory(job, stage, source, suspect)
    return _with_crash(report, crash, suspect.session) if crash else report


def _with_crash(report: StageReport, crash: str, case: str) -> StageReport:
    """The report with the crash that was found, so that no cause has to be guessed."""
    results = tuple(
        msgspec.structs.replace(result, finding=msgspec.structs.replace(result.finding, is_cause_known=True))
        if result.verdict in _FAILED and isinstance(result.finding, Compared)
        else result
        for result in report.results
    )
    return msgspec.structs.replace(report, crash=crash, crash_case=case, results=results)


def _suspect(report: StageReport) -> Result | None:
    """The session to rerun with memory checks: it crashed, or it exited with an unexplained wrong answer."""
    # The report says nothing about a hidden case, not even where it crashed, so public cases come first.
    results = sorted(report.results, key=lambda result: result.visibility != "public")
    crashed = next((result for result in results if result.actual.ending.kind is EndingKind.SIGNALLED), None)
    if crashed or report.diagnosis:
        return crashed
    wrong = (result for result in results if result.verdict is Verdict.WRONG_ANSWER)
    ended = (EndingKind.EXITED, EndingKind.OUT_OF_LINES)
    return next((result for result in wrong if result.actual.ending.kind in ended), None)
