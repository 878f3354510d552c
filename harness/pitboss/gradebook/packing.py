"""Values as bytes in a gradebook, and back."""

from __future__ import annotations

import re
import zlib
from typing import TypeVar

import msgspec

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
    """A report as version 2 packed it, with the case, seed and number of each session in place of its name.

    What is no report, being damaged, stays as it is: it must not keep all others from being read.
    """
    try:
        report = msgspec.msgpack.decode(zlib.decompress(content))
    except (zlib.error, msgspec.MsgspecError):
        return content
    for result in (result for stage in report["stages"] for result in stage["results"]):
        if found := _SESSION.fullmatch(result["case"]):
            seed, number = found["seed"], found["number"]
            result |= {"case": found["case"], "seed": int(seed) if seed else None, "number": int(number or 0)}
    return zlib.compress(msgspec.msgpack.encode(report))
