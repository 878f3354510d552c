"""The toolchains of each language on this machine, in order of preference.

A toolchain is used only after a trial: see trials.py.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

import msgspec

from pitboss.model.languages import LANGUAGES
from pitboss.model.languages.language import Language
from pitboss.sandbox.files import beginning_of
from pitboss.sandbox.sandbox import base_interpreter
from pitboss.sessions.programs import Program
from pitboss.submissions.compilers import Build, Run, build_from_outcome, command_and_output, failed_build, runtime_path
from pitboss.submissions.course_files import missing_file_sentence
from pitboss.submissions.java_build import build_java
from pitboss.submissions.native import build_native, build_with_make
from pitboss.submissions.sources import Source


class Toolchain(msgspec.Struct, frozen=True):
    """A compiler or interpreter, and the command that runs the programs built with it."""

    #: The language that the toolchain builds, as in Source.language.
    language: str
    #: The name of the toolchain in a sentence.
    title: str
    #: The commands that the toolchain needs.
    commands: tuple[str, ...]
    #: Builds a source; the path is the folder to which the source was copied.
    build: Callable[[Source, Path, Run], Build]
    #: A sentence on a limitation of the toolchain, and the remedy; empty if there is no limitation.
    remark: str = ""

    @property
    def hello(self) -> tuple[str, str]:
        """The file name and source text of the trial program, which asks for a name and greets."""
        language = LANGUAGES.get(self.language)
        if language is None:  # make, which builds programs in several languages
            return "Makefile", _MAKEFILE
        return f"{'Greet' if language.has_capitalized_program_names else 'greet'}{language.suffixes[0]}", language.hello

    @property
    def is_installed(self) -> bool:
        """Whether all commands that the toolchain needs are on the PATH."""
        return all(map(shutil.which, self.commands))


def toolchains_of(language: str) -> tuple[Toolchain, ...]:
    """Returns the toolchains of a language in order of preference, the best first.

    A toolchain that is not installed is returned only if no toolchain of the language is installed.
    """
    if language == "csharp":
        return _csharp_toolchains()
    return (_TOOLCHAINS[language],)


_MONO_TITLE = "Mono's compiler, which knows the C# of 2017"


def _csharp_toolchains() -> tuple[Toolchain, ...]:
    # Imported only for C#: the modules that rewrite programs for Mono's compiler take long to import.
    from pitboss.submissions.dotnet import INSTALL_HINT, build_with_dotnet, sdk_here

    def build_with_mono_compiler(source: Source, folder: Path, run: Run) -> Build:
        from pitboss.submissions.mono import build_with_mono

        return build_with_mono(source, folder, run)

    consequence = f"are reported as faults and cost no points: {INSTALL_HINT}"
    sdk = sdk_here()
    mono_remark = f"C# programs that need a newer compiler than Mono's, which dates from 2017, {consequence}"
    mono_toolchain = Toolchain("csharp", _MONO_TITLE, ("mcs", "mono"), build_with_mono_compiler, remark=mono_remark)
    if sdk is None:
        return (mono_toolchain,)
    dotnet_remark = f"C# programs that dotnet {sdk.version} rejects {consequence}" if sdk.is_old else ""
    dotnet = Toolchain(
        "csharp", f"dotnet {sdk.version}", ("dotnet",), partial(build_with_dotnet, sdk=sdk), remark=dotnet_remark
    )
    return (dotnet, mono_toolchain) if mono_toolchain.is_installed else (dotnet,)


def _build_by_compiler(source: Source, folder: Path, run: Run) -> Build:
    """Builds a program in C or C++ without a makefile."""
    missing = [name for name in source.files if not (folder / name).is_file()]
    if missing:
        return Build(None, reason=missing_file_sentence(missing[0], source))
    return build_native(source, source.files or (source.file,), folder, run)


def _check_python(source: Source, folder: Path, run: Run) -> Build:
    """Checks the syntax of a program in Python."""
    python = interpreter()
    # Isolated (-I): files beside the program may have names of Python's modules, such as token.py.
    outcome = run(python, "-I", "-c", _COMPILE_SCRIPT, source.file)
    if not outcome.is_ok:
        messages = outcome.output.strip()
        reason = messages.splitlines()[-1] if messages else "it cannot be compiled"
        return Build(None, f"python3 {source.file}", messages, f"Python cannot read {source.file}: {reason}")
    return Build(Program((python, str(folder / source.file)), folder))


#: Compiles a file and prints a syntax error as Python does, without a traceback of this script. Lines are also decoded:
#: compile() accepts any bytes in comments, but Python rejects a file with comments that are not UTF-8 unless the file
#: declares an encoding.
_COMPILE_SCRIPT = """
import sys, traceback
try:
    source = open(sys.argv[1], 'rb').read()
    compile(source, sys.argv[1], 'exec')
    lines = source.split(b'\\n')
    if b'coding' not in lines[0] and b'coding' not in b''.join(lines[1:2]):
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


