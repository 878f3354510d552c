"""`pitboss new`: creates an assignment from an existing program."""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

import click

from pitboss.assignments.assignment import Stage
from pitboss.assignments.keys import SCHEMA_FOLDER, schema_files
from pitboss.assignments.nodes import unprintable_reason
from pitboss.assignments.recording import invocation_lines
from pitboss.assignments.specfile import ASSIGNMENT_FILE, load_assignment
from pitboss.cli.common_options import (
    ANSWERS_RULE,
    ExitCodeOption,
    Seed,
    arguments_option,
    make_folder,
    spec_folders,
    write_file,
)
from pitboss.cli.record import add_case, answered_session
from pitboss.errors import SpecError, UsageError, as_found, listed
from pitboss.kits.doubts import doubts_of
from pitboss.kits.new_assignment import (
    REFERENCE_FOLDER,
    NewAssignment,
    NewReference,
    assignment_text,
    check_can_be_read,
    files_named_in,
    new_reference_from_command,
    new_reference_from_program,
    stage_name_from,
    usual_stage_name,
)
from pitboss.kits.new_cases import (
    PersonTerminal,
    files_in_arguments,
    files_written,
    play_session,
    session_with_only_lines,
    split_arguments,
    trial_invocation,
)
from pitboss.machine import scratch
from pitboss.model.invocation import Invocation, Stderr
from pitboss.model.languages import is_header, language_of
from pitboss.model.transcript import ExitCode, Transcript
from pitboss.sessions.drivers import expected_run_here, find_conditions
from pitboss.sessions.references import checked_run
from pitboss.submissions import reference_source  # noqa: F401 — it builds references that are sources


@click.command()
@click.argument("name", metavar="NAME")
@click.option(
    "--program", type=click.Path(path_type=Path), metavar="PATH", help="The program: a source or an executable."
)
@click.option("--command", metavar="LINE", help="The program as a command line, such as 'java -cp . Guess'.")
@click.option("--title", metavar="TEXT", help="The assignment's title in reports.")
@click.option("--stage", default="", metavar="NAME", help="The only stage's name (default: the program's name).")
@click.option("--language", default="", metavar="NAME", help="The language of the course, for starter kits.")
@click.option("--seeded/--no-seed", "is_seeded", default=None, help="Whether the first line typed is a seed.")
@click.option("--seed", type=Seed(), help="The seed of the first case.")
@click.option("--answers", metavar="LINES", help=f"The lines of the first case. {ANSWERS_RULE}")
@click.option(
    "--exit",
    "exit_code",
    type=ExitCodeOption(),
    default=0,
    help="The exit code of the first case, or the word nonzero for any code but 0.",
)
@arguments_option
@click.option(
    "--stderr",
    type=click.Choice(["shown", "ignored", "compared"]),
    help="What happens to standard error (default: compared if the first case fails and writes there).",
)
@click.option(
    "--file",
    "files",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="A file that each session finds in its folder, such as rates.csv. May be repeated.",
)
@click.option(
    "--writes",
    multiple=True,
    metavar="NAME",
    help="A file that the program writes; files named in --arguments are detected. May be repeated.",
)
def new(
    *,
    name: str,
    program: Path | None,
    command: str | None,
    title: str | None,
    stage: str,
    language: str,
    is_seeded: bool | None,
    seed: int | None,
    answers: str | None,
    exit_code: ExitCode,
    files: tuple[Path, ...],
    writes: tuple[str, ...],
    arguments: str | None,
    stderr: Stderr | None,
) -> int:
    """Create an assignment from a correct program.

    The assignment is created in ./specs, or in the folder that PITBOSS_SPECS names; if NAME is a path, at that path. In
    a terminal you are asked for what is missing. The program is run, and its first session becomes a case. The lines
    typed in it are those of --answers, or you type them, or there are none if the program reads none. Options that you
    leave out are guessed from that session; the guesses are listed.
    """
    folder = _folder_of(name)
    program, command = _program_and_command(program, command)
    if program is not None:
        check_can_be_read(program)  # before a folder is created for it
    title = title or _prompt("What is the assignment called in reports?", _title_from(folder.name))
    if problem := unprintable_reason(title):
        raise UsageError(f"--title {as_found(title)}: {problem}")
    if is_seeded is None:
        is_seeded = seed is not None or (
            _is_interactive() and click.confirm("Is the first line typed a seed?", err=True)
        )
    if seed is not None and not is_seeded:
        raise UsageError("--seed and --no-seed exclude each other")
    if is_seeded and answers is not None and seed is None:
        raise UsageError("--answers needs --seed: in a seeded assignment the first line typed is the seed")
    if stage and stage_name_from(stage) != stage:
        raise UsageError(
            f"--stage {as_found(stage)}: the name of a stage has only letters, digits, hyphens and underscores, as "
            f"in {stage_name_from(stage)}"
        )
    argv = split_arguments(arguments or "")
    folders = (Path(), program.parent) if program else (Path(),)
    # The program itself may be an argument, too.
    named_files = files_in_arguments(argv, folders, [path.name for path in (*files, *([program] if program else []))])
    guesses = [f"each session finds {file.name}, which --arguments names" for file in named_files]
    stage = stage or usual_stage_name(program, folder.name)
    assignment = NewAssignment(title, stage, language, is_seeded, (*files, *named_files), writes, stderr)
    _check_files(assignment, folder, program)
    first_case = FirstCase(program, command, seed, answers, argv, exit_code)
    with _removed_after_a_failure(folder):
        has_case = _fill_folder(folder, assignment, first_case, guesses)
    _print_next_steps(name, folder, assignment, first_case, guesses, has_case=has_case)
    for new_stage in load_assignment(folder).stages if has_case else ():
        for doubt in doubts_of(new_stage):
            click.echo(f"pitboss: {doubt}", err=True)
    return 0


