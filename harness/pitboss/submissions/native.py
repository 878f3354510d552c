"""Building a program with the compiler for C or C++, or with make."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import msgspec

from pitboss.model.languages import is_c_source, language_of
from pitboss.sandbox.files import text_of
from pitboss.submissions.compilers import Build, Run, built
from pitboss.submissions.sources import Source

_C_FLAGS = ("-std=gnu17", "-O1", "-g", "-Wall", "-Wextra")
_CPP_FLAGS = ("-std=gnu++17", "-O1", "-g", "-Wall", "-Wextra")
#: By language: the compiler, its flags, and its name for the language.
COMPILERS = {"c": ("cc", _C_FLAGS, "c"), "cpp": ("c++", _CPP_FLAGS, "c++")}
#: An unclosed comment or string extends to where it must have ended: searching for each end would take for ever.
_COMMENT_OR_STRING = re.compile(r'//[^\n]*|/\*.*?(?:\*/|\Z)|"(?:\\.|[^"\\\n])*"?', re.DOTALL)
#: More than any source has: the largest submission has 64 MB.
_MAX_CHARACTERS = 64 << 20
_MAIN = re.compile(r"\bmain\s*\([^;{]{0,300}\)\s*\{")


def compiled(source: Source, files: Iterable[str], into: Path, run: Run, folders: Iterable[str] = ()) -> Build:
    """Build a program from these files, with headers in these folders too."""
    compiler, usual, called = COMPILERS[source.language]
    searched = tuple(word for folder in folders for word in ("-iquote", folder))
    files = tuple(files)
    # Compilers take an upper-case suffix for another language, or for no source at all.
    is_usual = all(Path(name).suffix.islower() for name in files)
    flags: tuple[str, ...] = usual if is_usual else (*usual, "-x", called)
    argv: tuple[str, ...] = (compiler, *flags, *searched, "-o", source.program, *files, "-lm")
    outcome = run(*argv)
    if "undefined reference" in outcome.output:
        # The rest of the program is in the other files of the folder that have no main.
        place = (into / source.file).parent
        beside = (path for path in sorted(place.iterdir()) if _is_of(path, source.language) and path.is_file())
        names = (path.relative_to(into).as_posix() for path in beside if not has_main(path))
        others = [name for name in names if name not in files]
        if others:
            argv = (compiler, *flags, *searched, "-o", source.program, *files, *others, "-lm")
            outcome = run(*argv)
    return built(outcome, argv, source.program, into)


def by_make(source: Source, into: Path, run: Run) -> Build:
    """Build a program with the submission's own makefile."""
    if not (into / source.program).is_dir():
        (into / source.program).unlink(missing_ok=True)  # a submitted binary may differ from what its sources make
    for path in into.rglob("*.o"):  # so may an object file, which may even be for another machine
        beside = (sibling for sibling in path.parent.iterdir() if sibling.stem.lower() == path.stem.lower())
        if path.is_file() and any(is_c_source(path) and path.is_file() for path in beside):
            path.unlink()
    argv = ("make", "-f", source.file, source.program)
    done = built(run(*argv), argv, source.program, into)
    # make repeats each command; if the program was built, only warnings matter
    is_silent = done.program is not None and "warning" not in done.messages
    return msgspec.structs.replace(done, messages="") if is_silent else done


def _is_of(path: Path, language: str) -> bool:
    one = language_of(path)
    return one is not None and one.name == language


def has_main(path: Path) -> bool:
    """Whether a C or C++ source defines main, outside comments and strings."""
    return defines_main(text_of(path, _MAX_CHARACTERS))


def defines_main(text: str) -> bool:
    """Whether a C or C++ text defines main, outside comments and strings."""
    return _MAIN.search(_COMMENT_OR_STRING.sub(" ", text)) is not None