def _check_shell(source: Source, folder: Path, run: Run) -> Build:
    """Checks a script with the shell that will run it: bash if its first line names bash, else sh."""
    first_line = beginning_of(folder / source.file, _MAX_FIRST_LINE).partition(b"\n")[0]
    name = "bash" if first_line.startswith(b"#!") and b"bash" in first_line else "sh"
    outcome = run(name, "-n", source.file)
    if not outcome.is_ok:
        command, messages = command_and_output(outcome, (name, "-n", source.file), folder)
        reason = outcome.why_stopped or (messages.splitlines() or ["it printed no reason"])[0]
        return Build(None, command, messages, f"{name} cannot read {source.file}: {reason}")
    return Build(Program((runtime_path(name), str(folder / source.file)), folder))


#: The kernel reads this much of a script's first line: BINPRM_BUF_SIZE.
_MAX_FIRST_LINE = 256


def interpreter() -> str:
    """Returns the path of the Python for submissions: the system's, which all users can access, else pitboss's own."""
    system = "/usr/bin/python3"
    return system if os.access(system, os.X_OK) else base_interpreter()


#: The trial program of make: a makefile that writes a shell script.
_MAKEFILE = """\
greet:
\tprintf '#!/bin/sh\\nprintf "Name: "; read -r name; echo "Hello, $$name!"\\n' >greet
\tchmod +x greet
"""


def _toolchain_by_command(language: Language) -> Toolchain:
    """Returns the toolchain of a language with at most one command to compile and one to run a program."""

    def build_by_command(source: Source, folder: Path, run: Run) -> Build:
        argv, build = _filled_command(language.compile, source.file, source.program), Build(None)
        if argv:
            # A command without {program} only checks the syntax and creates no program.
            creates_program = any("{program}" in argument for argument in language.compile)
            outcome_to_build = build_from_outcome if creates_program else failed_build
            build = outcome_to_build(run(*argv), argv, source.program, folder) or build
        if build.reason or not language.run:
            return build
        name, *arguments = _filled_command(language.run, str(folder / source.file), str(folder / source.program))
        return msgspec.structs.replace(build, program=Program((runtime_path(name), *arguments), folder))

    commands = tuple(tool.command for tool in language.tools)
    return Toolchain(language.name, " and ".join(commands), commands, build_by_command)


def _filled_command(command: tuple[str, ...], file: str, program: str) -> tuple[str, ...]:
    """Returns a command of a language with its placeholders replaced."""
    return tuple(argument.replace("{file}", file).replace("{program}", program) for argument in command)


_TOOLCHAINS = {
    toolchain.language: toolchain
    for toolchain in (
        Toolchain("c", "cc", ("cc",), _build_by_compiler),
        Toolchain("cpp", "c++", ("c++",), _build_by_compiler),
        Toolchain("make", "make", ("make",), build_with_make),
        Toolchain("python", "Python", (), _check_python),
        Toolchain("java", "javac and java", ("javac", "java"), build_java),
        Toolchain("shell", "sh", ("sh",), _check_shell),
        *(_toolchain_by_command(language) for language in LANGUAGES.values() if language.compile or language.run),
    )
}
