"""The files that a program with a command line reads and writes, determined by running its reference once.

An argument that names an existing file in the current folder is assumed to be an input file of sessions; an argument
that names a new or changed file, an output file of the program.
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


def files_named(arguments: Sequence[str], folders: Sequence[Path], excluded: Collection[str]) -> tuple[Path, ...]:
    """The files in these folders that arguments name, except `excluded` names; earlier folders win."""
    files: dict[str, Path] = {}
    for name in arguments:
        for folder in folders:
            if _is_name(name) and name not in excluded and (folder / name).is_file():
                files.setdefault(name, folder / name)
    return tuple(files.values())


def with_files_named(invocation: Invocation, arguments: Sequence[str]) -> Invocation:
    """The invocation with the files of the current folder that arguments name; UsageError if one cannot be read."""
    given = invocation.files or ()
    named = files_named(arguments, (Path(),), [file.name for file in given])
    return msgspec.structs.replace(invocation, files=(*given, *map(read, named))) if named else invocation


def read(path: Path) -> File:
    """A file for a session, under its own name; UsageError if it cannot be read."""
    try:
        return File(path.name, path.read_bytes())
    except OSError as error:
        raise UsageError(f"{path}: the file cannot be read: {error.strerror}") from error


def trial_invocation(
    invocation: Invocation, arguments: Sequence[str], files: Sequence[File] = (), stderr: Stderr | None = None
) -> Invocation:
    """The invocation with these arguments and files, in which each argument may be the name of an output file."""
    given = {file.name: file for file in (*(invocation.files or ()), *files)}
    outputs = {output.name: output for output in invocation.outputs}
    outputs |= {name: Output(name) for name in arguments if _is_name(name) and name not in outputs}
    return msgspec.structs.replace(
        invocation,
        arguments=tuple(arguments) or invocation.arguments,
        files=tuple(given.values()) if given or outputs else invocation.files,
        outputs=tuple(outputs.values()),
        stderr=stderr or invocation.stderr,
    )


def written_in(transcript: Transcript, trial: Invocation, excluded: Collection[str]) -> tuple[str, ...]:
    """The files that a session of a trial wrote: new or changed files, except `excluded` names."""
    before = {file.name: file.content for file in trial.files or ()}
    return tuple(
        file.name
        for file in transcript.written
        if file.kind is FileKind.REGULAR and file.name not in excluded and before.get(file.name) != file.content
    )


def with_invocation(run: ExpectedRun, trial: Invocation) -> ExpectedRun:
    """A reference whose sessions all have this invocation."""

    def session(
        input_script: InputScript, draws: DrawSource | None = None, /, *, invocation: Invocation | None = None
    ) -> Transcript:
        return run(input_script, draws, invocation=trial)

    return session


def _is_name(word: str) -> bool:
    """Whether an argument can be the name of a file in a session's folder, and is not an option."""
    is_plain = word not in ("", ".", "..") and "/" not in word and not word.startswith("-") and word.isprintable()
    return is_plain and len(word.encode("utf-8", "surrogatepass")) <= LONGEST_NAME
