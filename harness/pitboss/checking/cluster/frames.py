"""Messages between two processes, each after its length. A Dask worker imports this, so it imports little."""

from __future__ import annotations

import struct
from typing import IO

_LENGTH = struct.Struct(">Q")


def write_frame(writer: IO[bytes], data: bytes) -> None:
    """Write a message."""
    writer.write(_LENGTH.pack(len(data)))
    writer.write(data)
    writer.flush()


def next_frame(reader: IO[bytes]) -> bytes:
    """The next message; none where the other end was closed before it was complete."""
    head = _exactly(reader, _LENGTH.size)
    return _exactly(reader, _LENGTH.unpack(head)[0]) if head else b""


def _exactly(reader: IO[bytes], count: int) -> bytes:
    content = bytearray()
    while len(content) < count:
        chunk = reader.read(count - len(content))
        if not chunk:
            return b""
        content += chunk
    return bytes(content)
