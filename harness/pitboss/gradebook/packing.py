"""Values as bytes in a gradebook, and back."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

from pitboss.judging.findings import Written

_T = TypeVar("_T")
#: How the name of a session ended up to version 2: with its seed, or with its number.
_SESSION = re.compile(r"(?P<case>.*)(?:, seed (?P<seed>-?[0-9]+)| #(?P<number>[0-9]+))", re.DOTALL)


def packed(value: object) -> bytes:
    """A value as msgpack, compressed."""
    return zlib.compress(msgspec.msgpack.encode(value, enc_hook=str))


def unpacked(content: bytes, kind: type[_T]) -> _T:
    """A value of this kind as it was packed. Fractions are texts there, which are exact."""
    return msgspec.msgpack.decode(zlib.decompress(content), type=kind, dec_hook=lambda to, text: to(text))


def with_cases(content: bytes) -> bytes:
    """A report as version 2 packed it, with the case, seed and number of each session in place of its name."""

    def change(result: dict[str, Any]) -> None:
        if found := _SESSION.fullmatch(result["case"]):
            seed, number = found["seed"], found["number"]
            result |= {"case": found["case"], "seed": int(seed) if seed else None, "number": int(number or 0)}

    return _with_results(content, change)


def with_findings(content: bytes) -> bytes:
    """A report as version 3 packed it, with what was found in each session in place of the sentence alone."""

    def change(result: dict[str, Any]) -> None:
        if sentence := result.pop("summary", ""):
            result["finding"] = msgspec.to_builtins(Written(sentence))

    return _with_results(content, change)


def _with_results(content: bytes, change: Callable[[dict[str, Any]], None]) -> bytes:
    """The report with each of its results changed.

    What is no report, being damaged, stays as it is: it must not keep all others from being read.
    """
    try:
        report = msgspec.msgpack.decode(zlib.decompress(content))
    except (zlib.error, msgspec.MsgspecError):
        return content
    for result in (result for stage in report["stages"] for result in stage["results"]):
        change(result)
    return zlib.compress(msgspec.msgpack.encode(report))
