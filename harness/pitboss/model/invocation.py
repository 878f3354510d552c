"""How a program is invoked: arguments, files, environment, standard error, and the script that types its lines.

A session to run is an input script with an invocation. Immutable values.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Sequence
from typing import Literal, NamedTuple, Protocol, runtime_checkable

import msgspec

from pitboss.model.comparison_policy import FreeText
from pitboss.model.quoting import readable
from pitboss.model.transcript import Event

#: Where a program's standard error goes: to the terminal, nowhere, or to a text that is compared separately.
Stderr = Literal["shown", "ignored", "compared"]


class File(msgspec.Struct, frozen=True):
    """A file in the program's folder when a session begins."""

    #: A path relative to the folder, with / between its parts.
    name: str
    content: bytes
    #: Whether a file of the same name in the submission replaces this file.
    may_be_submitted: bool = False


class Output(msgspec.Struct, frozen=True):
    """A file that a program writes, which is compared when the session is over."""

    name: str
    #: The expected content; None if the program must write the same content as the reference, or must not write the
    #: file (`is_absent`).
    content: bytes | None = None
    #: Whether the file must not exist; only if the content is None.
    is_absent: bool = False

    @property
    def is_known(self) -> bool:
        """Whether the expected file is known without the reference."""
        return self.content is not None or self.is_absent


class RunBefore(msgspec.Struct, frozen=True):
    """A run of the program before a session; the files that it leaves are passed to the next run, or to the session."""

    #: The lines that are typed; after them the input ends.
    lines: tuple[bytes, ...]
    #: The names of the files that are passed on.
    files: tuple[str, ...]
    #: The arguments of the run: see `Invocation.arguments`.
    arguments: tuple[str, ...] | None = None
    #: The environment of the run: see `Invocation.environment`.
    environment: tuple[tuple[str, str], ...] | None = None


class Started(msgspec.Struct, frozen=True):
    """How a program was started, as far as a person who reads a report needs to know."""

    arguments: tuple[str, ...]
    runs_before: tuple[RunBefore, ...]
    #: The name of the file that was its standard input; empty if that was the terminal.
    input_name: str = ""

    def command_line(self, program: str) -> str:
        """The command that starts `program` in this way, quoted for a shell; empty if that is its name alone."""
        words = shlex.join((program, *self.arguments)) if self.arguments or self.input_name else ""
        return f"{words} < {shlex.quote(self.input_name)}" if self.input_name else words


