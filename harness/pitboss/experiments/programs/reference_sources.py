"""Finds the source of a reference that is a command, and builds the program again from a copy of this source.

The command leads to the source: the script itself, lottery.c beside ./lottery, Bank.java beside the classes, or a
makefile. A changed program is built in two folders:

    COPY/reference/lottery.c, words.txt …     copies of each top-level folder that contains the source or a file named
                                              in the command; if one of these files is itself at the top level, also
                                              copies of all files there
    BUILD/reference/lottery                   the program, built like a submission; all other files as in COPY
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from enum import Enum
from pathlib import Path

import msgspec

from pitboss.assignments.assignment import Stage
from pitboss.assignments.wordfile import MISTAKES_FOLDER
from pitboss.errors import UsageError
from pitboss.model.languages import BY_SUFFIX, LANGUAGES, is_header, language_of
from pitboss.sandbox.digests import Digest
from pitboss.sandbox.files import beginning_of, text_of
from pitboss.sessions.drivers import Conditions
from pitboss.sessions.executables import program_of
from pitboss.sessions.programs import Program
from pitboss.submissions.build import build
from pitboss.submissions.compilers import Build
from pitboss.submissions.native import COMPILERS, has_main
from pitboss.submissions.sources import Source, makefile_for

#: The maximum number of characters that are read from a file; no source is longer.
_MAX_CHARACTERS = 4 << 20
#: How many bytes at the beginning of a program are searched for a `#!` line.
_MAX_SHEBANG_BYTES = 256
#: Languages whose programs are run from a source file.
INTERPRETED = frozenset(
    language.name
    for language in LANGUAGES.values()
    if language.is_interpreted or (language.run and "{file}" in " ".join(language.run))
)
#: Languages that compile to native programs.
_NATIVE = frozenset(
    (*COMPILERS, *(language.name for language in LANGUAGES.values() if language.compile and not language.run))
)
#: The commands of runtimes, each with the language of the programs that the runtime runs.
_RUNTIMES = {"java": "java", "mono": "csharp", "dotnet": "csharp"}
_RUST_MAIN = re.compile(r"^\s*(?:pub\s+)?(?:async\s+)?fn\s+main\s*\(", re.MULTILINE)
#: Options of java whose value is the next argument.
_JAVA_OPTIONS_WITH_VALUE = ("-cp", "-classpath", "--class-path", "-p", "--module-path", "--add-modules")
#: Folders that contain no part of a reference.
_FOLDERS_TO_SKIP = (MISTAKES_FOLDER, "submissions", "__pycache__")


class UnbuildableReason(Enum):
    """Why a reference cannot be built from its source."""

    #: The command runs nothing in the assignment's folder.
    ELSEWHERE = "elsewhere"
    #: The program that the command runs is in the assignment's folder, but its source is not.
    NO_SOURCE = "no source"
    #: The source cannot be built.
    NOT_BUILT = "not built"
    #: The program built from the source behaves differently from the reference.
    DIFFERS = "differs"


class Unbuildable(msgspec.Struct, frozen=True):
    """A reference that cannot be built from its source."""

    reason: UnbuildableReason
    #: The file or command that is run, the compiler's message, or the session that differs.
    detail: str = ""


class ReferenceSource(msgspec.Struct, frozen=True):
    """The source of a reference that is a command."""

    stage: Stage
    #: The source file to build; it is in the assignment's folder.
    source: Source
    #: The paths of the program's sources and headers, relative to the assignment's folder.
    files: tuple[str, ...]
    #: The names of the top-level folders and files of the assignment's folder that a build needs.
    copied: tuple[str, ...]
    #: The arguments that the command passes to the program; None if the whole command is to be run, with its paths
    #: replaced by paths in the build.
    arguments: tuple[str, ...] | None

    @property
    def folder(self) -> Path:
        """The assignment's folder."""
        return _folder_of(self.stage)

    @property
    def relative_folder(self) -> str:
        """The path of the source's folder relative to the assignment's folder; `.` if both folders are the same."""
        return os.path.relpath(self.source.folder, self.folder)

    def add_to(self, digest: Digest) -> None:
        """Add to a digest everything that a build depends on, except the machine.

        Raises NoDigestError if a file cannot be read.
        """
        digest.add(*self.stage.reference.command, self.source.language, self.source.file, self.source.program)
        for name in self.copied:
            digest.add(name)
            digest.add_path(self.folder / name)

    def copy(self, into: Path) -> None:
        """Copy the folders and files that a build needs into the new folder `into`."""
        into.mkdir(parents=True)
        for name in self.copied:
            _copy(self.folder / name, into / name)

    def built(self, copy: Path, into: Path, conditions: Conditions, flags: tuple[str, ...] = ()) -> Build:
        """Build the program from the sources in `copy`, in the new folder `into`.

        `flags` are additional flags for C or C++.
        """
        into.mkdir(parents=True)
        build_folder = into / self.relative_folder
        if build_folder == into:
            into.rmdir()  # `build` creates this folder
        source = msgspec.structs.replace(self.source, folder=copy / self.relative_folder)
        result = build(source, build_folder, conditions, flags=flags if source.language in COMPILERS else ())
        if result.program is None:
            return result
        for name in self.copied:
            if not (into / name).exists():
                _copy(copy / name, into / name)
        return msgspec.structs.replace(result, program=self._program_with_arguments(result.program, into))

    def _program_with_arguments(self, program: Program, into: Path) -> Program:
        """The built program, started with the arguments of the reference's command."""
        if self.arguments is not None:
            arguments = tuple(self._path_in_build(argument, into) for argument in self.arguments)
            return msgspec.structs.replace(program, argv=(*program.argv, *arguments), folder=into)
        executable, *others = (self._path_in_build(word, into) for word in self.stage.reference.command)
        # For `python`, keep the interpreter of the build: `program_of` would use that of pitboss, which may be in a
        # virtual environment that the sandbox hides.
        argv = (
            program_of(self.stage, (executable, *others)).argv if executable != "python" else (program.argv[0], *others)
        )
        return msgspec.structs.replace(program, argv=argv, folder=into)

    def _path_in_build(self, word: str, into: Path) -> str:
        """An argument, or each part of a search path, moved from the assignment's folder to the folder `into`."""
        return ":".join(
            f"{into}{part.removeprefix(str(self.folder))}" if Path(part).is_relative_to(self.folder) else part
            for part in word.split(":")
        )


