"""Runs a reference that is a command, on a terminal, with its standard error in a separate file.

Text on its standard error means that the reference failed, unless the text is a prompt: Python's input() and the
shell's read -p write prompts to standard error. So if the reference writes an incomplete line there just before it
reads a line, that text is inserted where it would appear on the terminal. The file of the standard error is

    /tmp/pitboss-reference-XXXXXX/errors

If this machine cannot start a file that should be a program, the reason is found here.
"""

from __future__ import annotations

import errno
import os
import re
import shlex
import shutil
import stat
import struct
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec

from pitboss.assignments.assignment import Reference, Stage
from pitboss.errors import AssignmentError, HarnessError, SessionError, SpecError, as_found
from pitboss.machine import scratch
from pitboss.machine.files import beginning_of, head_of
from pitboss.model.crashes import crash_in, last_words
from pitboss.model.invocation import PLAIN, InputScript, Invocation, Script, replacement_line, script_of_lines
from pitboss.model.languages import language_of
from pitboss.model.transcript import (
    OVER_A_LIMIT,
    Ending,
    EndingKind,
    Event,
    InputEnded,
    Shown,
    Transcript,
    Typed,
    canonical,
)
from pitboss.sandbox.limits import Limits
from pitboss.sandbox.tools import search_path
from pitboss.sessions.programs import Driver, Program
from pitboss.sessions.runs_before import after_runs

#: Names of machines as os.uname() returns them, by the number in the head of an ELF file: e_machine in elf(5).
_MACHINES = {
    3: "i386",
    8: "mips",
    20: "powerpc",
    21: "ppc64le",
    22: "s390x",
    40: "arm",
    62: "x86_64",
    183: "aarch64",
    243: "riscv64",
}
#: The machines that can also run the programs of another machine, their predecessor.
_ALSO_RUNS = {"x86_64": "i386", "aarch64": "arm"}
#: The type of an object file: see elf(5).
_ET_REL = 1
#: The type of the program header that contains the loader's path.
_PT_INTERP = 3
#: How many program headers of a file we examine: programs have far fewer.
_MAX_HEADERS = 64
#: The first bytes of programs for macOS.
_MACOS_MAGIC = tuple(map(bytes.fromhex, ("feedface", "feedfacf", "cefaedfe", "cffaedfe", "cafebabe")))
#: How many bytes at the beginning of a file we examine.
_HEAD_BYTES = 4096

#: The kernel's messages if a program, its interpreter or its loader is missing or cannot be reached.
_MISSING_FILE_MESSAGES = frozenset({os.strerror(errno.ENOENT), os.strerror(errno.EACCES), os.strerror(errno.ENOTDIR)})

#: Whether the interpreter or loader with this path can be reached.
Reachable = Callable[[str], bool]


def _interpreter_exists(interpreter: str) -> bool:
    """Whether an interpreter exists; always True for a relative path, since the program's folder is not known here."""
    return not interpreter.startswith("/") or os.path.exists(interpreter)


def refusal_of(path: Path, is_reachable: Reachable = _interpreter_exists) -> str:
    """Why a file cannot be started, as a sentence; empty if we find no reason.

    `is_reachable` tells whether the file's interpreter or loader can be reached.
    """
    if path.is_dir():
        return f"{path.name} is a folder, not a program."
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return f"{path.name} is not an ordinary file, so it is not a program."
        head = beginning_of(path, _HEAD_BYTES)
    except OSError:
        return ""
    if not os.access(path, os.X_OK):
        return f"{path.name} is not executable (run: chmod +x {path.name})."
    if not head:
        return f"{path.name} is an empty file."
    if head.startswith(b"#!"):
        return _script_refusal(path.name, head, is_reachable)
    if head.startswith(b"\x7fELF"):
        return _elf_refusal(path.name, head, is_reachable)
    if head.startswith(_MACOS_MAGIC):
        return f"{path.name} is a program for macOS."
    if head[:2] == b"MZ":  # the kernel may be configured to run Windows programs: see binfmt_misc
        return ""
    if b"\0" in head:
        return f"{path.name} is not a program that this machine can run."
    return (
        f"{path.name} is text, not a program; a script begins with a line that names its interpreter, such as "
        "#!/bin/sh."
    )


