"""The source of a stage's program, the folders of a submission, and the copy of the source for a build.

A submission may declare its features in a file: one per line, as the name of an option. The name may be followed by the
key that invokes the feature, as in `double: x`.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
from collections.abc import Container, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path

import msgspec

from pitboss.assignments.assignment import Stage
from pitboss.assignments.options import feature_names
from pitboss.assignments.specfile import ASSIGNMENT_FILE
from pitboss.errors import UsageError, as_found, did_you_mean, listed, missing_folder
from pitboss.machine.files import beginning_of
from pitboss.machine.retry import refusal_error
from pitboss.machine.shortages import is_short, retry_shortages
from pitboss.model.languages import language_of

#: At most this many bytes of the file are read.
_MAX_BYTES = 10_000


class Declaration(msgspec.Struct, frozen=True):
    """The features that a submission declares."""

    #: The declared features, each with the key that invokes the feature; an empty key means the usual key.
    keys_by_feature: tuple[tuple[str, str], ...] = ()
    #: A sentence that says what is wrong with the file; empty if the file is valid. An invalid file is ignored.
    problem: str = ""


def declaration_in(folder: Path, name: str, stage: Stage) -> Declaration | None:
    """Reads the features that the file `name` in a submission's folder declares; None if there is no such file."""
    try:
        content = beginning_of(folder / name, _MAX_BYTES + 1, follows_links=False)
        text = content.decode("utf-8-sig") if len(content) <= _MAX_BYTES else None
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError):
        text = None
    if text is None:
        return _ignored_declaration(f"{name}: it is not a text file of at most {_MAX_BYTES:,} bytes")
    keys_by_feature: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        feature, colon, key = (part.strip() for part in line.partition(":"))
        if not line.strip():
            continue
        problem = _problem(feature, key if colon else None, stage, keys_by_feature)
        if problem:
            return _ignored_declaration(f"{name}:{number}: {problem}")
        keys_by_feature[feature] = key
    return Declaration(tuple(keys_by_feature.items()))


def _problem(feature: str, key: str | None, stage: Stage, earlier_keys: Mapping[str, str]) -> str:
    """What is wrong with a line that declares this feature; empty if the line is valid.

    `key` is None if the line has no colon; `earlier_keys` has the keys of the features on earlier lines, by feature.
    """
    allowed = feature_names(stage.options)
    if feature not in allowed:
        return f"there is no feature {as_found(feature)} — there are {listed(allowed)}{did_you_mean(feature, allowed)}"
    if key is None:
        return ""
    option = next(option for option in stage.options if option.name == feature)
    if not option.key:
        return f"{feature} is given the key {as_found(key)} — it takes no key: give only the name"
    if not re.fullmatch("[!-~]", key):
        return f"{feature} is given the key {as_found(key)} — a key is one letter, digit or punctuation mark"
    # The same feature may be declared twice with the same key.
    other_features = (name for name, other_key in earlier_keys.items() if other_key == key and name != feature)
    other_feature = next(other_features, None)
    if not other_feature:
        return ""
    return f"{feature} and {other_feature} both have the key {as_found(key)} — each feature needs its own key"


def _ignored_declaration(sentence: str) -> Declaration:
    """A declaration without features, because of a problem with the file.

    A full stop is added to `sentence`, unless it ends with a question of `did_you_mean`.
    """
    end = "" if sentence.endswith("?") else "."
    return Declaration(problem=f"{sentence}{end} The file is ignored until this is fixed.")


#: The maximum total size of a submission's files, and the maximum number of the files: first-year sources are small, so
#: a larger folder is probably a download folder.
MAX_BYTES, MAX_FILES = 64 << 20, 2000
#: The maximum depth below a submission's folder at which programs are searched for.
MAX_DEPTH = 6
#: The maximum number of folders of a submission in which programs are searched for.
_MAX_FOLDERS = 500
#: Files that tools write into the folders of their output; nothing there was written for submission.
_OUTPUT_MARKS = ("CMakeCache.txt", "CACHEDIR.TAG", "project.assets.json")