def _copy(source: Path, target: Path) -> None:
    try:
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns(".*", "__pycache__"), dirs_exist_ok=True)
        else:
            shutil.copy(source, target)
    except (OSError, shutil.Error) as error:
        raise UsageError(f"{source}: it cannot be copied: {error}") from error


def _folder_of(stage: Stage) -> Path:
    return stage.spec.path.parent.resolve()


def source_of(stage: Stage) -> ReferenceSource | Unbuildable:
    """Returns the source of a stage's reference, or why it was not found. The reference must be a command."""
    folder, command = _folder_of(stage), stage.reference.command
    paths_in_folder = [
        part for word in command for part in word.split(":") if part != str(folder) and _is_path_in(folder, part)
    ]
    if not paths_in_folder:
        return Unbuildable(
            UnbuildableReason.ELSEWHERE, next((word for word in command[1:] if os.path.isfile(word)), command[0])
        )
    source_and_arguments = next(
        (
            candidate
            for find_source in (_script_source, _runtime_source, _native_source)
            if (candidate := find_source(stage, folder)) is not None
        ),
        None,
    )
    if source_and_arguments is None:
        return Unbuildable(UnbuildableReason.NO_SOURCE, os.path.relpath(paths_in_folder[0], folder))
    source, arguments = source_and_arguments
    source_path = os.path.relpath(source.folder / source.file, folder)
    copied = tuple(
        dict.fromkeys(file for path in (source_path, *paths_in_folder) for file in _names_to_copy(Path(path), folder))
    )
    return ReferenceSource(stage, source, tuple(_program_files(source, folder)), copied, arguments)