def _script_refusal(name: str, head: bytes, is_reachable: Reachable) -> str:
    """Why a script cannot be started, as a sentence; empty if we find no reason. `head` is the script's beginning."""
    line = head.partition(b"\n")[0][2:]
    interpreter = line.strip(b" \t").split(maxsplit=1)[0] if line.strip() else b""
    interpreter_name = os.fsdecode(interpreter.strip())
    if not interpreter:
        return f"{name} is a script whose first line names no interpreter, such as #!/bin/sh."
    if line.endswith(b"\r"):
        return f"{name} is a script with Windows line endings, so “{interpreter_name}” is not found."
    if not is_reachable(interpreter_name):
        return f"{name} needs the interpreter {interpreter_name}, which is not there."
    return ""


def _elf_refusal(name: str, head: bytes, is_reachable: Reachable) -> str:
    """Why an ELF file cannot be started, as a sentence; empty if we find no reason. `head` is the file's beginning."""
    is_64, byte_order = head[4:5] == b"\x02", ">" if head[5:6] == b"\x02" else "<"
    if len(head) < (64 if is_64 else 52):  # the size of an ELF header
        return f"{name} is a program that is cut off after {len(head)} bytes."
    file_type, machine = struct.unpack_from(f"{byte_order}HH", head, 16)
    this_machine = os.uname().machine
    if _MACHINES.get(machine) not in (this_machine, _ALSO_RUNS.get(this_machine)):
        return f"{name} is a program for {_MACHINES.get(machine, 'another machine')}, and this is {this_machine}."
    if file_type == _ET_REL:
        return f"{name} is an object file, not a program: it was compiled (-c) but not linked."
    loader = _loader_in(head, byte_order, is_64=is_64)
    if loader and not is_reachable(loader):
        return f"{name} needs the loader {loader}, which is not there."
    return ""


def _loader_in(head: bytes, byte_order: str, *, is_64: bool) -> str:
    """The loader of a dynamically linked program; empty if the program needs no loader, or its path is not in `head`.

    For the offsets of the fields in the ELF header and in the program headers see elf(5).
    """
    (start,) = struct.unpack_from(f"{byte_order}Q" if is_64 else f"{byte_order}I", head, 32 if is_64 else 28)
    size, count = struct.unpack_from(f"{byte_order}HH", head, 54 if is_64 else 42)
    for entry in range(start, start + size * min(count, _MAX_HEADERS), size or 1):
        if entry + size > len(head):
            break
        (header_type,) = struct.unpack_from(f"{byte_order}I", head, entry)
        if header_type != _PT_INTERP:
            continue
        offset, length = struct.unpack_from(f"{byte_order}8xQ16xQ" if is_64 else f"{byte_order}4xI8xI", head, entry)
        return os.fsdecode(head[offset : offset + length].rstrip(b"\0"))
    return ""


def is_dynamic(path: Path) -> bool:
    """Whether a program for this machine is dynamically linked: then its loader also loads our preloaded library."""
    head = beginning_of(path, _HEAD_BYTES)
    byte_order = ">" if head[5:6] == b"\x02" else "<"
    return bool(_loader_in(head, byte_order, is_64=head[4:5] == b"\x02"))


def explain_start_failure(ending: Ending, program: Program) -> Ending:
    """Returns the ending, with the reason if the program could not be started.

    The failure is a fault of ours if the program is trusted, or if its file is outside the student's folder.
    """
    if ending.kind is not EndingKind.NOT_STARTED:
        return ending
    path = Path(program.argv[0])
    if program.is_trusted or program.folder not in path.parents:
        return Ending(EndingKind.FAULT, detail=f"{path} could not be started: {ending.detail}")
    reason = refusal_of(path)
    if not reason and ending.detail in _MISSING_FILE_MESSAGES:  # the file itself exists, so its interpreter is missing
        reason = refusal_of(path, lambda _: False)
    if not reason and head_of(path, 2) == b"MZ":
        reason = f"{path.name} is a program for Windows."
    reason = reason or f"{path.name}: {ending.detail}."
    return msgspec.structs.replace(ending, detail=reason)


