"""Finds the source of a reference that is a command, and builds and starts the program again.

The files of the assignment's folder that the command names lead to the source: the script itself, lottery.c beside
./lottery, Bank.java beside the classes, or a makefile. To build the source with a change, these files are copied:

    COPY/reference/lottery.c, words.txt …     the folders of the files that the command names, unchanged; or the files
                                              at the top, if the command names one of them
    BUILD/reference/lottery                   the program, built like a submission; the rest as in COPY
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

#: The maximum number of characters that are read from a file: no source is longer.
_MAX_CHARACTERS = 4 << 20
#: How many bytes of a program are searched for a first line that names an interpreter.
_FIRST_LINE = 256
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
#: Runtimes, each with the language of its programs.
_RUNTIMES = {"java": "java", "mono": "csharp", "dotnet": "csharp"}
_RUST_MAIN = re.compile(r"^\s*(?:pub\s+)?(?:async\s+)?fn\s+main\s*\(", re.MULTILINE)
#: Options of java whose value is the next argument.
_WITH_VALUE = ("-cp", "-classpath", "--class-path", "-p", "--module-path", "--add-modules")
#: Folders that contain no part of a reference.
_NOT_LOOKED_AT = (MISTAKES_FOLDER, "submissions", "__pycache__")


class Lack(Enum):
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

    lack: Lack
    #: What the command runs, or what the compiler says.
    detail: str = ""


class ReferenceSource(msgspec.Struct, frozen=True):
    """The source of a reference that is a command."""

    stage: Stage
    #: The source file that is built, in the assignment's folder.
    source: Source
    #: The paths of the program's files relative to the assignment's folder.
    files: tuple[str, ...]
    #: The names of the folders and files in the assignment's folder to copy.
    copied: tuple[str, ...]
    #: The arguments after the part of the command that starts the program; None to run the whole command, with its
    #: paths replaced.
    arguments: tuple[str, ...] | None

    @property
    def folder(self) -> Path:
        """The assignment's folder."""
        return _folder_of(self.stage)

    @property
    def place(self) -> str:
        """The folder of the source relative to the assignment's folder; `.` if both are the same."""
        return os.path.relpath(self.source.folder, self.folder)

    def add_to(self, digest: Digest) -> None:
        """Add everything that a build depends on besides the machine; UnknownError if a file cannot be read."""
        digest.add(*self.stage.reference.command, self.source.language, self.source.file, self.source.program)
        for name in self.copied:
            digest.add(name)
            digest.add_path(self.folder / name)

    def copy(self, into: Path) -> None:
        """Copy what a build needs into a new folder."""
        into.mkdir(parents=True)
        for name in self.copied:
            _copy(self.folder / name, into / name)

    def built(self, copy: Path, into: Path, conditions: Conditions, flags: tuple[str, ...] = ()) -> Build:
        """Build the program in `copy` into a new folder `into`; `flags` are additional flags for C or C++."""
        into.mkdir(parents=True)
        place = into / self.place
        if place == into:
            into.rmdir()
        source = msgspec.structs.replace(self.source, folder=copy / self.place)
        result = build(source, place, conditions, flags=flags if source.language in COMPILERS else ())
        if result.program is None:
            return result
        for name in self.copied:
            if not (into / name).exists():
                _copy(copy / name, into / name)
        return msgspec.structs.replace(result, program=self._started(result.program, into))

    def _started(self, program: Program, into: Path) -> Program:
        """The built program, with the arguments of the reference."""
        if self.arguments is not None:
            words = tuple(self._moved(word, into) for word in self.arguments)
            return msgspec.structs.replace(program, argv=(*program.argv, *words), folder=into)
        first, *others = (self._moved(word, into) for word in self.stage.reference.command)
        # The Python of pitboss may be in an environment that is not visible in the sandbox.
        argv = program_of(self.stage, (first, *others)).argv if first != "python" else (program.argv[0], *others)
        return msgspec.structs.replace(program, argv=argv, folder=into)

    def _moved(self, word: str, into: Path) -> str:
        """An argument with each path in the assignment's folder replaced by its copy's path, also in a search path."""
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
    """Returns the source of a stage's reference, which must be a command, or why the reference cannot be built."""
    folder, command = _folder_of(stage), stage.reference.command
    own_paths = [part for word in command for part in word.split(":") if part != str(folder) and _is_in(folder, part)]
    if not own_paths:
        return Unbuildable(Lack.ELSEWHERE, next((word for word in command[1:] if os.path.isfile(word)), command[0]))
    found = next(
        (candidate for find in (_script, _of_runtime, _native) if (candidate := find(stage, folder)) is not None), None
    )
    if found is None:
        return Unbuildable(Lack.NO_SOURCE, os.path.relpath(own_paths[0], folder))
    source, arguments = found
    source_path = os.path.relpath(source.folder / source.file, folder)
    copied = tuple(dict.fromkeys(file for path in (source_path, *own_paths) for file in _copied(Path(path), folder)))
    return ReferenceSource(stage, source, tuple(_files_of(source, folder)), copied, arguments)


