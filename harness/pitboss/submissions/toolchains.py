"""The toolchain of each language on this machine, and its trial.

Before a toolchain is first used, pitboss builds and runs a program of its own.

The program asks for a name and greets. It runs in the sandbox and under the limits of submissions. If it fails, no
submission is to blame.

A success is cached in the user's store until the machine, its tools or the sandbox change. After a failure the next
process tries again.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

import msgspec

from pitboss.errors import SessionError, ShortageError
from pitboss.machine import scratch, store
from pitboss.machine.files import beginning_of
from pitboss.model.invocation import Script, script_of_lines
from pitboss.model.languages import LANGUAGES
from pitboss.model.languages.language import Language
from pitboss.model.transcript import EndingKind, Shown, Transcript, Typed
from pitboss.sandbox.digests import Digest, digest_of_machine
from pitboss.sandbox.limits import Limits
from pitboss.sandbox.sandbox import base_interpreter
from pitboss.sandbox.tools import find_tool
from pitboss.sessions.drivers import Conditions
from pitboss.sessions.programs import Program
from pitboss.submissions.compilers import Build, Run, build_from_outcome, command_and_output, failed_build, runtime_path
from pitboss.submissions.course_files import missing_file_sentence
from pitboss.submissions.dotnet import build_with_dotnet, lack_of_cultures
from pitboss.submissions.java_build import build_java
from pitboss.submissions.native import build_native
from pitboss.submissions.projects import PROJECTS
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
    #: Returns a clause on the programs that cannot be run for lack of a library; empty if all can be run.
    lack: Callable[[], str] = str

    @property
    def hello(self) -> Mapping[str, str]:
        """The files of the trial program, which asks for a name and greets; the file to build comes first."""
        language = LANGUAGES.get(self.language)
        if language is None:
            return next(project.hello for project in PROJECTS if project.name == self.language)
        stem = "Greet" if language.has_capitalized_program_names else "greet"
        return {f"{stem}{language.suffixes[0]}": language.hello}


def tool_version(language: str) -> str:
    """Returns what decides what is a program in a language or kind of project, such as gcc 12.2.0; empty if unknown."""
    commands = ("cc",) if language == "make" else toolchain_of(language).commands or (interpreter(),)
    tool = find_tool(commands[-1])
    return _version_of(tool.path) if tool else ""


@cache
def _version_of(path: str) -> str:
    """The name and the version of the tool at a path."""
    name = os.path.basename(path)
    command = [path, {"java": "-version", "luac5.4": "-v"}.get(name, "--version")]
    try:
        run = subprocess.run(command, cwd="/", stdin=subprocess.DEVNULL, capture_output=True, timeout=30)
    except (OSError, subprocess.SubprocessError):
        return ""
    output = (run.stdout + run.stderr).decode("utf-8", "replace")
    line = re.sub(r"\(.*?\)", "", output.partition("\n")[0])  # Debian names its own version in parentheses
    number = re.search(r"\d+(?:\.\d+)+|(?<=[ \"])\d+", line)
    families = {"clang": "clang" in line, "gcc": "Free Software" in output, "Python": "Python" in line}
    family = next((family for family, is_it in families.items() if is_it), name.replace("java", "Java"))
    return f"{family} {number[0]}" if number else ""


def numbers_in(version: str) -> list[int]:
    """Returns the numbers of a version, which is at the end of a text; 21.0 is 21."""
    numbers = [int(number) for number in version.rpartition(" ")[2].split(".")]
    while numbers and not numbers[-1]:
        numbers.pop()
    return numbers


def toolchain_of(language: str) -> Toolchain:
    """Returns the toolchain of a language in LANGUAGES, or of a kind of project."""
    return _TOOLCHAINS[language]


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


#: Compiles a file and prints a syntax error as Python does, without a traceback of this script. Lines are also
#: decoded: compile() accepts any bytes in comments, but Python rejects a file with comments that are not UTF-8 unless
#: the file declares an encoding. Before 3.12 compile() refuses null bytes, while Python runs a file without the rest
#: of such a line, its end included; if the file declares an encoding, a null byte is a character that is only allowed
#: in comments.
_COMPILE_SCRIPT = """
import re, sys, traceback
try:
    source = open(sys.argv[1], 'rb').read()
    has_encoding = b'coding' in b''.join(source.split(b'\\n', 2)[:2])
    if sys.version_info < (3, 12):
        pattern, other = (b'\\0', b'\\1') if has_encoding else (b'\\0[^\\r\\n]*(?:\\r\\n?|\\n)?', b'')
        source = re.sub(pattern, lambda _: other, source)
    compile(source, sys.argv[1], 'exec')
    lines = source.split(b'\\n')
    if not has_encoding:
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
        *(Toolchain(project.name, project.commands[0], project.commands, project.build) for project in PROJECTS),
        Toolchain("csharp", "dotnet", ("dotnet",), build_with_dotnet, lack=lack_of_cultures),
        Toolchain("python", "Python", (), _check_python),
        Toolchain("java", "javac and java", ("javac", "java"), build_java),
        Toolchain("shell", "sh", ("sh",), _check_shell),
        *(_toolchain_by_command(language) for language in LANGUAGES.values() if language.compile or language.run),
    )
}


