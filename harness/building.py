"""Building a submission: from a student's folder to one program for each stage.

A student's folder is never written to. Each stage is built in a copy of its own:

    BUILDS/<stage>/      the copied sources, and the program that comes of them
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec

from harness.commands import Outcome, run_confined
from harness.errors import UsageError
from harness.programs import Program
from harness.sandbox import Sandbox

#: First-year sources are small; what is larger is somebody's download folder.
_MOST_BYTES, _MOST_FILES = 64 << 20, 2000
_C_FLAGS = ("-std=gnu17", "-O1", "-g", "-Wall", "-Wextra")
_CPP_FLAGS = ("-std=gnu++17", "-O1", "-g", "-Wall", "-Wextra")
_MAKEFILES = ("GNUmakefile", "makefile", "Makefile")


class Build(msgspec.Struct, frozen=True):
    """What came of building one stage."""

    #: None where it failed.
    program: Program | None
    #: The command as a student would type it; empty where nothing had to be built.
    command: str = ""
    #: What the compiler said: errors, or warnings of a build that went well.
    messages: str = ""
    #: One sentence on why it failed; empty where it did not.
    reason: str = ""


class Source(msgspec.Struct, frozen=True):
    """Where a stage's program comes from."""

    #: The folder that holds it.
    folder: Path
    #: c, cpp, python or make.
    language: str
    #: The file, or the makefile, relative to the folder.
    file: str


_SUFFIXES = {".c": "c", ".cpp": "cpp", ".cc": "cpp", ".cxx": "cpp", ".py": "python"}
_COMPILERS = {"c": ("cc", _C_FLAGS, (".c",)), "cpp": ("c++", _CPP_FLAGS, (".cpp", ".cc", ".cxx"))}
_PACKAGES = {"cc": "gcc", "c++": "g++", "make": "make"}


def expected_files(stage: str) -> tuple[str, ...]:
    """The names under which a stage may be handed in."""
    return tuple(f"{stage}{suffix}" for suffix in _SUFFIXES)


def find_source(folder: Path, stage: str) -> Source | None:
    """The source of a stage in a submission, or in the one folder that it consists of; None when there is none.

    UsageError when the folder cannot be read.
    """
    for place in (folder, *_only_folder(folder)):
        files = set(_names_in(place))
        makefile = next((name for name in _MAKEFILES if name in files), None)
        source = next((name for name in expected_files(stage) if name in files), None)
        if makefile and _has_target(place / makefile, stage):
            return Source(place, "make", makefile)
        if source:
            return Source(place, _SUFFIXES[Path(source).suffix], source)
    return None


def _names_in(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)
    except FileNotFoundError:
        raise UsageError(f"{folder}: there is no such folder") from None
    except NotADirectoryError:
        raise UsageError(f"{folder}: this is a file; give the folder that holds the programs") from None
    except OSError as error:
        raise UsageError(f"{folder}: the folder cannot be read: {error.strerror}") from error


def _only_folder(folder: Path) -> list[Path]:
    entries = [folder / name for name in _names_in(folder) if not name.startswith((".", "__"))]
    return entries if len(entries) == 1 and entries[0].is_dir() else []


def _has_target(makefile: Path, stage: str) -> bool:
    text = makefile.read_text(encoding="utf-8", errors="replace")
    return re.search(rf"(?m)^(?:[^\s#:=][^#:=\n]*\s)?{re.escape(stage)}(?:\s[^#:=\n]*)?::?(?!=)", text) is not None


def build(source: Source, stage: str, into: Path, sandbox: Sandbox, *, worker: int = 0) -> Build:
    """Build a stage in `into`, which is made for it.

    UsageError when this machine lacks the compiler or the submission cannot be copied.
    """
    _copy(source.folder, into)

    def run(*argv: str) -> Outcome:
        if shutil.which(argv[0]) is None:
            package = _PACKAGES.get(argv[0], argv[0])
            raise UsageError(f"{source.folder / source.file}: this machine has no {argv[0]} to build it with; "
                             f"on Debian: apt install {package}")  # fmt: skip
        return run_confined(list(argv), into, sandbox, worker=worker)

    built = _RECIPES[source.language](source, stage, into, run)
    into.chmod(0o755)
    return built


_Run = Callable[..., Outcome]


