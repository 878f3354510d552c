"""Projects: files from which a tool builds programs, such as a Makefile; one record for each kind.

A project is built in the sandbox, without a network, in the copy of the submission. What only the author's machine has
is taken out of the copy first: versions of tools, packages from the network, settings of a release.
"""

from __future__ import annotations

import contextlib
import json
import os
import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from fnmatch import fnmatch
from pathlib import Path
from typing import NamedTuple

import msgspec

from pitboss.errors import UsageError
from pitboss.machine.files import text_of
from pitboss.model.languages import LANGUAGES, is_header, language_of
from pitboss.submissions.compilers import (
    Build,
    Run,
    build_from_outcome,
    build_without_packages,
    failed_build,
    runtime_path,
    without_progress,
)
from pitboss.submissions.dotnet import build_with_dotnet
from pitboss.submissions.native import build_with_make
from pitboss.submissions.sources import Source, is_ignored_name

#: How many characters of a project's file are read.
_MAX_CHARACTERS = 1 << 20


class Project(msgspec.Struct, frozen=True):
    """A kind of project."""

    #: The name of the kind, as in Source.language.
    name: str
    #: The commands that build it.
    commands: tuple[str, ...]
    #: Patterns of the names of its files, in lower case and in the order in which the tool looks for them.
    files: tuple[str, ...]
    #: A regular expression for a program that the project makes, where NAME is the program. It is searched for in the
    #: name of the project's file, a newline and the file's text.
    program: str
    #: Builds the program of a source whose file is the project's.
    build: Callable[[Source, Path, Run], Build]
    #: The languages of the sources that belong to a project in their folder or above; empty if only `program` decides.
    languages: tuple[str, ...] = ()
    #: Regular expressions for projects that make a program of any name, and for projects with tests, in the same text.
    any_program: str = r"(?!)"
    tests: str = r"(?!)"
    #: Patterns of files that belong to the projects in the folders below theirs, in lower case.
    outer_files: tuple[str, ...] = ()
    #: The files of the trial, which greets; the project's file comes first. Empty if the language has its own.
    hello: Mapping[str, str] = {}


class ProjectFile(NamedTuple):
    """The file of a project in a submission."""

    kind: Project
    path: Path
    #: The name of the file, a newline and the file's text.
    text: str

    def program_named(self, name: str) -> str:
        """Returns the program of this name that the project makes, in the project's letter case; else empty."""
        match = re.search(self.kind.program.replace("NAME", re.escape(name)), self.text)
        return next(filter(None, match.groups()), "") if match else ""

    def matches(self, pattern: str) -> bool:
        """Whether one of the patterns of its kind is in the project."""
        return re.search(pattern, self.text) is not None


def project_files_in(folder: Path, names: Iterable[str]) -> Iterator[ProjectFile]:
    """Yields the projects among the files `names` of a folder; raises UsageError if one cannot be read."""
    ordered = sorted(names, key=lambda name: (name.lower(), name[:1].isupper()))  # as make looks for makefiles
    for kind, name in ((kind, name) for kind in PROJECTS for name in ordered if _matches(name, kind.files)):
        try:
            text = text_of(folder / name, _MAX_CHARACTERS)
        except OSError as error:
            raise UsageError(f"{folder / name}: the file cannot be read: {error.strerror}") from error
        yield ProjectFile(kind, folder / name, f"{name}\n{text}")


def _matches(name: str, patterns: Iterable[str]) -> bool:
    return any(fnmatch(name.lower(), pattern) for pattern in patterns)


def project_above(folder: Path, folders: Mapping[Path, Iterable[str]], language: str) -> ProjectFile | None:
    """Returns the nearest project, in `folder` or above, that is of this kind or for sources of this language."""
    for place in (folder, *folder.parents):
        files = project_files_in(place, folders.get(place, ()))
        if project := next((file for file in files if language in (file.kind.name, *file.kind.languages)), None):
            return project
    return None


def top_of(project: ProjectFile, folders: Mapping[Path, Iterable[str]]) -> Path:
    """Returns the folder, one of `folders`, that contains all that a project is built from."""
    inside = [folder for folder in project.path.parents if folder in folders]
    if re.search(r"\.\.[\\/]", project.text):
        return inside[-1]
    return next((folder for folder in reversed(inside) if has_outer_file(folders[folder])), project.path.parent)


