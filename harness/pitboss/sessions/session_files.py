"""The open files of a session with an invocation: for its arguments, its files and a separate standard error."""

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
#: Interpreters that write prompts to the standard error.
_PROMPTING = ("python", "sh", "bash", "dash")


def has_prompts(program: Program) -> bool:
    """Whether a program may write prompts to its standard error: a script in Python or for a shell."""
    name = os.path.basename(program.argv[0])
    if name.startswith(_PROMPTING):
        return True
    try:
        return beginning_of(program.argv[0], 2) == b"#!"
    except OSError:
        return False


def session_files_of(invocation: Invocation, limits: Limits, program: Program) -> SessionFiles | None:
    """Opens the files of a session of this program; None if it needs no files. OSError if no descriptor is free."""
    parts = (invocation.arguments, invocation.files, invocation.outputs, invocation.environment)
    is_needed = any(parts) or invocation.stderr != "shown"
    return SessionFiles(invocation, limits, has_prompts=has_prompts(program)) if is_needed else None


class StandardError:
    """A standard error that is not the terminal: a file in memory, to which the program appends."""

    def __init__(self, *, has_prompts: bool) -> None:
        """Open it; OSError if no descriptor is free.

        With `has_prompts` an incomplete line that is written just before a line is read is a prompt: Python's input()
        and a shell's read -p write prompts here although their output is a terminal.
        """
        self.descriptor = files.unnamed()
        fcntl.fcntl(self.descriptor, fcntl.F_SETFL, os.O_APPEND)
        self._has_prompts = has_prompts
        self._read = 0
        self._lines: list[bytes] = []

    @property
    def size(self) -> int:
        """Its size in bytes."""
        return os.fstat(self.descriptor).st_size

    def prompt(self) -> bytes:
        """Removes and returns the prompt at its end; empty if there is no prompt."""
        if not self._has_prompts or self.size <= self._read:
            return b""
        lines, end, last = self._new().rpartition(b"\n")
        self._lines.append(lines + end)
        return last

    def text(self) -> bytes:
        """The text that was written to it, without prompts."""
        return b"".join((*self._lines, self._new()))

    def _new(self) -> bytes:
        new = files.read_open_file(self.descriptor, max(0, self.size - self._read), self._read)
        self._read += len(new)
        return new


class SessionFiles:
    """A session's open files: a file for the launcher, with its arguments and files, and its standard error.

    The launcher's file is described in launcher.py.
    """

    def __init__(self, invocation: Invocation, limits: Limits, *, has_prompts: bool) -> None:
        """Open the files that the invocation needs; OSError if no descriptor is free."""
        self._invocation, self._limits = invocation, limits
        self.errors: StandardError | None = None
        self.descriptor = files.unnamed()
        try:
            if invocation.stderr != "shown":
                self.errors = StandardError(has_prompts=has_prompts)
            files.overwrite(self.descriptor, marshal.dumps((self.arguments, self.files, self.variables)))
        except BaseException:
            self.close()
            raise

    @property
    def arguments(self) -> tuple[str, ...]:
        """The arguments that follow the program's name."""
        return self._invocation.arguments or ()

    @property
    def variables(self) -> dict[str, str | None]:
        """The environment variables that are changed."""
        return self._invocation.variables

    @property
    def files(self) -> list[tuple[str, bytes]]:
        """The names and contents of the files to put into the session's folder."""
        return [(file.name, file.content) for file in self._invocation.files or ()]

    @property
    def descriptors(self) -> tuple[int, ...]:
        """The descriptors that a launcher gets to start the session, besides the terminal."""
        return (self.descriptor, self.errors.descriptor) if self.errors else (self.descriptor,)

    @property
    def is_over(self) -> bool:
        """Whether more was written to the standard error than may be shown."""
        return self.errors is not None and self.errors.size > self._limits.output_kb * 1024

    def prompt(self) -> bytes:
        """See `StandardError.prompt`."""
        return self.errors.prompt() if self.errors else b""

    @property
    def compared_files(self) -> tuple[tuple[str, ...], int]:
        """The names of the files that are compared, and the maximum number of bytes of each."""
        return tuple(output.name for output in self._invocation.outputs), self._invocation.max_kb << 10

    def ask(self) -> None:
        """Write for the launcher which files to gather."""
        files.overwrite(self.descriptor, marshal.dumps(self.compared_files))

    def gathered_files(self) -> list[tuple[str, str, bytes]]:
        """The files that the launcher has gathered."""
        size = os.fstat(self.descriptor).st_size
        found: list[tuple[str, str, bytes]] = marshal.loads(files.read_open_file(self.descriptor, size))
        return found

    def complete(self, transcript: Transcript, found: list[tuple[str, str, bytes]]) -> Transcript:
        """Returns the transcript with the files and the standard error that the program wrote."""
        errors, complaint = None, b""
        if self.errors is not None:
            text = self.errors.text() if not self.is_over else b""
            errors, complaint = (
                (text, b"") if self._invocation.stderr == "compared" else (None, text[-COMPLAINT_BYTES:])
            )
        written = tuple(WrittenFile(name, FileKind(kind), content) for name, kind, content in found)
        return msgspec.structs.replace(transcript, written=written, errors=errors, complaint=complaint)

    def close(self) -> None:
        """Close all files."""
        os.close(self.descriptor)
        if self.errors is not None:
            os.close(self.errors.descriptor)
