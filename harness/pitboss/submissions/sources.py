"""Finds the source of a stage's program in a student's folder, and copies it for a build.

The program of a stage is one of:

    <stage>.c, .cpp, .py …             named after the stage, or by another name that the stage allows
    Makefile                           with a target of one of these names
    the stage's own list of sources    built together with the files that the course provides
"""

from __future__ import annotations

import os
import re
import shutil
import stat
from collections.abc import Container, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from pitboss.assignments.assignment import Stage
from pitboss.assignments.specfile import ASSIGNMENT_FILE
from pitboss.errors import UsageError, missing_folder
from pitboss.model.languages import is_header, language_of
from pitboss.sandbox.files import text_of
from pitboss.sandbox.retry import refusal_error
from pitboss.sandbox.shortages import is_short, retry_shortages
from pitboss.submissions.stage_files import candidates_in, listed_in, program_names

#: The maximum total size of a submission's files, and the maximum number of the files: first-year sources are small, so
#: a larger folder is probably a download folder.
MAX_BYTES, MAX_FILES = 64 << 20, 2000
#: The maximum depth below a submission's folder at which programs are searched for.
MAX_DEPTH = 6
#: The maximum number of folders of a submission in which programs are searched for.
_MAX_FOLDERS = 500
#: How many characters of a makefile are searched for targets.
_MAKEFILE_CHARACTERS = 1 << 20
#: The names of makefiles in lower case, in the order in which make looks for them.
_MAKEFILES = ("gnumakefile", "makefile")


class Source(msgspec.Struct, frozen=True):
    """The source of a stage's program."""

    #: The folder that contains the source.
    folder: Path
    #: The name of a language in LANGUAGES, or make.
    language: str
    #: The path of the source file or makefile, relative to `folder`.
    file: str
    #: The name of the program: the makefile's target, or the compiler's output.
    program: str
    #: All source files of the program, if the stage lists them; else empty.
    files: tuple[str, ...] = ()
    #: The folder of the course's files, which are used if the submission lacks them.
    course_files_folder: Path | None = None
    #: The name of the course's folder in a sentence.
    course_folder_label: str = ""
    #: Whether `file` is the entire submission, and other files in its folder belong to other students.
    is_alone: bool = False
    #: Pairs of a file that was used, and another file that could have been used instead.
    passed_over: tuple[tuple[str, str], ...] = ()


def is_code(name: str) -> bool:
    """Whether a file is a source, a header or a makefile, by its name."""
    is_source = language_of(name) is not None
    return not is_ignored_name(name) and (is_source or is_header(name) or name.lower() in _MAKEFILES)


def find_source(folder: Path, stage: Stage) -> Source | None:
    """Returns the only source of a stage in a submission's folder or below it; None if there is not exactly one.

    Raises UsageError if the folder cannot be read.
    """
    sources = sources_below(folder, stage)
    return sources[0] if len(sources) == 1 else None


def sources_below(folder: Path, stage: Stage) -> list[Source]:
    """Returns the sources of a stage in a folder and its subfolders; does not search below a folder with a source.

    Raises UsageError if the folder cannot be read.
    """
    sources: list[Source] = []
    for subfolder, names in folders_below(folder):
        if not any(source.folder in subfolder.parents for source in sources):
            source = source_among(subfolder, names, stage)
            sources += [source] if source else []
    return sources


def source_among(folder: Path, names: frozenset[str], stage: Stage) -> Source | None:
    """Returns the source of a stage among the files `names` of the folder `folder`; None if it is missing."""
    listed = listed_in(stage, names)
    makefile = min((name for name in names if name.lower() in _MAKEFILES), key=_makefile_rank, default=None)
    targets = (_target_named(folder / makefile, name) for name in program_names(stage)) if makefile else ()
    target = next(filter(None, targets), "")
    if makefile and target:
        return Source(folder, "make", makefile, target, tuple(listed), **_course_folder_fields(stage))
    if listed:
        return _source_of_files(folder, listed, stage)
    candidates = candidates_in(names, stage)
    if not candidates:
        return None
    file, *others = candidates
    passed_over = tuple((file, other) for other in others)
    return Source(folder, language_of_source(file), file, stage.name, passed_over=passed_over)


