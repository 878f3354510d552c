"""Gathers the files of one person's submission, lists them, and tries to unpack archives.

IMPORT/0007/play.c      one person's files, under the names that the student gave them
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Sequence
from itertools import count
from pathlib import Path

import msgspec

from pitboss.assignments.assignment import Stage
from pitboss.errors import UsageError
from pitboss.model.languages import language_of
from pitboss.sandbox.retry import refused
from pitboss.sandbox.shortages import is_short
from pitboss.submissions.archives import ArchiveError, is_archive, unpack
from pitboss.submissions.importers.display_names import one_line
from pitboss.submissions.importers.imported import ImportedSubmission
from pitboss.submissions.sources import MAX_FILES, files_below, is_left_out

#: The maximum number of archives tried for one person (a submission unpacks as many), and of file names listed.
_MAX_ARCHIVES, _MAX_NAMES = 20, 50


class Scratch:
    """Names new folders in a temporary folder, and maps paths in the unpacked download to the download as given."""

    def __init__(self, path: Path, *, unpacked: Path, given: Path) -> None:
        self._path, self._numbers = path, count()
        self._unpacked, self._given = unpacked, given

    def new(self) -> Path:
        """The path of a folder that does not exist yet."""
        return self._path / f"{next(self._numbers):04}"

    def as_given(self, path: Path | str) -> Path:
        """Returns a path in the unpacked download as a path in the given download; any other path unchanged."""
        path = Path(path)
        return self._given / path.relative_to(self._unpacked) if path.is_relative_to(self._unpacked) else path


def gather_files(pieces: Iterable[tuple[str, Path]], scratch: Scratch) -> Path:
    """Returns a new folder with these files and folders under the given names; links in the folders are left out.

    If two files have the same name, the first is used. Raises UsageError if a file cannot be read, SessionError if this
    machine has no room for a copy.
    """
    folder = scratch.new()
    try:
        folder.mkdir()
        for name, path in pieces:
            target = folder / (path.name if name in (".", "..") else name)
            if path.is_dir():
                _link_tree(path, target)
            else:
                _link_file(path, target)
    except OSError as error:
        if is_short(error.errno):
            raise refused("a submission could not be copied", error) from error
        raise UsageError(f"{scratch.as_given(error.filename)}: the file cannot be read: {error.strerror}") from error
    return folder


def _link_tree(folder: Path, into: Path) -> None:
    number = 0
    for current, _, names in os.walk(folder):  # links to folders are not followed
        target = into / Path(current).relative_to(folder)
        target.mkdir(parents=True, exist_ok=True)
        for name in names:
            original = Path(current, name)
            if original.is_symlink() or not original.is_file():
                continue
            number += 1
            if number > 2 * MAX_FILES:  # the build rejects such a submission
                return
            _link_file(original, target / name)


def _link_file(path: Path, target: Path) -> None:
    """Hard-links a file to `target`, unless that exists; copies it if the file system does not allow the link."""
    if os.path.lexists(target):  # a copy would follow a link into the download
        return
    try:
        os.link(path, target, follow_symlinks=False)
    except (OSError, NotImplementedError):
        shutil.copyfile(path, target, follow_symlinks=False)


def only_file(folder: Path, stages: Sequence[Stage]) -> Path:
    """Returns a folder's only file if one stage is graded: it is the program, whatever its name; else the folder."""
    files = [name for name in files_below(folder) if _is_listed(name)]
    is_program = len(files) == 1 and language_of(files[0]) is not None
    is_any_program = len(stages) == 1 and not stages[0].sources
    return folder / files[0] if is_any_program and is_program else folder


def _is_listed(file: str) -> bool:
    return not any(is_left_out(part) for part in file.split("/"))


def with_file_names(handed: ImportedSubmission, scratch: Scratch) -> ImportedSubmission:
    """Returns a submission with its files' names; if no file can be used, with the problem in place of the path."""
    path = handed.path
    if path is None:
        return handed
    if path.is_file():
        names, reason = _try_to_unpack(path, scratch) if is_archive(path) else ([path.name], "")
        return _with_files(handed, names, [reason] if reason else [], is_all=True)
    files = [name for name in files_below(path) if _is_listed(name)]
    names, problems = [], []
    tried = 0
    for file in files:
        if is_archive(path / file) and tried < _MAX_ARCHIVES:
            tried += 1
            inner, reason = _try_to_unpack(path / file, scratch)
            names += [f"{file}: {name}" for name in inner]
            problems += [reason] if reason else []
        else:
            names.append(file)
    return _with_files(handed, names, problems, is_all=bool(problems) and not names)


def _with_files(
    handed: ImportedSubmission, names: Sequence[str], problems: Sequence[str], *, is_all: bool
) -> ImportedSubmission:
    files = tuple(one_line(name) for name in sorted(names)[:_MAX_NAMES])
    if problems and is_all:
        problem = " ".join(map(one_line, problems))
        return msgspec.structs.replace(handed, path=None, problem=problem, files=files)
    return msgspec.structs.replace(handed, files=files, notes=(*handed.notes, *map(one_line, problems)))


def _try_to_unpack(archive: Path, scratch: Scratch) -> tuple[list[str], str]:
    """Returns the names of the files in an archive, and why it cannot be unpacked; the latter is empty if it can."""
    folder = scratch.new()
    try:
        unpack(archive, folder)
        return [name for name in files_below(folder) if _is_listed(name)], ""
    except ArchiveError as error:
        return [], str(error)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
