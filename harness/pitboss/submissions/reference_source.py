"""Builds the programs of an assignment: a reference that is a source, such as `reference: reference/lottery.c`.

A reference is built like a submission, from a copy of the files that may belong to it:

    COPY/reference/lottery.c, words.txt …     the folder that contains the source, or the root of its Java packages; if
                                              this is the assignment's folder, the files directly in it, or the package
    BUILD/lottery                             the program, beside another copy of that folder

A program is built once, since it is kept in this process and in the user's cache, by all that it depends on.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable
from contextlib import ExitStack
from functools import cache
from pathlib import Path

import msgspec

from pitboss.assignments.assignment import Stage
from pitboss.errors import ShortageError, SpecError, UsageError
from pitboss.machine import scratch
from pitboss.machine.files import text_of
from pitboss.machine.store import open_store
from pitboss.model.languages import is_header, language_of
from pitboss.sandbox.digests import Digest, NoDigestError, digest_of_machine, digest_of_pitboss
from pitboss.sessions import executables
from pitboss.sessions.drivers import Conditions, find_conditions
from pitboss.sessions.programs import Program
from pitboss.submissions.build import build
from pitboss.submissions.compilers import Build
from pitboss.submissions.java_build import with_packages
from pitboss.submissions.native import COMPILERS
from pitboss.submissions.projects import makefile_for
from pitboss.submissions.sources import Source, files_below
from pitboss.submissions.stage_files import source_of_file

#: The maximum number of characters that are read from a file; no source is longer.
_MAX_CHARACTERS = 4 << 20
#: The suffix of the files of an assignment that belong to no program.
_SPEC_SUFFIX = ".yaml"


class ReferenceSource(msgspec.Struct, frozen=True):
    """The source of a stage's reference."""

    stage: Stage
    #: What to build, in a folder of the assignment.
    source: Source
    #: The paths of all files that may belong to the program, relative to the assignment's folder.
    paths: tuple[str, ...]

    @property
    def folder(self) -> Path:
        """The assignment's folder."""
        return _folder_of(self.stage)

    @property
    def code_files(self) -> list[str]:
        """The paths of the source, of the sources and headers that it names, of those that these name, and so on.

        The paths are relative to the assignment's folder. A makefile is left out.
        """
        texts = {path: text_of(self.folder / path, _MAX_CHARACTERS) for path in self.paths if self._may_be_code(path)}
        main = (self.source.folder / self.source.file).relative_to(self.folder).as_posix()
        unread, used = [main], [main]
        while unread:
            path = unread.pop(0)
            text = texts.get(path) or text_of(self.folder / path, _MAX_CHARACTERS)
            words = {*re.findall(r"[\w.-]+", text), *re.findall(r"\w+", text)}
            named = [path for path in texts if path not in used and words & {Path(path).name, Path(path).stem}]
            unread, used = [*unread, *named], [*used, *named]
        return used[1:] if self.source.language == "make" else used

    def _may_be_code(self, path: str) -> bool:
        """Whether a file is a source or a header in the program's language, by its name."""
        languages = {*COMPILERS} if self.source.language in ("make", *COMPILERS) else {self.source.language}
        language = language_of(path)
        return (language is not None and language.name in languages) or (is_header(path) and "c" in languages)

    def texts(self) -> dict[str, str]:
        """The texts of all files that may belong to the program and are text, by path."""
        texts: dict[str, str] = {}
        for path in self.paths:
            try:
                texts[path] = (self.folder / path).read_bytes().decode("utf-8")
            except (OSError, UnicodeDecodeError):
                continue
        return texts

    def add_to(self, digest: Digest) -> None:
        """Add to a digest all that the program depends on, except the machine; NoDigestError for an unreadable file."""
        digest.add(self.source.language, self.source.file, self.source.program, *self.source.files, *self.paths)
        for path in self.paths:
            digest.add_path(self.folder / path)
        if self.source.course_files_folder is not None:
            digest.add_path(self.source.course_files_folder)

    def copy(self, into: Path) -> None:
        """Copy the files that may belong to the program into the new folder `into`."""
        into.mkdir(parents=True)
        for path in self.paths:
            try:
                (into / path).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(self.folder / path, into / path)
            except OSError as error:
                raise UsageError(f"{self.folder / path}: it cannot be copied: {error.strerror}") from error

    def built(self, copy: Path, into: Path, conditions: Conditions, flags: tuple[str, ...] = ()) -> Build:
        """Build the program from the files in `copy`, in the new folder `into`.

        `flags` are additional flags for C or C++. Raises UsageError if this machine has no compiler.
        """
        folder = copy / self.source.folder.relative_to(self.folder)
        source = msgspec.structs.replace(self.source, folder=folder)
        try:
            return build(source, into, conditions, flags=flags if source.language in COMPILERS else ())
        except UsageError as error:
            raise UsageError(str(error).replace(str(folder), os.path.relpath(self.source.folder))) from error