def makefile_for(folder: Path, program: str) -> str:
    """Returns the name of a folder's makefile, if the makefile has a target for `program`; else empty."""
    names = (name for name in os.listdir(folder) if name.lower() in _MAKEFILES and (folder / name).is_file())
    makefile = min(names, key=_makefile_rank, default="")
    return makefile if makefile and _target_named(folder / makefile, program) else ""


def _makefile_rank(name: str) -> tuple[int, bool]:
    """Returns a sort key for the names of makefiles, in the order in which make looks for them."""
    return _MAKEFILES.index(name.lower()), name[:1].isupper()


def _source_of_files(folder: Path, listed: Mapping[str, list[str]], stage: Stage) -> Source:
    files = tuple(listed)
    passed_over = tuple((name, other) for name, others in listed.items() for other in others)
    language = language_of_source(files[0])
    return Source(
        folder, language, files[0], stage.name, files, passed_over=passed_over, **_course_folder_fields(stage)
    )


def language_of_source(name: str) -> str:
    """Returns the language of a source; C++ if its suffix is unknown."""
    language = language_of(name)
    return language.name if language is not None else "cpp"


def _course_folder_fields(stage: Stage) -> dict[str, Any]:
    """Returns the fields of a `Source` that describe the course's folder."""
    return {"course_files_folder": stage.given, "course_folder_label": stage.given_as}


def source_of_file(file: Path, stage: Stage, *, is_alone: bool) -> Source | None:
    """Returns a file with any name as the source of a stage; None if its suffix belongs to no known language.

    If `is_alone`, the file is built without the other files of its folder.
    """
    language = language_of(file)
    if language is None:
        return None
    listed = {} if is_alone else listed_in(stage, os.listdir(file.parent))
    if file.name in listed:
        return _source_of_files(file.parent, listed, stage)
    return Source(file.parent, language.name, file.name, stage.name, is_alone=is_alone)


def relative_to_parent_folder(source: Source) -> Source:
    """Returns the same source, with paths relative to the parent of its folder."""
    name = source.folder.name
    files = tuple(f"{name}/{file}" for file in source.files)
    return msgspec.structs.replace(source, folder=source.folder.parent, file=f"{name}/{source.file}", files=files)


def is_ignored_name(name: str) -> bool:
    """Whether a file or folder is ignored in submissions: hidden, or created by an operating system or a tool."""
    return name.startswith((".", "__")) or name in ("node_modules", "Thumbs.db", "desktop.ini")


def folders_below(folder: Path) -> list[tuple[Path, frozenset[str]]]:
    """Lists a folder and its subfolders, from the top down, with the files in each; does not follow links to folders.

    Raises UsageError if the folder itself cannot be read.
    """
    folders, level = [], [folder]
    for depth in range(MAX_DEPTH + 1):
        next_level: list[Path] = []
        for current in level:
            entries = _entries(current, is_required=not depth)
            folders.append((current, frozenset(entry.name for entry in entries if _is_file(entry))))
            subfolders = _folders_of(entries)
            # A bundle for students contains the assignment with the course's files, which students do not submit.
            next_level += [
                current / entry.name for entry in subfolders if not os.path.isfile(f"{entry.path}/{ASSIGNMENT_FILE}")
            ]
        level = sorted(next_level)[: _MAX_FOLDERS - len(folders)]
    return folders


def has_folders(folder: Path) -> bool:
    """Whether a folder has subfolders that are not ignored; False if the folder cannot be read."""
    return any(_folders_of(_entries(folder, is_required=False)))


def _folders_of(entries: Iterable[os.DirEntry[str]]) -> Iterator[os.DirEntry[str]]:
    return (entry for entry in entries if entry.is_dir(follow_symlinks=False) and not is_ignored_name(entry.name))


def _is_file(entry: os.DirEntry[str]) -> bool:
    """Whether an entry is a regular file or a link to one, not a pipe, a device or a circular link."""
    try:
        return entry.is_file()
    except OSError:
        return False


def _entries(folder: Path, *, is_required: bool) -> list[os.DirEntry[str]]:
    """Lists a folder; raises UsageError if the folder is missing, or if it is unreadable and `is_required`."""
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except FileNotFoundError:
        raise missing_folder(folder) from None
    except NotADirectoryError:
        raise UsageError(f"{folder}: this is a file; give the folder that contains the programs") from None
    except OSError as error:
        if not is_required:  # an unreadable subfolder is treated as empty
            return []
        raise UsageError(f"{folder}: the folder cannot be read: {error.strerror}") from error


