"""Reading /proc: nothing where a process is gone, and an error where this machine is too short of files to tell."""

from __future__ import annotations

import os

from harness.machine.shortages import is_short, patiently

_BYTES = 1 << 16


def names_in(folder: str) -> list[str]:
    """The names in a folder; none where it cannot be read for any other reason than a shortage."""
    try:
        return patiently(lambda: os.listdir(folder))
    except OSError as error:
        if is_short(error.errno):
            raise
        return []


def text_of(path: str) -> str:
    """What stands in a file; nothing where it cannot be read for any other reason than a shortage."""
    try:
        return patiently(lambda: _read(path))
    except OSError as error:
        if is_short(error.errno):
            raise
        return ""


def _read(path: str) -> str:
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        chunks = []
        while chunk := os.read(file, _BYTES):
            chunks.append(chunk)
    finally:
        os.close(file)
    return b"".join(chunks).decode("utf-8", "replace")
