"""Reports without their sessions: all that tables, sums and histories need, in a hundredth of the space."""

from __future__ import annotations

import msgspec

from pitboss.compare.results import Report, Result, StageReport
from pitboss.model.transcript import Transcript

_NOTHING = Transcript(())


def light(report: Report) -> Report:
    """The report with every session's case, verdict and points, but without its transcript."""
    return msgspec.structs.replace(report, stages=tuple(map(_stage, report.stages)))


def _stage(stage: StageReport) -> StageReport:
    return msgspec.structs.replace(stage, results=tuple(map(_result, stage.results)), build_messages="")


def _result(result: Result) -> Result:
    return Result(
        stage=result.stage,
        case=result.case,
        seed=result.seed,
        number=result.number,
        verdict=result.verdict,
        expected=_NOTHING,
        actual=_NOTHING,
        points=result.points,
        visibility=result.visibility,
    )


def sessions_changed(before: Report, now: Report) -> list[tuple[str, str, str, str]]:
    """Stage, case, and both verdicts of each session that changed; a verdict is empty if there was no session."""
    old = {(stage.stage, one.session): one.verdict.value for stage in before.stages for one in stage.results}
    new = {(stage.stage, one.session): one.verdict.value for stage in now.stages for one in stage.results}
    return [
        (*name, old.get(name, ""), new.get(name, ""))
        for name in dict.fromkeys((*old, *new))
        if old.get(name) != new.get(name)
    ]
