"""`pitboss record`: updates recorded cases that drifted, and adds new cases."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

import click
import msgspec

from pitboss.assignments.answers import parse_answers
from pitboss.assignments.assignment import Answers, Assignment, Generated, Recorded, Stage, Then
from pitboss.assignments.players import MAX_LINES, input_script_of
from pitboss.assignments.recording import invocation_lines, recorded_cases_sentence, with_new_case, with_transcript
from pitboss.assignments.specfile import load_assignment
from pitboss.cli.common_options import (
    ANSWERS_RULE,
    ExitCodeOption,
    Seed,
    arguments_option,
    assignment_option,
    write_bytes,
    write_file,
)
from pitboss.cli.completing import case_names, stage_names
from pitboss.cli.resolving import require_reference, resolve_assignment, select_stages
from pitboss.errors import UsageError, as_found, did_you_mean
from pitboss.kits.doubts import are_equal_sessions, doubts_of
from pitboss.kits.new_cases import (
    PersonTerminal,
    files_in_arguments,
    files_written,
    play_session,
    read_session_file,
    split_arguments,
    trial_invocation,
)
from pitboss.kits.verification import run_reference_on
from pitboss.model.invocation import File
from pitboss.model.transcript import ExitCode, FileKind, InputEnded, Transcript
from pitboss.sessions.drivers import expected_run_here
from pitboss.sessions.references import ExpectedRun, checked_run

#: Input files of a case that have more characters are stored beside the spec file, not in it.
_MAX_CHARACTERS = 2000


@click.command()
@click.argument("stages", nargs=-1, metavar="[STAGE]...", shell_complete=stage_names)
@assignment_option
@click.option(
    "--case",
    "case",
    metavar="NAME",
    shell_complete=case_names,
    help="Record only this case; with --play, --seed, --answers, --arguments or --input-file, add it.",
)
@click.option(
    "--play", "is_played", is_flag=True, help="Play a new case here; the default if the stage has no case yet."
)
@click.option("--seed", type=Seed(), help="The seed of a new case.")
@click.option("--answers", default="", metavar="LINES", help=f"The lines of a new case. {ANSWERS_RULE}")
@click.option(
    "--input-file",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="The file that is the standard input of a new case, instead of lines; it is copied beside the spec.",
)
@click.option(
    "--exit",
    "exit_code",
    type=ExitCodeOption(),
    default=0,
    help="The exit code of a new case, or the word nonzero for any code but 0.",
)
@arguments_option
@click.option(
    "--rule", "rules", multiple=True, metavar="TEXT", help="A rule that a new case exercises. May be repeated."
)
@click.option("--no-pause", is_flag=True, help="With --play: skip the pauses; they are recorded all the same.")
def record(
    *,
    stages: tuple[str, ...],
    name: str | None,
    case: str | None,
    is_played: bool,
    seed: int | None,
    answers: str,
    input_file: Path | None,
    exit_code: ExitCode,
    arguments: str | None,
    rules: tuple[str, ...],
    no_pause: bool,
) -> int:
    """Update recorded cases from the reference, or add a new case.

    Updates the cases of the STAGEs, or of all stages, in which the reference now behaves differently.
    """
    assignment = resolve_assignment(name, stages, may_lack_cases=True)
    require_reference(assignment, "record")
    selected = select_stages(assignment, stages)
    describes_new_case = seed is not None or bool(answers) or arguments is not None or input_file is not None
    # The only selected stage has no case yet: its first case is played, unless options describe the case.
    is_played = is_played or (not describes_new_case and len(selected) == 1 and not selected[0].spec.cases)
    _check_seed_and_answers(assignment, seed, answers, is_played=is_played)
    if input_file is not None and (is_played or answers or seed is not None):
        raise UsageError("--input-file excludes --play, --seed and --answers: nothing is typed beside the file")
    if no_pause and not is_played:
        raise UsageError("--no-pause is for a session that is played here: give --play too")
    if not describes_new_case and not is_played:
        if rules or exit_code:
            option = "--rule" if rules else "--exit"
            raise UsageError(
                f"{option} is for a new case: give --play, --seed, --answers, --arguments or --input-file too"
            )
        return _update_recorded(selected, case)
    if len(selected) != 1 or not (case or is_played):
        raise UsageError("a new case needs one stage and a name: pitboss record play --case NAME --seed 7 --answers hs")
    (stage,) = selected
    argv = split_arguments(arguments or "")
    named_files = _named_files(stage, argv)
    trial = trial_invocation(stage.invocation, argv, [file for file, _ in named_files])
    if input_file is not None:
        trial = msgspec.structs.replace(trial, input_file=_file_beside_spec(stage, input_file))
    run = partial(expected_run_here(stage), invocation=trial)
    if is_played:
        case, transcript = _play_case(stage, case, seed, PersonTerminal(has_pauses=not no_pause), run)
    else:
        transcript = answered_session(stage, seed, answers, exit_code, run)
    checked_run(transcript, exit_code, str(stage.spec.path), is_new=True)
    written_names = files_written(transcript, trial, [output.name for output in stage.invocation.outputs])
    texts_by_name = {file.name: text for file, text in named_files}
    _write_long_files(stage, [*named_files, *([(trial.input_file, None)] if trial.input_file else [])])
    yaml_lines = invocation_lines(argv, texts_by_name, written_names, trial.input_file.name if trial.input_file else "")
    add_case(stage, str(case), transcript, rules=rules, exit_code=exit_code, other_lines=yaml_lines)
    click.echo(f"{stage.spec.path}: added {case!r}")
    for name in texts_by_name:
        click.echo(f"Guessed: the session finds {name}, which --arguments names.")
    for name in written_names:
        click.echo(f"Guessed: the program writes {name}, which is compared: this session wrote the file.")
    (updated_stage,) = select_stages(load_assignment(assignment.folder, may_lack_cases=True), (stage.name,))
    for doubt in doubts_of(updated_stage, case):
        click.echo(f"pitboss: {doubt}", err=True)
    return 0


def _check_seed_and_answers(assignment: Assignment, seed: int | None, answers: str, *, is_played: bool) -> None:
    """Raise UsageError for a seed or answers that exclude each other, or do not fit this assignment."""
    if is_played and answers:
        raise UsageError("--answers and --play exclude each other: the lines are typed here")
    if seed is not None and not assignment.is_seeded:
        raise UsageError(f"--seed: {assignment.name} is not seeded")
    if answers and seed is None and assignment.is_seeded:
        raise UsageError("--answers needs --seed: in this assignment the first line typed is the seed")


def _named_files(stage: Stage, arguments: tuple[str, ...]) -> list[tuple[File, str | None]]:
    """Returns the files that the arguments name and the stage does not have yet, each with its text.

    The text is None if it is long or binary: such a file is stored beside the spec file.
    """
    existing = [file.name for file in stage.invocation.files or ()]
    files = [read_session_file(path) for path in files_in_arguments(arguments, (Path(),), existing)]
    return [(file, _short_text(file.content)) for file in files]


def _file_beside_spec(stage: Stage, path: Path) -> File:
    """Returns a file under its path in the folder of the spec file; under its own name if it is elsewhere."""
    folder, file = stage.spec.path.parent.resolve(), read_session_file(path)
    is_inside = path.resolve().is_relative_to(folder)
    return File(str(path.resolve().relative_to(folder)), file.content) if is_inside else file


def _short_text(content: bytes) -> str | None:
    """Returns a file's content as text for a spec file; None if the content is long, or not text."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return text if len(text) <= _MAX_CHARACTERS and "\0" not in text else None


