"""`pitboss record`: updating recorded cases that drifted, and adding new ones."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from pitboss.assignments.answers import answers_in
from pitboss.assignments.assignment import Answers, Assignment, Generated, Recorded, Stage, Then
from pitboss.assignments.players import MAX_LINES, input_script_of
from pitboss.assignments.recording import invocation_lines, recorded_as_it_is, with_new_case, with_transcript
from pitboss.assignments.specfile import load_assignment
from pitboss.cli.common_options import write_bytes, write_file
from pitboss.cli.prompts import loaded, see_reference, stages_named
from pitboss.errors import UsageError, as_found, near
from pitboss.kits.command_lines import files_named, read, started_so, trial_of, words_of, written_in
from pitboss.kits.doubts import doubts_of, is_the_same
from pitboss.kits.playing import PersonTerminal, played
from pitboss.kits.verification import repeated_by_reference
from pitboss.model.invocation import File
from pitboss.model.transcript import ExitCode, FileKind, InputEnded, Transcript
from pitboss.sessions.drivers import expected_run_here
from pitboss.sessions.references import ExpectedRun, checked_run

#: Longer input files of a case are stored beside the spec file.
_MAX_CHARACTERS = 2000


def record_requested(
    *,
    stages: tuple[str, ...],
    name: str | None,
    case: str | None,
    is_played: bool,
    seed: int | None,
    answers: str,
    exit_code: ExitCode,
    arguments: str | None,
    rules: tuple[str, ...],
    no_pause: bool,
) -> int:
    """Record what the options of `pitboss record` request, and list it; returns the exit code."""
    assignment = loaded(name, stages, may_lack_cases=True)
    see_reference(assignment, "record")
    selected = stages_named(assignment, stages)
    has_lines = seed is not None or bool(answers) or arguments is not None
    is_played = is_played or (not has_lines and len(selected) == 1 and not selected[0].spec.cases)
    _see_lines(assignment, seed, answers, is_played=is_played)
    if no_pause and not is_played:
        raise UsageError("--no-pause is for a session that is played here: give --play too")
    if not has_lines and not is_played:
        for option in ("--rule",) * bool(rules) + ("--exit",) * bool(exit_code):
            raise UsageError(f"{option} is for a new case: give --play, --seed, --answers or --arguments too")
        return _refresh(selected, case)
    if len(selected) != 1 or not (case or is_played):
        raise UsageError("a new case needs one stage and a name: pitboss record play --case NAME --seed 7 --answers hs")
    (stage,) = selected
    words = words_of(arguments or "")
    given = _given(stage, words)
    trial = trial_of(stage.invocation, words, [one for one, _ in given])
    run = started_so(expected_run_here(stage), trial)
    if is_played:
        case, transcript = _played_case(stage, case, seed, PersonTerminal(has_pauses=not no_pause), run)
    else:
        transcript = answered(stage, seed, answers, exit_code, run)
    checked_run(transcript, exit_code, str(stage.spec.path), is_new=True)
    written = written_in(transcript, trial, [one.name for one in stage.invocation.outputs])
    files = {one.name: text for one, text in given}
    _put_beside(stage, given)
    besides = invocation_lines(words, files, written)
    add_case(stage, str(case), transcript, rules=rules, exit_code=exit_code, besides=besides)
    click.echo(f"{stage.spec.path}: added {case!r}")
    for name in files:
        click.echo(f"Guessed: the session finds {name}, which --arguments names.")
    for name in written:
        click.echo(f"Guessed: it writes {name}, which is compared: it was written in this session.")
    (now,) = stages_named(load_assignment(assignment.folder, may_lack_cases=True), (stage.name,))
    for doubt in doubts_of(now, case):
        click.echo(f"pitboss: {doubt}", err=True)
    return 0


def _see_lines(assignment: Assignment, seed: int | None, answers: str, *, is_played: bool) -> None:
    """Raise UsageError for a seed or answers that do not fit together, or this assignment."""
    if is_played and answers:
        raise UsageError("--answers and --play exclude each other: the lines are typed here")
    if seed is not None and not assignment.is_seeded:
        raise UsageError(f"--seed: {assignment.name} is not seeded")
    if answers and seed is None and assignment.is_seeded:
        raise UsageError("--answers needs --seed: in this assignment the first line typed is a seed")


def _given(stage: Stage, arguments: tuple[str, ...]) -> list[tuple[File, str | None]]:
    """Returns the files here that arguments name and sessions lack, each with its text if that is short, else None."""
    known = [one.name for one in stage.invocation.files or ()]
    found = [read(path) for path in files_named(arguments, (Path(),), known)]
    return [(one, _short_text(one.content)) for one in found]


def _short_text(content: bytes) -> str | None:
    """Returns a file's content as text for a spec file; None if it is long, or not text."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return text if len(text) <= _MAX_CHARACTERS and "\0" not in text else None


def _put_beside(stage: Stage, given: list[tuple[File, str | None]]) -> None:
    """Write files that are not in the spec file beside it; UsageError if another one has the name."""
    for one, text in given:
        path = stage.spec.path.parent / one.name
        if text is not None or (path.is_file() and path.read_bytes() == one.content):
            continue
        if path.exists():
            raise UsageError(f"{path} is there already, with another content; nothing is overwritten")
        write_bytes(str(path), one.content)


