"""Selects the files that a program is built from: the submission's files, and course files that the submission lacks.

A file of the submission replaces the course's file of the same name. No header is present twice, because two classes of
the same name in one program would disagree on their members. The program's files follow from its #include lines:

    main.cpp    the submission's, else the course's
    part.h      the submission's, also from a subfolder or in other letter case; else the course's, if it is included
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import islice
from pathlib import Path

import msgspec

from pitboss.machine.files import text_of
from pitboss.model.languages import is_c_source, is_header
from pitboss.submissions.native import defines_main
from pitboss.submissions.sources import Source, files_below

_COMMENT = re.compile(r"//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"', re.MULTILINE)
#: How many characters of a source are searched for #include lines.
_MAX_CHARACTERS = 1 << 20
#: The maximum number of #include lines of one file that are followed.
_MAX_INCLUDED = 200


class Parts(msgspec.Struct, frozen=True):
    """The files of a program, relative to the folder that it is built in."""

    #: The files to compile; empty for make.
    files: tuple[str, ...] = ()
    #: Sources and headers of the submission that replace course files of the same name, without the file in `main`.
    override_files: tuple[str, ...] = ()
    #: The submission's file whose main function is used; empty if the course's main is used.
    main: str = ""
    #: The course's sources and headers that are used.
    used_course_files: tuple[str, ...] = ()
    #: The course's sources and headers that are not used.
    unused_course_files: tuple[str, ...] = ()
    #: Files of the submission that the course's files replace.
    left_out: tuple[str, ...] = ()
    #: Files that the stage lists and the submission lacks.
    missing: tuple[str, ...] = ()
    #: Folders to search for headers, because an included file is there and not where its #include line says.
    folders: tuple[str, ...] = ()
    #: Files that an #include line writes in another letter case: pairs of the file's path, and the path as written.
    misspelt: tuple[tuple[str, str], ...] = ()


def parts_of_make(source: Source, course_folder: Path) -> Parts:
    """Returns which files of the folder `course_folder` a makefile's program needs, and which it does not, as `Parts`.

    The program needs a course file that a source includes, or that the makefile names and the submission lacks.
    """
    files = _AvailableFiles(source, course_folder)
    program_files = _ProgramFiles(files, [name for name in files.own_files if is_c_source(name)])
    names_in_makefile = set(re.findall(r"[\w.+-]+", files.read_text(source.file)))
    # A makefile that names part.o may need part.c.
    names_in_makefile |= {
        name
        for name in files.course_files
        if is_c_source(name) and f"{posixpath.splitext(name)[0]}.o" in names_in_makefile
    }
    names_lacking_in_submission = {name for name in files.course_files if not files.own_file_named(name)}
    names_needed_by_makefile = names_in_makefile & names_lacking_in_submission
    used_course_files = tuple(
        name for name in files.course_files if name in program_files.course_files or name in names_needed_by_makefile
    )
    return Parts(
        used_course_files=used_course_files,
        unused_course_files=tuple(name for name in files.course_files if name not in used_course_files),
    )


def parts_of(source: Source, course_folder: Path) -> list[Parts]:
    """Returns the combinations of files to try, the likeliest first; several if the first may not compile.

    `course_folder` contains the course's files. A main in a file that is neither listed nor named like a course file is
    tried only after the course's main, because students write such files to test a part of the program. If the
    submission has files named like course files, the last combination uses the course's files instead.
    """
    files = _AvailableFiles(source, course_folder)
    listed_files = [name for name in source.files if name in files.own_files]
    main = files.find_main(listed_files)
    combinations = [_combination(files, listed_files, main)]
    if not main and (other_main := files.find_other_main()):
        combinations.append(_combination(files, listed_files, other_main))
    if combinations[0].override_files or main in files.overrides:
        others = _AvailableFiles(source, course_folder, left_out=tuple(files.overrides))
        combinations.append(_combination(others, listed_files, main if main in listed_files else ""))
    return combinations


def _combination(files: _AvailableFiles, listed: list[str], main: str) -> Parts:
    """Returns a combination of files: the listed files, the file `main` (if not empty) and the course's sources."""
    course_sources = [name for name in files.course_files if is_c_source(name)]
    sources = [files.sibling_named(name) or name for name in course_sources]
    # A program can have only one main: the submission's, or the course's.
    sources = [name for name in sources if name == main or not (main and defines_main(files.read_text(name)))]
    compiled_files = list(dict.fromkeys((*listed, *([main] if main else []), *sources)))
    program_files = _ProgramFiles(files, compiled_files)
    return Parts(
        # A source that another file includes is not compiled on its own.
        files=tuple(name for name in compiled_files if name not in program_files.included),
        override_files=tuple(name for name in files.overrides if name in program_files.names and name != main),
        main=main,
        used_course_files=program_files.course_files,
        unused_course_files=tuple(name for name in files.course_files if name not in program_files.course_files),
        left_out=files.left_out,
        missing=tuple(name for name in files.listed_files if name not in files.own_files),
        folders=tuple(sorted(program_files.folders)),
        misspelt=tuple(sorted(program_files.misspelt)),
    )