#: A reference gets at least these limits, in seconds and MB, even if students' programs get less.
_CPU_S, _MEMORY_MB = 10, 4096
#: The maximum number of characters quoted from a reference's standard error.
_MAX_QUOTED = 200
#: Options inserted before a command's own arguments. A JVM stores performance data in a file in /tmp under its process
#: id. JVMs in sandboxes may have the same id, and a JVM that finds this file locked prints a warning, which would be
#: expected of every submission.
_ADDED_OPTIONS = {"java": ("-XX:-UsePerfData",)}

DriverOf = Callable[[Program, Limits], Driver]

#: Returns the program of a reference that is a source, given its stage and path. The room `submissions`, which builds
#: it and which this room cannot import, assigns the function.
program_of_source: Callable[[Stage, Path], Program]
#: The sources of such references, by the folder in which the program was built.
_sources: dict[Path, str] = {}


def program_of(stage: Stage, reference: Reference) -> Program:
    """Returns the program of a command or a source; SpecError, with the remedy, if it cannot be found or built."""
    command = reference.command
    if reference.is_source:
        program = program_of_source(stage, Path(command[0]))  # noqa: F821
        _sources[program.folder] = command[0]
        return program
    argv = (sys.executable, *command[1:]) if command[0] == "python" else command
    reason = (
        _reason_not_a_program(Path(argv[0])) if "/" in argv[0] else _reason_not_on_path(argv[0], stage.spec.path.parent)
    )
    if reason:
        assignment_file = stage.spec.path.parent / "assignment.yaml"
        raise SpecError(f"{assignment_file}: the reference of {stage.name!r} cannot be started: {reason}")
    if "/" not in argv[0]:  # not every session is started by a shell, which would search the PATH itself
        path = shutil.which(argv[0], path=search_path()) or argv[0]
        argv = (path, *_ADDED_OPTIONS.get(argv[0], ()), *argv[1:])
    return Program(argv, stage.spec.path.parent.resolve(), is_trusted=True, has_runtime_threads=True)


def _reason_not_on_path(name: str, folder: Path) -> str:
    """Why a program that is named without a slash cannot be run; empty if it is on the PATH."""
    path = search_path()
    if shutil.which(name, path=path) is not None:
        return ""
    if (folder / name).is_file():
        return f"{as_found(name)} is not on the PATH — to run the file beside assignment.yaml, write ./{name}"
    return (
        f"{as_found(name)} is not on the PATH ({path}) — install it, or name a program in this folder, such as ./meter"
    )


def _build_hint(path: Path) -> str:
    """A hint that a program can be built from a source file in its folder; empty if there is no such file."""
    names = sorted(os.listdir(path.parent)) if path.parent.is_dir() else []
    source = next((name for name in names if Path(name).stem == path.name and language_of(name) is not None), "")
    return f" — name its source in place of the command, as in `reference: {source}`" if source else ""


def _reason_not_a_program(path: Path) -> str:
    """Why a file is not a program; empty if it is a program, or if only an attempt to start it can tell."""
    name = os.path.relpath(path) if path.is_relative_to(Path.cwd()) else str(path)
    if not path.exists():
        return f"there is no file {name}{_build_hint(path)}"
    if path.is_file() and not os.access(path, os.X_OK):
        return f"{name} is not executable — run: chmod +x {shlex.quote(name)}"
    prefixes = (b"#!", b"\x7fELF")
    has_program_format = path.is_file() and beginning_of(path, max(map(len, prefixes))).startswith(prefixes)
    return "" if has_program_format else refusal_of(path).removesuffix(".")