def _is_path_in(folder: Path, word: str) -> bool:
    return word.startswith("/") and Path(word).is_relative_to(folder) and os.path.exists(word)


def _names_to_copy(path: Path, folder: Path) -> Iterator[str]:
    """Yields the names to copy for a path: its top-level folder, or all top-level files if the path is one of them."""
    top_name = (path.relative_to(folder) if path.is_absolute() else path).parts[0]
    if (folder / top_name).is_dir():
        yield top_name
    else:
        yield from sorted(path.name for path in folder.iterdir() if path.is_file() and not path.name.startswith("."))


#: The source, and the value of `ReferenceSource.arguments`.
_SourceAndArguments = tuple[Source, tuple[str, ...] | None]


def _script_source(stage: Stage, folder: Path) -> _SourceAndArguments | None:
    """The source in the first word of the command that is a script or a .java file; None if there is no such word.

    A script is recognised by its suffix or its first line.
    """
    for index, word in enumerate(stage.reference.command):
        path = Path(word)
        if not _is_path_in(folder, word) or not path.is_file():
            continue
        language = _script_language(path)
        if language:
            return Source(path.parent, language, path.name, path.stem or path.name), None
        if path.suffix == ".java":
            source = Source(path.parent, "java", path.name, path.stem)
            return source, stage.reference.command[index + 1 :]
    return None


def _script_language(path: Path) -> str:
    """The language of a script; empty if the file is not a script."""
    language = language_of(path)
    if language is not None:
        return language.name if language.name in INTERPRETED else ""
    first_line = beginning_of(path, _MAX_SHEBANG_BYTES).partition(b"\n")[0].decode("utf-8", "replace")
    if not first_line.startswith("#!"):
        return ""
    interpreters = re.findall(r"[a-z]+", first_line.rpartition("/")[2])
    # In `#!/usr/bin/env python3`, the last part of the path gives the words `env` and `python`.
    language_names = {"bash": "shell", "sh": "shell", "dash": "shell"}
    return next(
        (
            language_name
            for interpreter in interpreters
            if (language_name := language_names.get(interpreter, interpreter)) in INTERPRETED
        ),
        "",
    )


def _runtime_source(stage: Stage, folder: Path) -> _SourceAndArguments | None:
    """The source of the class or assembly that the command runs with a runtime, such as java; None if not found."""
    command = stage.reference.command
    runtime = Path(command[0]).name
    if runtime not in _RUNTIMES:
        return None
    if runtime == "java":
        program_index = _main_class_index(command)
        file_names = [f"{command[program_index].replace('.', '/')}.java"] if program_index < len(command) else []
    else:
        program_index = next(
            (index for index, word in enumerate(command) if word.endswith((".exe", ".dll"))), len(command)
        )
        stem = Path(command[program_index]).stem if program_index < len(command) else ""
        file_names = [f"{stem}{suffix}" for suffix in LANGUAGES["csharp"].suffixes if stem]
    for path in sorted(_files_below(folder), key=lambda file: len(file.parts)):
        name = next((file_name for file_name in file_names if f"/{path.as_posix()}".endswith(f"/{file_name}")), None)
        if name is not None:
            # `name` may contain folders, which are those of a Java package: the source's folder is above them.
            source_folder = (folder / path).parents[name.count("/")]
            return Source(source_folder, _RUNTIMES[runtime], name, Path(name).stem), command[program_index + 1 :]
    return None


def _main_class_index(command: tuple[str, ...]) -> int:
    """The index of the main class in a java command; the length of the command if the command names no class."""
    index = 1
    while index < len(command) and command[index].startswith("-"):
        index += 2 if command[index] in _JAVA_OPTIONS_WITH_VALUE else 1
    return min(index, len(command))


