"""Where the program of a stage comes from: finding it in a student's folder, and copying that for a build.

A stage of a submission is handed in as one of:

    <stage>.c, .cpp, .py, .cs, .java, .sh     under the stage's name, or another that the stage may be handed in as
    Makefile                                  with a target of such a name
    the stage's own list of sources           built together with the files that the course gives
"""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import msgspec

from harness.assignments.assignment import Stage
from harness.errors import UsageError
from harness.machine.shortages import is_short

#: First-year sources are small; what is larger is somebody's download folder.
MOST_BYTES, MOST_FILES = 64 << 20, 2000
#: So deep below a submission's folder its programs are looked for, and in so many folders.
_MOST_DEPTH, _MOST_FOLDERS = 6, 500
#: So much of a makefile is looked at for its targets.
_MAKEFILE_CHARACTERS = 1 << 20
_MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
#: The languages that programs are handed in in, by the endings of their sources.
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


class Source(msgspec.Struct, frozen=True):
    """Where a stage's program comes from."""

    #: The folder that holds it.
    folder: Path
    #: c, cpp, python, csharp, java, shell or make.
    language: str
    #: The file, or the makefile, relative to the folder.
    file: str
    #: What the program is called: the makefile's target, or what the compiler is told to make.
    program: str
    #: All the files it consists of, where the stage lists them.
    files: tuple[str, ...] = ()
    #: A folder of files the course gives, for those the submission does not have itself.
    given: Path | None = None
    #: Whether the file is all of it, and what stands beside it somebody else's.
    is_alone: bool = False


def expected_files(stage: Stage) -> tuple[str, ...]:
    """The names under which a stage may be handed in, the likeliest first."""
    return (*stage.sources, *(f"{name}{suffix}" for name in _names(stage) for suffix in LANGUAGES))


def _names(stage: Stage) -> tuple[str, ...]:
    """A class of Java or C# begins with a capital letter, and its file is called as it is."""
    names = (stage.name, *stage.submitted_as)
    return tuple(dict.fromkeys((*names, *(name[:1].upper() + name[1:] for name in names))))


def find_source(folder: Path, stage: Stage) -> Source | None:
    """The source of a stage in a submission's folder, or in the one place below it; None when there is none.

    UsageError when the folder cannot be read.
    """
    found = sources_below(folder, stage)
    return found[0] if len(found) == 1 else None


def sources_below(folder: Path, stage: Stage) -> list[Source]:
    """The sources of a stage in a folder and below it, without those below another; UsageError where it is none."""
    found: list[Source] = []
    for place, names in folders_below(folder):
        if not any(source.folder in place.parents for source in found):
            source = source_among(place, names, stage)
            found += [source] if source else []
    return found


def source_among(place: Path, names: frozenset[str], stage: Stage) -> Source | None:
    """The source of a stage among the files of one folder."""
    if stage.sources and names.intersection(stage.sources):
        language = LANGUAGES.get(Path(stage.sources[0]).suffix, "cpp")
        return Source(place, language, stage.sources[0], stage.name, stage.sources, stage.given)
    makefile = next((name for name in _MAKEFILES if name in names), None)
    target = makefile and next((name for name in _names(stage) if _has_target(place / makefile, name)), None)
    if makefile and target:
        return Source(place, "make", makefile, target)
    source = next((name for name in expected_files(stage)[len(stage.sources) :] if name in names), None)
    return Source(place, LANGUAGES[Path(source).suffix], source, stage.name) if source else None


def source_of_file(file: Path, stage: Stage, *, is_alone: bool) -> Source | None:
    """A file as the source of a stage, whatever it is called; None where it is no source of a language known here.

    Alone, it is built without what stands beside it.
    """
    language = LANGUAGES.get(file.suffix.lower())
    if language is None:
        return None
    if not is_alone and file.name in stage.sources:
        return Source(file.parent, language, stage.sources[0], stage.name, stage.sources, stage.given)
    return Source(file.parent, language, file.name, stage.name, is_alone=is_alone)


def is_left_out(name: str) -> bool:
    """Whether a file or folder is none of a submission's: hidden, or made by a system or a tool."""
    return name.startswith((".", "__")) or name in ("node_modules", "Thumbs.db", "desktop.ini")


def folders_below(folder: Path) -> list[tuple[Path, frozenset[str]]]:
    """A folder and those below it, from the top down, with the files in each; links are not followed.

    UsageError when the folder itself cannot be read.
    """
    found, level = [], [folder]
    for depth in range(_MOST_DEPTH + 1):
        below: list[Path] = []
        for place in level:
            entries = _entries(place, must_be=not depth)
            found.append((place, frozenset(entry.name for entry in entries if _is_file(entry))))
            inner = (entry for entry in entries if entry.is_dir(follow_symlinks=False) and not is_left_out(entry.name))
            below += [place / entry.name for entry in inner]
        level = sorted(below)[: _MOST_FOLDERS - len(found)]
    return found


def _is_file(entry: os.DirEntry[str]) -> bool:
    """Whether it can be read to its end: no pipe, no device, no link in a circle."""
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
        if not must_be:  # a folder in it that is locked has no program for us
            return []
        raise UsageError(f"{folder}: the folder cannot be read: {error.strerror}") from error


def _has_target(makefile: Path, stage: str) -> bool:
    try:
        with makefile.open(encoding="utf-8", errors="replace") as file:
            text = file.read(_MAKEFILE_CHARACTERS)
    except OSError as error:
        raise UsageError(f"{makefile}: the file cannot be read: {error.strerror}") from error
    return re.search(rf"(?m)^(?:[^\s#:=][^#:=\n]*\s)?{re.escape(stage)}(?:\s[^#:=\n]*)?::?(?!=)", text) is not None


def copy_of(source: Source, into: Path) -> None:
    """Copy what is built into a folder that is made for it, the course's files first.

    Links, hidden files and what no first-year program has are left out; UsageError where that is too much.
    """
    into.mkdir(parents=True)
    if source.is_alone:
        _copy_file(source.folder / source.file, into / source.file)
        return
    for folder in (source.given, source.folder):
        if folder is not None:
            _copy(folder, into)


def _missed(error: OSError) -> None:
    """Pass over a folder that cannot be read, but not for want of a descriptor: the program would lack a part."""
    if is_short(error.errno):
        raise error


def _copy(folder: Path, into: Path) -> None:
    size = count = 0
    for path, folders, files in os.walk(folder, onerror=_missed):
        folders[:] = [name for name in folders if not name.startswith(".") and not (Path(path) / name).is_symlink()]
        target = into / Path(path).relative_to(folder)
        target.mkdir(exist_ok=True)
        for name in files:
            original = Path(path) / name
            if name.startswith(".") or original.is_symlink() or not original.is_file():
                continue
            size, count = size + _size_of(original), count + 1
            if size > MOST_BYTES or count > MOST_FILES:
                raise UsageError(
                    f"{folder}: more than {MOST_BYTES >> 20} MB or {MOST_FILES} files; "
                    "give the folder that holds only the submission"
                )
            _copy_file(original, target / name)


def _size_of(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:  # it has just been removed: to copy it says so
        return 0


def _copy_file(original: Path, copy: Path) -> None:
    try:
        shutil.copy(original, copy)
    except OSError as error:
        raise UsageError(f"{original}: the file cannot be read: {error.strerror}") from error