def _write_long_files(stage: Stage, named_files: list[tuple[File, str | None]]) -> None:
    """Write files beside the spec file if their text is None; UsageError if a different file has the name already."""
    for file, text in named_files:
        path = stage.spec.path.parent / file.name
        if text is not None or (path.is_file() and path.read_bytes() == file.content):
            continue
        if path.exists():
            raise UsageError(f"{path} exists already, with other content; nothing is overwritten")
        write_bytes(str(path), file.content)


def answered_session(stage: Stage, seed: int | None, answers: str, exit_code: ExitCode, run: ExpectedRun) -> Transcript:
    """Run the reference with a seed, if any, and the lines of `--answers`; returns the session.

    Prints which of these lines were not read, or were typed repeatedly. Prints nothing if the reference ends with
    another exit code than `exit_code`: the caller reports that. UsageError if the reference reads none of the lines,
    or does not end.
    """
    parsed_answers = parse_answers(answers)
    script = input_script_of(Generated((seed,), parsed_answers), seed, str(stage.spec.path))
    transcript = run(script)
    if len(transcript.lines) - len(parsed_answers.lines) >= MAX_LINES:
        repeated = "all answers are" if parsed_answers.then is Then.FIRST_AGAIN else "the last answer is"
        raise UsageError(
            f"--answers {as_found(answers)}: the reference asked for more than {MAX_LINES} lines — give answers that "
            f"end it; {repeated} typed again and again"
        )
    has_failed = transcript.ending.with_code(exit_code) is None  # reported by the caller
    has_ended = InputEnded() in transcript.events
    seed_line_count = 0 if seed is None else 1
    read_count = len(transcript.lines) - seed_line_count
    if answers and read_count <= 0 and not has_ended and not has_failed:
        raise UsageError(
            f"--answers {as_found(answers)}: the reference reads none of these lines from its standard input"
        )
    if not has_failed and (remark := _mismatch_sentence(parsed_answers, read_count, has_ended=has_ended)):
        click.echo(f"pitboss: {remark}", err=True)
    return transcript