def _is_in(folder: Path, word: str) -> bool:
    return word.startswith("/") and Path(word).is_relative_to(folder) and os.path.exists(word)


def _copied(path: Path, folder: Path) -> Iterator[str]:
    """Yields what to copy for a path: the top folder that contains it, or, for a file at the top, all such files."""
    first = (path.relative_to(folder) if path.is_absolute() else path).parts[0]
    if (folder / first).is_dir():
        yield first
    else:
        yield from sorted(path.name for path in folder.iterdir() if path.is_file() and not path.name.startswith("."))


_Found = tuple[Source, tuple[str, ...] | None]


def _script(stage: Stage, folder: Path) -> _Found | None:
    """The first part of the command that is a script, by its suffix or first line, or a source file that java runs."""
    for index, word in enumerate(stage.reference.command):
        path = Path(word)
        if not _is_in(folder, word) or not path.is_file():
            continue
        language = _interpreted_by(path)
        if language:
            return Source(path.parent, language, path.name, path.stem or path.name), None
        if path.suffix == ".java":
            source = Source(path.parent, "java", path.name, path.stem)
            return source, stage.reference.command[index + 1 :]
    return None


def _interpreted_by(path: Path) -> str:
    """The language of a script; empty if the file is not a script."""
    language = language_of(path)
    if language is not None:
        return language.name if language.name in INTERPRETED else ""
    first_line = beginning_of(path, _FIRST_LINE).partition(b"\n")[0].decode("utf-8", "replace")
    if not first_line.startswith("#!"):
        return ""
    runners = re.findall(r"[a-z]+", first_line.rpartition("/")[2])
    names = {"bash": "shell", "sh": "shell", "dash": "shell"}
    return next((name for runner in runners if (name := names.get(runner, runner)) in INTERPRETED), "")


def _of_runtime(stage: Stage, folder: Path) -> _Found | None:
    """The source of a program that a runtime runs: the class or the assembly that the command names."""
    command = stage.reference.command
    runtime = Path(command[0]).name
    if runtime not in _RUNTIMES:
        return None
    if runtime == "java":
        program_index = next(_main_class(command), len(command))
        names = [f"{command[program_index].replace('.', '/')}.java"] if program_index < len(command) else []
    else:
        program_index = next(
            (index for index, word in enumerate(command) if word.endswith((".exe", ".dll"))), len(command)
        )
        stem = Path(command[program_index]).stem if program_index < len(command) else ""
        names = [f"{stem}{suffix}" for suffix in LANGUAGES["csharp"].suffixes if stem]
    for path in sorted(_files_below(folder), key=lambda file: len(file.parts)):
        name = next((name for name in names if f"/{path.as_posix()}".endswith(f"/{name}")), None)
        if name is not None:
            source_folder = (folder / path).parents[name.count("/")]
            return Source(source_folder, _RUNTIMES[runtime], name, Path(name).stem), command[program_index + 1 :]
    return None


def _main_class(command: tuple[str, ...]) -> Iterator[int]:
    """Yields the index of the main class in a java command; nothing if the command names no class."""
    index = 1
    while index < len(command):
        if not command[index].startswith("-"):
            yield index
            return
        index += 2 if command[index] in _WITH_VALUE else 1


def _native(stage: Stage, folder: Path) -> _Found | None:
    """The source of a native program: a makefile, the source named like the program, or the only source with a main."""
    command = stage.reference.command
    program = Path(command[0])
    if not _is_in(folder, command[0]):
        return None
    for place in dict.fromkeys((program.parent, program.parent.parent)):
        makefile = makefile_for(place, program.name) if _is_in(folder, str(place)) or place == folder else ""
        if makefile:
            return Source(place, "make", makefile, program.name), command[1:]
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
    """The paths of the files that a reference may consist of, relative to `folder`."""
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(folder for folder in folders if not folder.startswith(".") and folder not in _NOT_LOOKED_AT)
        yield from (Path(place, name).relative_to(folder) for name in sorted(names))


def _files_of(source: Source, folder: Path) -> Iterator[str]:
    """The source file of a program, and the files below its folder that the source file names, recursively."""
    texts = {path: text_of(path, _MAX_CHARACTERS) for path in _sources_beside(source)}
    source_file = source.folder / source.file
    waiting, used_files = [source_file], dict.fromkeys([source_file])
    while waiting:
        text = texts.get(waiting[0]) or text_of(waiting[0], _MAX_CHARACTERS)
        del waiting[0]
        words = {*re.findall(r"[\w.-]+", text), *re.findall(r"\w+", text)}
        newly_named = [path for path in texts if path not in used_files and (path.name in words or path.stem in words)]
        waiting += newly_named
        used_files |= dict.fromkeys(newly_named)
    yield from (
        path.relative_to(folder).as_posix() for path in used_files if source.language != "make" or path != source_file
    )


def _sources_beside(source: Source) -> Iterator[Path]:
    """The sources and headers of a program's language in its folder and below it."""
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
