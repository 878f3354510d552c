"""Where the program of a stage comes from: finding it in a student's folder, and copying that for a build.

A submission is handed in as one of:

    <stage>.c, .cpp, .py, .cs, .java      under the stage's name, or another that the stage may be handed in as
    Makefile                              with a target of such a name
    the stage's own list of sources       built together with the files that the course gives
"""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import msgspec

from harness.assignment import Stage
from harness.errors import UsageError
from harness.watching.shortages import is_short

#: First-year sources are small; what is larger is somebody's download folder.
_MOST_BYTES, _MOST_FILES = 64 << 20, 2000
_MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
_SUFFIXES = {
    ".c": "c", ".cpp": "cpp", ".cc": "cpp", ".cxx": "cpp", ".py": "python", ".cs": "csharp", ".java": "java",
}  # fmt: skip


class Source(msgspec.Struct, frozen=True):
    """Where a stage's program comes from."""

    #: The folder that holds it.
    folder: Path
    #: c, cpp, python, csharp, java or make.
    language: str
    #: The file, or the makefile, relative to the folder.
    file: str
    #: What the program is called: the makefile's target, or what the compiler is told to make.
    program: str
    #: All the files it consists of, where the stage lists them.
    files: tuple[str, ...] = ()
    #: A folder of files the course gives, for those the submission does not have itself.
    given: Path | None = None


def expected_files(stage: Stage) -> tuple[str, ...]:
    """The names under which a stage may be handed in, the likeliest first."""
    return (*stage.sources, *(f"{name}{suffix}" for name in _names(stage) for suffix in _SUFFIXES))


def _names(stage: Stage) -> tuple[str, ...]:
    """A class of Java or C# begins with a capital letter, and its file is called as it is."""
    names = (stage.name, *stage.submitted_as)
    return tuple(dict.fromkeys((*names, *(name[:1].upper() + name[1:] for name in names))))


def find_source(folder: Path, stage: Stage) -> Source | None:
    """The source of a stage in a submission, or in the one folder that it consists of; None when there is none.

    UsageError when the folder cannot be read.
    """
    for place in (folder, *_only_folder(folder)):
        files = set(_names_in(place))
        if stage.sources and files.intersection(stage.sources):
            language = _SUFFIXES.get(Path(stage.sources[0]).suffix, "cpp")
            return Source(place, language, stage.sources[0], stage.name, stage.sources, stage.given)
        makefile = next((name for name in _MAKEFILES if name in files), None)
        target = makefile and next((name for name in _names(stage) if _has_target(place / makefile, name)), None)
        if makefile and target:
            return Source(place, "make", makefile, target)
        source = next((name for name in expected_files(stage)[len(stage.sources) :] if name in files), None)
        if source:
            return Source(place, _SUFFIXES[Path(source).suffix], source, stage.name)
    return None


def _names_in(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)
    except FileNotFoundError:
        raise UsageError(f"{folder}: there is no such folder") from None
    except NotADirectoryError:
        raise UsageError(f"{folder}: this is a file; give the folder that holds the programs") from None
    except OSError as error:
        raise UsageError(f"{folder}: the folder cannot be read: {error.strerror}") from error


def _only_folder(folder: Path) -> list[Path]:
    entries = [folder / name for name in _names_in(folder) if not name.startswith((".", "__"))]
    return entries if len(entries) == 1 and entries[0].is_dir() else []


def _has_target(makefile: Path, stage: str) -> bool:
    text = makefile.read_text(encoding="utf-8", errors="replace")
    return re.search(rf"(?m)^(?:[^\s#:=][^#:=\n]*\s)?{re.escape(stage)}(?:\s[^#:=\n]*)?::?(?!=)", text) is not None


def copy_of(source: Source, into: Path) -> None:
    """Copy what is built into a folder that is made for it, the course's files first.

    Links, hidden files and what no first-year program has are left out; UsageError where that is too much.
    """
    into.mkdir(parents=True)
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
            size, count = size + original.stat().st_size, count + 1
            if size > _MOST_BYTES or count > _MOST_FILES:
                raise UsageError(
                    f"{folder}: more than {_MOST_BYTES >> 20} MB or {_MOST_FILES} files; "
                    "give the folder that holds only the submission"
                )
            try:
                shutil.copy(original, target / name)
            except OSError as error:
                raise UsageError(f"{original}: the file cannot be read: {error.strerror}") from error
