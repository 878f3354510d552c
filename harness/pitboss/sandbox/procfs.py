"""Reads /proc: returns nothing if a process is gone, and raises OSError if we lack the descriptors to read it."""

from __future__ import annotations

import os

from pitboss.sandbox.shortages import is_short, retry_shortages

_CHUNK_BYTES = 1 << 16


def names_in(folder: str) -> list[str]:
    """The names in a folder; empty if it cannot be read, but OSError if the cause is that resources are short."""
    try:
        return retry_shortages(lambda: os.listdir(folder))
    except OSError as error:
        if is_short(error.errno):
            raise
        return []


def text_of(path: str) -> str:
    """The text of a file; empty if it cannot be read, but OSError if the cause is that resources are short."""
    try:
        return retry_shortages(lambda: _read(path))
    except OSError as error:
        if is_short(error.errno):
            raise
        return ""


def memory_kill_count() -> int:
    """How many processes the kernel has ended so far for lack of memory, from /proc/vmstat; 0 if unknown.

    Processes of all containers are counted, whichever container used the memory.
    """
    lines = (line.split() for line in text_of("/proc/vmstat").splitlines())
    return next((int(number) for name, number in lines if name == "oom_kill"), 0)


def _read(path: str) -> str:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        chunks = []
        while chunk := os.read(descriptor, _CHUNK_BYTES):
            chunks.append(chunk)
    finally:
        os.close(descriptor)
    return b"".join(chunks).decode("utf-8", "replace")
