"""Values as bytes in a gradebook, and back."""

from __future__ import annotations

import zlib
from typing import TypeVar

import msgspec

_T = TypeVar("_T")


def packed(value: object) -> bytes:
    """A value as msgpack, compressed."""
    return zlib.compress(msgspec.msgpack.encode(value, enc_hook=str))


def unpacked(content: bytes, kind: type[_T]) -> _T:
    """A value of this kind as it was packed. Fractions are texts there, which are exact."""
    return msgspec.msgpack.decode(zlib.decompress(content), type=kind, dec_hook=lambda to, text: to(text))