class FirstCase(NamedTuple):
    """The correct program, and the first session with it."""

    #: The program, as a source or an executable; None if `command` is the program.
    program: Path | None
    #: The command line of the program; empty if `program` is the program.
    command: str
    #: The seed; None if no seed was given.
    seed: int | None
    #: The lines, as written after --answers; None if no lines were given.
    answers: str | None
    arguments: tuple[str, ...]
    exit_code: ExitCode


def _folder_of(name: str) -> Path:
    """Returns the folder of the new assignment; UsageError for an invalid name, or if it has an assignment already."""
    folder = Path(name) if "/" in name else spec_folders()[0] / name
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]*", name.rstrip("/").rpartition("/")[2]):
        raise UsageError(f"{as_found(name)} is not a name for an assignment — use letters, digits, -, _ and dots only")
    for file_name in (ASSIGNMENT_FILE, REFERENCE_FOLDER, SCHEMA_FOLDER):
        if (folder / file_name).exists():
            raise UsageError(f"{folder / file_name} exists already; nothing is overwritten — choose another name")
    return folder


def _check_files(new_assignment: NewAssignment, folder: Path, program: Path | None) -> None:
    """Raise UsageError for a file that sessions cannot have, or that would replace another file."""
    names = [file.name for file in new_assignment.files]
    for file in new_assignment.files:
        if not file.is_file():
            problem = "this is a folder — name the files in it" if file.is_dir() else "there is no such file"
            raise UsageError(f"--file {file}: {problem}")
        if program is not None and file.name == program.name:
            raise UsageError(
                f"--file {file}: the program has this name — it is copied into {REFERENCE_FOLDER}/ and needs no --file"
            )
        if file.name in (ASSIGNMENT_FILE, REFERENCE_FOLDER, f"{new_assignment.stage}.yaml"):
            raise UsageError(f"--file {file}: {file.name} is a name that the assignment needs itself — rename the file")
        if names.count(file.name) > 1:
            raise UsageError(f"--file {file}: two files are called {file.name} — a session has them in one folder")
        target = folder / file.name
        if target.exists() and not target.samefile(file):
            raise UsageError(f"{target} exists already; nothing is overwritten")


def _is_interactive() -> bool:
    return sys.stdin.isatty()


def _prompt(question: str, default: str) -> str:
    return str(click.prompt(question, default=default, err=True)) if _is_interactive() else default


def _title_from(name: str) -> str:
    title = re.sub(r"[_.-]+", " ", name).strip()
    return title[:1].upper() + title[1:]


