"""Building a submission: from a student's folder to one program for each stage.

A student's folder is never written to. Each stage is built in a copy of its own:

    BUILDS/<stage>/      the copied sources, and the program built from them

Stages that are one program of C or C++ are built once, and the others copied from that.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import msgspec

from pitboss.harness.errors import UsageError
from pitboss.harness.languages import packages_of
from pitboss.harness.machine import removal
from pitboss.harness.machine.files import beginning_of
from pitboss.harness.machine.obtaining import refused
from pitboss.harness.machine.sandbox import Sandbox, base_interpreter
from pitboss.harness.running.programs import Program
from pitboss.harness.submissions.commands import Outcome, run_confined
from pitboss.harness.submissions.compilers import Build, Run, found, said
from pitboss.harness.submissions.course_files import is_missing, with_course_files
from pitboss.harness.submissions.java import by_java
from pitboss.harness.submissions.lacks import lack_in, lack_of_room, wait_for_room
from pitboss.harness.submissions.native import COMPILERS, by_make, compiled
from pitboss.harness.submissions.sources import Source, copy_of


def build(source: Source, into: Path, sandbox: Sandbox, *, flags: tuple[str, ...] = ()) -> Build:
    """Build a stage in the new folder `into`; `flags` are extra flags for the C or C++ compiler.

    What fails for want of something of this machine is built once more, and then it is a fault. Raises UsageError if
    this machine lacks the compiler or the submission cannot be read, SessionError if there is no room for the copy.
    """
    try:
        return _built(source, into, sandbox, flags)
    except _LackError:
        removal.remove(str(into))
        wait_for_room(into.parent)
    try:
        return _built(source, into, sandbox, flags)
    except _LackError as error:
        return Build(
            None, reason=f"{source.program} could not be built on this machine, twice: {error}.", is_fault=True
        )


class _LackError(Exception):
    """A build failed for want of something of this machine; the text says of what."""


def _built(source: Source, into: Path, sandbox: Sandbox, flags: tuple[str, ...]) -> Build:
    """A build, as far as this machine is not to blame for what came of it; else _LackError."""

    def run(*argv: str) -> Outcome:
        if shutil.which(argv[0]) is None:
            lacking = f"{source.folder / source.file}: this machine has no {argv[0]} to build it with"
            raise UsageError(f"{lacking}; on Debian: apt install {packages_of(argv[0])}")
        outcome = run_confined([*argv, *flags], into, sandbox)
        into.chmod(0o755)  # a makefile may have closed it, which holds for everybody but root
        if outcome.lack:
            raise _LackError(f"{Path(argv[0]).name}: {outcome.lack}")
        return outcome

    try:
        if source.given is not None and (source.language == "make" or source.language in COMPILERS):
            made = with_course_files(source, source.given, into, run)
        else:
            copy_of(source, into)
            made = _RECIPES[source.language](source, into, run)
    except OSError as error:
        raise refused(f"{source.folder}: it could not be copied", error) from error
    into.chmod(0o755)
    if made.was_stopped:  # it may have filled the disk, which others need
        removal.empty(str(into))
    # A makefile may go on after what has failed.
    lack = "" if made.program or made.was_stopped else lack_of_room(into.parent) or lack_in(made.messages)
    if lack:
        raise _LackError(lack)
    return made


def copied(build: Build, of: Source, source: Source, into: Path) -> Build | None:
    """The build of `source` in the new folder `into`, copied from the `build` of a source that is the same but in name.

    None if it must be built by itself: what a makefile or another language's compiler makes may depend on the name.
    """
    done = build.program
    if of.language not in COMPILERS or msgspec.structs.replace(of, program=source.program) != source or done is None:
        return None
    if (of.folder / of.program).exists() or (done.folder / source.program).exists():
        return None
    try:
        shutil.copytree(done.folder, into)
        (into / of.program).rename(into / source.program)
    except OSError as error:
        raise refused(f"{source.folder}: it could not be copied", error) from error
    into.chmod(0o755)
    program = msgspec.structs.replace(done, argv=(str(into / source.program),), folder=into)
    command = build.command.replace(f"-o {of.program} ", f"-o {source.program} ", 1)
    return msgspec.structs.replace(build, program=program, command=command)


def _by_compiler(source: Source, into: Path, run: Run) -> Build:
    missing = [name for name in source.files if not (into / name).is_file()]
    if missing:
        return Build(None, reason=is_missing(missing[0], source))
    return compiled(source, source.files or (source.file,), into, run)


def _by_interpreter(source: Source, into: Path, run: Run) -> Build:
    python = interpreter()
    # Isolated (-I): beside the program there may be files that are called like modules of Python, such as token.py.
    outcome = run(python, "-I", "-c", _COMPILES, source.file)
    if not outcome.is_ok:
        messages = outcome.output.strip()
        last = messages.splitlines()[-1] if messages else "it cannot be compiled"
        return Build(None, f"python3 {source.file}", messages, f"Python cannot read {source.file}: {last}")
    return Build(Program((python, str(into / source.file)), into))


#: Compiles a file and prints a syntax error as Python does, without a traceback of this program itself.
_COMPILES = """
import sys, traceback
try:
    source = open(sys.argv[1], 'rb').read()
    compile(source, sys.argv[1], 'exec')
    lines = source.split(b'\\n')
    if b'coding' not in lines[0] and b'coding' not in b''.join(lines[1:2]):  # in comments compile() reads any bytes
        for number, line in enumerate(lines, 1):
            try:
                line.decode()
            except UnicodeDecodeError as error:
                begins = f"Non-UTF-8 code starting with '\\\\x{line[error.start]:02x}'"
                raise SyntaxError(f"{begins} on line {number}, but no encoding declared") from None
except (SyntaxError, ValueError) as error:
    print(''.join(traceback.format_exception_only(error)))
    sys.exit(1)
"""


def _by_csharp(source: Source, into: Path, run: Run) -> Build:
    # Only programs in C# need what rewrites them for Mono's compiler, and it takes long to import.
    from pitboss.harness.submissions.dotnet import by_csharp

    return by_csharp(source, into, run)


def _by_shell(source: Source, into: Path, run: Run) -> Build:
    """A script is run by bash if its first line names that, else by sh."""
    first_line = beginning_of(into / source.file, _MOST_OF_A_LINE).partition(b"\n")[0]
    name = "bash" if first_line.startswith(b"#!") and b"bash" in first_line else "sh"
    outcome = run(name, "-n", source.file)
    if not outcome.is_ok:
        command, messages = said(outcome, (name, "-n", source.file), into)
        why = outcome.stopped or (messages.splitlines() or ["it did not say why"])[0]
        return Build(None, command, messages, f"{name} cannot read {source.file}: {why}")
    return Build(Program((found(name), str(into / source.file)), into))


#: The kernel reads no more of a script's first line: BINPRM_BUF_SIZE.
_MOST_OF_A_LINE = 256


_RECIPES: dict[str, Callable[[Source, Path, Run], Build]] = {
    "c": _by_compiler,
    "cpp": _by_compiler,
    "make": by_make,
    "python": _by_interpreter,
    "csharp": _by_csharp,
    "java": by_java,
    "shell": _by_shell,
}


def interpreter() -> str:
    """The path of the Python that runs submissions: the system's, which every user can reach, else ours."""
    system = "/usr/bin/python3"
    return system if os.access(system, os.X_OK) else base_interpreter()