def has_outer_file(names: Iterable[str]) -> bool:
    """Whether one of these files belongs to projects in folders below its own, as a solution does."""
    return any(_matches(name, kind.outer_files) for name in names for kind in PROJECTS)


def is_code(name: str) -> bool:
    """Whether a file is a source, a header or a part of a project, by its name."""
    is_source = language_of(name) is not None or is_header(name)
    is_of_project = any(_matches(name, (*kind.files, *kind.outer_files)) for kind in PROJECTS)
    return not is_ignored_name(name) and (is_source or is_of_project)


def makefile_for(folder: Path, program: str) -> str:
    """Returns the name of a folder's makefile, if the makefile has a target for `program`; else empty."""
    names = [path.name for path in folder.iterdir() if path.is_file()]
    files = (file for file in project_files_in(folder, names) if file.kind.name == "make")
    return next((file.path.name for file in files if file.program_named(program)), "")


#: A package that CMake or pkg-config did not find, and one that CMake would have fetched.
_MISSING_PACKAGE = re.compile(r"""provided by\s+"([\w.+-]+)"|Could NOT find (\w+)|No package '([\w.+-]+)' found""")
_FETCHED_PACKAGE = re.compile(r"FetchContent_Declare\s*\(\s*([\w.+-]+)")
_MIN_VERSION = re.compile(r"(?i)(cmake_minimum_required\s*\(\s*VERSION\s+)[\d.]+")


def _build_with_cmake(source: Source, into: Path, run: Run) -> Build:
    lists = {path.parent.relative_to(into): _text(path) for path in into.rglob("CMakeLists.txt")}
    for folder, text in lists.items():
        # An editor writes its own version of CMake, which may be newer than ours.
        (into / folder / "CMakeLists.txt").write_text(_MIN_VERSION.sub(r"\g<1>3.10", text), encoding="utf-8")
    outer = (folder for folder in Path(source.file).parent.parents if "add_subdirectory" in lists.get(folder, ""))
    top = str(max(outer, key=lambda folder: -len(folder.parts), default=Path(source.file).parent))
    query = into / top / ".cmake-build/.cmake/api/v1/query/codemodel-v2"  # the reply is described in cmake-file-api(7)
    query.parent.mkdir(parents=True)
    query.touch()
    options = ("-Wno-dev", "-DCMAKE_BUILD_TYPE=Debug", "-DBUILD_TESTING=OFF", "-DFETCHCONTENT_FULLY_DISCONNECTED=ON")
    outcome = run("cmake", "-S", top, "-B", f"{top}/.cmake-build", *options)
    displayed_argv = ("cmake", "--build", "build")
    files, programs = dict[str, list[str]](), dict[str, str]()
    with contextlib.suppress(ValueError, LookupError, TypeError):  # the project may have changed the reply
        for path in sorted(query.parents[1].glob("reply/target-*.json")):
            target = json.loads(_text(path))
            if target["type"] == "EXECUTABLE":
                programs[target["name"]] = posixpath.normpath(f"{top}/.cmake-build/{target['artifacts'][0]['path']}")
                files[target["name"]] = [posixpath.normpath(f"{top}/{entry['path']}") for entry in target["sources"]]
    by_file = (name for name in files if source.main in files[name])
    name = _matching_name(source, programs, next(by_file, ""))
    if outcome.is_ok:
        outcome = run("cmake", "--build", f"{top}/.cmake-build", "--target", name or "all")
    build = without_progress(build_from_outcome(outcome, displayed_argv, programs.get(name, source.program), into))
    missing = [next(filter(None, match.groups())) for match in _MISSING_PACKAGE.finditer(outcome.output)][:1]
    if re.search(r"No such file|not found", build.messages):
        missing += _FETCHED_PACKAGE.findall("\n".join(lists.values()))
    return build if build.program else build_without_packages(build, "the project", missing)


#: A crate that Cargo would have fetched.
_CRATE = re.compile(r"(?:no matching package named|failed to get) `([\w-]+)`")


