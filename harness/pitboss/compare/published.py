"""The part of a report that students may see: for hidden cases, only how many there are and how many passed."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from pitboss.compare.results import Diagnosis, Report, Result, StageReport, Verdict
from pitboss.compare.submission_texts import AcceptedDifference

_HIDDEN_CASE_FAULT = "A hidden case could not be judged, which is not the program's fault."
_STAGE_FAULT = "This stage could not be judged, which is not the program's fault."


def student_report(report: Report, *, is_past_due: bool = False) -> Report:
    """Returns the report without the sessions of hidden cases, and without anything known from hidden cases alone.

    Cases that are shown after the due date are hidden unless `is_past_due`. A report without hidden cases keeps all
    sessions. The commands in the report are for a student, who names the assignment by its plain name and has the
    programs in the working folder.
    """
    report = _with_plain_commands(report)
    if is_past_due:
        report = msgspec.structs.replace(report, stages=tuple(map(_with_due_cases_public, report.stages)))
    if not report.has_hidden:
        return report
    stages = tuple(map(_published_stage, report.stages))
    results = [result for stage in stages for result in stage.results]
    faults = dict.fromkeys(result.fault for result in results if result.verdict is Verdict.JUDGE_ERROR)
    hidden = [result for stage in report.stages for result in _hidden_results(stage.results)]
    if any(result.verdict is Verdict.JUDGE_ERROR for result in hidden):
        faults[_HIDDEN_CASE_FAULT] = None
    return msgspec.structs.replace(report, stages=stages, faults=tuple(faults))


def _with_plain_commands(report: Report) -> Report:
    """Returns the report without the instructor's paths in its commands."""
    if not report.folder and not report.called:
        return report

    def without_paths(result: Result) -> Result:
        if result.rerun is None:
            return result
        rerun = msgspec.structs.replace(result.rerun, assignment=report.assignment, named_course_folder="")
        return msgspec.structs.replace(result, rerun=rerun)

    stages = tuple(
        msgspec.structs.replace(stage, results=tuple(map(without_paths, stage.results))) for stage in report.stages
    )
    return msgspec.structs.replace(report, stages=stages, folder="", called="")


def _with_due_cases_public(stage: StageReport) -> StageReport:
    return msgspec.structs.replace(
        stage,
        results=tuple(
            msgspec.structs.replace(result, visibility="public") if result.visibility == "after due" else result
            for result in stage.results
        ),
    )


def _hidden_results(results: Iterable[Result]) -> list[Result]:
    return [result for result in results if result.visibility != "public"]


def _published_stage(stage: StageReport) -> StageReport:
    """Returns a new report on a stage, with only the fields that students may see: the arguments below."""
    public = tuple(result for result in stage.results if result.visibility == "public")
    hidden = _hidden_results(stage.results)
    is_fault = stage.verdict is Verdict.JUDGE_ERROR and not stage.results
    return StageReport(
        stage=stage.stage,
        title=stage.title,
        verdict=stage.verdict,
        results=public,
        total=len(public) if stage.results else stage.total,
        is_begun=stage.is_begun,
        reason=stage.reason,
        # The original summary of a fault on our side may name a hidden case.
        summary=_STAGE_FAULT if is_fault else stage.summary,
        draws=stage.draws,
        build_command=stage.build_command,
        build_messages=stage.build_messages,
        build_explanation=stage.build_explanation,
        tool=stage.tool,
        made_with=stage.made_with,
        is_manual=stage.is_manual,
        comment=stage.comment,
        crash=stage.crash if any(result.session == stage.crash_case for result in public) else "",
        crash_case=stage.crash_case if any(result.session == stage.crash_case for result in public) else "",
        memory=stage.memory,
        is_partial=stage.is_partial,
        build_was_stopped=stage.build_was_stopped,
        judged_as=stage.judged_as,
        rules=stage.rules,
        broken=stage.broken,
        unshown=stage.unshown,
        accepted_differences=tuple(
            difference for difference in stage.accepted_differences if not hidden or _is_public_text(difference, public)
        ),
        diagnosis=tuple(diagnosis for diagnosis in stage.diagnosis if _is_public_mistake(diagnosis, hidden)),
        hidden=(sum(result.verdict is Verdict.ACCEPTED for result in hidden), len(hidden))
        if hidden and not stage.is_manual
        else None,
    )


def _is_public_text(difference: AcceptedDifference, public: Iterable[Result]) -> bool:
    """Whether the program shows the accepted text in a public case; False if the program omits the text."""
    return bool(difference.text) and any((difference.text or b"") in result.actual.text for result in public)


def _is_public_mistake(diagnosis: Diagnosis, hidden: list[Result]) -> bool:
    """Whether a mistake certainly explains a failed public case.

    This is certain if the mistake explains more sessions than failed in hidden cases.
    """
    return diagnosis.explains > sum(result.verdict is Verdict.WRONG_ANSWER for result in hidden)
