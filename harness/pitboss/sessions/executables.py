"""Runs a reference that is a command on a terminal, with its standard error in a separate file.

Text on its standard error means that the reference fails, which no program is expected to do. But it may also be a
prompt: Python's input() and the shell's read -p write prompts to standard error. So an incomplete line that is written
there just before a line is read is inserted where it would appear on the terminal. The file is

    /tmp/pitboss-reference-XXXXXX/errors
"""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec

from pitboss.assignments.assignment import Stage
from pitboss.errors import AssignmentError, HarnessError, SessionError, SpecError, as_found
from pitboss.model.invocation import PLAIN, Invocation
from pitboss.model.languages import language_of
from pitboss.model.scripts import InputScript, Script, again, typing
from pitboss.model.transcript import (
    ENDLESS,
    Ending,
    EndingKind,
    Event,
    InputEnded,
    Shown,
    Transcript,
    Typed,
    canonical,
)
from pitboss.sandbox import scratch
from pitboss.sandbox.files import beginning_of
from pitboss.sandbox.limits import Limits
from pitboss.sessions.binaries import refusal_of
from pitboss.sessions.programs import ENVIRONMENT, Program
from pitboss.sessions.protocol import Driver
from pitboss.sessions.runs_before import after_runs

#: A reference gets at least these limits, even if students' programs get less.
_CPU_S, _MEMORY_MB = 10, 4096
#: The maximum number of characters of its standard error in a message.
_LONGEST = 200
#: Options inserted before a command's own arguments. A JVM stores performance data in /tmp under its process id. JVMs
#: in sandboxes may have the same id, and one that finds the file locked prints a warning, which every submission would
#: then have to print.
_FIRST = {"java": ("-XX:-UsePerfData",)}

DriverOf = Callable[[Program, Limits], Driver]


def program_of(stage: Stage, command: tuple[str, ...]) -> Program:
    """The program of a command; SpecError, with the remedy, if it cannot be found or is not a program."""
    argv = (sys.executable, *command[1:]) if command[0] == "python" else command
    reason = _no_file(Path(argv[0])) if "/" in argv[0] else _not_on_path(argv[0], stage.spec.path.parent)
    if reason:
        place = stage.spec.path.parent / "assignment.yaml"
        raise SpecError(f"{place}: the reference of {stage.name!r} cannot be started: {reason}")
    if "/" not in argv[0]:  # not every session is started by a shell, which would search the PATH itself
        path = shutil.which(argv[0], path=dict(ENVIRONMENT)["PATH"]) or argv[0]
        argv = (path, *_FIRST.get(argv[0], ()), *argv[1:])
    return Program(argv, stage.spec.path.parent.resolve(), is_trusted=True, reserves_memory=True)


def _not_on_path(name: str, folder: Path) -> str:
    """Why a program that is named without a slash cannot be run; empty if it is on the PATH."""
    path = dict(ENVIRONMENT)["PATH"]
    if shutil.which(name, path=path) is not None:
        return ""
    if (folder / name).is_file():
        return f"{as_found(name)} is not on the PATH — for the file of this name beside assignment.yaml write ./{name}"
    return f"{as_found(name)} is not on the PATH ({path}) — install it, or name a program of this folder, as in ./meter"


def _to_build(path: Path) -> str:
    """A hint that a program can be built from a source file beside it; empty without one."""
    beside = sorted(os.listdir(path.parent)) if path.parent.is_dir() else []
    source = next((name for name in beside if Path(name).stem == path.name and language_of(name) is not None), "")
    return f" — build it there: {source} is its source" if source else ""


def _no_file(path: Path) -> str:
    """Why a file is not a program; empty if it is one, or if only an attempt to start it can show that."""
    name = os.path.relpath(path) if path.is_relative_to(Path.cwd()) else str(path)
    if not path.exists():
        return f"there is no file {name}{_to_build(path)}"
    if path.is_file() and not os.access(path, os.X_OK):
        return f"{name} is not executable — make it so: chmod +x {shlex.quote(name)}"
    has_format = path.is_file() and beginning_of(path, _LONGEST).startswith((b"#!", b"\x7fELF"))
    return "" if has_format else refusal_of(path).removesuffix(".")


def run_reference(
    program: Program, input_script: InputScript, limits: Limits, driver_of: DriverOf, invocation: Invocation = PLAIN
) -> Transcript:
    """Run a session of a reference, and return its transcript.

    The detail of its ending is the last line of its standard error, if any. If the invocation separates the standard
    error from the terminal, all of it is part of the transcript instead.

    Raises AssignmentError if it cannot be started, uses up a limit or crashes, SessionError if it ends otherwise.
    """
    if invocation.runs_before:  # without a listener: the output of these runs is not compared

        def run(script: Script) -> Transcript:
            return _session(program, script.input, limits, driver_of, script.invocation)

        found = after_runs(invocation, run)
        assert isinstance(found, Invocation), "a run that does not end by itself is raised"
        invocation = found
    if invocation.stderr != "shown":
        return _session(program, input_script, limits, driver_of, invocation)
    with _errors() as errors:
        listener = _Listener(input_script, errors)
        transcript = _session(_with_errors_in(program, errors), listener, limits, driver_of, invocation)
        left = listener.new_errors()
        if not left or transcript.ending.exit_code or listener.complaint or not _has_ended_input(transcript):
            return _started(listener.whole(transcript, left), program, errors)
    # After the end of input no line is read, so we cannot know whether the last text on its standard error is a prompt.
    # So it is run again, with its standard error on the terminal.
    return _session(program, typing(transcript.lines), limits, driver_of, invocation)