def run_reference(
    program: Program, input_script: InputScript, limits: Limits, driver_of: DriverOf, invocation: Invocation = PLAIN
) -> Transcript:
    """Run a session of a reference, and return its transcript.

    The detail of the transcript's ending is the last line of the reference's standard error, if any. If the invocation
    separates the standard error from the terminal, the whole standard error is part of the transcript instead.

    Raises AssignmentError if the reference cannot be started, uses up a limit or crashes, SessionError if the reference
    is ended by anything else.
    """
    if invocation.runs_before:  # these runs need no _PromptReader, since their output is not compared

        def run(script: Script) -> Transcript:
            return _run_session(program, script.input, limits, driver_of, script.invocation)

        outcome = after_runs(invocation, run)
        assert isinstance(outcome, Invocation), "a run that is killed raises an error"
        invocation = outcome
    if invocation.stderr != "shown":
        return _run_session(program, input_script, limits, driver_of, invocation)
    with _error_file() as error_file:
        prompt_reader = _PromptReader(input_script, error_file)
        redirected = _with_errors_in_file(program, error_file)
        transcript = _run_session(redirected, prompt_reader, limits, driver_of, invocation)
        remaining_errors = prompt_reader.new_errors()
        has_failed = bool(transcript.ending.exit_code or prompt_reader.complaint)
        has_ended_input = any(isinstance(event, InputEnded) for event in transcript.events)
        may_end_with_prompt = bool(remaining_errors) and not has_failed and has_ended_input
        if not may_end_with_prompt:
            return _check_started(prompt_reader.with_prompts(transcript, remaining_errors), program, error_file)
    # After the end of input no line is read, so we cannot know whether the last text on the standard error is a prompt.
    # Therefore the reference is run again, with its standard error on the terminal.
    return _run_session(program, script_of_lines(transcript.lines), limits, driver_of, invocation)


def _check_started(transcript: Transcript, program: Program, error_file: Path) -> Transcript:
    """Returns the transcript; AssignmentError if the shell could not start the reference."""
    # The shell's own messages begin with its $0, which is the path of the error file: see `_with_errors_in_file`.
    if not transcript.ending.detail.startswith(f"{error_file}: "):
        return transcript
    reason = transcript.ending.detail.rpartition(": ")[2]
    if reason in ("not found", "No such file or directory"):
        reason = "its first line names a program that does not exist"
    raise AssignmentError(f"{_name(program)}: the reference cannot be started: {reason}")


def _run_session(
    program: Program, input_script: InputScript, limits: Limits, driver_of: DriverOf, invocation: Invocation
) -> Transcript:
    """Runs a session of a reference, with at least `_CPU_S` and `_MEMORY_MB`; raises an error unless it exits."""
    limits = msgspec.structs.replace(
        limits, cpu_s=max(_CPU_S, limits.cpu_s), memory_mb=max(_MEMORY_MB, limits.memory_mb)
    )
    with driver_of(program, limits) as driver:
        for _, transcript in driver.sessions([Script(input_script, invocation=invocation)]):
            if transcript.ending.kind is not EndingKind.EXITED:
                raise _abnormal_end_error(program, transcript)
            if error := _LOADER_ERROR.search(transcript.text + _errors_in_file(program)):
                raise SessionError(f"{_name(program)}: the reference was not run as it must be: {error[0].decode()}")
            return transcript
    raise SessionError(f"{_name(program)}: the reference was not run")


def _abnormal_end_error(program: Program, transcript: Transcript) -> HarnessError:
    """The error for a reference that was killed: AssignmentError if it was endless or crashed, else SessionError."""
    ending, errors = transcript.ending, transcript.error_output
    errors = _errors_in_file(program) or errors
    has_crash = ending.signal in _CRASHES and crash_in(errors) is not None
    reason = last_words(errors)[:_MAX_QUOTED] if has_crash else ending.detail or ending.signal or ending.kind.value
    verb = "ended with an error" if has_crash else "did not end by itself"
    message = f"{_name(program)}: the reference {verb}: {reason}"
    if ending.kind in OVER_A_LIMIT or ending.signal in _CRASHES:
        return AssignmentError(message, is_endless=ending.kind in OVER_A_LIMIT)
    return SessionError(message)


def _errors_in_file(program: Program) -> bytes:
    """Returns what the reference wrote to the file that is its standard error; empty if that is the terminal."""
    return Path(program.argv[_COMMAND_POSITION - 1]).read_bytes() if _has_errors_in_file(program) else b""


#: What no program prints: our library, or one that the machine's settings name, was not loaded; see ld.so(8).
_LOADER_ERROR = re.compile(rb"ERROR: ld\.so: [ -~]*")
#: Signals that a program's own mistakes cause. Other signals, such as SIGKILL, may come from this machine.
_CRASHES = frozenset({"SIGSEGV", "SIGABRT", "SIGFPE", "SIGBUS", "SIGILL", "SIGTRAP"})


