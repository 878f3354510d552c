"""Selects the files that a program is built from: the submission's files, and course files that the submission lacks.

A file of the submission replaces the course's file of that name, and no header is present twice: two classes of the
same name in one program would disagree on their members. The program's files follow from its #include lines:

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

from pitboss.model.languages import is_c_source, is_header
from pitboss.sandbox.files import text_of
from pitboss.submissions.native import defines_main
from pitboss.submissions.sources import Source, files_below

_COMMENT = re.compile(r"//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"', re.MULTILINE)
#: How much of a source is searched for includes, and the maximum number of includes of one file.
_MAX_CHARACTERS, _MAX_INCLUDED = 1 << 20, 200


class Parts(msgspec.Struct, frozen=True):
    """The files of a program, relative to the folder that it is built in."""

    #: The files to compile; empty for make.
    files: tuple[str, ...] = ()
    #: Headers of the submission that replace the course's.
    own: tuple[str, ...] = ()
    #: The submission's file whose main is used instead of the course's; empty if the course's main is used.
    main: str = ""
    #: Sources and headers of the course that are used, and those that are not.
    given: tuple[str, ...] = ()
    not_given: tuple[str, ...] = ()
    #: Files of the submission that the course's files replace.
    left_out: tuple[str, ...] = ()
    #: Files that the stage lists and the submission lacks.
    missing: tuple[str, ...] = ()
    #: Folders of headers that an #include names without the folder.
    folders: tuple[str, ...] = ()
    #: Files that are included in another letter case, each with the name in the #include.
    misspelt: tuple[tuple[str, str], ...] = ()


def parts_of_make(source: Source, given: Path) -> Parts:
    """Returns the files of the course from which a makefile builds a program.

    These are files that a source includes, or that the makefile names and the submission lacks.
    """
    files = _Files(source, given)
    used = _Used(files, [name for name in files.own if is_c_source(name)])
    named = set(re.findall(r"[\w.+-]+", files.text(source.file)))
    named |= {name for name in files.given if is_c_source(name) and f"{posixpath.splitext(name)[0]}.o" in named}
    lacking = {name for name in files.given if not files.own_called(name)}
    added = tuple(name for name in files.given if name in used.course_files or name in named & lacking)
    return Parts(given=added, not_given=tuple(name for name in files.given if name not in added))


def parts_of(source: Source, given: Path) -> list[Parts]:
    """Returns the combinations of files to try, the likeliest first; several if the first may not compile.

    A main in a file of another name is used only if the course's main does not compile, since students write such files
    to test a part. The course's files replace the submission's files of the same names if these do not compile.
    """
    files = _Files(source, given)
    listed = [name for name in source.files if name in files.own]
    main = files.main(listed)
    combinations = [_parts(files, listed, main)]
    if not main and (other := files.other_main()):
        combinations.append(_parts(files, listed, other))
    if combinations[0].own or main in files.named_as_given:
        left_out = files.leave_out()
        combinations.append(_parts(files, listed, main if main in listed else "", left_out))
    return combinations


def _parts(files: _Files, listed: list[str], main: str, left_out: tuple[str, ...] = ()) -> Parts:
    code = [name for name in files.given if is_c_source(name)]
    code = [files.beside_called(name) or name for name in code]
    # A program can have only one main: the submission's, or the course's.
    code = [name for name in code if name == main or not (main and defines_main(files.text(name)))]
    compiled = list(dict.fromkeys((*listed, *([main] if main else []), *code)))
    used = _Used(files, compiled)
    return Parts(
        files=tuple(name for name in compiled if name not in used.included),
        own=tuple(name for name in files.named_as_given if name in used.names and name != main),
        main=main,
        given=used.course_files,
        not_given=tuple(name for name in files.given if name not in used.course_files),
        left_out=left_out,
        missing=tuple(name for name in files.listed if name not in files.own),
        folders=tuple(sorted(used.folders)),
        misspelt=tuple(sorted(used.misspelt)),
    )


class _Files:
    """The files of a submission, and the sources and headers of the course."""

    def __init__(self, source: Source, given: Path) -> None:
        self._given, self._folder = given, source.folder
        self._source_folder = posixpath.dirname(source.file)
        self.listed = source.files
        # Files at the top come first: of several files with the same name the first is used.
        self.own = sorted(files_below(source.folder), key=lambda name: (name.count("/"), name))
        self.given = sorted(path.name for path in given.iterdir() if is_c_source(path) or is_header(path))

    @property
    def named_as_given(self) -> list[str]:
        """The submission's files that are named like a file of the course, in any letter case, by name."""
        names = [name for name in self.own if self.given_called(posixpath.basename(name)) and name not in self.listed]
        return sorted(names, key=posixpath.basename)

    def leave_out(self) -> tuple[str, ...]:
        """Drops the submission's files that are named like a file of the course; returns them."""
        left_out = tuple(self.named_as_given)
        self.__dict__.pop("own_paths", None)
        self.__dict__.pop("_own_names", None)
        self.own = [name for name in self.own if name not in left_out]
        return left_out

    def text(self, name: str) -> str:
        """Returns a file's text: from the submission if the submission and the course have a file of this name."""
        folder = self._given if name in self.given and name not in self.own else self._folder
        try:
            return text_of(folder / name, _MAX_CHARACTERS)
        except OSError:  # copying it will report this
            return ""

    @cached_property
    def own_paths(self) -> dict[str, str]:
        """The submission's files by lower-case path; if several have the same path, the first."""
        return {name.lower(): name for name in reversed(self.own)}

    @cached_property
    def _own_names(self) -> dict[str, list[str]]:
        paths_by_name: dict[str, list[str]] = {}
        for name in self.own:
            paths_by_name.setdefault(posixpath.basename(name).lower(), []).append(name)
        return paths_by_name

    def own_called(self, name: str) -> str:
        """Returns the submission's file of this name in any letter case, preferably an exact match; else empty."""
        return _path_named(name, self._own_names.get(name.lower(), []))

    def beside_called(self, name: str) -> str:
        """Like `own_called`, but only among files in the folder of the stage's source."""
        return _path_named(name, self._files_beside_source())

    def given_called(self, name: str) -> str:
        """Returns the course's file of this name in any letter case; empty if it has none."""
        return _path_named(name, self.given)

    def main(self, listed: list[str]) -> str:
        """Returns the file with the submission's main: listed, or named like a file of the course; else empty."""
        mains = self._files_with_main()
        return next((name for name in (*listed, *self.named_as_given) if name in mains), "")

    def other_main(self) -> str:
        """Returns the only file with a main that includes every file that the course's main includes; else empty."""
        needed = {
            self.own_called(name) or self.given_called(name)
            for given in self.given
            if is_c_source(given) and defines_main(self.text(given))
            for name in _included_names(self.text(given))
        }
        candidates = [name for name in self._files_with_main() if needed <= _Used(self, [name]).names]
        return candidates[0] if len(candidates) == 1 else ""

    def _files_with_main(self) -> list[str]:
        return [name for name in self._files_beside_source() if is_c_source(name) and defines_main(self.text(name))]

    def _files_beside_source(self) -> list[str]:
        return [name for name in self.own if posixpath.dirname(name) == self._source_folder]


