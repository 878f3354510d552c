"""Values as bytes in a gradebook, and back."""

from __future__ import annotations

import functools
import re
import zlib
from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

from pitboss.compare.findings import WrittenFinding

_T = TypeVar("_T")
#: The name of a session up to version 2: it ended with the seed or the number.
_SESSION = re.compile(r"(?P<case>.*)(?:, seed (?P<seed>-?[0-9]+)| #(?P<number>[0-9]+))", re.DOTALL)


def packed(value: object) -> bytes:
    """A value as msgpack, compressed."""
    return zlib.compress(msgspec.msgpack.encode(value, enc_hook=str))


def unpacked(content: bytes, kind: type[_T]) -> _T:
    """Unpacks a value of this type. Fractions are stored as text, which is exact."""
    return msgspec.msgpack.decode(zlib.decompress(content), type=kind, dec_hook=lambda to, text: to(text))


def _for_each_stage(change: Callable[[dict[str, Any]], None]) -> Callable[[bytes], bytes]:
    """Decorates a function of a stage: returns a function that applies it to each stage of a packed report.

    A damaged report stays unchanged, so that the other reports can still be read.
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
    """From version 2: store the case, seed and number of each session instead of its name."""
    for result in stage["results"]:
        if match := _SESSION.fullmatch(result["case"]):
            seed, number = match["seed"], match["number"]
            result |= {"case": match["case"], "seed": int(seed) if seed else None, "number": int(number or 0)}


@_for_each_stage
def with_findings(stage: dict[str, Any]) -> None:
    """From version 3: store the finding of each session instead of a sentence, and why a stage was not run."""
    if stage.get("verdict") in ("SKIPPED", "NOT_HANDED_IN", "EMPTY"):
        stage["reason"] = stage.get("summary", "").partition(": ")[2]
    for result in stage["results"]:
        if sentence := result.pop("summary", ""):
            result["finding"] = msgspec.to_builtins(WrittenFinding(sentence))


#: The fields of a stage that version 5 renamed.
_RENAMED = {"taken": "accepted_differences", "is_for_person": "is_manual"}


@_for_each_stage
def with_new_names(stage: dict[str, Any]) -> None:
    """From version 4: rename two fields of a stage and a verdict."""
    for old, new in _RENAMED.items():
        if old in stage:
            stage[new] = stage.pop(old)
    for judged in (stage, *stage["results"]):
        if judged.get("verdict") == "FOR_A_PERSON":
            judged["verdict"] = "NEEDS_REVIEW"
