"""Creates the files of a new assignment: assignment.yaml, and an existing program, built like a submission.

NAME/
.schemas/       the JSON Schemas that the first line of each YAML file names, for completion and checking in editors
assignment.yaml
rates.csv       a file that each session has in its folder, if the program reads any
reference/      the program's source, what was built from it, and the files that it names; or the program itself
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Sequence
from pathlib import Path

import msgspec

from pitboss.assignments.json_schema import schema_line
from pitboss.assignments.recording import scalar
from pitboss.errors import UsageError, as_found, listed
from pitboss.model.languages import BY_SUFFIX, is_header, language_of
from pitboss.sandbox.files import text_of
from pitboss.sessions.drivers import Conditions
from pitboss.sessions.programs import ENVIRONMENT
from pitboss.submissions.build import build
from pitboss.submissions.compilers import Build
from pitboss.submissions.sources import Source, is_left_out

FOLDER = "reference"
#: How many characters of a source are searched for file names.
_MAX_CHARACTERS = 4 << 20
#: Commands that start programs, by their usual names.
_STARTERS = ("sh", "bash", "python3", "java", "mono", "dotnet")
#: A word of a command that needs no quotes in a list.
_PLAIN = re.compile(r"[A-Za-z0-9./_+=-][A-Za-z0-9./_+=:-]*[A-Za-z0-9./_]")


class Beginning(msgspec.Struct, frozen=True):
    """The program that becomes the reference of a new assignment."""

    #: The stage's name.
    stage: str
    #: Another name under which students submit its program; empty if none.
    submitted_as: str
    #: The command in assignment.yaml: a word that begins with ./ is a path relative to the assignment's folder.
    command: tuple[str, ...]
    #: The command that built it; empty if nothing had to be built.
    built_by: str = ""


def stage_name_from(name: str) -> str:
    """The name of a stage whose program has this name, in ASCII letters, digits, - and _.

    Raises UsageError if nothing of the name is left, or only hyphens.

    >>> stage_name_from("Guess"), stage_name_from("parking meter")
    ('guess', 'parking_meter')
    """
    stage = re.sub(r"[^A-Za-z0-9_-]+", "_", name).strip("_")
    if not stage.strip("-"):
        raise UsageError(f"there is no ASCII letter or digit in {as_found(name)} — name the stage: --stage NAME")
    return stage[:1].lower() + stage[1:]


def check_can_be_read(file: Path) -> None:
    """Raise UsageError unless the source or program is a file that can be read."""
    if not file.is_file():
        problem = "this is a folder — give the path of the program in it" if file.is_dir() else "there is no such file"
        raise UsageError(f"{file}: {problem}")
    if not os.access(file, os.R_OK):
        raise UsageError(f"{file}: the file cannot be read — make it readable: chmod +r {shlex.quote(str(file))}")


def beginning_from_program(file: Path, stage: str, into: Path, conditions: Conditions) -> Beginning:
    """Put a program, built from its source or copied, into the new folder `into`.

    The folder becomes the assignment's `reference/`.
    Raises UsageError if it is not a program, or cannot be built, with the compiler's messages.
    """
    stage = stage or stage_name_from(file.stem)
    submitted_as = "" if file.stem in (stage, stage[:1].upper() + stage[1:]) else file.stem
    language = language_of(file)
    if language is None:
        return Beginning(stage, submitted_as, _copy_unbuilt(file, into))
    source = Source(file.parent, language.name, file.name, file.stem, is_alone=not files_named_in(file))
    built = build(source, into, conditions)
    if built.program is None and source.is_alone:
        shutil.rmtree(into)
        built = build(msgspec.structs.replace(source, is_alone=False), into, conditions)
    if built.program is None:
        raise UsageError(_build_failure(file, built))
    command = tuple(_portable_word(word, into) for word in built.program.argv)
    return Beginning(stage, submitted_as, command, built.command)


def _build_failure(file: Path, built: Build) -> str:
    messages = f"\n{built.messages.strip()}" if built.messages.strip() else ""
    return f"{file}: the program cannot be built: {built.reason or built.command}{messages}"


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
    return (f"./{FOLDER}/{file.name}",)


def files_named_in(file: Path) -> list[str]:
    """The other files of its folder that a source names, such as a header, a module or a word list."""
    text = text_of(file, _MAX_CHARACTERS)
    words = set(re.findall(r"[\w.-]+", text)) | set(re.findall(r"\w+", text))
    names = []
    for path in sorted(file.parent.iterdir()):
        if path.name == file.name or is_left_out(path.name) or not path.is_file():
            continue
        if path.name in words or (language_of(path) and path.stem in words):
            names.append(path.name)
    return names


def data_files_named_in(file: Path) -> list[str]:
    """The files that a source names, without sources and headers, since the program may read them when it runs."""
    return [name for name in files_named_in(file) if not language_of(name) and not is_header(name)]


def _portable_word(word: str, built: Path) -> str:
    """A word of a command line as written in assignment.yaml; installed programs are reduced to their name."""
    if str(built) in word:
        return word.replace(str(built), f"./{FOLDER}")
    for name in (*_STARTERS, Path(word).name) if word.startswith("/") else ():
        installed = shutil.which(name, path=dict(ENVIRONMENT)["PATH"])
        if installed and os.path.realpath(installed) == os.path.realpath(word):
            return name
    return word


def beginning_from_command(line: str, stage: str, folder: Path) -> Beginning:
    """The Beginning for a command line typed in the current folder.

    A word with a slash or a dot that is an existing path is made relative to `folder`, the assignment's. Raises
    UsageError if the line is empty or cannot be parsed.
    """
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise UsageError(f"--command {as_found(line)}: it cannot be read: {error}") from None
    if not words:
        raise UsageError("--command is empty — give a command line, such as 'java -cp . Guess'")
    return Beginning(stage, "", tuple(_relative_to_folder(word, folder) for word in words))


def _relative_to_folder(word: str, folder: Path) -> str:
    if ("/" not in word and "." not in word) or os.path.isabs(word) or not os.path.exists(word):
        return word
    relative = os.path.relpath(os.path.realpath(word), os.path.realpath(folder))
    return relative if relative.startswith("../") else f"./{relative}"


def assignment_text(
    title: str,
    beginning: Beginning,
    *,
    is_seeded: bool,
    language: str = "",
    files: Sequence[str] = (),
    writes: Sequence[str] = (),
    stderr: str = "",
) -> str:
    """The text of assignment.yaml.

    `files` are put into the folder of each session; `writes` are the files written by it that are compared. `stderr` is
    how standard error is handled; empty: it goes to the terminal.
    """
    lines = [f"{schema_line('assignment')}title: {scalar(title)}"]
    lines += [f"language: {scalar(language)}"] if language else []
    lines += [f"seeded: {'yes' if is_seeded else 'no'}", "", "stages:", f"  - name: {scalar(beginning.stage)}"]
    lines += [f"    submitted_as: [{scalar(beginning.submitted_as)}]"] if beginning.submitted_as else []
    if beginning.built_by:
        built_by = " ".join(beginning.built_by.split())
        lines.append(f"    # built in {FOLDER}/; to rebuild after a change, run there: {built_by}")
    command = ", ".join(word if _PLAIN.fullmatch(word) else scalar(word) for word in beginning.command)
    lines.append(f"    reference: {{command: [{command}]}}")
    if files:
        lines += ["    files:", *(f"      {scalar(name)}: {{file: {scalar(name)}}}" for name in files)]
    lines += [f"    expected_files: [{', '.join(map(scalar, writes))}]"] if writes else []
    lines += [f"    stderr: {stderr}"] if stderr else []
    return "\n".join([*lines, ""])