def _native_source(stage: Stage, folder: Path) -> _SourceAndArguments | None:
    """The source of a native program: a makefile, the source with the program's name, or the only one with a main."""
    command = stage.reference.command
    program = Path(command[0])
    if not _is_path_in(folder, command[0]):
        return None
    for makefile_folder in dict.fromkeys((program.parent, program.parent.parent)):
        makefile = (
            makefile_for(makefile_folder, program.name)
            if _is_path_in(folder, str(makefile_folder)) or makefile_folder == folder
            else ""
        )
        if makefile:
            return Source(makefile_folder, "make", makefile, program.name), command[1:]
    sources = [path for path in _files_below(folder) if (language := language_of(path)) and language.name in _NATIVE]
    sources_beside = [path for path in sources if (folder / path).parent == program.parent]
    with_same_name = [path for path in (*sources_beside, *sources) if path.stem == program.stem]
    beside_with_main, with_main = (
        [path for path in paths if _has_main(folder / path)] for paths in (sources_beside, sources)
    )
    choice = with_same_name[:1] or (beside_with_main if len(beside_with_main) == 1 else with_main)
    if len(choice) != 1:
        return None
    path = folder / choice[0]
    return Source(path.parent, BY_SUFFIX[path.suffix.lower()].name, path.name, program.name), command[1:]


def _has_main(path: Path) -> bool:
    """Whether a source defines the main function of a program."""
    return has_main(path) or _RUST_MAIN.search(text_of(path, _MAX_CHARACTERS)) is not None


def _files_below(folder: Path) -> Iterator[Path]:
    """Yields the files below `folder` that a reference may consist of, as paths relative to `folder`."""
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(
            subfolder for subfolder in folders if not subfolder.startswith(".") and subfolder not in _FOLDERS_TO_SKIP
        )
        yield from (Path(parent, name).relative_to(folder) for name in sorted(names))


def _program_files(source: Source, folder: Path) -> Iterator[str]:
    """Yields a program's source file, the sources and headers that it names, the files that these name, and so on.

    The paths are relative to `folder`. A makefile is left out.
    """
    texts = {path: text_of(path, _MAX_CHARACTERS) for path in _sources_and_headers(source)}
    source_file = source.folder / source.file
    unread_files, used_files = [source_file], dict.fromkeys([source_file])
    while unread_files:
        text = texts.get(unread_files[0]) or text_of(unread_files[0], _MAX_CHARACTERS)
        del unread_files[0]
        words = {*re.findall(r"[\w.-]+", text), *re.findall(r"\w+", text)}
        newly_named = [path for path in texts if path not in used_files and (path.name in words or path.stem in words)]
        unread_files += newly_named
        used_files |= dict.fromkeys(newly_named)
    yield from (
        path.relative_to(folder).as_posix() for path in used_files if source.language != "make" or path != source_file
    )


def _sources_and_headers(source: Source) -> Iterator[Path]:
    """Yields the sources and headers in the program's language, in the source's folder and below."""
    languages = {*COMPILERS} if source.language in ("make", *COMPILERS) else {source.language}
    for path in sorted(_files_below(source.folder)):
        language = language_of(path)
        if (language and language.name in languages) or (is_header(path) and languages & {*COMPILERS}):
            yield source.folder / path


def files_that_may_change(source: ReferenceSource) -> dict[str, str]:
    """Returns the texts that a patch of a reference may change, by path relative to the assignment's folder."""
    texts: dict[str, str] = {}
    for name in source.copied:
        copied_path = source.folder / name
        paths = [copied_path / file for file in _files_below(copied_path)] if copied_path.is_dir() else [copied_path]
        for path in paths:
            try:
                texts[path.relative_to(source.folder).as_posix()] = path.read_bytes().decode("utf-8")
            except (OSError, UnicodeDecodeError):
                continue  # not text: a program, for example
    return texts
