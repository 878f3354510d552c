"""The submitted sources as readable texts, even if not valid UTF-8, up to a limit."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from pitboss.errors import SessionError, UsageError
from pitboss.submissions.submission import open_submission

#: How many files and bytes of a submission are shown to people; first-year sources have a few kilobytes.
MAX_FILES, MAX_BYTES = 50, 1 << 20
#: How many bytes of one file are shown.
_MAX_FILE_BYTES = 256 << 10
#: A submission may have links, pipes or devices in place of files: no link is followed, and nothing is waited for.
_OPEN_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


def texts_of(path: Path) -> tuple[tuple[str, str], ...]:
    """Returns name and text of each source, header and makefile of a submission: a folder, an archive or a file.

    Bytes that are not UTF-8 are replaced. A long file is cut. Files beyond the limits and files that cannot be read are
    left out. The result is empty if the submission cannot be opened.
    """
    texts: list[tuple[str, str]] = []
    remaining = MAX_BYTES
    try:
        # Alone: if `path` is a file, the files beside it belong to other students.
        with open_submission(path, is_alone=True) as submission:
            for name, file in submission.code_files()[:MAX_FILES]:
                content = _content(file, min(remaining, _MAX_FILE_BYTES))
                if content:
                    remaining -= len(content)
                    texts.append((name, content.decode("utf-8", "replace")))
    except (UsageError, SessionError, OSError):
        pass
    return tuple(texts)


def _content(path: Path, max_bytes: int) -> bytes:
    """Returns the beginning of a file; empty if it is not a regular file or cannot be read."""
    try:
        descriptor = os.open(path, _OPEN_FLAGS)
    except OSError:
        return b""
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return b""
        content = bytearray()
        while len(content) < max_bytes and (chunk := os.read(descriptor, max_bytes - len(content))):
            content += chunk
        return bytes(content)
    except OSError:
        return b""
    finally:
        os.close(descriptor)