def _program_and_command(program: Path | None, command: str | None) -> tuple[Path | None, str]:
    """Returns the correct program as a path, or else None, and as a command line, or else "".

    Exactly one of them comes from the options, or from the answer to a prompt.
    """
    if program is not None and command is not None:
        raise UsageError("--program and --command exclude each other: give one of them")
    if program is None and command is None:
        if not _is_interactive():
            raise UsageError("which program is right? Give --program meter.py, or --command 'java -cp . Guess'")
        answer = str(click.prompt("Which program is right? A source, a program, or a command line", err=True))
        return (Path(answer), "") if Path(answer).exists() else (None, answer)
    return program, command or ""


@contextmanager
def _removed_after_a_failure(folder: Path) -> Iterator[None]:
    """Create the folder of the assignment; if anything fails, such as the program, remove all that was created."""
    # The topmost new folder is removed if `folder` is new; otherwise the new files in `folder`.
    topmost_new_folder = next(path for path in (*folder.parents[::-1], folder) if path == folder or not path.exists())
    existing_paths = set(folder.iterdir()) if folder.is_dir() else None
    make_folder(folder)
    try:
        yield
    except BaseException:
        for path in [topmost_new_folder] if existing_paths is None else set(folder.iterdir()) - existing_paths:
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink()
        raise


def _fill_folder(folder: Path, assignment: NewAssignment, first_case: FirstCase, guesses: list[str]) -> bool:
    """Write the assignment into its folder, and record the first case; returns whether there is one.

    What the session shows of files and of standard error is added to the assignment, and to `guesses`.
    """
    reference = _create_reference(assignment.stage, first_case, folder)
    for file in assignment.files:
        target = folder / file.name
        if not target.exists():  # an existing target is `file` itself, see _check_files
            _copy(file, target)
        # Files beside a source are copied with it. This second copy is useless, and somebody would edit it by mistake.
        (folder / REFERENCE_FOLDER / file.name).unlink(missing_ok=True)
    make_folder(folder / SCHEMA_FOLDER)  # with which editors check the YAML files
    for name, schema in schema_files().items():
        write_file(str(folder / SCHEMA_FOLDER / name), schema)
    write_file(str(folder / ASSIGNMENT_FILE), assignment_text(assignment, reference))
    if (folder / f"{assignment.stage}.yaml").exists():
        raise UsageError(f"{folder / assignment.stage}.yaml exists already; nothing is overwritten")
    (stage,) = load_assignment(folder, may_lack_cases=True).stages
    # In the first session, each argument that can name a file counts as an output file, so that the session's
    # transcript contains the files that the program writes. Standard error is compared if the program is to fail.
    stderr = assignment.stderr or ("compared" if first_case.exit_code else "shown")
    trial = trial_invocation(stage.invocation, first_case.arguments, stderr=stderr)
    name_and_session = _first_session(stage, first_case, trial)
    if name_and_session is None:
        return False
    case_name, session = name_and_session
    place = str(first_case.program or first_case.command)
    try:
        transcript = checked_run(session, first_case.exit_code, place, is_new=True)
    except SpecError as error:
        raise SpecError(f"{error}{_missing_input_hint(assignment, first_case, session)}") from error
    written_files = files_written(transcript, trial, [output.name for output in stage.invocation.outputs])
    assignment.writes = (*assignment.writes, *written_files)
    guesses += [
        f"the program writes {name}, which is compared: the first session wrote the file" for name in written_files
    ]
    if assignment.stderr is None and transcript.errors:
        assignment.stderr = "compared"
        first_line = transcript.errors.decode("utf-8", "replace").strip().partition("\n")[0]
        guesses.append(f"standard error is compared separately: the program wrote {as_found(first_line)} there")
    write_file(str(folder / ASSIGNMENT_FILE), assignment_text(assignment, reference))
    (stage,) = load_assignment(folder, may_lack_cases=True).stages
    yaml_lines = invocation_lines(first_case.arguments, {}, ())
    add_case(stage, case_name, session, exit_code=first_case.exit_code, other_lines=yaml_lines)
    return True


