"""Finds the files that a program reads and writes and that its arguments name: the reference is run once for this.

An argument that names an existing file in the current folder is assumed to be an input file of sessions. An argument
that names a new or changed file is assumed to be an output file of the program.
"""

from __future__ import annotations

import shlex
from collections.abc import Collection, Sequence
from pathlib import Path

import msgspec

from pitboss.assignments.keys import LONGEST_NAME
from pitboss.errors import UsageError, as_found
from pitboss.model.invocation import File, Invocation, Output, Stderr
from pitboss.model.scripts import InputScript
from pitboss.model.transcript import FileKind, Transcript
from pitboss.sessions.references import DrawSource, ExpectedRun


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


def with_invocation(run: ExpectedRun, trial: Invocation) -> ExpectedRun:
    """Returns a function that runs the reference like `run`, but always with the invocation `trial`."""

    def run_trial(
        input_script: InputScript, draws: DrawSource | None = None, /, *, invocation: Invocation | None = None
    ) -> Transcript:
        return run(input_script, draws, invocation=trial)

    return run_trial


def _can_be_file(word: str) -> bool:
    """Whether an argument can be the name of a file in a session's folder, and is not an option."""
    is_plain = word not in ("", ".", "..") and "/" not in word and not word.startswith("-") and word.isprintable()
    return is_plain and len(word.encode("utf-8", "surrogatepass")) <= LONGEST_NAME
