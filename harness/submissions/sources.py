"""Finding the source of a stage's program in a student's folder, and copying it for a build.

A stage of a submission is handed in as one of:

    <stage>.c, .cpp, .py, .cs, .java, .sh     under the stage's name, or another that the stage may be handed in as
    Makefile                                  with a target of such a name
    the stage's own list of sources           built together with the files that the course gives
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Container, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from pitboss.harness.assignments.assignment import Stage
from pitboss.harness.assignments.specfile import ASSIGNMENT_FILE
from pitboss.harness.errors import UsageError
from pitboss.harness.machine.files import text_of
from pitboss.harness.machine.obtaining import refused
from pitboss.harness.machine.shortages import is_short, patiently

#: First-year sources are small; anything larger is probably a download folder.
MOST_BYTES, MOST_FILES = 64 << 20, 2000
#: How many levels below a submission's folder, and in how many folders, its programs are searched for.
_MOST_DEPTH, _MOST_FOLDERS = 6, 500
#: How much of a makefile is searched for its targets.
_MAKEFILE_CHARACTERS = 1 << 20
_MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
#: The languages of submissions, by the suffixes of their sources.
LANGUAGES = {
    ".c": "c",
    ".cpp": "cpp",
    ".cc": "cpp",
    ".cxx": "cpp",
    ".py": "python",
    ".cs": "csharp",
    ".java": "java",
    ".sh": "shell",
}
#: What people call a language that has another name here.
_CALLED = {"c++": "cpp", "c#": "csharp", "cs": "csharp", "py": "python", "python 3": "python", "python3": "python"}
#: The suffixes of headers in C and C++.
HEADERS = (".h", ".hpp", ".hh", ".hxx")


class Source(msgspec.Struct, frozen=True):
    """The source of a stage's program."""

    #: The folder that contains it.
    folder: Path
    #: c, cpp, python, csharp, java, shell or make.
    language: str
    #: The file, or the makefile, relative to the folder.
    file: str
    #: The name of the program: the makefile's target, or the compiler's output.
    program: str
    #: All files it consists of, if the stage lists them.
    files: tuple[str, ...] = ()
    #: A folder of files that the course provides, for those that the submission does not have itself.
    given: Path | None = None
    #: How a sentence names that folder.
    given_as: str = ""
    #: Whether this file is the whole submission, and other files in its folder belong to other students.
    is_alone: bool = False


def language_called(words: str) -> str:
    """The name here of a language that people call so: C++ is cpp; one that is not known is in small letters."""
    return _CALLED.get(words.strip().lower(), words.strip().lower())


def is_code(name: str) -> bool:
    """Whether a file is a source, a header or a makefile, by its name."""
    suffix = Path(name).suffix.lower()
    return not is_left_out(name) and (suffix in LANGUAGES or suffix in HEADERS or name in _MAKEFILES)


def expected_files(stage: Stage) -> tuple[str, ...]:
    """The file names that a stage may be handed in as, the likeliest first."""
    return (*stage.sources, *(f"{name}{suffix}" for name in _names(stage) for suffix in LANGUAGES))


def _names(stage: Stage) -> tuple[str, ...]:
    """The names of a stage, and each capitalised, because Java and C# files are named after their class."""
    names = (stage.name, *stage.submitted_as)
    return tuple(dict.fromkeys((*names, *(name[:1].upper() + name[1:] for name in names))))


def find_source(folder: Path, stage: Stage) -> Source | None:
    """The only source of a stage in a submission's folder or below it; None if there is none or there are several.

    Raises UsageError if the folder cannot be read.
    """
    found = sources_below(folder, stage)
    return found[0] if len(found) == 1 else None


def sources_below(folder: Path, stage: Stage) -> list[Source]:
    """The sources of a stage in a folder and below it, except below another source's folder.

    Raises UsageError if the folder cannot be read.
    """
    found: list[Source] = []
    for place, names in folders_below(folder):
        if not any(source.folder in place.parents for source in found):
            source = source_among(place, names, stage)
            found += [source] if source else []
    return found


def source_among(place: Path, names: frozenset[str], stage: Stage) -> Source | None:
    """The source of a stage among the files `names` of one folder; None if there is none."""
    listed = _listed(stage, names)
    makefile = next((name for name in _MAKEFILES if name in names), None)
    target = makefile and next((name for name in _names(stage) if _has_target(place / makefile, name)), None)
    if makefile and target:
        return Source(place, "make", makefile, target, listed, **_course_files(stage))
    if listed:
        return _of_files(place, listed, stage)
    source = next((name for name in expected_files(stage)[len(stage.sources) :] if name in names), None)
    return Source(place, LANGUAGES[Path(source).suffix], source, stage.name) if source else None


def _listed(stage: Stage, names: frozenset[str]) -> tuple[str, ...]:
    """The files that a stage lists, by their names here, which may be in other letter case; empty without any."""
    by_lower_case = {name.lower(): name for name in sorted(names)}
    here = [name if name in names else by_lower_case.get(name.lower(), name) for name in stage.sources]
    return tuple(here) if names.intersection(here) else ()


def _of_files(place: Path, files: tuple[str, ...], stage: Stage) -> Source:
    language = LANGUAGES.get(Path(files[0]).suffix.lower(), "cpp")
    return Source(place, language, files[0], stage.name, files, **_course_files(stage))


def _course_files(stage: Stage) -> dict[str, Any]:
    return {"given": stage.given, "given_as": stage.given_as}


