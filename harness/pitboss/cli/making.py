"""`pitboss new`: creates an assignment from an existing program."""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from pathlib import Path
from typing import NamedTuple

import click

from pitboss.assignments.assignment import Stage
from pitboss.assignments.json_schema import FOLDER as SCHEMAS
from pitboss.assignments.keys import schema_files
from pitboss.assignments.names import unprintable_reason
from pitboss.assignments.recording import invocation_lines
from pitboss.assignments.specfile import ASSIGNMENT_FILE, load_assignment
from pitboss.cli.common_options import make_folder, spec_folders, write_file
from pitboss.cli.record_cases import add_case, answered_session
from pitboss.errors import SpecError, UsageError, as_found, listed
from pitboss.kits.beginnings import (
    FOLDER,
    Beginning,
    assignment_text,
    beginning_from_command,
    beginning_from_program,
    check_can_be_read,
    data_files_named_in,
    stage_name_from,
)
from pitboss.kits.command_lines import files_named, split_arguments, trial_invocation, with_invocation, written_in
from pitboss.kits.doubts import doubts_of
from pitboss.kits.playing import PersonTerminal, play_session, reads_a_line
from pitboss.model.invocation import Invocation, Stderr
from pitboss.model.transcript import ExitCode, Transcript
from pitboss.sandbox import scratch
from pitboss.sessions.drivers import expected_run_here, find_conditions
from pitboss.sessions.references import checked_run


class Wanted(NamedTuple):
    """The new assignment, as the options and answers describe it."""

    name: str
    program: Path | None
    command: str
    title: str
    stage: str
    language: str
    is_seeded: bool
    seed: int | None
    answers: str | None
    exit_code: ExitCode
    files: tuple[Path, ...] = ()
    writes: tuple[str, ...] = ()
    #: The arguments of the first session.
    arguments: tuple[str, ...] = ()
    stderr: Stderr | None = None
    #: Sentences that say what was guessed.
    guesses: tuple[str, ...] = ()


def make(
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
    """Create the assignment that the options of `pitboss new` describe, and list it; returns the exit code."""
    folder = _folder_of(name)
    program, command = _program_or_prompt(program, command)
    if program is not None:
        check_can_be_read(program)  # before a folder is created for it
    title = title or _prompt("What is the assignment called in reports?", _title_from(folder.name))
    if wrong := unprintable_reason(title):
        raise UsageError(f"--title {as_found(title)}: {wrong}")
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
            f"--stage {as_found(stage)}: a stage has letters, digits, - and _ — as {stage_name_from(stage)}"
        )
    argv = split_arguments(arguments or "")
    named = _files_of(argv, program, files)
    guesses = tuple(f"each session finds {file.name}, which --arguments names" for file in named)
    files = (*files, *named)
    _check_files(files, folder, program, stage or stage_name_from(program.stem if program else folder.name))
    wanted = Wanted(folder.name, program, command, title, stage, language, is_seeded, seed, answers, exit_code)
    wanted = wanted._replace(files=files, writes=writes, arguments=argv, stderr=stderr, guesses=guesses)
    beginning, wanted, has_case = _create(wanted, folder)
    _print_next_steps(name, folder, beginning, wanted, has_case=has_case)
    for new_stage in load_assignment(folder).stages if has_case else ():
        for doubt in doubts_of(new_stage):
            click.echo(f"pitboss: {doubt}", err=True)
    return 0


def _folder_of(name: str) -> Path:
    """Returns the folder of the new assignment; UsageError for an invalid name, or if it has an assignment already."""
    folder = Path(name) if "/" in name else spec_folders()[0] / name
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]*", name.rstrip("/").rpartition("/")[2]):
        raise UsageError(f"{as_found(name)} is not a name for an assignment — use letters, digits, -, _ and dots only")
    for file_name in (ASSIGNMENT_FILE, FOLDER, SCHEMAS):
        if (folder / file_name).exists():
            raise UsageError(f"{folder / file_name} exists already; nothing is overwritten — choose another name")
    return folder


def _check_files(files: tuple[Path, ...], folder: Path, program: Path | None, stage: str) -> None:
    """Raise UsageError for a file that sessions cannot have, or that would replace another file."""
    names = [file.name for file in files]
    for file in files:
        if not file.is_file():
            problem = "this is a folder — name the files in it" if file.is_dir() else "there is no such file"
            raise UsageError(f"--file {file}: {problem}")
        if program is not None and file.name == program.name:
            raise UsageError(
                f"--file {file}: the program has this name — it is copied into {FOLDER}/ and needs no --file"
            )
        if file.name in (ASSIGNMENT_FILE, FOLDER, f"{stage}.yaml"):
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
    words = re.sub(r"[_.-]+", " ", name).strip()
    return words[:1].upper() + words[1:]