def _by_compiler(source: Source, stage: str, into: Path, run: _Run) -> Build:
    compiler, flags, suffixes = _COMPILERS[source.language]
    argv: tuple[str, ...] = (compiler, *flags, "-o", stage, source.file, "-lm")
    outcome = run(*argv)
    if "undefined reference" in outcome.output:
        # The rest of it is in files beside it: all that are no program of their own.
        beside = (path for path in sorted(into.iterdir()) if path.suffix in suffixes and path.name != source.file)
        others = [path.name for path in beside if not has_main(path)]
        if others:
            argv = (compiler, *flags, "-o", stage, source.file, *others, "-lm")
            outcome = run(*argv)
    return _built(outcome, argv, stage, into)


def _by_make(source: Source, stage: str, into: Path, run: _Run) -> Build:
    (into / stage).unlink(missing_ok=True)  # a program that was handed in is not what its sources make
    argv = ("make", "-f", source.file, stage)
    return _built(run(*argv), argv, stage, into)


def _built(outcome: Outcome, argv: tuple[str, ...], stage: str, into: Path) -> Build:
    command, messages = " ".join(argv), outcome.output.replace(f"{into}/", "").strip()
    if outcome.stopped:
        return Build(None, command, messages, f"{argv[0]} was stopped: {outcome.stopped}.")
    if outcome.exit_code:
        return Build(None, command, messages, f"{argv[0]} could not build {stage}: {_first_error(messages)}")
    program = into / stage
    if not (program.is_file() and os.access(program, os.X_OK)):
        return Build(None, command, messages, f"{argv[0]} went well, but made no program named {stage}.")
    return Build(Program((str(program),), into), command, messages)


def _first_error(messages: str) -> str:
    lines = messages.splitlines()
    wanted = ("error:", "out of memory", "undefined reference", "***", "multiple definition", "Error")
    return next((line.strip() for line in lines if any(word in line for word in wanted)), "it did not say why.")


def _by_interpreter(source: Source, stage: str, into: Path, run: _Run) -> Build:
    python = interpreter()
    outcome = run(python, "-c", _COMPILES, source.file)
    if not outcome.is_ok:
        messages = outcome.output.strip()
        last = messages.splitlines()[-1] if messages else "it cannot be compiled"
        return Build(None, f"python3 {source.file}", messages, f"Python cannot read {source.file}: {last}")
    return Build(Program((python, str(into / source.file)), into))


#: Compiles a file and shows a syntax error as Python does, without a traceback of this program itself.
_COMPILES = """
import sys, traceback
try:
    compile(open(sys.argv[1], 'rb').read(), sys.argv[1], 'exec')
except (SyntaxError, ValueError) as error:
    print(''.join(traceback.format_exception_only(error)))
    sys.exit(1)
"""

_RECIPES = {"c": _by_compiler, "cpp": _by_compiler, "make": _by_make, "python": _by_interpreter}


def interpreter() -> str:
    """The Python that runs submissions: the system's, which every user can reach, else our own."""
    system = "/usr/bin/python3"
    return system if os.access(system, os.X_OK) else os.path.realpath(sys.executable)


def has_main(path: Path) -> bool:
    """Whether a C or C++ source defines main, comments and strings apart."""
    text = path.read_text(encoding="utf-8", errors="replace")
    text = re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', " ", text, flags=re.DOTALL)
    return re.search(r"\bmain\s*\([^;{]*\)\s*\{", text) is not None


def _copy(folder: Path, into: Path) -> None:
    """Copy a submission without its links, hidden files and what no first-year program has."""
    size = count = 0
    into.mkdir(parents=True)
    for path, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".") and not (Path(path) / name).is_symlink()]
        target = into / Path(path).relative_to(folder)
        target.mkdir(exist_ok=True)
        for name in files:
            original = Path(path) / name
            if name.startswith(".") or original.is_symlink() or not original.is_file():
                continue
            size, count = size + original.stat().st_size, count + 1
            if size > _MOST_BYTES or count > _MOST_FILES:
                raise UsageError(
                    f"{folder}: more than {_MOST_BYTES >> 20} MB or {_MOST_FILES} files; "
                    "give the folder that holds only the submission"
                )
            try:
                shutil.copy(original, target / name)
            except OSError as error:
                raise UsageError(f"{original}: the file cannot be read: {error.strerror}") from error
