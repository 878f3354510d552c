"""Builds a program with the compiler for C or C++, or with make."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import msgspec

from pitboss.model.languages import is_c_source, language_of
from pitboss.sandbox.files import text_of
from pitboss.submissions.compilers import Build, Run, build_from_outcome
from pitboss.submissions.sources import Source

_C_FLAGS = ("-std=gnu17", "-O1", "-g", "-Wall", "-Wextra")
_CPP_FLAGS = ("-std=gnu++17", "-O1", "-g", "-Wall", "-Wextra")
#: For each language: the compiler, its flags, and the compiler's name for the language after `-x`.
COMPILERS = {"c": ("cc", _C_FLAGS, "c"), "cpp": ("c++", _CPP_FLAGS, "c++")}
#: An unclosed comment matches to the end of the text, and an unclosed string to the end of its line: otherwise each
#: beginning of an unclosed comment or string would cause a search through the whole text.
_COMMENT_OR_STRING = re.compile(r'//[^\n]*|/\*.*?(?:\*/|\Z)|"(?:\\.|[^"\\\n])*"?', re.DOTALL)
#: No source is longer: a submission has at most 64 MB.
_MAX_CHARACTERS = 64 << 20
_MAIN = re.compile(r"\bmain\s*\([^;{]{0,300}\)\s*\{")


def build_native(source: Source, files: Iterable[str], into: Path, run: Run, folders: Iterable[str] = ()) -> Build:
    """Builds a program from `files`; headers are searched for in `folders` too."""
    compiler, usual_flags, language = COMPILERS[source.language]
    include_flags = tuple(argument for folder in folders for argument in ("-iquote", folder))
    files = tuple(files)
    # Compilers take a file with an upper-case suffix for another language or for no source, unless -x names a language.
    has_lower_case_suffixes = all(Path(name).suffix.islower() for name in files)
    flags: tuple[str, ...] = usual_flags if has_lower_case_suffixes else (*usual_flags, "-x", language)
    argv: tuple[str, ...] = (compiler, *flags, *include_flags, "-o", source.program, *files, "-lm")
    outcome = run(*argv)
    if "undefined reference" in outcome.output:
        # Other files of the folder may define what is missing. A file with a main is another program.
        folder = (into / source.file).parent
        siblings = (
            path for path in sorted(folder.iterdir()) if _is_in_language(path, source.language) and path.is_file()
        )
        names = (path.relative_to(into).as_posix() for path in siblings if not has_main(path))
        other_sources = [name for name in names if name not in files]
        if other_sources:
            argv = (compiler, *flags, *include_flags, "-o", source.program, *files, *other_sources, "-lm")
            outcome = run(*argv)
    return build_from_outcome(outcome, argv, source.program, into)


def build_with_make(source: Source, into: Path, run: Run) -> Build:
    """Builds a program with the submission's makefile."""
    if not (into / source.program).is_dir():
        (into / source.program).unlink(missing_ok=True)  # a submitted binary may differ from its sources
    for path in into.rglob("*.o"):  # a submitted object file may be outdated too, or be for another machine
        siblings = (sibling for sibling in path.parent.iterdir() if sibling.stem.lower() == path.stem.lower())
        if path.is_file() and any(is_c_source(sibling) and sibling.is_file() for sibling in siblings):
            path.unlink()
    argv = ("make", "-f", source.file, source.program)
    build = build_from_outcome(run(*argv), argv, source.program, into)
    # make prints each command that it runs; if the program was built, the output is of use only if it has warnings.
    is_built_without_warnings = build.program is not None and "warning" not in build.messages
    return msgspec.structs.replace(build, messages="") if is_built_without_warnings else build


def _is_in_language(path: Path, language: str) -> bool:
    path_language = language_of(path)
    return path_language is not None and path_language.name == language


def has_main(path: Path) -> bool:
    """Whether a C or C++ source defines main, outside comments and strings."""
    return defines_main(text_of(path, _MAX_CHARACTERS))


def defines_main(text: str) -> bool:
    """Whether a C or C++ text defines main, outside comments and strings."""
    return _MAIN.search(_COMMENT_OR_STRING.sub(" ", text)) is not None