def _program_or_prompt(program: Path | None, command: str | None) -> tuple[Path | None, str]:
    """Returns the program or the command line, from the options or a prompt."""
    if program is not None and command is not None:
        raise UsageError("--program and --command exclude each other: the program is one or the other")
    if program is None and command is None:
        if not _is_interactive():
            raise UsageError("which program is right? Give --program meter.py, or --command 'java -cp . Guess'")
        answer = str(click.prompt("Which program is right? A source, a program, or a command line", err=True))
        return (Path(answer), "") if Path(answer).exists() else (None, answer)
    return program, command or ""


def _files_of(argv: tuple[str, ...], program: Path | None, files: tuple[Path, ...]) -> tuple[Path, ...]:
    """Returns the files here or beside the program that arguments name, without the program and given files."""
    folders = (Path(), *([program.parent] if program else ()))
    return files_named(argv, folders, [file.name for file in (*files, *([program] if program else ()))])


def _create(wanted: Wanted, folder: Path) -> tuple[Beginning, Wanted, bool]:
    """Create the assignment in its folder; returns its beginning, `wanted` with guesses, and whether it has a case.

    Removes everything again if the program fails.
    """
    first_new = next(path for path in (*folder.parents[::-1], folder) if path == folder or not path.exists())
    before = set(folder.iterdir()) if folder.is_dir() else None
    make_folder(folder)
    try:
        return _fill_folder(wanted, folder)
    except BaseException:
        for path in [first_new] if before is None else set(folder.iterdir()) - before:
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        raise


def _fill_folder(wanted: Wanted, folder: Path) -> tuple[Beginning, Wanted, bool]:
    beginning = _beginning(wanted, folder)
    for file in wanted.files:
        target = folder / file.name
        if not target.exists():  # else it is the same file
            _copy(file, target)
        if f"./{FOLDER}/{file.name}" not in beginning.command:
            (folder / FOLDER / file.name).unlink(missing_ok=True)  # with two copies, somebody would edit the wrong one
    _write(folder, wanted, beginning)
    if (folder / f"{beginning.stage}.yaml").exists():
        raise UsageError(f"{folder / beginning.stage}.yaml exists already; nothing is overwritten")
    (stage,) = load_assignment(folder, may_lack_cases=True).stages
    trial = trial_invocation(stage.invocation, wanted.arguments, stderr=wanted.stderr or _trial_stderr(wanted))
    session = _first_session(stage, wanted, trial)
    if session is None:
        return beginning, wanted, False
    try:
        transcript = checked_run(session[1], wanted.exit_code, str(wanted.program or wanted.command), is_new=True)
    except SpecError as error:
        raise SpecError(f"{error}{_missing_input_hint(wanted, session[1])}") from error
    wanted = _with_guesses(wanted, stage, trial, transcript)
    _write(folder, wanted, beginning)
    (stage,) = load_assignment(folder, may_lack_cases=True).stages
    other_lines = invocation_lines(wanted.arguments, {}, ())
    add_case(stage, *session, exit_code=wanted.exit_code, besides=other_lines)
    return beginning, wanted, True


def _trial_stderr(wanted: Wanted) -> Stderr:
    """Returns the default for the standard error of the first session: compared if the program is to fail."""
    return "compared" if wanted.exit_code else "shown"


def _with_guesses(wanted: Wanted, stage: Stage, trial: Invocation, transcript: Transcript) -> Wanted:
    """Returns `wanted` with guesses from what the first session wrote to files and to standard error."""
    guesses = list(wanted.guesses)
    written = written_in(transcript, trial, [output.name for output in stage.invocation.outputs])
    guesses += [f"it writes {name}, which is compared: it was written in the first session" for name in written]
    stderr = wanted.stderr
    if stderr is None and transcript.errors:
        stderr = "compared"
        first = transcript.errors.decode("utf-8", "replace").strip().partition("\n")[0]
        guesses.append(f"its standard error is compared separately: it wrote {as_found(first)} there")
    return wanted._replace(writes=(*wanted.writes, *written), stderr=stderr, guesses=tuple(guesses))


