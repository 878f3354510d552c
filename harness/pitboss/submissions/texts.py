"""The submitted sources as texts for people to read, whatever their bytes, up to a limit."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from pitboss.errors import SessionError, UsageError
from pitboss.submissions.submission import opened

#: How much of a submission is shown to people; first-year sources have a few kilobytes.
MAX_FILES, MAX_BYTES = 50, 1 << 20
_MAX_OF_ONE = 256 << 10
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


def texts_of(path: Path) -> tuple[tuple[str, str], ...]:
    """Name and text of each source, header and makefile of a submission: a folder, an archive or a file.

    Bytes that are not UTF-8 are replaced. A long file is cut, and files beyond the limits are left out, as are files
    that cannot be read; the result is empty if the submission cannot be opened.
    """
    found: list[tuple[str, str]] = []
    left = MAX_BYTES
    try:
        with opened(path, is_alone=True) as submission:
            for name, file in submission.readable_files()[:MAX_FILES]:
                content = _content(file, min(left, _MAX_OF_ONE))
                if content:
                    left -= len(content)
                    found.append((name, content.decode("utf-8", "replace")))
    except (UsageError, SessionError, OSError):
        pass
    return tuple(found)


def _content(path: Path, most: int) -> bytes:
    """The beginning of a file; nothing if it is not a regular file or cannot be read."""
    try:
        descriptor = os.open(path, _READ)
    except OSError:
        return b""
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return b""
        content = bytearray()
        while len(content) < most and (chunk := os.read(descriptor, most - len(content))):
            content += chunk
        return bytes(content)
    except OSError:
        return b""
    finally:
        os.close(descriptor)
