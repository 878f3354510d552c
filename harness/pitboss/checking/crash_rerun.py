"""Looks for misuse of memory: reruns one session of a program that crashed, or that is wrong for an unknown reason."""

from __future__ import annotations

import contextlib
import re

import msgspec

from pitboss.assignments.assignment import Stage
from pitboss.compare.findings import Compared
from pitboss.compare.results import Result, StageReport, Verdict
from pitboss.experiments.sanitizers import LANGUAGES, sentence_on_misused_memory
from pitboss.model.crashes import crash_in
from pitboss.model.languages import suffix_of
from pitboss.model.transcript import EndingKind
from pitboss.sandbox.files import beginning_of
from pitboss.sessions.job import Job
from pitboss.sessions.programs import Program
from pitboss.submissions.sources import MAX_BYTES, Source, files_below

#: The verdicts on a session that misuse of memory may explain.
_MAY_BE_MISUSE = (Verdict.RUN_TIME_ERROR, Verdict.WRONG_ANSWER)


def report_with_crash_line(
    job: Job, stage: Stage, source: Source | None, program: Program | None, report: StageReport
) -> StageReport:
    """The report, with a sentence on the line that misuses memory if a rerun under memory checks finds the line.

    At most one session is rerun: a session that crashed, or one with an unexplained wrong answer. For a stack overflow
    in C#, where the runtime names the method alone, the sentence has the line of the method.
    """
    if source is not None and source.language in ("c", "cpp"):
        report = _with_findings(report, returns_from_main=True)
    suspect = _suspect(report)
    languages = (*LANGUAGES, "csharp")
    if suspect is None or source is None or program is None or source.language not in languages:
        return report
    if source.language == "csharp":
        crash = _sentence_on_stack_overflow(source, suspect)
    else:
        crash = sentence_on_misused_memory(job, stage, source, program, suspect)
    return _with_crash(report, crash, suspect.session) if crash else report


def _sentence_on_stack_overflow(source: Source, suspect: Result) -> str:
    """A sentence with the line of the method in which a C# program's stack overflowed.

    Empty unless just one line declares a method of that name: .NET says nothing of its class and parameters.
    """
    crash = crash_in(suspect.actual.error_output)
    _, _, method = crash.error.partition("Stack overflow: ") if crash else ("", "", "")
    declaration = re.compile(
        rf"(?!\s*(?://|/?\*|(?:return|await|throw|new|else|yield)\b))[^=;({{]*[\w>\]?]\s+{method}\s*(?:<[^>]*>)?\("
    )
    places: list[tuple[str, int]] = []
    with contextlib.suppress(OSError):
        for name in sorted(files_below(source.folder)) if method else ():
            lines = beginning_of(source.folder / name, MAX_BYTES).splitlines() if suffix_of(name) == ".cs" else []
            texts = (line.decode(errors="replace") for line in lines)
            places += [(name, number) for number, text in enumerate(texts, 1) if declaration.match(text)]
    if len(places) != 1:
        return ""
    file, number = places[0]
    return f"The method whose calls did not end, {method}, begins in line {number} of {file}."


def _with_crash(report: StageReport, sentence: str, session: str) -> StageReport:
    """The report with a sentence on the line that misuses memory, and the name of the session that shows it.

    The line counts as the cause of all failures, so the report need not guess a cause.
    """
    report = _with_findings(report, is_misuse_located=True)
    return msgspec.structs.replace(report, crash=sentence, crash_case=session)


def _with_findings(report: StageReport, **changes: bool) -> StageReport:
    """The report with these fields of the findings of its crashes and wrong answers."""
    results = tuple(
        msgspec.structs.replace(result, finding=msgspec.structs.replace(result.finding, **changes))
        if result.verdict in _MAY_BE_MISUSE and isinstance(result.finding, Compared)
        else result
        for result in report.results
    )
    return msgspec.structs.replace(report, results=results)


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
