"""The files that a check depends on: their stamps, digests and changes.

The files are polled several times a second. File notifications of the system are not used: they need a library, threads
in a process that forks, and watches, whose number the system limits. They also fail where students' folders often are:
on a network drive, on a Windows drive under WSL, in a container's volume. Polling a folder of sources takes well under
a millisecond.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from pitboss.assignments.assignment import Assignment, Stage
from pitboss.errors import HarnessError
from pitboss.model.words import shortlist
from pitboss.submissions.archives import is_archive
from pitboss.submissions.projects import is_code
from pitboss.submissions.sources import MAX_BYTES, folders_below
from pitboss.submissions.submission import encodable

#: The modification time, size and inode of each file, by file name.
Stamps = dict[str, tuple[int, int, int]]
#: A digest of the content of each file, by file name.
Contents = dict[str, bytes]


class WatchedFiles:
    """The files that a check depends on: the relevant files of a folder, or a single file."""

    def __init__(self, path: Path, further: Iterable[str] = ()) -> None:
        """`further`: names of other files to watch; sources, headers, makefiles and archives are always watched."""
        self._path, self._further = path, frozenset(further)

    @property
    def exists(self) -> bool:
        """Whether the folder or file exists."""
        if self._path == Path("."):
            # A removed working directory still exists under this name, but has no path.
            try:
                os.getcwd()
            except OSError:
                return False
        return os.path.exists(self._path)

    @property
    def name(self) -> str:
        """The name of the folder or file in a sentence."""
        return "this folder" if self._path == Path(".") else encodable(str(self._path))

    def stamps(self) -> Stamps:
        """Returns the current stamps of the files; unreadable files are left out."""
        stamps = {}
        for path in self._paths():
            try:
                status = path.stat()
            except OSError:  # for example, removed after the folder was listed
                continue
            stamps[self._display_name(path)] = status.st_mtime_ns, status.st_size, status.st_ino
        return stamps

    def contents(self) -> Contents:
        """Returns the current digests of the files' contents; unreadable files are left out."""
        digests = {}
        for path in self._paths():
            try:
                digests[self._display_name(path)] = _content_digest(path)
            except OSError:
                continue
        return digests

    def _paths(self) -> list[Path]:
        if not self._path.is_dir():
            return [self._path] if self._path.is_file() else []
        try:
            folders = folders_below(self._path)
        except HarnessError:  # for example, removed after it was found to be a folder
            return []
        return [folder / name for folder, names in folders for name in sorted(names) if self._is_watched(name)]

    def _is_watched(self, name: str) -> bool:
        return is_code(name) or name in self._further or (is_archive(Path(name)) and not name.startswith("."))

    def _display_name(self, path: Path) -> str:
        return encodable(str(path.relative_to(self._path)) if path != self._path else path.name)


def _content_digest(path: Path) -> bytes:
    """Returns a digest of a file's content, or of its size and time if it is too large to be submitted; raises OSError.

    The entire file is read, since an archive may differ only at its very end.
    """
    with open(path, "rb") as file:
        status = os.fstat(file.fileno())
        if status.st_size > MAX_BYTES:
            return hashlib.blake2b(f"{status.st_size} {status.st_mtime_ns}".encode()).digest()
        return hashlib.file_digest(file, "blake2b").digest()


def watched_files_of(assignment: Assignment, stages: Iterable[Stage], path: Path) -> WatchedFiles:
    """Returns the files that a check of these stages depends on."""
    # A submission declares its features in the file `declared_in`.
    further = {assignment.declared_in} if assignment.declared_in else set()
    for stage in stages:
        further.update(stage.sources)
        for invocation in stage.invocations:
            further.update(file.name for file in invocation.files or () if file.may_be_submitted)
    # A single source file is built with the other files of its folder, so these are watched as well.
    return WatchedFiles(path.parent if path.is_file() and not is_archive(path) else path, further)


def changes_text(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> str:
    """Returns which files changed, are new or are gone, as a sentence without a full stop; empty if no file differs.

    >>> changes_text({"deal.c": b"1", "play.c": b"1"}, {"play.c": b"2", "hand.h": b"1"})
    'play.c has changed, hand.h is new, deal.c is gone'
    """
    changed = [name for name in after if name in before and after[name] != before[name]]
    new, gone = [name for name in after if name not in before], [name for name in before if name not in after]
    parts = [
        f"{shortlist(names)} {plural if len(names) > 1 else singular}"
        for names, singular, plural in (
            (changed, "has changed", "have changed"),
            (new, "is new", "are new"),
            (gone, "is gone", "are gone"),
        )
        if names
    ]
    return ", ".join(parts)