def answered(
    stage: Stage, seed: int | None, answers: str, exit_code: ExitCode = 0, run: ExpectedRun | None = None
) -> Transcript:
    """Run the reference with a seed, if any, and the lines of `--answers`; returns the session.

    `run` replaces the stage's own way to start it. Prints which lines were not read, or read more than once. UsageError
    if it reads none, or does not end.
    """
    typed = answers_in(answers)
    script = input_script_of(Generated((seed,), typed), seed, str(stage.spec.path))
    transcript = (run or expected_run_here(stage))(script)
    if len(transcript.lines) >= MAX_LINES:
        again = "they are" if typed.then is Then.FIRST_AGAIN else "the last is"
        raise UsageError(
            f"--answers {as_found(answers)}: the reference asked for more than {MAX_LINES} lines — give answers that "
            f"end it; {again} typed again and again"
        )
    has_failed = transcript.ending.with_code(exit_code) is None  # reported by the caller
    has_ended = InputEnded() in transcript.events
    if answers and len(transcript.lines) <= (seed is not None) and not has_ended and not has_failed:
        raise UsageError(f"--answers {as_found(answers)}: the reference reads none of it from its standard input")
    count = len(transcript.lines) - (seed is not None)
    remark = "" if has_failed else _miscounted(typed, count, has_ended=has_ended)
    if remark:
        click.echo(f"pitboss: {remark}", err=True)
    return transcript


def _miscounted(answers: Answers, count: int, *, has_ended: bool) -> str:
    """Returns a sentence on answers that were not read, or a last one typed again; empty if all fit.

    `count` lines were read, and the end of the input if it `has_ended`.
    """
    lines = answers.lines
    times = count - len(lines) + 1
    if count < len(lines):
        return f"the reference read {count} of the {len(lines)} lines of --answers — the others are not in the session"
    if answers.then is Then.END and not has_ended:
        return "the reference did not read the <eof> of --answers — it is not in the session"
    if answers.then is not Then.LAST_AGAIN or not lines or times < 2:
        return ""
    last = as_found(lines[-1].decode("utf-8", "surrogateescape"))
    return (
        f"the last line of --answers, {last}, was typed {times} times, since the reference asked for more — if that is "
        "not intended, add the lines that end the session, or <eof>; for an empty line put two commas at the end"
    )


def add_case(
    stage: Stage,
    case: str,
    transcript: Transcript,
    *,
    rules: tuple[str, ...] = (),
    exit_code: ExitCode = 0,
    besides: tuple[str, ...] = (),
) -> None:
    """Add a session to a stage's spec file as a case; UsageError if it is empty.

    `besides` are lines for what the case has besides its terminal, such as arguments.
    """
    leaves_nothing = not any(one.kind is FileKind.REGULAR for one in transcript.written) and not transcript.errors
    if not transcript.events and leaves_nothing and not exit_code:
        raise UsageError("the reference prints nothing and reads nothing — a case needs something to compare")
    path, events = stage.spec.path, transcript.events
    text = with_new_case(path, case, events, rules=rules, exit_code=exit_code, program=stage.name, besides=besides)
    write_file(str(path), text)


def _played_case(
    stage: Stage, case: str | None, seed: int | None, terminal: PersonTerminal, run: ExpectedRun
) -> tuple[str, Transcript]:
    """Play a case here; returns its name, asked for beforehand so that no session is lost, and its session."""
    if stage.reader:
        raise UsageError(
            f"{stage.name}: its draws are read back from its output, so no session of it can be played again"
        )
    names = [one.name for one in stage.spec.cases]
    if case is None and not sys.stdin.isatty():
        raise UsageError("the session becomes a case: give it a name, as in --case 'a first session'")
    if case in names:
        raise UsageError(f"{stage.spec.path}: there is a case {case!r} already — choose another name")
    while case is None or case in names:
        if case is not None:
            click.echo(f"there is a case {case!r} already", err=True)
        case = click.prompt("a name for the case that you play now", err=True).strip() or None
    return case, played(run, terminal, () if seed is None else (str(seed).encode(),))


def _refresh(stages: tuple[Stage, ...], case: str | None) -> int:
    if case is not None and not any(case == one.name for stage in stages for one in stage.spec.cases):
        names = ", ".join(stage.name for stage in stages)
        hint = near(case, [one.name for stage in stages for one in stage.spec.cases])
        raise UsageError(f"there is no case {case!r} in {names}; to add one, give --play, --seed or --answers{hint}")
    if case is not None and not any(_is_recorded(stage, case) for stage in stages):
        raise UsageError(f"{case!r} is not a recorded case: its expected session is computed each time")
    changed = 0
    for stage in stages:
        expected_run = expected_run_here(stage)
        for one in stage.spec.cases:
            if isinstance(one.session, Recorded) and case in (None, one.name):
                now = repeated_by_reference(
                    stage,
                    one.session.events,
                    expected_run,
                    exit_code=one.exit_code,
                    place=one.place,
                    invocation=one.invocation,
                )
                if not is_the_same(one.session.events, now.events, one.policy):
                    write_file(str(stage.spec.path), with_transcript(stage.spec.path, one.name, now.events))
                    click.echo(f"{stage.spec.path}: recorded {one.name!r}")
                    changed += 1
    count = "1 recorded case" if changed == 1 else f"{changed} recorded cases"
    click.echo(f"{count} changed" if changed else recorded_as_it_is(stages, case))
    return 0


def _is_recorded(stage: Stage, name: str) -> bool:
    return any(one.name == name and isinstance(one.session, Recorded) for one in stage.spec.cases)
