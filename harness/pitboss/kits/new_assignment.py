"""Creates the files of a new assignment: assignment.yaml, and a reference, built from an existing program.

NAME/
.schemas/       the JSON Schemas that the first line of each YAML file names, for completion and checking in editors
assignment.yaml
rates.csv       a file for the folder of each session, if the program reads files
reference/      the program's source, and the files that the source names; or an executable
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Sequence
from pathlib import Path

import msgspec

from pitboss.assignments.keys import schema_line
from pitboss.assignments.recording import scalar
from pitboss.errors import UsageError, as_found, listed
from pitboss.machine.files import text_of
from pitboss.model.invocation import Stderr
from pitboss.model.languages import BY_SUFFIX, is_header, language_of
from pitboss.sessions.drivers import Conditions
from pitboss.submissions.build import build
from pitboss.submissions.sources import Source, copy_for_build, is_ignored_name
from pitboss.submissions.stage_files import USUAL_NAMES

#: The folder of a new assignment that contains the reference.
REFERENCE_FOLDER = "reference"
#: The maximum number of characters of a source that are searched for file names.
_MAX_CHARACTERS = 4 << 20
#: Matches a word of a command that needs no quotes in a YAML list.
_UNQUOTED_WORD = re.compile(r"[A-Za-z0-9./_+=-][A-Za-z0-9./_+=:-]*[A-Za-z0-9./_]")


class NewReference(msgspec.Struct, frozen=True):
    """The program that becomes the reference of a new assignment."""

    #: The command that starts the reference, as in assignment.yaml: ./ is the assignment's folder. Empty for a source.
    command: tuple[str, ...]
    #: The path of the source in the assignment's folder; empty for a command.
    source: str = ""
    #: The name under which students submit the stage's program, if different from the stage's; else empty.
    submitted_as: str = ""


class NewAssignment(msgspec.Struct):
    """A new assignment, as the options and answers describe it; the first session adds to `writes` and `stderr`."""

    title: str
    #: The name of the only stage.
    stage: str
    #: The language of the course, for starter kits; empty if unknown.
    language: str
    is_seeded: bool
    #: The files that each session finds in its folder.
    files: Sequence[Path]
    #: The names of the compared files, which the program writes.
    writes: Sequence[str]
    #: How standard error is treated; if None, it goes to the terminal.
    stderr: Stderr | None


def stage_name_from(name: str) -> str:
    """Makes a stage's name from a program's name: only ASCII letters, digits, - and _, the first letter in lower case.

    Raises UsageError if no letter or digit remains.

    >>> stage_name_from("Guess"), stage_name_from("parking meter")
    ('guess', 'parking_meter')
    """
    stage = re.sub(r"[^A-Za-z0-9_-]+", "_", name).strip("_")
    if not stage.strip("-_"):
        raise UsageError(f"there is no ASCII letter or digit in {as_found(name)} — name the stage: --stage NAME")
    return stage[:1].lower() + stage[1:]


def usual_stage_name(file: Path | None, assignment: str) -> str:
    """The name of the stage whose reference is this file, or a command; the assignment's if the file's says nothing."""
    return stage_name_from(assignment if file is None or file.stem.lower() in USUAL_NAMES else file.stem)


def check_can_be_read(file: Path) -> None:
    """Raise UsageError unless the source or program is a file that can be read."""
    if not file.is_file():
        problem = "this is a folder — give the path of the program in it" if file.is_dir() else "there is no such file"
        raise UsageError(f"{file}: {problem}")
    if not os.access(file, os.R_OK):
        raise UsageError(f"{file}: the file cannot be read — make it readable: chmod +r {shlex.quote(str(file))}")


def new_reference_from_program(file: Path, stage: str, into: Path, conditions: Conditions) -> NewReference:
    """Copy a source, with the files that it needs, or a program into the new folder `into`, and describe it.

    The folder becomes the assignment's `reference/`. Raises UsageError if the file is not a program, or cannot be
    built; then with the compiler's messages.
    """
    # Students may also capitalise the stage's name, and a usual name is accepted for the only stage.
    is_accepted = file.stem in (stage, stage[:1].upper() + stage[1:]) or file.stem.lower() in USUAL_NAMES
    submitted_as = "" if is_accepted else file.stem
    language = language_of(file)
    if language is None:
        return NewReference(_copy_unbuilt(file, into), submitted_as=submitted_as)
    source = Source(into, language.name, file.name, file.stem)
    into.mkdir()
    for name in _files_of_program(file):
        shutil.copy(file.with_name(name), into / name)
    built = build(source, into.with_name("trial"), conditions)
    if built.program is None and not built.is_fault:  # it may need files whose names are not in its text
        shutil.rmtree(into)
        copy_for_build(msgspec.structs.replace(source, folder=file.parent), into)
        built = build(source, into.with_name("second-trial"), conditions)
    if built.program is None:
        messages = f"\n{built.messages.strip()}".rstrip()
        raise UsageError(f"{file}: the program cannot be built: {built.reason or built.command}{messages}")
    return NewReference((), f"{REFERENCE_FOLDER}/{file.name}", submitted_as)


def _files_of_program(file: Path) -> list[str]:
    """The names of a source, of the files beside it that it names, of those that its modules name, and so on."""
    names = [file.name]
    for name in names:  # the list grows
        if language_of(name) or is_header(name):
            names += [other for other in files_named_in(file.with_name(name)) if other not in names]
    return names


def _copy_unbuilt(file: Path, into: Path) -> tuple[str, ...]:
    """Copies a program that needs no building, and returns its command."""
    if not os.access(file, os.X_OK):
        suffixes = listed(list(BY_SUFFIX))
        raise UsageError(
            f"{file}: this is neither a source ({suffixes}) nor executable — make it executable: "
            f"chmod +x {shlex.quote(str(file))}, or say how it is started: --command '… {file.name}'"
        )
    into.mkdir()
    shutil.copy(file, into / file.name)
    return (f"./{REFERENCE_FOLDER}/{file.name}",)


def files_named_in(file: Path) -> list[str]:
    """The names of files beside a source that occur in its text, such as a header, a module or a word list."""
    text = text_of(file, _MAX_CHARACTERS)
    # With dots and hyphens, for the names of files; and without, for modules and classes, whose suffix is not written.
    words = set(re.findall(r"[\w.-]+", text)) | set(re.findall(r"\w+", text))
    names = []
    for path in sorted(file.parent.iterdir()):
        if path.name == file.name or is_ignored_name(path.name) or not path.is_file():
            continue
        if path.name in words or (language_of(path) and path.stem in words):
            names.append(path.name)
    return names


def new_reference_from_command(line: str, folder: Path) -> NewReference:
    """The reference that a command line, typed in the current folder, starts.

    A word that contains a slash or a dot, and is an existing relative path, becomes relative to `folder`, the
    assignment's. Raises UsageError if the line is empty or cannot be parsed.
    """
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise UsageError(f"--command {as_found(line)}: it cannot be read: {error}") from None
    if not words:
        raise UsageError("--command is empty — give a command line, such as 'java -cp . Guess'")
    return NewReference(tuple(_relative_to_folder(word, folder) for word in words))


def _relative_to_folder(word: str, folder: Path) -> str:
    if ("/" not in word and "." not in word) or os.path.isabs(word) or not os.path.exists(word):
        return word
    relative = os.path.relpath(os.path.realpath(word), os.path.realpath(folder))
    return relative if relative.startswith("../") else f"./{relative}"


def assignment_text(new: NewAssignment, reference: NewReference) -> str:
    """The text of assignment.yaml."""
    lines = [f"{schema_line('assignment')}title: {scalar(new.title)}"]
    lines += [f"language: {scalar(new.language)}"] if new.language else []
    lines += [f"seeded: {'yes' if new.is_seeded else 'no'}", "", "stages:", f"  - name: {scalar(new.stage)}"]
    lines += [f"    submitted_as: [{scalar(reference.submitted_as)}]"] if reference.submitted_as else []
    command = ", ".join(word if _UNQUOTED_WORD.fullmatch(word) else scalar(word) for word in reference.command)
    lines.append(f"    reference: {scalar(reference.source) if reference.source else f'{{command: [{command}]}}'}")
    lines += ["    files:"] if new.files else []
    lines += [f"      {scalar(file.name)}: {{file: {scalar(file.name)}}}" for file in new.files]
    lines += [f"    expected_files: [{', '.join(map(scalar, new.writes))}]"] if new.writes else []
    lines += [f"    stderr: {new.stderr}"] if new.stderr else []
    return "\n".join([*lines, ""])
