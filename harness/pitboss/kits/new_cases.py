"""What a new case needs: the session that the user plays, and the files that the program reads and writes.

An argument that names an existing file in the current folder is assumed to be an input file of sessions. An argument
that names a new or changed file is assumed to be an output file of the program: the reference is run once for this.
"""

from __future__ import annotations

import shlex
import sys
import time
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

import msgspec

from pitboss.assignments.nodes import LONGEST_NAME
from pitboss.errors import HarnessError, UsageError, as_found
from pitboss.model.invocation import LONGEST_LINE, File, Invocation, Output, Stderr
from pitboss.model.transcript import Event, FileKind, Paused, Shown, Transcript, Typed, canonical
from pitboss.sessions.references import ExpectedRun


def split_arguments(line: str) -> tuple[str, ...]:
    """The arguments in `--arguments`, split as by a shell; UsageError if they cannot be parsed."""
    try:
        return tuple(shlex.split(line))
    except ValueError as error:
        raise UsageError(f"--arguments {as_found(line)}: it cannot be read: {error}") from None


def files_in_arguments(
    arguments: Sequence[str], folders: Sequence[Path], excluded: Collection[str]
) -> tuple[Path, ...]:
    """The paths of files in these folders whose names are arguments, except `excluded` names; the first folder wins."""
    files: dict[str, Path] = {}
    for name in arguments:
        for folder in folders:
            if _can_be_file(name) and name not in excluded and (folder / name).is_file():
                files.setdefault(name, folder / name)
    return tuple(files.values())


def with_files_named(invocation: Invocation, arguments: Sequence[str]) -> Invocation:
    """The invocation with the files of the current folder whose names are arguments, unless it has them already.

    Raises UsageError if a file cannot be read.
    """
    files = invocation.files or ()
    paths = files_in_arguments(arguments, (Path(),), [file.name for file in files])
    return msgspec.structs.replace(invocation, files=(*files, *map(read_session_file, paths))) if paths else invocation


def read_session_file(path: Path) -> File:
    """Reads a file for the folder of a session, under its own name; raises UsageError if it cannot be read."""
    try:
        return File(path.name, path.read_bytes())
    except OSError as error:
        raise UsageError(f"{path}: the file cannot be read: {error.strerror}") from error


def trial_invocation(
    invocation: Invocation, arguments: Sequence[str], files: Sequence[File] = (), stderr: Stderr | None = None
) -> Invocation:
    """The invocation with these arguments and files; each argument that can name a file is also an output file."""
    files_by_name = {file.name: file for file in (*(invocation.files or ()), *files)}
    outputs = {output.name: output for output in invocation.outputs}
    outputs |= {name: Output(name) for name in arguments if _can_be_file(name) and name not in outputs}
    # Without any files, None remains: then a reference function gets no keyword `files`.
    return msgspec.structs.replace(
        invocation,
        arguments=tuple(arguments) or invocation.arguments,
        files=tuple(files_by_name.values()) if files_by_name or outputs else invocation.files,
        outputs=tuple(outputs.values()),
        stderr=stderr or invocation.stderr,
    )


def files_written(transcript: Transcript, trial: Invocation, excluded: Collection[str]) -> tuple[str, ...]:
    """The names of the new or changed files of a session with the invocation `trial`, except `excluded` names."""
    before = {file.name: file.content for file in trial.files or ()}
    return tuple(
        file.name
        for file in transcript.written
        if file.kind is FileKind.REGULAR and file.name not in excluded and before.get(file.name) != file.content
    )


def _can_be_file(word: str) -> bool:
    """Whether an argument can be the name of a file in a session's folder, and is not an option."""
    is_plain = word not in ("", ".", "..") and "/" not in word and not word.startswith("-") and word.isprintable()
    return is_plain and len(word.encode("utf-8", "surrogatepass")) <= LONGEST_NAME


class _NeedsLineError(HarnessError):
    """The reference reads a line that has not been typed yet."""

    def __init__(self, events: tuple[Event, ...]) -> None:
        super().__init__("the reference reads a line")
        self.events = events


class PersonTerminal:
    """The user's terminal."""

    def __init__(self, *, has_pauses: bool = True) -> None:
        """`has_pauses`: show pauses in real time."""
        self._has_pauses = has_pauses

    def show(self, event: Event) -> None:
        """Show an event of the session: output, a pause, or a line that the user did not type."""
        if isinstance(event, Paused):
            if self._has_pauses:
                time.sleep(event.duration_ms / 1000)
            return
        if isinstance(event, Shown):
            sys.stdout.buffer.write(event.text)
        elif isinstance(event, Typed):
            sys.stdout.buffer.write(event.line + b"\n")
        sys.stdout.buffer.flush()

    def read_typed_line(self) -> bytes | None:
        """The next line that the user types; None at the end of input.

        Raises UsageError if the line is too long for a terminal.
        """
        raw = sys.stdin.buffer.readline()
        if len(raw) > LONGEST_LINE:
            raise UsageError(f"the line has {len(raw)} bytes — a terminal takes at most {LONGEST_LINE}")
        if raw and not sys.stdin.isatty():
            sys.stdout.buffer.write(raw)
        return raw.removesuffix(b"\n") if raw else None


def play_session(run: ExpectedRun, terminal: PersonTerminal, first: Sequence[bytes] = ()) -> Transcript:
    """The transcript of the session that the user plays, which begins with the lines `first`.

    The user may take any time to type, but a session has a time limit. So a new session is run for each typed line. It
    begins with all previous lines; only its new output is shown.

    Raises UsageError if the reference behaves differently when the same lines are typed again, and errors of the run.
    """
    lines: list[bytes | None] = list(first)
    shown_events: tuple[Event, ...] = ()
    while True:
        try:
            transcript = run(_script_that_types(lines))
            events, is_over = transcript.events, True
        except _NeedsLineError as error:
            events, is_over = error.events, False
        if events[: len(shown_events)] != shown_events:
            raise UsageError(
                "the reference behaved differently when the same lines were typed again, so its sessions cannot be "
                "recorded — give it a seed, or let pitboss read back its draws (docs/tutorial-unseeded.md shows how)"
            )
        for event in events[len(shown_events) :]:
            terminal.show(event)
        if is_over:
            return transcript
        line = terminal.read_typed_line()
        lines.append(line)
        shown_events = events if line is None else (*events, Typed(line))


def session_with_only_lines(run: ExpectedRun, lines: Sequence[bytes]) -> Transcript | None:
    """The transcript of the session with only these lines; None if the reference reads another line after them."""
    try:
        return run(_script_that_types(lines))
    except _NeedsLineError:
        return None


def _script_that_types(lines: Sequence[bytes | None]) -> Callable[[Sequence[Event]], bytes | None]:
    """An input script that types these lines, where None ends the input.

    When the program reads another line, the script abandons the session: it raises _NeedsLineError.
    """
    remaining_lines = iter(lines)
    has_ended = bool(lines) and lines[-1] is None

    def script(events: Sequence[Event]) -> bytes | None:
        for next_line in remaining_lines:  # at most once
            return next_line
        if has_ended:
            return None
        raise _NeedsLineError(canonical(events))

    return script