def _copy(source: Path, target: Path) -> None:
    try:
        (shutil.copytree if source.is_dir() else shutil.copy)(source, target)
    except OSError as error:
        raise UsageError(f"{target}: it cannot be written: {error.strerror or error}") from error


def _missing_input_hint(wanted: Wanted, transcript: Transcript) -> str:
    """Returns a sentence on arguments or files that the program needs and its session lacks, or an empty text."""
    output = (transcript.text + (transcript.errors or b"")).decode("utf-8", "replace") + transcript.ending.detail
    if not wanted.arguments and re.search(r"\busage\b", output, re.IGNORECASE):
        return ". If it needs arguments, give the arguments of the first case: --arguments 'scores.txt -v'"
    if wanted.program is None:
        return ""
    given = [file.name for file in wanted.files]
    missing = [name for name in data_files_named_in(wanted.program) if name not in given]
    options = " ".join(f"--file {shlex.quote(str(wanted.program.parent / name))}" for name in missing)
    return f". It names {listed(missing)}, which no session has — give it to each session: {options}" if missing else ""


def _beginning(wanted: Wanted, folder: Path) -> Beginning:
    if wanted.program is None:
        return beginning_from_command(wanted.command, wanted.stage or stage_name_from(wanted.name), folder)
    # In a temporary folder first: all files beside the program are built with it, and the new folder may be among them.
    with scratch.folder("new") as temporary:
        built = Path(temporary) / FOLDER
        beginning = beginning_from_program(wanted.program, wanted.stage, built, find_conditions("auto", "none"))
        _copy(built, folder / FOLDER)
    return beginning


def _write(folder: Path, wanted: Wanted, beginning: Beginning) -> None:
    make_folder(folder / SCHEMAS)
    for name, schema in schema_files().items():
        write_file(str(folder / SCHEMAS / name), schema)
    text = assignment_text(
        wanted.title,
        beginning,
        is_seeded=wanted.is_seeded,
        language=wanted.language,
        files=[file.name for file in wanted.files],
        writes=wanted.writes,
        stderr=wanted.stderr or "",
    )
    write_file(str(folder / ASSIGNMENT_FILE), text)


def _first_session(stage: Stage, wanted: Wanted, trial: Invocation) -> tuple[str, Transcript] | None:
    """Returns the first case's name and session; None if the program needs input and there is no terminal."""
    lines = () if wanted.seed is None else (str(wanted.seed).encode(),)
    run = with_invocation(expected_run_here(stage), trial)
    if wanted.answers is not None:
        return "a first session", answered_session(stage, wanted.seed, wanted.answers, wanted.exit_code, run)
    transcript = reads_a_line(run, lines)
    if transcript is not None:
        started = shlex.join((stage.name, *wanted.arguments))
        return started if wanted.arguments else f"seed {wanted.seed}" if lines else "nothing is typed", transcript
    if not _is_interactive():
        return None
    click.echo("Play the first session; it becomes a case. Ctrl-D ends the input.", err=True)
    return "a first session", play_session(run, PersonTerminal(), lines)


def _print_next_steps(name: str, folder: Path, beginning: Beginning, wanted: Wanted, *, has_case: bool) -> None:
    """Print what was created, and what to type next."""
    files = sorted(path.name + "/" * path.is_dir() for path in folder.iterdir() if not path.name.startswith("."))
    click.echo(f"{folder}: {', '.join(files)}")
    for guess in wanted.guesses:
        click.echo(f"Guessed: {guess}.")
    if not has_case:
        click.echo("The program asks for input, so there is no case yet: record one by playing it.")
    option = f"--assignment {shlex.quote(name)}"
    program = shlex.quote(str(wanted.program)) if wanted.program and wanted.program.suffix else "DIR"
    started = f" -- {shlex.join(wanted.arguments)}" if wanted.arguments else ""
    options = "--case NAME --arguments LINE" if wanted.arguments else "--play"
    description = "add a case with other arguments" if wanted.arguments else "play a session, and add it as a case"
    rows = (
        (f"pitboss play {beginning.stage} {option}{started}", "play it"),
        (f"pitboss record {beginning.stage} {option} {options}", description),
        (f"pitboss check {program} {beginning.stage} {option}", "check a program"),
    )
    width = max(len(row[0]) for row in rows)
    click.echo("\n".join(["Next:", *(f"  {command.ljust(width)}  {purpose}" for command, purpose in rows)]))
