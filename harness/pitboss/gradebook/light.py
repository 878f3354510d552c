"""Reports without transcripts: all that tables, grades and histories need of a report, in a hundredth of the space."""

from __future__ import annotations

import msgspec

from pitboss.compare.results import Report, Result, StageReport
from pitboss.model.transcript import Transcript

_EMPTY = Transcript(())


def without_transcripts(report: Report) -> Report:
    """The report with the case, verdict and points of each session, but without transcripts and build messages."""
    return msgspec.structs.replace(report, stages=tuple(map(_stage_without_transcripts, report.stages)))


def _stage_without_transcripts(stage: StageReport) -> StageReport:
    return msgspec.structs.replace(
        stage, results=tuple(map(_result_without_transcripts, stage.results)), build_messages=""
    )


def _result_without_transcripts(result: Result) -> Result:
    return Result(
        stage=result.stage,
        case=result.case,
        seed=result.seed,
        number=result.number,
        verdict=result.verdict,
        expected=_EMPTY,
        actual=_EMPTY,
        points=result.points,
        visibility=result.visibility,
    )


def changed_verdicts(before: Report, now: Report) -> list[tuple[str, str, str, str]]:
    """Returns the sessions whose verdict differs in two reports: stage, session, verdict before, verdict now.

    A verdict is empty if its report lacks the session.
    """
    old_verdicts = {
        (stage.stage, result.session): result.verdict.value for stage in before.stages for result in stage.results
    }
    new_verdicts = {
        (stage.stage, result.session): result.verdict.value for stage in now.stages for result in stage.results
    }
    return [
        (*key, old_verdicts.get(key, ""), new_verdicts.get(key, ""))
        for key in dict.fromkeys((*old_verdicts, *new_verdicts))
        if old_verdicts.get(key) != new_verdicts.get(key)
    ]
