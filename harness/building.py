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
from harness.obtaining import refused
from harness.programs import Program
from harness.sandbox import Sandbox
from harness.sources import Source, copy_of

_C_FLAGS = ("-std=gnu17", "-O1", "-g", "-Wall", "-Wextra")
_CPP_FLAGS = ("-std=gnu++17", "-O1", "-g", "-Wall", "-Wextra")
_COMPILERS = {"c": ("cc", _C_FLAGS, (".c",)), "cpp": ("c++", _CPP_FLAGS, (".cpp", ".cc", ".cxx"))}
_PACKAGES = {
    "cc": "gcc", "c++": "g++", "make": "make", "mcs": "mono-mcs", "mono": "mono-runtime",
    "javac": "default-jdk-headless", "java": "default-jre-headless",
}  # fmt: skip


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


def build(source: Source, into: Path, sandbox: Sandbox, *, flags: tuple[str, ...] = ()) -> Build:
    """Build a stage in `into`, which is made for it; `flags` are given to the compiler of C and C++ besides.

    UsageError when this machine lacks the compiler or the submission cannot be read; SessionError when there is no
    room for a copy.
    """
    try:
        copy_of(source, into)
    except OSError as error:
        raise refused(f"{source.folder}: it could not be copied", error) from error

    def run(*argv: str) -> Outcome:
        if shutil.which(argv[0]) is None:
            package = _PACKAGES.get(argv[0], argv[0])
            raise UsageError(f"{source.folder / source.file}: this machine has no {argv[0]} to build it with; "
                             f"on Debian: apt install {package}")  # fmt: skip
        return run_confined([*argv, *flags], into, sandbox)

    built = _RECIPES[source.language](source, into, run)
    into.chmod(0o755)
    return built


_Run = Callable[..., Outcome]


def _by_compiler(source: Source, into: Path, run: _Run) -> Build:
    compiler, flags, suffixes = _COMPILERS[source.language]
    missing = [name for name in source.files if not (into / name).is_file()]
    if missing:
        return Build(None, reason=f"There is no {missing[0]}: {source.program} is made of {', '.join(source.files)}.")
    given = sorted(path.name for path in source.given.iterdir() if path.suffix in suffixes) if source.given else []
    files = tuple(dict.fromkeys((*(source.files or (source.file,)), *given)))
    argv: tuple[str, ...] = (compiler, *flags, "-o", source.program, *files, "-lm")
    outcome = run(*argv)
    if "undefined reference" in outcome.output:
        # The rest of it is in files beside it: all that are no program of their own.
        beside = (path for path in sorted(into.iterdir()) if path.suffix in suffixes and path.name not in files)
        others = [path.name for path in beside if not has_main(path)]
        if others:
            argv = (compiler, *flags, "-o", source.program, *files, *others, "-lm")
            outcome = run(*argv)
    return _built(outcome, argv, source.program, into)


def _by_make(source: Source, into: Path, run: _Run) -> Build:
    (into / source.program).unlink(missing_ok=True)  # a program that was handed in is not what its sources make
    argv = ("make", "-f", source.file, source.program)
    return _built(run(*argv), argv, source.program, into)


def _built(outcome: Outcome, argv: tuple[str, ...], name: str, into: Path) -> Build:
    """What came of a command that makes a program of this name."""
    failed = _failed(outcome, argv, name, into)
    if failed:
        return failed
    command, messages = _said(outcome, argv, into)
    program = into / name
    if not (program.is_file() and os.access(program, os.X_OK)):
        return Build(None, command, messages, f"{argv[0]} went well, but made no program named {name}.")
    return Build(Program((str(program),), into), command, messages)


def _failed(outcome: Outcome, argv: tuple[str, ...], name: str, into: Path) -> Build | None:
    command, messages = _said(outcome, argv, into)
    if outcome.stopped:
        return Build(None, command, messages, f"{argv[0]} was stopped: {outcome.stopped}.")
    if outcome.exit_code:
        return Build(None, command, messages, f"{argv[0]} could not build {name}: {_first_error(messages)}")
    return None


def _said(outcome: Outcome, argv: tuple[str, ...], into: Path) -> tuple[str, str]:
    """The command as a student would type it, and what it printed."""
    return " ".join(argv), outcome.output.replace(f"{into}/", "").strip()


def _first_error(messages: str) -> str:
    lines = messages.splitlines()
    wanted = ("error:", "out of memory", "undefined reference", "***", "multiple definition", "Error")
    return next((line.strip() for line in lines if any(word in line for word in wanted)), "it did not say why.")


def _by_interpreter(source: Source, into: Path, run: _Run) -> Build:
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


def _by_mono(source: Source, into: Path, run: _Run) -> Build:
    argv: tuple[str, ...] = ("mcs", f"-out:{source.program}.exe", source.file)
    outcome = run(*argv)
    if "CS0103" in outcome.output or "CS0246" in outcome.output:  # a name it does not know: the rest is beside it
        others = sorted(path.name for path in into.glob("*.cs") if path.name != source.file)
        argv = (*argv, *others)
        outcome = run(*argv) if others else outcome
    failed = _failed(outcome, argv, source.program, into)
    if failed:
        return failed
    program = Program((_found("mono"), str(into / f"{source.program}.exe")), into, reserves_memory=True)
    return Build(program, *_said(outcome, argv, into))


def _by_java(source: Source, into: Path, run: _Run) -> Build:
    argv = ("javac", "-J-Xmx512m", "-J-XX:CompressedClassSpaceSize=64m", "-encoding", "UTF-8", "-d", ".", source.file)
    outcome = run(*argv)
    failed = _failed(outcome, argv, source.program, into)
    if failed:
        return failed
    # One collector and one compiler thread, and the archive of classes: a short program starts in half the time.
    quick = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto", "-Dfile.encoding=UTF-8")
    run_it = (_found("java"), *quick, "-Dstdout.encoding=UTF-8", "-cp", str(into), Path(source.file).stem)
    return Build(Program(run_it, into, reserves_memory=True), *_said(outcome, argv, into))


def _found(name: str) -> str:
    path = shutil.which(name)
    if path is None:
        raise UsageError(f"this machine has no {name} to run it with; on Debian: apt install {_PACKAGES[name]}")
    return os.path.realpath(path)


_RECIPES: dict[str, Callable[[Source, Path, _Run], Build]] = {
    "c": _by_compiler,
    "cpp": _by_compiler,
    "make": _by_make,
    "python": _by_interpreter,
    "csharp": _by_mono,
    "java": _by_java,
}


def interpreter() -> str:
    """The Python that runs submissions: the system's, which every user can reach, else our own."""
    system = "/usr/bin/python3"
    return system if os.access(system, os.X_OK) else os.path.realpath(sys.executable)


def has_main(path: Path) -> bool:
    """Whether a C or C++ source defines main, comments and strings apart."""
    text = path.read_text(encoding="utf-8", errors="replace")
    text = re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', " ", text, flags=re.DOTALL)
    return re.search(r"\bmain\s*\([^;{]*\)\s*\{", text) is not None
