"""The files of a session: its arguments and files, its standard input or error, and how much it may write in total.

A reference that is a function gets the files of an invocation as keywords. Files of a submission may replace those of
the assignment.
"""

from __future__ import annotations

import fcntl
import marshal
import os
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import msgspec

from pitboss.assignments.assignment import Stage
from pitboss.assignments.authored import short_repr, text_of
from pitboss.errors import SpecError
from pitboss.machine import files, processes, scratch
from pitboss.machine.files import head_of
from pitboss.model.invocation import File, Invocation, Script
from pitboss.model.transcript import FileKind, Transcript, WrittenFile
from pitboss.sandbox.limits import Limits
from pitboss.sessions.programs import Program


def texts_of(invocation: Invocation) -> dict[str, str]:
    """Returns the files of an invocation as texts by name; bytes that are not UTF-8 become lone surrogates."""
    return {file.name: file.content.decode("utf-8", "surrogateescape") for file in invocation.files or ()}


def bind_invocation(
    main: Callable[..., object], invocation: Invocation, files: dict[str, str]
) -> Callable[..., object]:
    """Returns the function with its keywords bound to the arguments, variables and files of the invocation."""
    keywords: dict[str, object] = {}
    if invocation.arguments is not None:
        keywords["arguments"] = invocation.arguments
    if invocation.environment is not None:
        keywords["environment"] = dict(invocation.environment)
    if invocation.files is not None:
        keywords["files"] = files
    return partial(main, **keywords) if keywords else main


def compared_files_of(files: dict[str, str], invocation: Invocation, program_label: str) -> tuple[WrittenFile, ...]:
    """Returns the compared files, as a reference has left them in `files`; SpecError if a file is not text.

    `program_label` names the reference in the error.
    """
    written = []
    for name in (output.name for output in invocation.outputs):
        text = files.get(name)
        try:
            content = b"" if text is None else text_of(text).encode("utf-8", "surrogateescape")
        except (TypeError, UnicodeEncodeError):
            raise SpecError(
                f"{program_label} put {short_repr(text)} into files[{name!r}] — it must put text there"
            ) from None
        kind = FileKind.TOO_LARGE if len(content) > invocation.max_kb << 10 else FileKind.REGULAR
        written.append(WrittenFile(name, FileKind.MISSING if text is None else kind, content))
    return tuple(written)


def with_contents(transcript: Transcript, invocation: Invocation) -> Transcript:
    """Returns an expected transcript, with the files and the standard error that the invocation states, if any."""
    files_by_name = {file.name: file for file in transcript.written}
    for output in invocation.outputs:
        if output.content is not None:
            files_by_name[output.name] = WrittenFile(output.name, FileKind.REGULAR, output.content)
        elif output.is_absent:
            files_by_name[output.name] = WrittenFile(output.name, FileKind.MISSING)
    written = tuple(files_by_name[output.name] for output in invocation.outputs if output.name in files_by_name)
    errors = transcript.errors if invocation.errors is None else invocation.errors
    if invocation.accepts_any_errors:
        errors = errors or b""
    return msgspec.structs.replace(
        transcript, written=written, errors=errors, accepts_any_errors=invocation.accepts_any_errors
    )


def with_submitted_files(stage: Stage, folder: Path) -> Stage:
    """Returns the stage with the files that a submission in `folder` provides, where the assignment permits this.

    Links are ignored.
    """
    if not any(file.may_be_submitted for invocation in stage.invocations for file in invocation.files or ()):
        return stage
    invocation = _invocation_with_submitted_files(stage.invocation, stage, folder)
    return msgspec.structs.replace(stage, invocation=invocation).with_cases(
        msgspec.structs.replace(case, invocation=_invocation_with_submitted_files(case.invocation, stage, folder))
        for case in stage.spec.cases
    )


