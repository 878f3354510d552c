"""Looks for misuse of memory: reruns one session of a program that crashed, or that is wrong for an unknown reason."""

from __future__ import annotations

import msgspec

from pitboss.assignments.assignment import Stage
from pitboss.compare.findings import Compared
from pitboss.compare.results import Result, StageReport
from pitboss.compare.verdicts import Verdict
from pitboss.experiments.sanitizers import LANGUAGES, sentence_on_misused_memory
from pitboss.model.transcript import EndingKind
from pitboss.sessions.job import Job
from pitboss.submissions.sources import Source

#: The verdicts on a session that misuse of memory may explain.
_MAY_BE_MISUSE = (Verdict.RUN_TIME_ERROR, Verdict.WRONG_ANSWER)


def report_with_crash_line(job: Job, stage: Stage, source: Source | None, report: StageReport) -> StageReport:
    """The report, with a sentence on the line that misuses memory if a rerun under memory checks finds the line.

    At most one session is rerun: a session that crashed, or one with an unexplained wrong answer.
    """
    suspect = _suspect(report)
    if suspect is None or source is None or source.language not in LANGUAGES:
        return report
    crash = sentence_on_misused_memory(job, stage, source, suspect)
    return _with_crash(report, crash, suspect.session) if crash else report


def _with_crash(report: StageReport, sentence: str, session: str) -> StageReport:
    """The report with a sentence on the line that misuses memory, and the name of the session that shows it.

    The line counts as the cause of all failures, so the report need not guess a cause.
    """
    results = tuple(
        msgspec.structs.replace(result, finding=msgspec.structs.replace(result.finding, is_misuse_located=True))
        if result.verdict in _MAY_BE_MISUSE and isinstance(result.finding, Compared)
        else result
        for result in report.results
    )
    return msgspec.structs.replace(report, crash=sentence, crash_case=session, results=results)


def _suspect(report: StageReport) -> Result | None:
    """The session to rerun with memory checks: a session that crashed, or else one with an unexplained wrong answer."""
    # The report says nothing about a hidden case, not even where it crashed, so public cases come first.
    results = sorted(report.results, key=lambda result: result.visibility != "public")
    crashed = next((result for result in results if result.actual.ending.kind is EndingKind.SIGNALLED), None)
    if crashed or report.diagnosis:  # a diagnosis explains the wrong answers: without a crash, return None
        return crashed
    wrong_results = (result for result in results if result.verdict is Verdict.WRONG_ANSWER)
    normal_endings = (EndingKind.EXITED, EndingKind.OUT_OF_LINES)
    return next((result for result in wrong_results if result.actual.ending.kind in normal_endings), None)