def _mismatch_sentence(answers: Answers, read_count: int, *, has_ended: bool) -> str:
    """Returns a sentence on answers that were not read, or on a last line that was typed repeatedly; else empty.

    `read_count`: how many lines the reference read after the seed.
    `has_ended`: whether the reference also read the end of the input.
    """
    lines = answers.lines
    repeat_count = read_count - len(lines) + 1
    if read_count < len(lines):
        count = f"{read_count} of the {len(lines)} lines"
        return f"the reference read {count} of --answers — the others are not in the session"
    if answers.then is Then.END and not has_ended:
        return "the reference did not read the <eof> of --answers — it is not in the session"
    if answers.then is not Then.LAST_AGAIN or not lines or repeat_count < 2:
        return ""
    last_line = as_found(lines[-1].decode("utf-8", "surrogateescape"))
    return (
        f"the last line of --answers, {last_line}, was typed {repeat_count} times, since the reference asked for more "
        "— if that is not intended, add the lines that end the session, or <eof>; for an empty line put two commas at "
        "the end"
    )


def add_case(
    stage: Stage,
    case_name: str,
    transcript: Transcript,
    *,
    rules: tuple[str, ...] = (),
    exit_code: ExitCode = 0,
    other_lines: tuple[str, ...] = (),
) -> None:
    """Add a session to a stage's spec file as a case; UsageError if the session has nothing to compare.

    `other_lines`: further lines of the case in YAML, such as its arguments.
    """
    has_files = any(file.kind is FileKind.REGULAR for file in transcript.written)
    if not (transcript.events or has_files or transcript.errors or exit_code):
        raise UsageError("the reference prints nothing and reads nothing — a case needs something to compare")
    path, events = stage.spec.path, transcript.events
    text = with_new_case(
        path, case_name, events, rules=rules, exit_code=exit_code, program=stage.name, other_lines=other_lines
    )
    write_file(str(path), text)


def _play_case(
    stage: Stage, case_name: str | None, seed: int | None, terminal: PersonTerminal, run: ExpectedRun
) -> tuple[str, Transcript]:
    """Let the user play a case; returns its name and its session. Asks for a missing name first: no session is lost."""
    if stage.reader:
        raise UsageError(
            f"{stage.name}: its draws are read back from its output, so no session of it can be played again"
        )
    existing_names = [case.name for case in stage.spec.cases]
    if case_name is None and not sys.stdin.isatty():
        raise UsageError("the session becomes a case: give it a name, as in --case 'a first session'")
    if case_name in existing_names:
        raise UsageError(f"{stage.spec.path}: there is a case {case_name!r} already — choose another name")
    while case_name is None or case_name in existing_names:
        if case_name is not None:
            click.echo(f"there is a case {case_name!r} already", err=True)
        case_name = click.prompt("a name for the case that you play now", err=True).strip() or None
    return case_name, play_session(run, terminal, () if seed is None else (str(seed).encode(),))


def _update_recorded(stages: tuple[Stage, ...], case_name: str | None) -> int:
    """Record all cases again that no longer match the reference, or only the named case; returns the exit code.

    UsageError if there is no recorded case of this name.
    """
    case_names = [case.name for stage in stages for case in stage.spec.cases]
    if case_name is not None and case_name not in case_names:
        stage_names = ", ".join(stage.name for stage in stages)
        hint = did_you_mean(case_name, case_names)
        raise UsageError(
            f"there is no case {case_name!r} in {stage_names}; to add one, give --play, --seed or --answers{hint}"
        )
    recorded_names = [case.name for stage in stages for case in stage.spec.cases if isinstance(case.session, Recorded)]
    if case_name is not None and case_name not in recorded_names:
        raise UsageError(f"{case_name!r} is not a recorded case: its expected session is computed each time")
    changed_count = 0
    for stage in stages:
        expected_run = expected_run_here(stage)
        for case in stage.spec.cases:
            if isinstance(case.session, Recorded) and case_name in (None, case.name):
                transcript = run_reference_on(
                    stage,
                    case.session.events,
                    expected_run,
                    exit_code=case.exit_code,
                    place=case.place,
                    invocation=case.invocation,
                )
                if not are_equal_sessions(case.session.events, transcript.events, case.policy):
                    write_file(str(stage.spec.path), with_transcript(stage.spec.path, case.name, transcript.events))
                    click.echo(f"{stage.spec.path}: recorded {case.name!r}")
                    changed_count += 1
    count = "1 recorded case" if changed_count == 1 else f"{changed_count} recorded cases"
    click.echo(f"{count} changed" if changed_count else recorded_cases_sentence(stages, case_name))
    return 0