def _invocation_with_submitted_files(invocation: Invocation, stage: Stage, folder: Path) -> Invocation:
    """Returns the invocation with the submission's files in place of the assignment's, where permitted."""
    session_files = tuple(_submitted_or_assigned(file, stage, folder) for file in invocation.files or ())
    return msgspec.structs.replace(invocation, files=session_files) if invocation.files else invocation


def _submitted_or_assigned(file: File, stage: Stage, folder: Path) -> File:
    """Returns the submission's version of a file, if there is one and it is permitted; else the assignment's file."""
    if not file.may_be_submitted or not os.path.isdir(folder):
        return file
    ((_, kind, content),) = files.read_files(str(folder), (file.name,), stage.limits.file_mb << 20)
    return msgspec.structs.replace(file, content=content) if kind == files.REGULAR else file


#: How often a session's folder is measured, in seconds; most sessions end before the first measurement.
_MEASURE_S = 0.02


class FolderQuota:
    """Periodically measures how much a session has written to its folder and to files without a name."""

    def __init__(self, limits: Limits, script: Script) -> None:
        """Set the maximum from `limits`; the first measurement is due after `_MEASURE_S`."""
        self._max_bytes, self._max_file_bytes = limits.folder_mb << 20, limits.file_mb << 20
        if input_file := script.invocation.input_file:  # which is a file without a name
            self._max_bytes += len(input_file.content)
        self._measured_at = time.monotonic()

    def is_over(self, folder: str, running: Callable[[], list[int]]) -> bool:
        """Whether the files exceed the limit; False without a folder, or until the next measurement is due.

        `running` returns the ids of the session's processes.
        """
        now = time.monotonic()
        if not folder or now - self._measured_at < _MEASURE_S:
            return False
        self._measured_at = now
        unnamed_bytes = processes.unnamed_bytes(running(), self._max_file_bytes)
        return scratch.used_bytes(folder) + unnamed_bytes > self._max_bytes


#: How many bytes of an ignored standard error are stored: enough for the end of a traceback.
_COMPLAINT_BYTES = 4096
#: Interpreters that write prompts to the standard error: the beginnings of their names.
_PROMPTING_INTERPRETERS = ("python", "sh", "bash", "dash")


def has_prompts(program: Program) -> bool:
    """Whether a program may write prompts to its standard error: Python or a shell runs it, or it begins with `#!`."""
    name = os.path.basename(program.argv[0])
    return name.startswith(_PROMPTING_INTERPRETERS) or head_of(program.argv[0], 2) == b"#!"


class StandardError:
    """A standard error that is not the terminal: a file in memory, to which the program appends."""

    def __init__(self, *, has_prompts: bool) -> None:
        """Open the file; OSError if no descriptor is free.

        With `has_prompts` an incomplete line that is written just before a line is read is a prompt: Python's input()
        and a shell's read -p write prompts to standard error although their output is a terminal.
        """
        self.descriptor = files.create_unnamed_file()
        fcntl.fcntl(self.descriptor, fcntl.F_SETFL, os.O_APPEND)
        self._has_prompts = has_prompts
        self._bytes_read = 0
        self._text_parts: list[bytes] = []

    @property
    def size(self) -> int:
        """The size of the file in bytes."""
        return os.fstat(self.descriptor).st_size

    def prompt(self) -> bytes:
        """Returns the prompt at the end of the file, and omits it from `text`; empty if there is no prompt."""
        if not self._has_prompts or self.size <= self._bytes_read:
            return b""
        lines, end, unfinished_line = self._read_new().rpartition(b"\n")
        self._text_parts.append(lines + end)
        return unfinished_line

    def text(self) -> bytes:
        """The text that was written to the file, without prompts."""
        return b"".join((*self._text_parts, self._read_new()))

    def _read_new(self) -> bytes:
        """The text that was written since the last read."""
        new_text = files.read_open_file(self.descriptor, max(0, self.size - self._bytes_read), self._bytes_read)
        self._bytes_read += len(new_text)
        return new_text