def _copy(source: Path, target: Path) -> None:
    try:
        (shutil.copytree if source.is_dir() else shutil.copy)(source, target)
    except OSError as error:
        raise UsageError(f"{target}: it cannot be written: {error.strerror or error}") from error


def _missing_input_hint(assignment: NewAssignment, first_case: FirstCase, transcript: Transcript) -> str:
    """Returns a hint on arguments or files that the program probably needs but did not get, or an empty text."""
    output = (transcript.text + (transcript.errors or b"")).decode("utf-8", "replace") + transcript.ending.detail
    if not first_case.arguments and re.search(r"\busage\b", output, re.IGNORECASE):
        return ". If the program needs arguments, give the arguments of the first case: --arguments 'scores.txt -v'"
    if first_case.program is None:
        return ""
    folder, file_names = first_case.program.parent, [file.name for file in assignment.files]
    named_files = (name for name in files_named_in(first_case.program) if not language_of(name) and not is_header(name))
    missing = [name for name in named_files if name not in file_names]
    options = " ".join(f"--file {shlex.quote(str(folder / name))}" for name in missing)
    return f". The program names {listed(missing)}, which no session has — add {options}" if missing else ""


def _create_reference(stage: str, first_case: FirstCase, folder: Path) -> NewReference:
    """Returns the new reference; a program, unlike a command, is copied into the folder."""
    if first_case.program is None:
        return new_reference_from_command(first_case.command, folder)
    # Built in a temporary folder first: the build copies all files beside the program, and would copy the new folder
    # into itself if that is beside the program too.
    with scratch.folder("new") as temporary:
        built = Path(temporary) / REFERENCE_FOLDER
        reference = new_reference_from_program(first_case.program, stage, built, find_conditions("auto", "none"))
        _copy(built, folder / REFERENCE_FOLDER)
    return reference


def _first_session(stage: Stage, first_case: FirstCase, trial: Invocation) -> tuple[str, Transcript] | None:
    """Returns the first case's name and session; None if the program needs input and there is no terminal."""
    seed, answers = first_case.seed, first_case.answers
    seed_lines = () if seed is None else (str(seed).encode(),)
    run = partial(expected_run_here(stage), invocation=trial)
    if answers is not None:
        return "a first session", answered_session(stage, seed, answers, first_case.exit_code, run)
    transcript = session_with_only_lines(run, seed_lines)
    if transcript is not None:
        if first_case.arguments:
            return shlex.join((stage.name, *first_case.arguments)), transcript
        return f"seed {seed}" if seed_lines else "nothing is typed", transcript
    if not _is_interactive():
        return None
    click.echo("Play the first session; it becomes a case. Ctrl-D ends the input.", err=True)
    return "a first session", play_session(run, PersonTerminal(), seed_lines)


def _print_next_steps(
    name: str,
    folder: Path,
    assignment: NewAssignment,
    first_case: FirstCase,
    guesses: Sequence[str],
    *,
    has_case: bool,
) -> None:
    files = sorted(
        f"{path.name}/" if path.is_dir() else path.name for path in folder.iterdir() if not path.name.startswith(".")
    )
    click.echo(f"{folder}: {', '.join(files)}")
    for guess in guesses:
        click.echo(f"Guessed: {guess}.")
    if not has_case:
        click.echo("The program asks for input, so there is no case yet: record one by playing it.")
    option = f"--assignment {shlex.quote(name)}"
    # A source is itself a submission to check. An executable, which has no suffix, or a command is not.
    program = shlex.quote(str(first_case.program)) if first_case.program and first_case.program.suffix else "DIR"
    program_arguments = f" -- {shlex.join(first_case.arguments)}" if first_case.arguments else ""
    options = "--case NAME --arguments LINE" if first_case.arguments else "--play"
    description = "add a case with other arguments" if first_case.arguments else "play a session, and add it as a case"
    rows = (
        (f"pitboss play {assignment.stage} {option}{program_arguments}", "play it"),
        (f"pitboss record {assignment.stage} {option} {options}", description),
        (f"pitboss check {program} {assignment.stage} {option}", "check a program"),
    )
    width = max(len(row[0]) for row in rows)
    click.echo("\n".join(["Next:", *(f"  {command.ljust(width)}  {purpose}" for command, purpose in rows)]))
