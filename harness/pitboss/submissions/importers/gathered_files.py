"""Gathers the files of one student's submission, lists the files, and tries to unpack archives.

IMPORT/0007/play.c      the files of one student, under the names that the student gave them
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
from pitboss.machine.retry import refusal_error
from pitboss.machine.shortages import is_short
from pitboss.model.languages import language_of
from pitboss.submissions.archives import ArchiveError, is_archive, unpack
from pitboss.submissions.importers.imported import ImportedSubmission, one_line
from pitboss.submissions.sources import MAX_FILES, files_below, is_ignored_name

#: The maximum number of a student's archives that are tried: as many as a check unpacks.
_MAX_ARCHIVES = 20
#: The maximum number of a student's file names that are listed.
_MAX_NAMES = 50


class Scratch:
    """A temporary folder for an import: it names new folders, and translates paths for messages.

    The instructor specified the path `download`, which was unpacked to `unpacked`; messages name paths in `download`.
    """

    def __init__(self, path: Path, *, unpacked: Path, download: Path) -> None:
        self._path, self._numbers = path, count()
        self._unpacked, self._download = unpacked, download

    def unused_path(self) -> Path:
        """The path for another folder, which does not exist yet."""
        return self._path / f"{next(self._numbers):04}"

    def path_in_download(self, path: Path | str) -> Path:
        """Returns a path in the unpacked download as a path in the instructor's download; any other path unchanged."""
        path = Path(path)
        return self._download / path.relative_to(self._unpacked) if path.is_relative_to(self._unpacked) else path


def gather_files(files: Iterable[tuple[str, Path]], scratch: Scratch) -> Path:
    """Returns a new folder with `files`: for each file or folder, its name in the new folder and its present path.

    Links in the folders are left out. If two files have the same name, the first is used. Raises UsageError if a file
    cannot be read, SessionError if this machine has no room for a copy.
    """
    folder = scratch.unused_path()
    try:
        folder.mkdir()
        for name, path in files:
            target = folder / (path.name if name in (".", "..") else name)
            if path.is_dir():
                _link_tree(path, target)
            else:
                link_file(path, target)
    except OSError as error:
        if is_short(error.errno):
            raise refusal_error("a submission could not be copied", error) from error
        raise UsageError(
            f"{scratch.path_in_download(error.filename)}: the file cannot be read: {error.strerror}"
        ) from error
    return folder


def _link_tree(folder: Path, into: Path) -> None:
    """Hard-links or copies the files below a folder to the same paths below `into`."""
    file_count = 0
    for current, _, names in os.walk(folder):  # links to folders are not followed
        target = into / Path(current).relative_to(folder)
        target.mkdir(parents=True, exist_ok=True)
        for name in names:
            original = Path(current, name)
            if original.is_symlink() or not original.is_file():
                continue
            file_count += 1
            if file_count > 2 * MAX_FILES:  # enough: the build rejects a submission with more than MAX_FILES
                return
            link_file(original, target / name)


def link_file(path: Path, target: Path) -> None:
    """Hard-links a file to `target`, or copies it if the file system does not allow the link; does not overwrite."""
    if os.path.lexists(target):  # also true for a link: a copy would overwrite the file that the link leads to
        return
    try:
        os.link(path, target, follow_symlinks=False)
    except (OSError, NotImplementedError):
        shutil.copyfile(path, target, follow_symlinks=False)


def program_or_folder(folder: Path, stages: Sequence[Stage]) -> Path:
    """Returns the program if it is the only file of a folder and may have any name; otherwise the folder.

    A program may have any name if only one stage is graded and the assignment does not name the stage's sources.
    """
    files = [name for name in files_below(folder) if _is_included(name)]
    is_program = len(files) == 1 and language_of(files[0]) is not None
    may_have_any_name = len(stages) == 1 and not stages[0].sources
    return folder / files[0] if may_have_any_name and is_program else folder


def gathered_submission(files: Sequence[tuple[str, Path]], stages: Sequence[Stage], scratch: Scratch) -> Path | None:
    """Returns the path of a submission of these files, as `gather_files` takes them: an archive, a program or a folder.

    None if there are no files.
    """
    if not files:
        return None
    folder = gather_files(files, scratch)
    only_file = folder / files[0][0]
    return only_file if len(files) == 1 and is_archive(only_file) else program_or_folder(folder, stages)


def _is_included(file: str) -> bool:
    """Whether no part of a path, relative to the submission, is ignored: hidden, or created by a system or a tool."""
    return not any(is_ignored_name(part) for part in file.split("/"))


def with_file_names(submission: ImportedSubmission, scratch: Scratch) -> ImportedSubmission:
    """Returns a submission with the names of its files; if no file can be used, with a problem instead of the path."""
    path = submission.path
    if path is None:
        return submission
    if path.is_file():
        names, reason = _try_to_unpack(path, scratch) if is_archive(path) else ([path.name], "")
        return _with_files(submission, names, [reason] if reason else [], is_unusable=bool(reason))
    all_files = files_below(path)
    if len(all_files) == MAX_FILES:
        return msgspec.structs.replace(submission, path=None, problem=f"It has {MAX_FILES:,} files or more.")
    files = [name for name in all_files if _is_included(name)]
    names, problems = [], []
    archive_count = 0
    for file in files:
        if is_archive(path / file) and archive_count < _MAX_ARCHIVES:
            archive_count += 1
            inner_names, reason = _try_to_unpack(path / file, scratch)
            names += [f"{file}: {name}" for name in inner_names]
            problems += [reason] if reason else []
        else:
            names.append(file)
    return _with_files(submission, names, problems, is_unusable=bool(problems) and not names)


def _with_files(
    submission: ImportedSubmission, names: Sequence[str], problems: Sequence[str], *, is_unusable: bool
) -> ImportedSubmission:
    """The submission with these file names and the problems: as notes or, if it is unusable, instead of its path."""
    files = tuple(one_line(name) for name in sorted(names)[:_MAX_NAMES])
    if is_unusable:
        problem = " ".join(map(one_line, problems))
        return msgspec.structs.replace(submission, path=None, problem=problem, files=files)
    return msgspec.structs.replace(submission, files=files).with_notes(*map(one_line, problems))


def _try_to_unpack(archive: Path, scratch: Scratch) -> tuple[list[str], str]:
    """Returns the names of the files in an archive and an empty text; or no names and why it cannot be unpacked."""
    folder = scratch.unused_path()
    try:
        unpack(archive, folder)
        return [name for name in files_below(folder) if _is_included(name)], ""
    except ArchiveError as error:
        return [], str(error)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