def _target_named(makefile: Path, name: str) -> str:
    """Returns a makefile's target with this name, in the makefile's letter case; empty if there is no such target."""
    try:
        text = text_of(makefile, _MAKEFILE_CHARACTERS)
    except OSError as error:
        raise UsageError(f"{makefile}: the file cannot be read: {error.strerror}") from error
    # A target is one of the words before a colon; `:=` assigns a variable instead.
    match = re.search(rf"(?mi)^(?:[^\s#:=][^#:=\n]*\s)?({re.escape(name)})(?:\s[^#:=\n]*)?::?(?!=)", text)
    return match[1] if match else ""


def copy_for_build(
    source: Source, into: Path, files_to_leave_out: Container[str] = (), course_files_to_leave_out: Container[str] = ()
) -> None:
    """Copies the files to build into the new folder `into`, the course's files first.

    Leaves out links, hidden files, anything that is not a regular file, the submission's files in `files_to_leave_out`
    and the course's files in `course_files_to_leave_out`. Raises UsageError if there are too many files or bytes, or if
    a file cannot be read.
    """
    into.mkdir(parents=True)
    if source.is_alone:
        _copy_file(source.folder / source.file, into / source.file)
        return
    if source.course_files_folder is not None:
        _copy_folder(source.course_files_folder, into, course_files_to_leave_out)
    _copy_folder(source.folder, into, files_to_leave_out)


def _raise_if_short(error: OSError) -> None:
    """Handles the error of listing a folder: raises the error if a resource ran out, else leaves out the folder.

    If the folder were left out because a resource ran out, a part of the program would be missing.
    """
    if is_short(error.errno):
        raise error


def _copy_folder(folder: Path, into: Path, without: Container[str]) -> None:
    """Copies the files of a folder and its subfolders, except the relative paths in `without`, into `into`."""
    size = count = 0
    for path, files in _walk(folder):
        target = into / path.relative_to(folder)
        target.mkdir(exist_ok=True)
        for name in files:
            original = path / name
            if str(original.relative_to(folder)) in without:
                continue
            size, count = size + _size_of(original), count + 1
            if size > MAX_BYTES or count > MAX_FILES:
                raise UsageError(
                    f"{folder}: more than {MAX_BYTES >> 20} MB or {MAX_FILES} files; "
                    "give the folder that contains only the submission"
                )
            _copy_file(original, target / name)


def files_below(folder: Path) -> list[str]:
    """Returns the relative paths of the files that `copy_for_build` copies from a folder; at most MAX_FILES."""
    paths = (path / name for path, files in _walk(folder) for name in files)
    return [path.relative_to(folder).as_posix() for path in islice(paths, MAX_FILES)]


def _walk(folder: Path) -> Iterator[tuple[Path, list[str]]]:
    """Yields a folder and its subfolders, each with the names of the files that may belong to the submission."""
    for path, folders, files in os.walk(folder, onerror=_raise_if_short):
        current = Path(path)
        # __pycache__ contains compiled modules, which may differ from their sources.
        names = (name for name in folders if not name.startswith(".") and name != "__pycache__")
        folders[:] = [name for name in names if not (current / name).is_symlink()]
        yield current, [name for name in files if not _is_never_copied(name) and _is_regular(current / name)]


def _is_never_copied(name: str) -> bool:
    """Whether a file is hidden, or a precompiled header, which a compiler would use instead of the header."""
    return name.startswith(".") or name.endswith(".gch")


def _is_regular(path: Path) -> bool:
    return not path.is_symlink() and path.is_file()


def _size_of(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:  # the file was just removed: copying it will report that
        return 0


def _copy_file(original: Path, copy: Path) -> None:
    """Copies a file and makes it readable for the user that the program runs as."""
    try:
        retry_shortages(lambda: shutil.copy(original, copy))
        copy.chmod(0o755 if copy.stat().st_mode & stat.S_IXUSR else 0o644)
    except OSError as error:
        if is_short(error.errno):
            raise refusal_error("the submission could not be copied", error) from error
        raise UsageError(f"{original}: the file cannot be read: {error.strerror}") from error