def _path_named(name: str, paths: Sequence[str]) -> str:
    exact = (path for path in paths if posixpath.basename(path) == name)
    similar = (path for path in paths if posixpath.basename(path).lower() == name.lower())
    return next(exact, "") or next(similar, "")


def _included_names(text: str) -> list[str]:
    return [match[1] for match in islice(_INCLUDE.finditer(_COMMENT.sub(" ", text)), _MAX_INCLUDED)]


class _Used:
    """The files that a program consists of: the compiled files, and the files that they include."""

    def __init__(self, files: _Files, compiled: Iterable[str]) -> None:
        self._files = files
        self.names = set(compiled)
        #: Files that others include.
        self.included: set[str] = set()
        self.folders: set[str] = set()
        self.misspelt: set[tuple[str, str]] = set()
        remaining = list(self.names)
        while remaining:
            name = remaining.pop()
            for included in _included_names(files.text(name)):
                path = self._included_path(name, included)
                if path:
                    self.included.add(path)
                if path and path not in self.names:
                    self.names.add(path)
                    remaining.append(path)

    @property
    def course_files(self) -> tuple[str, ...]:
        """The course files among them, in alphabetical order."""
        return tuple(name for name in self._files.given if name in self.names and name not in self._files.own)

    def _included_path(self, name: str, included: str) -> str:
        """Returns the file that an #include names; empty if neither the submission nor the course has it."""
        folder = posixpath.dirname(name)
        for wanted in (posixpath.normpath(posixpath.join(folder, included)), posixpath.normpath(included)):
            path = self._files.own_paths.get(wanted.lower(), "")
            if path:
                break
        else:
            path = self._files.own_called(posixpath.basename(included))
            path = path or self._files.given_called(posixpath.basename(included))
            if path and posixpath.dirname(path) != folder:
                self.folders.add(posixpath.dirname(path) or ".")
        name_in_include = posixpath.basename(included)
        if path and posixpath.basename(path) != name_in_include:
            self.misspelt.add((path, posixpath.join(posixpath.dirname(path), name_in_include)))
        return path
