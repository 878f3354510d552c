"""The part of a report that students may see: for hidden cases, only how many there are and how many passed."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from pitboss.compare.results import Diagnosis, Report, Result, StageReport
from pitboss.compare.submission_texts import AcceptedDifference
from pitboss.compare.verdicts import Verdict

_FAULT = "A hidden case could not be judged, which is not the program's fault."
_STAGE_FAULT = "This stage could not be judged, which is not the program's fault."


def student_report(report: Report, *, is_past_due: bool = False) -> Report:
    """Returns the report without the sessions of hidden cases, and without anything known from hidden cases alone.

    Cases that are shown after the due date count as hidden until `is_past_due`. A report without hidden cases keeps all
    sessions. Its commands are for a student, who has the assignment by its name and the programs in the working
    folder.
    """
    report = _called_by_name(report)
    if is_past_due:
        report = msgspec.structs.replace(report, stages=tuple(map(_opened, report.stages)))
    if not report.has_hidden:
        return report
    stages = tuple(map(_stage, report.stages))
    results = [result for stage in stages for result in stage.results]
    faults = dict.fromkeys(result.fault for result in results if result.verdict is Verdict.JUDGE_ERROR)
    hidden = [result for stage in report.stages for result in _hidden(stage.results)]
    if any(result.verdict is Verdict.JUDGE_ERROR for result in hidden):
        faults[_FAULT] = None
    return msgspec.structs.replace(report, stages=stages, faults=tuple(faults))


def _called_by_name(report: Report) -> Report:
    """The report without the instructor's paths in its commands."""
    if not report.folder and not report.called:
        return report

    def by_name(result: Result) -> Result:
        if result.rerun is None:
            return result
        rerun = msgspec.structs.replace(result.rerun, assignment=report.assignment, given="")
        return msgspec.structs.replace(result, rerun=rerun)

    stages = tuple(
        msgspec.structs.replace(stage, results=tuple(map(by_name, stage.results))) for stage in report.stages
    )
    return msgspec.structs.replace(report, stages=stages, folder="", called="")


def _opened(stage: StageReport) -> StageReport:
    """The stage with its “after due” cases made public."""
    return msgspec.structs.replace(
        stage,
        results=tuple(
            msgspec.structs.replace(result, visibility="public") if result.visibility == "after due" else result
            for result in stage.results
        ),
    )


def _hidden(results: Iterable[Result]) -> list[Result]:
    return [result for result in results if result.visibility != "public"]


def _stage(stage: StageReport) -> StageReport:
    """A new report on a stage: only the fields named here are published."""
    public = tuple(result for result in stage.results if result.visibility == "public")
    hidden = _hidden(stage.results)
    is_fault = stage.verdict is Verdict.JUDGE_ERROR and not stage.results
    return StageReport(
        stage=stage.stage,
        title=stage.title,
        verdict=stage.verdict,
        results=public,
        total=len(public) if stage.results else stage.total,
        is_begun=stage.is_begun,
        # What went wrong on our side may name a case.
        reason=stage.reason,
        summary=_STAGE_FAULT if is_fault else stage.summary,
        build_command=stage.build_command,
        build_messages=stage.build_messages,
        build_explanation=stage.build_explanation,
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
    """Whether a text can be seen in a public case; a missing text cannot."""
    return bool(difference.text) and any((difference.text or b"") in result.actual.text for result in public)


def _is_public_mistake(diagnosis: Diagnosis, hidden: list[Result]) -> bool:
    """Whether a mistake explains a failed public case: it explains more sessions than failed in hidden cases."""
    return diagnosis.explains > sum(result.verdict is Verdict.WRONG_ANSWER for result in hidden)