def source_of_file(file: Path, stage: Stage, *, is_alone: bool) -> Source | None:
    """A file as the source of a stage, whatever its name; None if its suffix is not that of a known language.

    If `is_alone`, it is built without the other files of its folder.
    """
    language = LANGUAGES.get(file.suffix.lower())
    if language is None:
        return None
    listed = () if is_alone else _listed(stage, frozenset(name for name in os.listdir(file.parent)))
    if file.name in listed:
        return _of_files(file.parent, listed, stage)
    return Source(file.parent, language, file.name, stage.name, is_alone=is_alone)


def in_folder_above(source: Source) -> Source:
    """The same source, with paths relative to the folder that its folder is in."""
    name = source.folder.name
    files = tuple(f"{name}/{file}" for file in source.files)
    return msgspec.structs.replace(source, folder=source.folder.parent, file=f"{name}/{source.file}", files=files)


def is_left_out(name: str) -> bool:
    """Whether a file or folder does not count as handed in: it is hidden, or made by a system or a tool."""
    return name.startswith((".", "__")) or name in ("node_modules", "Thumbs.db", "desktop.ini")


def folders_below(folder: Path) -> list[tuple[Path, frozenset[str]]]:
    """A folder and those below it, from the top down, with the files in each; links to folders are not followed.

    Raises UsageError if the folder itself cannot be read.
    """
    found, level = [], [folder]
    for depth in range(_MOST_DEPTH + 1):
        below: list[Path] = []
        for place in level:
            entries = _entries(place, must_be=not depth)
            found.append((place, frozenset(entry.name for entry in entries if _is_file(entry))))
            inner = (entry for entry in entries if entry.is_dir(follow_symlinks=False) and not is_left_out(entry.name))
            # A bundle for students has the assignment in it, with the course's files, which nobody hands in.
            below += [place / one.name for one in inner if not os.path.isfile(f"{one.path}/{ASSIGNMENT_FILE}")]
        level = sorted(below)[: _MOST_FOLDERS - len(found)]
    return found


def _is_file(entry: os.DirEntry[str]) -> bool:
    """Whether an entry is a regular file or a link to one, not a pipe, a device or a circular link."""
    try:
        return entry.is_file()
    except OSError:
        return False


def _entries(folder: Path, *, must_be: bool) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except FileNotFoundError:
        raise UsageError(f"{folder}: there is no such folder") from None
    except NotADirectoryError:
        raise UsageError(f"{folder}: this is a file; give the folder that holds the programs") from None
    except OSError as error:
        if not must_be:  # an unreadable folder below counts as empty
            return []
        raise UsageError(f"{folder}: the folder cannot be read: {error.strerror}") from error


def _has_target(makefile: Path, stage: str) -> bool:
    try:
        text = text_of(makefile, _MAKEFILE_CHARACTERS)
    except OSError as error:
        raise UsageError(f"{makefile}: the file cannot be read: {error.strerror}") from error
    return re.search(rf"(?m)^(?:[^\s#:=][^#:=\n]*\s)?{re.escape(stage)}(?:\s[^#:=\n]*)?::?(?!=)", text) is not None


def copy_of(source: Source, into: Path, without: Container[str] = (), without_given: Container[str] = ()) -> None:
    """Copy the files to build into the new folder `into`, those of the course first.

    Links, hidden files and anything that is not a regular file are left out, and of the submission's files those in
    `without`, of the course's those in `without_given`. Raises UsageError if there are too many files or bytes, or one
    cannot be read.
    """
    into.mkdir(parents=True)
    if source.is_alone:
        _copy_file(source.folder / source.file, into / source.file)
        return
    if source.given is not None:
        _copy(source.given, into, without_given)
    _copy(source.folder, into, without)


def _missed(error: OSError) -> None:
    """Skip a folder that cannot be read, unless we ran out of a resource: then the program would lack a part."""
    if is_short(error.errno):
        raise error


def _copy(folder: Path, into: Path, without: Container[str]) -> None:
    size = count = 0
    for path, files in _walk(folder):
        target = into / path.relative_to(folder)
        target.mkdir(exist_ok=True)
        for name in files:
            original = path / name
            if str(original.relative_to(folder)) in without:
                continue
            size, count = size + _size_of(original), count + 1
            if size > MOST_BYTES or count > MOST_FILES:
                raise UsageError(
                    f"{folder}: more than {MOST_BYTES >> 20} MB or {MOST_FILES} files; "
                    "give the folder that holds only the submission"
                )
            _copy_file(original, target / name)


def files_below(folder: Path) -> list[str]:
    """The files that `copy_of` copies from a folder, relative to it; of too many only the first."""
    paths = (path / name for path, files in _walk(folder) for name in files)
    return [path.relative_to(folder).as_posix() for path in islice(paths, MOST_FILES)]


def _walk(folder: Path) -> Iterator[tuple[Path, list[str]]]:
    """A folder and those below it, each with the names of its files that can count as handed in."""
    for path, folders, files in os.walk(folder, onerror=_missed):
        here = Path(path)
        # In __pycache__ are compiled modules, which may differ from their sources.
        names = (name for name in folders if not name.startswith(".") and name != "__pycache__")
        folders[:] = [name for name in names if not (here / name).is_symlink()]
        yield here, [name for name in files if not _is_no_source(name) and _is_regular(here / name)]


def _is_no_source(name: str) -> bool:
    """Whether a file is hidden, or a precompiled header: a compiler would take that for the header itself."""
    return name.startswith(".") or name.endswith(".gch")


def _is_regular(path: Path) -> bool:
    return not path.is_symlink() and path.is_file()


def _size_of(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:  # it was just removed: the copy will report that
        return 0


def _copy_file(original: Path, copy: Path) -> None:
    try:
        patiently(lambda: shutil.copy(original, copy))
    except OSError as error:
        if is_short(error.errno):
            raise refused("the submission could not be copied", error) from error
        raise UsageError(f"{original}: the file cannot be read: {error.strerror}") from error