class Invocation(msgspec.Struct, frozen=True):
    """How a program is invoked in a session, apart from its terminal."""

    #: The command-line arguments; None in a stage without any arguments.
    arguments: tuple[str, ...] | None = None
    #: The files in the program's folder when the session begins; None in a stage without any files.
    files: tuple[File, ...] | None = None
    outputs: tuple[Output, ...] = ()
    stderr: Stderr = "shown"
    #: The maximum size of a compared file, in kB; it equals the output limit of a session.
    max_kb: int = 1024
    #: The expected standard error, if it is compared; None if the reference's standard error is expected.
    errors: bytes | None = None
    #: Whether any text on standard error is correct, except an empty one; only if `errors` is None.
    accepts_any_errors: bool = msgspec.field(default=False, name="has_errors")
    #: Additional environment variables, in the order of the YAML files; None in a stage without any.
    environment: tuple[tuple[str, str], ...] | None = None
    #: The names of files that are passed from one run to the next, and are not compared.
    kept_files: tuple[str, ...] = ()
    runs_before: tuple[RunBefore, ...] = ()
    #: The standard input, a file whose name is its path beside the spec file; None if it is the terminal.
    input_file: File | None = None

    @property
    def started(self) -> Started | None:
        """How a program is started; None if it is by its name alone, on a terminal and without earlier runs."""
        started = Started(self.arguments or (), self.runs_before, self.input_file.name if self.input_file else "")
        return None if started == Started((), ()) else started

    def invocation_of_run_before(self, run: RunBefore) -> Invocation:
        """Return the invocation of a run before the session; its input files are the same as in a session."""
        invocation: Invocation = msgspec.structs.replace(
            self,
            arguments=run.arguments,
            environment=run.environment,
            outputs=tuple(Output(name) for name in run.files),
            errors=None,
            accepts_any_errors=False,
            runs_before=(),
            input_file=None,
        )
        return invocation

    @property
    def variables(self) -> dict[str, str | None]:
        """The changes to the environment of a session, by variable: a value, or None to remove the variable.

        Every session has the locale C.UTF-8 by default. If another locale is set, LC_ALL is removed, since it would
        override the other variables, and so is the variable by which dotnet knows no locale.

        >>> Invocation(environment=(("LANG", "de_DE.UTF-8"),)).variables
        {'LC_ALL': None, 'DOTNET_SYSTEM_GLOBALIZATION_INVARIANT': None, 'LANG': 'de_DE.UTF-8'}
        """
        variables = dict(self.environment or ())
        sets_locale = any(name.startswith("LC_") or name in ("LANG", "LANGUAGE") for name in variables)
        removed = ("LC_ALL", "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT") if sets_locale else ()
        return {**dict.fromkeys(removed), **variables}

    @property
    def shown_variables(self) -> list[str]:
        """The environment as NAME=value, with invisible characters escaped."""
        encoded = {name: value.encode("utf-8", "surrogateescape") for name, value in self.environment or ()}
        return [f"{name}={readable(value)}".replace("\n", "\\n") for name, value in encoded.items()]

    @property
    def needs_reference(self) -> bool:
        """Whether a recorded case lacks an expected file or standard error, which the reference must then supply."""
        has_unknown_files = any(not output.is_known for output in self.outputs)
        return has_unknown_files or (self.stderr == "compared" and self.errors is None and not self.accepts_any_errors)

    @property
    def without_contents(self) -> Invocation:
        """The invocation without expected contents of files and standard error, which the reference then supplies."""
        return msgspec.structs.replace(
            self, outputs=tuple(Output(output.name) for output in self.outputs), errors=None, accepts_any_errors=False
        )


PLAIN = Invocation()


#: The maximum number of bytes of a typed line: a terminal stores 4095 bytes of a line, including the newline, and
#: silently drops all further bytes (termios(3)).
LONGEST_LINE = 4094

#: Called with all events so far; returns the next line to type, or None when there is no more input.
InputScript = Callable[[Sequence[Event]], bytes | None]


@runtime_checkable
class RevisableScript(Protocol):
    """An input script that chooses lines depending on the output. It can revise a line that has not been read yet."""

    def __call__(self, events: Sequence[Event], /) -> bytes | None:
        """Return the next line, like any input script."""
        ...

    def revised_line(self, events: Sequence[Event], unread: bytes | None, /) -> bytes | None:
        """Return a line to replace `unread`, the newest line: the program showed more text before it read that line.

        None, as `unread` or as the result, stands for the end of the input.
        """
        ...


class Script(NamedTuple):
    """One session to run."""

    input: InputScript
    #: The expected events. The expecting driver waits for them; the tracing driver ignores them.
    expected: tuple[Event, ...] | None = None
    #: The texts in `expected` that a program may replace by other texts.
    free: tuple[FreeText, ...] = ()
    #: The seed of the environment, which determines every random value that the program can draw.
    environment_seed: int = 0
    #: The arguments, files and standard error of the session.
    invocation: Invocation = PLAIN
    #: Gets the events of a session up to its first end of input; returns whether they differ from the expected session.
    #: If so, the session is ended there, since the correct output after that is unknown. None if only a complete
    #: session can be judged.
    has_left_expected_path: Callable[[Sequence[Event]], bool] | None = None


def script_of_lines(lines: Iterable[bytes]) -> InputScript:
    """Returns an input script that types these lines, regardless of the output, and then ends the input."""
    remaining_lines = iter(lines)
    return lambda _: next(remaining_lines, None)


def replacement_line(input_script: InputScript, events: Sequence[Event], unread: bytes | None) -> bytes | None:
    """Returns a line to replace `unread`, the newest line of an input script, which the program has not read yet.

    If the script does not depend on the output, `unread` itself is returned.
    """
    return input_script.revised_line(events, unread) if isinstance(input_script, RevisableScript) else unread
