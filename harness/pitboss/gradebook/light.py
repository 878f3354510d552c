"""Reports without their sessions: everything that tables, grades and histories need, in a hundredth of the space."""

from __future__ import annotations

import msgspec

from pitboss.compare.results import Report, Result, StageReport
from pitboss.model.transcript import Transcript

_EMPTY = Transcript(())


def without_transcripts(report: Report) -> Report:
    """The report with every session's case, verdict and points, but without its transcript."""
    return msgspec.structs.replace(report, stages=tuple(map(_light_stage, report.stages)))


def _light_stage(stage: StageReport) -> StageReport:
    return msgspec.structs.replace(stage, results=tuple(map(_light_result, stage.results)), build_messages="")


def _light_result(result: Result) -> Result:
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


def sessions_changed(before: Report, now: Report) -> list[tuple[str, str, str, str]]:
    """Stage, case, and both verdicts of each session that changed; a verdict is empty if there was no session."""
    old = {(stage.stage, result.session): result.verdict.value for stage in before.stages for result in stage.results}
    new = {(stage.stage, result.session): result.verdict.value for stage in now.stages for result in stage.results}
    return [
        (*name, old.get(name, ""), new.get(name, ""))
        for name in dict.fromkeys((*old, *new))
        if old.get(name) != new.get(name)
    ]