def reference_source(stage: Stage, path: Path) -> ReferenceSource:
    """Returns the source of a stage's reference, which is the file at this path in the assignment's folder.

    As in a submission, a makefile beside the source that has a target of its name builds the program.
    """
    folder = _folder_of(stage)
    makefile = makefile_for(path.parent, path.stem)
    source = source_of_file(path, stage, is_alone=False)
    assert source is not None, "the loader accepts only files with the suffix of a language"
    if makefile:
        source = msgspec.structs.replace(source, language="make", file=makefile, program=path.stem)
    elif source.language == "java":
        source = with_packages(source, [folder, *path.relative_to(folder).parents, *path.parents])
    if source.folder != folder:
        names = files_below(source.folder)
    elif "/" in source.file:
        package = source.file.partition("/")[0]
        names = [f"{package}/{name}" for name in files_below(folder / package)]
    else:
        files = (file for file in folder.iterdir() if file.is_file() and file.suffix != _SPEC_SUFFIX)
        names = [file.name for file in files if not file.name.startswith(".")]
    paths = tuple(sorted((source.folder / name).relative_to(folder).as_posix() for name in names))
    return ReferenceSource(stage, source, paths)


def _folder_of(stage: Stage) -> Path:
    return stage.spec.path.parent.resolve()


def _program_of_source(stage: Stage, path: Path) -> Program:
    """Returns the program of a reference that is a source; see `built_program` for errors."""
    source, conditions = reference_source(stage, path), find_conditions("auto", "none")
    digest, subject = Digest("program of a reference"), f"{os.path.relpath(path)}: the reference of {stage.name!r}"
    try:
        digest.add(_fingerprint())
        source.add_to(digest)
    except NoDigestError as error:
        raise SpecError(f"{subject} cannot be built: {error}") from error

    def build_into(into: Path) -> Build:
        with scratch.folder("copy") as copies:
            source.copy(Path(copies) / "copy")
            return source.built(Path(copies) / "copy", into, conditions)

    return msgspec.structs.replace(built_program(digest.text(), build_into, subject), is_trusted=True)


executables.program_of_source = _program_of_source


@cache
def _fingerprint() -> str:
    """A digest of pitboss and this machine; it is computed after pitboss has raised the limits of this process."""
    return f"{digest_of_pitboss()} {digest_of_machine(os.environ)}"


#: The programs that this process has built or taken from the user's cache, by the digest of all they depend on.
_programs: dict[str, Program] = {}
#: The folders of these programs; the folders are removed when the process ends.
_folders = ExitStack()


class _StoredProgram(msgspec.Struct, frozen=True, array_like=True):
    """A program in the user's cache: it was built in `program.folder`, where it had these files."""

    program: Program
    #: The path, the content and the mode of each file.
    files: tuple[tuple[str, bytes, int], ...]


def built_program(key: str, build_into: Callable[[Path], Build], subject: str) -> Program:
    """Returns the program that `build_into` builds in a new folder; it is built only if there is none with this key.

    Raises a SpecError that begins with `subject` if the program cannot be built, ShortageError if this machine is at
    fault.
    """
    if key not in _programs:
        into = Path(_folders.enter_context(scratch.folder("program"))) / "build"
        store = None if "cache" in os.environ.get("PITBOSS_WITHOUT", "") else open_store(os.environ).store
        name = f"program-{key}"
        program = _stored_program(store.get(name), into) if store is not None else None
        if program is None:
            built = build_into(into)
            if built.is_fault:
                raise ShortageError(built.reason)
            if built.program is None:
                raise SpecError(f"{subject} cannot be built: {built.reason}")
            program = built.program
            if store is not None and not any(path.is_symlink() for path in into.rglob("*")):
                files = ((path, path.stat().st_mode & 0o777) for path in into.rglob("*") if path.is_file())
                contents = tuple((str(path.relative_to(into)), path.read_bytes(), mode) for path, mode in files)
                store.put(name, msgspec.msgpack.encode(_StoredProgram(program, contents), enc_hook=str))
        _programs[key] = program
    return _programs[key]


def _stored_program(content: bytes | None, into: Path) -> Program | None:
    """Returns the program in an entry of the cache, written into the new folder `into`; None if there is none."""
    try:
        stored = msgspec.msgpack.decode(content or b"", type=_StoredProgram, dec_hook=lambda kind, value: kind(value))
    except (msgspec.MsgspecError, ValueError):
        return None
    for name, data, mode in stored.files:
        (into / name).parent.mkdir(parents=True, exist_ok=True)
        (into / name).write_bytes(data)
        (into / name).chmod(mode)
    return stored.program.moved_to(into)
