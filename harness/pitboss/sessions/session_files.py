"""The open files of a session: they pass on its arguments and files, and are its standard input or error."""

from __future__ import annotations

import fcntl
import marshal
import os

import msgspec

from pitboss.model.invocation import Invocation
from pitboss.model.transcript import FileKind, Transcript, WrittenFile
from pitboss.sandbox import files
from pitboss.sandbox.files import beginning_of
from pitboss.sandbox.limits import Limits
from pitboss.sessions.programs import Program

#: How many bytes of an ignored standard error are stored: enough for the end of a traceback.
COMPLAINT_BYTES = 4096
#: Interpreters that write prompts to the standard error: the beginnings of their names.
_PROMPTING_INTERPRETERS = ("python", "sh", "bash", "dash")


def has_prompts(program: Program) -> bool:
    """Whether a program may write prompts to its standard error: Python or a shell runs it, or it begins with `#!`."""
    name = os.path.basename(program.argv[0])
    if name.startswith(_PROMPTING_INTERPRETERS):
        return True
    try:
        return beginning_of(program.argv[0], 2) == b"#!"
    except OSError:
        return False


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
        errors, complaint = None, b""
        if self.stderr is not None:
            text = self.stderr.text() if not self.is_over else b""
            errors, complaint = (
                (text, b"") if self._invocation.stderr == "compared" else (None, text[-COMPLAINT_BYTES:])
            )
        written = tuple(WrittenFile(name, FileKind(kind), content) for name, kind, content in found)
        return msgspec.structs.replace(transcript, written=written, errors=errors, complaint=complaint)

    def close(self) -> None:
        """Close all files."""
        for descriptor in (self.request, *self.input_and_error(-1)):
            if descriptor >= 0:
                os.close(descriptor)