def _started(transcript: Transcript, program: Program, errors: Path) -> Transcript:
    """Returns the transcript; AssignmentError if the shell could not start the reference."""
    if not transcript.ending.detail.startswith(f"{errors}: "):
        return transcript
    reason = transcript.ending.detail.rpartition(": ")[2]
    if reason in ("not found", "No such file or directory"):
        reason = "the program that its first line names is not there"
    raise AssignmentError(f"{_name(program)}: the reference cannot be started: {reason}")


def _session(
    program: Program, input_script: InputScript, limits: Limits, driver_of: DriverOf, invocation: Invocation
) -> Transcript:
    limits = msgspec.structs.replace(
        limits, cpu_s=max(_CPU_S, limits.cpu_s), memory_mb=max(_MEMORY_MB, limits.memory_mb)
    )
    with driver_of(program, limits) as driver:
        for _, transcript in driver.sessions([Script(input_script, invocation=invocation)]):
            if transcript.ending.kind is not EndingKind.EXITED:
                raise _did_not_end(program, transcript.ending)
            return transcript
    raise SessionError(f"{_name(program)}: the reference was not run")


def _did_not_end(program: Program, ending: Ending) -> HarnessError:
    how = ending.detail or ending.signal or ending.kind.value
    sentence = f"{_name(program)}: the reference did not end by itself: {how}"
    if ending.kind in ENDLESS or ending.signal in _CRASHES:
        return AssignmentError(sentence, is_endless=ending.kind in ENDLESS)
    return SessionError(sentence)


#: Signals that a program's own mistakes cause. Others, such as SIGKILL, may come from this machine.
_CRASHES = frozenset({"SIGSEGV", "SIGABRT", "SIGFPE", "SIGBUS", "SIGILL", "SIGTRAP"})


def _name(program: Program) -> str:
    """The reference's name in messages: for a command such as `python3 meter.py`, the file that it runs."""
    argv = program.argv[_WRAPPED:] if program.argv[:1] == (_SHELL,) and program.argv[1:2] == ("-c",) else program.argv
    if Path(argv[0]).is_relative_to(program.folder):
        return argv[0]
    return next((word for word in argv[1:] if word.startswith("/") and Path(word).is_file()), argv[0])


_SHELL = "/bin/sh"
#: The position of the command in the result of `_with_errors_in`.
_WRAPPED = 4


def _with_errors_in(program: Program, errors: Path) -> Program:
    """The same program, with its standard error redirected to a file."""
    argv = (_SHELL, "-c", 'exec 2>>"$0" && exec "$@"', str(errors), *program.argv)
    return msgspec.structs.replace(program, argv=argv)


@contextmanager
def _errors() -> Iterator[Path]:
    with scratch.folder("reference") as folder:
        errors = Path(folder) / "errors"
        errors.touch()
        yield errors


class _Listener:
    """An input script for a reference that also reads its standard error before each line."""

    def __init__(self, input_script: InputScript, errors: Path) -> None:
        self._input_script, self._errors = input_script, errors
        self._read = 0
        #: The prompt on the standard error before each line that was read.
        self._questions: list[bytes] = []
        self.complaint = b""

    def __call__(self, events: Sequence[Event]) -> bytes | None:
        """The next line to type."""
        self._questions.append(b"")
        return self._input_script(self._with_last_prompt(events))

    def again(self, events: Sequence[Event], unread: bytes | None) -> bytes | None:
        """See `scripts.Deciding`."""
        return again(self._input_script, self._with_last_prompt(events), unread)

    def _with_last_prompt(self, events: Sequence[Event]) -> tuple[Event, ...]:
        """The events with all prompts on the standard error, including the one written since the last call."""
        prompt, last = self._questions.pop() + self.new_errors(), events[-1] if events else None
        has_prompt = isinstance(last, Shown) and not last.text.endswith(b"\n")
        if prompt.endswith(b"\n") and has_prompt:
            self.complaint, prompt = self.complaint or prompt, b""
        merged = canonical([*self._merged(events), Shown(prompt)])
        self._questions.append(prompt)
        return merged

    def new_errors(self) -> bytes:
        """What was written to the standard error since the last call."""
        with self._errors.open("rb") as file:
            file.seek(self._read)
            text = file.read()
        self._read += len(text)
        return text

    def whole(self, transcript: Transcript, left: bytes) -> Transcript:
        """Return the session with the prompts inserted, and the last line of its errors as the detail of its ending."""
        complaint = self.complaint or left
        ending = msgspec.structs.replace(transcript.ending, detail=_line(complaint))
        return msgspec.structs.replace(transcript, events=canonical(self._merged(transcript.events)), ending=ending)

    def _merged(self, events: Sequence[Event]) -> Iterator[Event]:
        questions = iter(self._questions)
        for event in events:
            if isinstance(event, Typed | InputEnded):
                yield Shown(next(questions, b""))
            yield event


def _has_ended_input(transcript: Transcript) -> bool:
    return any(isinstance(event, InputEnded) for event in transcript.events)


def _line(complaint: bytes) -> str:
    """The last line of a complaint: the most informative one of a traceback."""
    lines = complaint.decode("utf-8", "replace").strip().splitlines()
    return lines[-1].strip()[:_LONGEST] if lines else ""