def _build_with_cargo(source: Source, into: Path, run: Run) -> Build:
    for path in into.rglob("Cargo.lock"):  # it may be of a newer version, and all dependencies are here
        path.unlink()
    environment = (("CARGO_TARGET_DIR", str(into / ".cargo-build")), ("RUSTC", runtime_path("rustc")))
    argv = ("cargo", "build", "--offline", "--ignore-rust-version", "--manifest-path", source.file)
    outcome = run(*argv, variables=environment)
    if failure := failed_build(outcome, ("cargo", "build"), source.program, into):
        reason = f"{source.program} could not be built: cargo is older than the edition of {source.file}."
        if "feature `edition" in outcome.output:
            return msgspec.structs.replace(failure, reason=reason, is_fault=True)
        return build_without_packages(failure, "the project", _CRATE.findall(outcome.output))
    files = [path for path in (into / ".cargo-build/debug").glob("*") if path.is_file() and os.access(path, os.X_OK)]
    programs = [path.name for path in files if not path.suffix]
    name = _matching_name(source, programs, Path(source.main).stem) or source.program
    return without_progress(build_from_outcome(outcome, ("cargo", "build"), f".cargo-build/debug/{name}", into))


def _matching_name(source: Source, names: Iterable[str], other_name: str) -> str:
    """Returns the program that a source means: one of its name, the one with the other name, the only one; or empty."""
    by_lower_case = {name.lower(): name for name in names}
    only = "".join(by_lower_case) if len(by_lower_case) == 1 else ""
    wanted = (source.program.lower(), other_name.lower(), only)
    return next((by_lower_case[name] for name in wanted if name in by_lower_case), "")


def _text(path: Path) -> str:
    return text_of(path, _MAX_CHARACTERS)


#: The trials: a makefile that writes a shell script, and projects of one source.
_MAKEFILE = """\
greet:
\tprintf '#!/bin/sh\\nprintf "Name: "; read -r name; echo "Hello, $$name!"\\n' >greet
\tchmod +x greet
"""
_CMAKE_LISTS = "cmake_minimum_required(VERSION 3.10)\nproject(greet C)\nadd_executable(greet main.c)\n"
_CARGO_TOML = '[package]\nname = "greet"\nversion = "0.1.0"\nedition = "2021"\n'

#: All kinds of projects. If a folder has several, the first is used.
PROJECTS = (
    Project(
        "cmake",
        ("cmake", "make", "cc", "c++"),
        files=("cmakelists.txt",),
        program=r"""(?mi)^[ \t]*(?:add_executable|project)[ \t]*\(\s*"?(NAME)(?=[\s")])""",
        any_program=r"(?mi)^[ \t]*add_executable",
        build=_build_with_cmake,
        languages=("c", "cpp"),
        outer_files=("cmakelists.txt",),
        hello={"CMakeLists.txt": _CMAKE_LISTS, "main.c": LANGUAGES["c"].hello},
    ),
    Project(
        "make",
        ("make",),
        files=("gnumakefile", "makefile"),
        # A target is one of the words before a colon; `:=` assigns a variable instead.
        program=r"(?mi)^(?:[^\s#:=][^#:=\n]*\s)?(NAME)(?:\s[^#:=\n]*)?::?(?!=)",
        build=build_with_make,
        hello={"Makefile": _MAKEFILE},
    ),
    Project(
        "cargo",
        ("cargo", "rustc"),
        files=("cargo.toml",),
        program=r'(?mi)^name[ \t]*=[ \t]*"(NAME)"',
        any_program=r"(?m)^\[\[bin\]\]",
        build=_build_with_cargo,
        languages=("rust",),
        outer_files=("cargo.toml",),
        hello={"Cargo.toml": _CARGO_TOML, "src/main.rs": LANGUAGES["rust"].hello},
    ),
    Project(
        "csharp",
        ("dotnet",),
        files=("*.csproj",),
        program=r"(?i)\A(NAME)\.csproj\n|<AssemblyName>\s*(NAME)\s*<",
        any_program=r"<OutputType>\s*(?:Win)?Exe",
        tests=r'\A.*(?:Tests|[._-][Tt]ests?)\.csproj\n|(?i:"(?:xunit|mstest|nunit)\b|Microsoft\.NET\.Test\.Sdk)',
        build=build_with_dotnet,
        languages=("csharp",),
        outer_files=("*.sln", "*.slnx", "directory.*.props", "directory.*.targets"),
    ),
)