class Source(msgspec.Struct, frozen=True):
    """The source of a stage's program."""

    #: The folder that contains the source.
    folder: Path
    #: The name of a language in LANGUAGES, or of a kind of project.
    language: str
    #: The path of the source file or the project's file, relative to `folder`.
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
    #: The path of a project's source that alone may be the program; empty if there is no project, or no such source.
    main: str = ""
    #: The assignment's flags for compilers of C and C++.
    flags: tuple[str, ...] = ()


def language_of_source(name: str) -> str:
    """Returns the language of a source; C++ if its suffix is unknown."""
    language = language_of(name)
    return language.name if language is not None else "cpp"


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
            marks = (ASSIGNMENT_FILE, *_OUTPUT_MARKS)
            next_level += [current / entry.name for entry in subfolders if not _has_any(entry.path, marks)]
        level = sorted(next_level)[: _MAX_FOLDERS - len(folders)]
    return folders


def has_folders(folder: Path) -> bool:
    """Whether a folder has subfolders that are not ignored; False if the folder cannot be read."""
    return any(_folders_of(_entries(folder, is_required=False)))


def _folders_of(entries: Iterable[os.DirEntry[str]]) -> Iterator[os.DirEntry[str]]:
    return (entry for entry in entries if entry.is_dir(follow_symlinks=False) and not is_ignored_name(entry.name))


def _has_any(folder: str, names: Iterable[str]) -> bool:
    return any(os.path.isfile(f"{folder}/{name}") for name in names)


def _is_file(entry: os.DirEntry[str]) -> bool:
    """Whether an entry is a regular file or a link to one, not a pipe, a device or a circular link."""
    try:
        return entry.is_file()
    except OSError:
        return False


def _entries(
    folder: Path, *, is_required: bool = True, wanted: str = "the folder that contains the programs", prefix: str = ""
) -> list[os.DirEntry[str]]:
    """Lists a folder; raises UsageError if the folder is missing, or if it is unreadable and `is_required`."""
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except (FileNotFoundError, NotADirectoryError):
        if not folder.exists():
            raise missing_folder(folder, prefix) from None
        raise UsageError(f"{prefix}{folder}: this is a file; give {wanted}") from None
    except OSError as error:
        if not is_required:  # an unreadable subfolder is treated as empty
            return []
        raise UsageError(f"{prefix}{folder}: the folder cannot be read: {error.strerror}") from error


def paths_in(folder: Path, wanted: str = "the folder that contains the submissions", prefix: str = "") -> list[Path]:
    """Returns the sorted files and folders in a folder, except those whose names are ignored in submissions.

    Raises UsageError if the folder cannot be read; the message begins with `prefix`, and says which folder is `wanted`.
    """
    entries = _entries(folder, wanted=wanted, prefix=prefix)
    return sorted(folder / entry.name for entry in entries if not is_ignored_name(entry.name))


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
        # Compiled modules and the output of tools may differ from their sources.
        outputs = {name for name in folders if _has_any(f"{path}/{name}", _OUTPUT_MARKS)} | {"__pycache__"}
        outputs |= {"bin"} if "obj" in outputs else set()
        names = (name for name in folders if not name.startswith(".") and name not in outputs)
        # Unlike methods of Path, these functions raise no error for a path that is longer than the kernel accepts.
        folders[:] = [name for name in names if not os.path.islink(f"{path}/{name}")]
        yield current, [name for name in files if not _is_never_copied(name) and _is_regular(f"{path}/{name}")]


def _is_never_copied(name: str) -> bool:
    """Whether a file is hidden, or a precompiled header, which a compiler would use instead of the header."""
    return name.startswith(".") or name.endswith(".gch")


def _is_regular(path: str) -> bool:
    return not os.path.islink(path) and os.path.isfile(path)


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