class _AvailableFiles:
    """The files of a submission, except those in `left_out`, and the sources and headers of the course."""

    def __init__(self, source: Source, course_folder: Path, left_out: tuple[str, ...] = ()) -> None:
        self._course_folder, self._submission_folder = course_folder, source.folder
        self._source_folder = posixpath.dirname(source.file)
        self.left_out = left_out
        #: The files that the stage lists, whether or not they were submitted.
        self.listed_files = source.files
        #: Paths of the submission's files. Files in outer folders come first, because the first of a name is used.
        self.own_files = sorted({*files_below(source.folder)} - {*left_out}, key=lambda name: (name.count("/"), name))
        #: Names of the course's sources and headers.
        self.course_files = sorted(
            path.name for path in course_folder.iterdir() if is_c_source(path) or is_header(path)
        )

    @property
    def overrides(self) -> list[str]:
        """The submission's files that are named like a course file, in any letter case, sorted by name.

        Excludes the files that the stage lists.
        """
        names = [
            name
            for name in self.own_files
            if self.course_file_named(posixpath.basename(name)) and name not in self.listed_files
        ]
        return sorted(names, key=posixpath.basename)

    def read_text(self, name: str) -> str:
        """Returns a file's text; if both the submission and the course have a file of this name, the submission's."""
        is_course_file = name in self.course_files and name not in self.own_files
        folder = self._course_folder if is_course_file else self._submission_folder
        try:
            return text_of(folder / name, _MAX_CHARACTERS)
        except OSError:  # copying the file will report this
            return ""

    @cached_property
    def own_path_by_lower_case(self) -> dict[str, str]:
        """Maps lower-case paths to the submission's files; if several have the same lower-case path, to the first."""
        return {name.lower(): name for name in reversed(self.own_files)}

    @cached_property
    def _own_paths_by_name(self) -> dict[str, list[str]]:
        paths_by_name: dict[str, list[str]] = {}
        for name in self.own_files:
            paths_by_name.setdefault(posixpath.basename(name).lower(), []).append(name)
        return paths_by_name

    def own_file_named(self, name: str) -> str:
        """Returns the submission's file of this name in any letter case, preferably an exact match; else empty."""
        return _path_named(name, self._own_paths_by_name.get(name.lower(), []))

    def sibling_named(self, name: str) -> str:
        """Returns the file of this name, like `own_file_named`, but only from the folder of the stage's source."""
        return _path_named(name, self._siblings_of_source())

    def course_file_named(self, name: str) -> str:
        """Returns the course's file of this name in any letter case; empty if the course has none."""
        return _path_named(name, self.course_files)

    def find_main(self, listed: list[str]) -> str:
        """Returns the submission's file that defines main, if it is in `listed` or in `overrides`; else empty."""
        mains = self._siblings_with_main()
        return next((name for name in (*listed, *self.overrides) if name in mains), "")

    def find_other_main(self) -> str:
        """Returns the submission's file that defines main and includes all that the course's file with main includes.

        Empty if there is no such file, or if there are several.
        """
        needed = {
            self.own_file_named(name) or self.course_file_named(name)
            for course_file in self.course_files
            if is_c_source(course_file) and defines_main(self.read_text(course_file))
            for name in _included_names(self.read_text(course_file))
        }
        candidates = [name for name in self._siblings_with_main() if needed <= _ProgramFiles(self, [name]).names]
        return candidates[0] if len(candidates) == 1 else ""

    def _siblings_with_main(self) -> list[str]:
        return [name for name in self._siblings_of_source() if is_c_source(name) and defines_main(self.read_text(name))]

    def _siblings_of_source(self) -> list[str]:
        return [name for name in self.own_files if posixpath.dirname(name) == self._source_folder]


def _path_named(name: str, paths: Sequence[str]) -> str:
    """Returns the first path with this file name, preferably in the same letter case; or an empty text."""
    exact = (path for path in paths if posixpath.basename(path) == name)
    similar = (path for path in paths if posixpath.basename(path).lower() == name.lower())
    return next(exact, "") or next(similar, "")


def _included_names(text: str) -> list[str]:
    return [match[1] for match in islice(_INCLUDE.finditer(_COMMENT.sub(" ", text)), _MAX_INCLUDED)]


class _ProgramFiles:
    """The files that a program consists of: the compiled files, and the files that these include."""

    def __init__(self, files: _AvailableFiles, compiled: Iterable[str]) -> None:
        self._files = files
        #: All files of the program.
        self.names = set(compiled)
        #: The files that are named in an #include line.
        self.included: set[str] = set()
        #: See `Parts.folders`.
        self.folders: set[str] = set()
        #: See `Parts.misspelt`.
        self.misspelt: set[tuple[str, str]] = set()
        remaining = list(self.names)
        while remaining:
            name = remaining.pop()
            for included in _included_names(files.read_text(name)):
                path = self._included_path(name, included)
                if path:
                    self.included.add(path)
                if path and path not in self.names:
                    self.names.add(path)
                    remaining.append(path)

    @property
    def course_files(self) -> tuple[str, ...]:
        """The course's files that the program consists of, in alphabetical order."""
        return tuple(
            name for name in self._files.course_files if name in self.names and name not in self._files.own_files
        )

    def _included_path(self, name: str, included: str) -> str:
        """Returns the file that an #include line of the file `name` names; empty if there is no such file.

        Records in `folders` and `misspelt` how the file's actual path differs from the included path.
        """
        folder = posixpath.dirname(name)
        # The path counts from the including file's folder, or from the folder that the program is built in.
        for wanted in (posixpath.normpath(posixpath.join(folder, included)), posixpath.normpath(included)):
            path = self._files.own_path_by_lower_case.get(wanted.lower(), "")
            if path:
                break
        else:  # a file of this name in any folder of the submission, else the course's
            path = self._files.own_file_named(posixpath.basename(included))
            path = path or self._files.course_file_named(posixpath.basename(included))
            if path and posixpath.dirname(path) != folder:
                self.folders.add(posixpath.dirname(path) or ".")
        # The names differ at most in letter case.
        name_in_include = posixpath.basename(included)
        if path and posixpath.basename(path) != name_in_include:
            self.misspelt.add((path, posixpath.join(posixpath.dirname(path), name_in_include)))
        return path