def _name(program: Program) -> str:
    """The reference's name in messages: its source; for a command such as `python3 meter.py`, the file that it runs."""
    if program.folder in _sources:
        return _sources[program.folder]
    argv = program.argv[_COMMAND_POSITION:] if _has_errors_in_file(program) else program.argv
    if Path(argv[0]).is_relative_to(program.folder):
        return argv[0]
    return next((argument for argument in argv[1:] if argument.startswith("/") and Path(argument).is_file()), argv[0])


_SHELL = "/bin/sh"
#: The position of the command in the result of `_with_errors_in_file`.
_COMMAND_POSITION = 4


def _has_errors_in_file(program: Program) -> bool:
    """Whether a program is a result of `_with_errors_in_file`."""
    return program.argv[:2] == (_SHELL, "-c")


def _with_errors_in_file(program: Program, error_file: Path) -> Program:
    """Returns the program with its standard error appended to a file."""
    argv = (_SHELL, "-c", 'exec 2>>"$0" && exec "$@"', str(error_file), *program.argv)
    return msgspec.structs.replace(program, argv=argv)


@contextmanager
def _error_file() -> Iterator[Path]:
    """An empty temporary file for the standard error."""
    with scratch.folder("reference") as folder:
        error_file = Path(folder) / "errors"
        error_file.touch()
        yield error_file


class _PromptReader:
    """Wraps the input script of a reference, and reads the reference's error file before each line is typed."""

    def __init__(self, input_script: InputScript, error_file: Path) -> None:
        self._input_script, self._error_file = input_script, error_file
        #: How many bytes of the error file have been read.
        self._offset = 0
        #: The prompt on the standard error before each line that was read; empty without a prompt.
        self._prompts: list[bytes] = []
        #: The first text on the standard error that is not a prompt.
        self.complaint = b""

    def __call__(self, events: Sequence[Event]) -> bytes | None:
        """The next line to type."""
        self._prompts.append(b"")
        return self._input_script(self._with_last_prompt(events))

    def revised_line(self, events: Sequence[Event], unread: bytes | None) -> bytes | None:
        """See `scripts.RevisableScript`."""
        return replacement_line(self._input_script, self._with_last_prompt(events), unread)

    def _with_last_prompt(self, events: Sequence[Event]) -> tuple[Event, ...]:
        """The events with all prompts on the standard error, including the prompt written since the last call."""
        prompt = self._prompts.pop() + self.new_errors()
        last_event = events[-1] if events else None
        # A complete line on the standard error is not a prompt if the terminal shows a prompt already.
        has_prompt_on_terminal = isinstance(last_event, Shown) and not last_event.text.endswith(b"\n")
        if prompt.endswith(b"\n") and has_prompt_on_terminal:
            self.complaint, prompt = self.complaint or prompt, b""
        merged = canonical([*self._merged(events), Shown(prompt)])
        self._prompts.append(prompt)
        return merged

    def new_errors(self) -> bytes:
        """The text that was written to the standard error since the last call."""
        with self._error_file.open("rb") as file:
            file.seek(self._offset)
            text = file.read()
        self._offset += len(text)
        return text

    def with_prompts(self, transcript: Transcript, remaining_errors: bytes) -> Transcript:
        """Return the transcript with the prompts inserted, and the last line of the errors as the detail of its ending.

        `remaining_errors` is the text that was written to the standard error after the last line was read.
        """
        complaint = self.complaint or remaining_errors
        ending = msgspec.structs.replace(transcript.ending, detail=last_words(complaint)[:_MAX_QUOTED])
        return msgspec.structs.replace(transcript, events=canonical(self._merged(transcript.events)), ending=ending)

    def _merged(self, events: Sequence[Event]) -> Iterator[Event]:
        """Yields the events, with the prompts on the standard error inserted before the lines that were typed."""
        prompts = iter(self._prompts)
        for event in events:
            if isinstance(event, Typed | InputEnded):
                yield Shown(next(prompts, b""))
            yield event
