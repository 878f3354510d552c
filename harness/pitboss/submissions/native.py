"""Builds a program with the compiler for C or C++, or with make; the age of the compiler does not decide the verdict.

Compilers for C and C++ are called by scripts in a folder of the build, which is the first on its PATH:

    BUILDS/<stage>/.compilers/cc, gcc-14, clang++ …    the compiler of this name, as if it were an old one
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable
from pathlib import Path

from pitboss.machine.files import text_of
from pitboss.model.languages import is_c_source, is_header, language_of
from pitboss.sandbox.tools import search_path
from pitboss.submissions.compilers import Build, Run, build_from_outcome, without_progress
from pitboss.submissions.sources import Source

_C_FLAGS = ("-std=gnu17", "-O1", "-g", "-Wall", "-Wextra")
_CPP_FLAGS = ("-std=gnu++17", "-O1", "-g", "-Wall", "-Wextra")
#: For each language: the compiler, its flags, and the compiler's name for the language after `-x`.
COMPILERS = {"c": ("cc", _C_FLAGS, "c"), "cpp": ("c++", _CPP_FLAGS, "c++")}
#: The folder of the scripts that call compilers, in the folder of a build.
SCRIPTS_FOLDER = ".compilers"
_COMPILER_NAME = re.compile(r"(?:cc|gcc|clang|(c\+\+|g\+\+|clang\+\+))(?:-\d+)?")
#: For a compiler of C and one of C++: patterns of arguments that are sources, and the usual standard of the language.
_DIALECTS = (("*.c | c", "gnu17"), ("*.cc | *.cpp | *.cxx", "gnu++17"))
#: A script adds the assignment's flags, and the standard unless the command names one. What C compilers before gcc 14
#: and clang 15 only warn of is a warning with all, unless all warnings are errors: clang obeys -Wno-error=X even then.
#: -fpermissive is an option for C only since gcc 14.
_SCRIPT = """\
#!/bin/sh
set -- "$@" {flags}
for word; do
    case $word in {sources}) has_source=yes ;; -std=* | -ansi) has_standard=yes ;; -Werror) is_strict=yes ;; esac
done
[ "$has_source" ] || exec {compiler} "$@"
[ "$has_standard" ] || set -- -std={standard} "$@"
[ {standard} = gnu17 ] && [ ! "$is_strict" ] && case $({compiler} --version) in
    *clang*) set -- {clang_flags} "$@" ;;
    *") "1[4-9].* | *") "[2-9][0-9].*) set -- -fpermissive "$@" ;;
esac
exec {compiler} "$@"
"""
_MISSING_SCRIPT = '#!/bin/sh\n/bin/rm -f "$0"\nexit 127\n'
_CLANG_FLAGS = """-Wno-error=implicit-function-declaration -Wno-error=implicit-int -Wno-error=int-conversion \
-Wno-error=incompatible-pointer-types -Wno-error=incompatible-function-pointer-types -Wno-error=return-type"""
#: An unclosed comment matches to the end of the text, and an unclosed string to the end of its line: otherwise each
#: beginning of an unclosed comment or string would cause a search through the whole text.
_COMMENT_OR_STRING = re.compile(r'//[^\n]*|/\*.*?(?:\*/|\Z)|"(?:\\.|[^"\\\n])*"?', re.DOTALL)
#: No source is longer: a submission has at most 64 MB.
_MAX_CHARACTERS = 64 << 20
_MAIN = re.compile(r"\b[Mm]ain\s*\([^;{]{0,300}\)\s*(?:throws[^;{]{0,300}|=>|\{)")


def build_native(source: Source, files: Iterable[str], into: Path, run: Run, folders: Iterable[str] = ()) -> Build:
    """Builds a program from `files`; headers are searched for in `folders` too."""
    compiler, usual_flags, language = COMPILERS[source.language]
    include_flags = tuple(argument for folder in folders for argument in ("-iquote", folder))
    own_folder = (into / source.file).parent
    if source.course_files_folder is None:  # a header in another folder, such as include, is used if there is no other
        header_folders = {path.parent for path in into.rglob("*") if is_header(path)} - {own_folder}
        paths_to_search = sorted(folder.relative_to(into).as_posix() for folder in header_folders)
        include_flags += tuple(argument for path in paths_to_search for argument in ("-idirafter", path))
    files = tuple(files)
    # Compilers take a file with an upper-case suffix for another language or for no source, unless -x names a language.
    has_lower_case_suffixes = all(Path(name).suffix.islower() for name in files)
    flags: tuple[str, ...] = usual_flags if has_lower_case_suffixes else (*usual_flags, "-x", language)
    argv: tuple[str, ...] = (compiler, *flags, *include_flags, "-o", source.program, *files, "-lm")
    outcome = run(*argv)
    # Other files, of the folder or of all folders, may define what is missing. A file with a main is another program.
    for paths in (own_folder.iterdir(), into.rglob("*")):
        if "undefined reference" not in outcome.output:
            break
        sources = (path for path in sorted(paths) if _is_in_language(path, source.language) and path.is_file())
        names = (path.relative_to(into).as_posix() for path in sources if not has_main(path))
        other_sources = [name for name in names if name not in (*files, *argv)]
        if other_sources:
            argv = (*argv[:-1], *other_sources, "-lm")
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
    return without_progress(build_from_outcome(run(*argv), argv, source.program, into))


def _is_in_language(path: Path, language: str) -> bool:
    path_language = language_of(path)
    return path_language is not None and path_language.name == language


def write_compiler_scripts(folder: Path, flags: Iterable[str], missing: Iterable[str] = ()) -> None:
    """Writes a script for each compiler on the PATH of builds into the new folder; all get these flags too.

    Tools that are `missing` get a script that removes itself when it is called, also by a makefile that has their path.
    """
    folder.mkdir()
    scripts: dict[str, str] = {}
    for place in reversed(search_path().split(os.pathsep)):  # the first of a name is written last
        for name in os.listdir(place) if os.path.isdir(place) else ():
            if match := _COMPILER_NAME.fullmatch(name):
                sources, standard = _DIALECTS[match[1] is not None]
                words = {"compiler": shlex.quote(f"{place}/{name}"), "flags": shlex.join(flags), "sources": sources}
                scripts[name] = _SCRIPT.format(standard=standard, clang_flags=_CLANG_FLAGS, **words)
    for tool in missing:
        scripts[name := script_name(tool)] = _MISSING_SCRIPT
        makefiles = (path for path in folder.parent.rglob("*akefile*") if path.is_file() and not path.is_symlink())
        for path in makefiles if "/" in tool else ():
            path.write_bytes(path.read_bytes().replace(tool.encode(), name.encode()))
    for name, script in scripts.items():
        (folder / name).write_text(script, encoding="utf-8")
        (folder / name).chmod(0o755)


def script_name(tool: str) -> str:
    """Returns the name of the script in place of a missing tool, which is called by its name or path."""
    return tool.strip("/").replace("/", "-")


def has_main(path: Path) -> bool:
    """Whether a source in C or a similar language defines main, outside comments and strings."""
    return defines_main(text_of(path, _MAX_CHARACTERS))


def defines_main(text: str) -> bool:
    """Whether a text in C or a similar language defines main, outside comments and strings."""
    return _MAIN.search(_COMMENT_OR_STRING.sub(" ", text)) is not None
