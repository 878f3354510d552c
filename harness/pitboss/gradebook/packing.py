"""What a gradebook stores: packed values, reports without transcripts, and upgrades of what earlier versions packed."""

from __future__ import annotations

import functools
import re
import zlib
from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

from pitboss.compare.findings import WrittenFinding
from pitboss.compare.results import Report, Result, StageReport
from pitboss.model.transcript import Transcript

_T = TypeVar("_T")
#: Matches a session's name as stored up to version 2: the case, then the seed or the number of the session.
_OLD_SESSION_NAME = re.compile(r"(?P<case>.*)(?:, seed (?P<seed>-?[0-9]+)| #(?P<number>[0-9]+))", re.DOTALL)


def pack_value(value: object) -> bytes:
    """Returns a value as compressed msgpack; fractions are stored as text, which is exact."""
    return zlib.compress(msgspec.msgpack.encode(value, enc_hook=str))


def unpack_value(content: bytes, kind: type[_T]) -> _T:
    """Returns the value of type `kind` that `pack_value` turned into this content."""
    return msgspec.msgpack.decode(zlib.decompress(content), type=kind, dec_hook=lambda target, text: target(text))


def _for_each_stage(change: Callable[[dict[str, Any]], None]) -> Callable[[bytes], bytes]:
    """Turns a function that changes one stage into a function that changes every stage of a packed report.

    A damaged report is returned unchanged, so that a gradebook with such a report can still be upgraded.
    """

    @functools.wraps(change)
    def change_report(content: bytes) -> bytes:
        try:
            report = msgspec.msgpack.decode(zlib.decompress(content))
        except (zlib.error, msgspec.MsgspecError):
            return content
        for stage in report["stages"]:
            change(stage)
        return zlib.compress(msgspec.msgpack.encode(report))

    return change_report


@_for_each_stage
def with_cases(stage: dict[str, Any]) -> None:
    """Upgrades a stage of version 2: stores the case, seed and number of each session instead of its name."""
    for result in stage["results"]:
        if match := _OLD_SESSION_NAME.fullmatch(result["case"]):
            seed, number = match["seed"], match["number"]
            result |= {"case": match["case"], "seed": int(seed) if seed else None, "number": int(number or 0)}


@_for_each_stage
def with_findings(stage: dict[str, Any]) -> None:
    """Upgrades a stage of version 3.

    It stores a finding for each session instead of a sentence, and the reason why the stage was not run.
    """
    if stage.get("verdict") in ("SKIPPED", "NOT_HANDED_IN", "EMPTY"):
        # The summary is the verdict and the reason, such as "Empty: nothing was handed in."
        stage["reason"] = stage.get("summary", "").partition(": ")[2]
    for result in stage["results"]:
        if sentence := result.pop("summary", ""):
            result["finding"] = msgspec.to_builtins(WrittenFinding(sentence))


#: The fields of a stage that version 5 renamed: the new name by the old name.
_NEW_FIELD_NAMES = {"taken": "accepted_differences", "is_for_person": "is_manual"}


@_for_each_stage
def with_new_names(stage: dict[str, Any]) -> None:
    """Upgrades a stage of version 4: renames two of its fields, and the verdict FOR_A_PERSON."""
    for old, new in _NEW_FIELD_NAMES.items():
        if old in stage:
            stage[new] = stage.pop(old)
    for entry in (stage, *stage["results"]):
        if entry.get("verdict") == "FOR_A_PERSON":
            entry["verdict"] = "NEEDS_REVIEW"


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