#: How many trials must fail before the failure is reported.
_MAX_TRIALS = 2
#: The expected session of the trial program; the expecting driver waits for the output of this session.
_EXPECTED = (Shown(b"Name: "), Typed(b"Ada"), Shown(b"Hello, Ada!\n"))
#: The cached value for a toolchain whose trial succeeded.
_WORKS = b"works"


def why_toolchain_fails(
    toolchain: Toolchain, conditions: Conditions, build: Callable[[Source, Path, Toolchain], Build], *, again: bool
) -> str:
    """Returns why a toolchain cannot build and run programs here, as a clause; empty if it can.

    `again`: whether it is tried even if it has worked on this machine before.

    Raises SessionError if no trial can be run on this machine at the moment.
    """
    cache, key = store.open_store(os.environ).store, _cache_key(toolchain, conditions)
    if not again and cache is not None and cache.get(key) == _WORKS:
        return ""
    failure: str | SessionError = ""
    for _ in range(_MAX_TRIALS):
        try:
            failure = _failure_of_trial(toolchain, conditions, build)
        except SessionError as error:
            failure = error
        if not failure:
            if cache is not None:
                cache.put(key, _WORKS)
            return ""
    if isinstance(failure, SessionError):
        raise failure
    return failure


def _cache_key(toolchain: Toolchain, conditions: Conditions) -> str:
    """Returns the key of a successful trial: it depends on toolchain, trial program, driver, sandbox and machine."""
    digest = Digest("trial")
    digest.add(toolchain.language, toolchain.title, *sum(toolchain.hello.items(), ()))
    digest.add(conditions.driver, *conditions.sentences, digest_of_machine(os.environ))
    return f"trial-{digest.text()}"


def _failure_of_trial(
    toolchain: Toolchain, conditions: Conditions, build: Callable[[Source, Path, Toolchain], Build]
) -> str:
    """Runs a trial; returns a clause on how the trial failed, or an empty text if it succeeded."""
    with scratch.folder("trial") as folder:
        source_folder = Path(folder) / "source"
        source_folder.mkdir()
        for name, text in toolchain.hello.items():
            (source_folder / name).parent.mkdir(exist_ok=True)
            (source_folder / name).write_text(text, encoding="utf-8")
        source = Source(source_folder, toolchain.language, next(iter(toolchain.hello)), "greet")
        result = build(source, Path(folder) / "built", toolchain)
        if result.is_fault:
            return result.reason.removesuffix(".")
        if result.program is None:
            return f"a program that greets could not be built: {result.reason.removesuffix('.')}"
        return _failure_of_session(result.program, conditions, toolchain.title)


def _failure_of_session(program: Program, conditions: Conditions, title: str) -> str:
    """Runs the trial program; returns a clause on how the program failed, or an empty text if it greeted.

    Raises ShortageError if no program could be run. `title` is the name of the toolchain.
    """
    with conditions.driver_of(program, Limits()) as driver:
        script = Script(script_of_lines(line.line for line in _EXPECTED if isinstance(line, Typed)), _EXPECTED)
        ((_, transcript),) = driver.sessions([script])
    screen, ending = _screen_of(transcript), transcript.ending
    if (
        ending.kind is EndingKind.EXITED
        and ending.exit_code == 0
        and screen == _screen_of(Transcript(_EXPECTED, ending))
    ):
        return ""
    if ending.kind is EndingKind.FAULT:  # not the toolchain's failure
        raise ShortageError(f"no program could be run to try {title}: {ending.detail}")
    exit_text = f"exit code {ending.exit_code}" if ending.exit_code else ""
    ending_text = ending.signal or exit_text or ending.detail or ending.kind.value
    first_line = screen.decode("utf-8", "replace").strip().partition("\n")[0].strip()
    return f"a program that greets was built but does not run ({ending_text}): " + (
        f"“{first_line}”" if first_line else "it printed nothing"
    )


def _screen_of(transcript: Transcript) -> bytes:
    """Returns all output of a session, without typed lines."""
    return b"".join(event.text for event in transcript.events if isinstance(event, Shown))