def split_stderr(text: bytes, invocation: Invocation) -> tuple[bytes | None, bytes]:
    """The compared standard error, and the end of an ignored one, of a program that wrote this text to a separate one.

    Nothing was written to a standard error that is the terminal.
    """
    return (text, b"") if invocation.stderr == "compared" else (None, text[-_COMPLAINT_BYTES:])


class SessionFiles:
    """A session's open files: the launcher's request (see launcher.py), and a separate standard input or error."""

    def __init__(self, invocation: Invocation, limits: Limits, program: Program | None) -> None:
        """Open the files that the invocation of the program needs; OSError if no descriptor is free."""
        self._invocation, self._limits = invocation, limits
        #: The separate standard error; None if standard error goes to the terminal.
        self.stderr: StandardError | None = None
        #: The descriptor of the standard input; None if that is the terminal.
        self.stdin: int | None = None
        #: The descriptor of the launcher's request; -1 if the session needs nothing but a terminal.
        self.request = -1
        try:
            if invocation.input_file is not None:
                self.stdin = files.open_unnamed_copy(invocation.input_file.content)
            if invocation.stderr != "shown":
                self.stderr = StandardError(has_prompts=program is not None and has_prompts(program))
            parts = (invocation.arguments, invocation.files, invocation.outputs, invocation.environment)
            if any(parts) or self.input_and_error(-1) != (-1, -1):
                self.request = files.create_unnamed_file()
                request = (self.arguments, self.files_to_write, invocation.variables)
                files.overwrite(self.request, marshal.dumps(request))
        except BaseException:
            self.close()
            raise

    @property
    def arguments(self) -> tuple[str, ...]:
        """The arguments that follow the program's name."""
        return self._invocation.arguments or ()

    @property
    def files_to_write(self) -> list[tuple[str, bytes]]:
        """The names and contents of the files to write into the session's folder before the session."""
        return [(file.name, file.content) for file in self._invocation.files or ()]

    def input_and_error(self, terminal: int) -> tuple[int, int]:
        """The descriptors of the standard input and the standard error of a program on this terminal."""
        return (
            terminal if self.stdin is None else self.stdin,
            terminal if self.stderr is None else self.stderr.descriptor,
        )

    @property
    def is_over(self) -> bool:
        """Whether more was written to the separate standard error than the output limit allows."""
        return self.stderr is not None and self.stderr.size > self._limits.output_kb * 1024

    def prompt(self) -> bytes:
        """See `StandardError.prompt`."""
        return self.stderr.prompt() if self.stderr else b""

    @property
    def compared_files(self) -> tuple[tuple[str, ...], int]:
        """The names of the files that are compared, and the maximum number of bytes of each."""
        return tuple(output.name for output in self._invocation.outputs), self._invocation.max_kb << 10

    def write_gather_request(self) -> None:
        """Write into the request which files the launcher must gather."""
        files.overwrite(self.request, marshal.dumps(self.compared_files))

    def gathered_files(self) -> list[tuple[str, str, bytes]]:
        """The name, kind and content of each file that the launcher has gathered."""
        size = os.fstat(self.request).st_size
        gathered: list[tuple[str, str, bytes]] = marshal.loads(files.read_open_file(self.request, size))
        return gathered

    def complete(self, transcript: Transcript, found: list[tuple[str, str, bytes]]) -> Transcript:
        """Returns the transcript with the files `found` and the standard error that the program wrote."""
        text = b"" if self.stderr is None or self.is_over else self.stderr.text()
        errors, complaint = split_stderr(text, self._invocation)
        written = tuple(WrittenFile(name, FileKind(kind), content) for name, kind, content in found)
        return msgspec.structs.replace(transcript, written=written, errors=errors, complaint=complaint)

    def close(self) -> None:
        """Close all files."""
        for descriptor in (self.request, *self.input_and_error(-1)):
            if descriptor >= 0:
                os.close(descriptor)
