"""`pitboss record`: recorded cases are written anew where they drifted, and new ones are added."""

from __future__ import annotations

import sys

import click

from pitboss.assignments.answers import answers_in
from pitboss.assignments.assignment import Answers, Assignment, Generated, Recorded, Stage, Then
from pitboss.assignments.players import MOST_LINES, input_script_of
from pitboss.assignments.recording import recorded_as_it_is, with_new_case, with_transcript
from pitboss.assignments.specfile import load_assignment
from pitboss.cli.asked import loaded, see_reference, stages_named
from pitboss.cli.options import write_file
from pitboss.errors import UsageError, as_found, near
from pitboss.kits.doubts import doubts_of, is_the_same
from pitboss.kits.playing import Terminal, played
from pitboss.kits.verification import retold
from pitboss.model.transcript import ExitCode, InputEnded, Transcript
from pitboss.sessions.drivers import expected_run_here
from pitboss.sessions.references import checked_run


def record_as_asked(
    *,
    stages: tuple[str, ...],
    name: str | None,
    case: str | None,
    is_played: bool,
    seed: int | None,
    answers: str,
    exit_code: ExitCode,
    rules: tuple[str, ...],
    no_pause: bool,
) -> int:
    """Record what the options of `pitboss record` ask for, and tell what was recorded; the exit code."""
    assignment = loaded(name, stages, may_lack_cases=True)
    see_reference(assignment, "record")
    chosen = stages_named(assignment, stages)
    has_lines = seed is not None or bool(answers)
    is_played = is_played or (not has_lines and len(chosen) == 1 and not chosen[0].spec.cases)
    _see_lines(assignment, seed, answers, is_played=is_played)
    if no_pause and not is_played:
        raise UsageError("--no-pause is for a session that is played here: give --play too")
    if not has_lines and not is_played:
        for option in ("--rule",) * bool(rules) + ("--exit",) * bool(exit_code):
            raise UsageError(f"{option} is for a new case: give --play, --seed or --answers too")
        return _refresh(chosen, case)
    if len(chosen) != 1 or not (case or is_played):
        raise UsageError("a new case needs one stage and a name: pitboss record play --case NAME --seed 7 --answers hs")
    (stage,) = chosen
    if is_played:
        case, transcript = _played_case(stage, case, seed, Terminal(has_pauses=not no_pause))
    else:
        transcript = answered(stage, seed, answers, exit_code)
    checked_run(transcript, exit_code, str(stage.spec.path), is_new=True)
    add_case(stage, str(case), transcript, rules=rules, exit_code=exit_code)
    click.echo(f"{stage.spec.path}: added {case!r}")
    (written,) = stages_named(load_assignment(assignment.folder, may_lack_cases=True), (stage.name,))
    for doubt in doubts_of(written, case):
        click.echo(f"pitboss: {doubt}", err=True)
    return 0


def _see_lines(assignment: Assignment, seed: int | None, answers: str, *, is_played: bool) -> None:
    """Raise UsageError for a seed or answers that make no sense together, or for this assignment."""
    if is_played and answers:
        raise UsageError("--answers and --play exclude each other: the lines are typed here")
    if seed is not None and not assignment.is_seeded:
        raise UsageError(f"--seed: {assignment.name} is not seeded")
    if answers and seed is None and assignment.is_seeded:
        raise UsageError("--answers needs --seed: in this assignment the first line typed is one")


def answered(stage: Stage, seed: int | None, answers: str, exit_code: ExitCode = 0) -> Transcript:
    """The session of the reference with a seed, if there is one, and the lines of `--answers`.

    Says which of these lines it did not read, or read more than once. UsageError if it reads none, or has no end.
    """
    typed = answers_in(answers)
    transcript = expected_run_here(stage)(input_script_of(Generated((seed,), typed), seed, str(stage.spec.path)))
    if len(transcript.lines) >= MOST_LINES:
        again = "they are" if typed.then is Then.FIRST_AGAIN else "the last is"
        raise UsageError(
            f"--answers {as_found(answers)}: the reference asked for more than {MOST_LINES} lines — give answers that "
            f"end it; {again} typed again and again"
        )
    has_failed = transcript.ending.with_code(exit_code) is None  # why is told by whoever asks for the session
    has_ended = InputEnded() in transcript.events
    if answers and len(transcript.lines) <= (seed is not None) and not has_ended and not has_failed:
        raise UsageError(f"--answers {as_found(answers)}: the reference reads nothing of it from its standard input")
    count = len(transcript.lines) - (seed is not None)
    remark = "" if has_failed else _miscounted(typed, count, has_ended=has_ended)
    if remark:
        click.echo(f"pitboss: {remark}", err=True)
    return transcript


def _miscounted(answers: Answers, count: int, *, has_ended: bool) -> str:
    """A sentence on answers that were not read, or on a last one typed again; empty where all fit.

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
        f"the last line of --answers, {last}, was typed {times} times, as long as the reference asked — if that is not "
        "meant, add the lines that end the session, or <eof>; an empty one is written as two commas at the end"
    )


def add_case(
    stage: Stage, case: str, transcript: Transcript, *, rules: tuple[str, ...] = (), exit_code: ExitCode = 0
) -> None:
    """Write a session into a stage's spec file as a further case, or as its first one; UsageError if it is empty."""
    if not transcript.events:
        raise UsageError("the reference shows nothing and asks for nothing — a case is what is seen")
    path = stage.spec.path
    text = with_new_case(path, case, transcript.events, rules=rules, exit_code=exit_code, program=stage.name)
    write_file(str(path), text)


def _played_case(stage: Stage, case: str | None, seed: int | None, terminal: Terminal) -> tuple[str, Transcript]:
    """A case that a person plays here, and its name, asked for beforehand: no session is lost for want of one."""
    if stage.reader:
        raise UsageError(f"{stage.name}: what it draws is read back, so a session of it cannot be played again")
    names = [one.name for one in stage.spec.cases]
    if case is None and not sys.stdin.isatty():
        raise UsageError("the session is kept as a case: give it a name, as in --case 'a first session'")
    if case in names:
        raise UsageError(f"{stage.spec.path}: there is a case {case!r} already — choose another name")
    while case is None or case in names:
        if case is not None:
            click.echo(f"there is a case {case!r} already", err=True)
        case = click.prompt("a name for the case that is played now", err=True).strip() or None
    return case, played(expected_run_here(stage), terminal, () if seed is None else (str(seed).encode(),))


def _refresh(stages: tuple[Stage, ...], case: str | None) -> int:
    if case is not None and not any(case == one.name for stage in stages for one in stage.spec.cases):
        names = ", ".join(stage.name for stage in stages)
        hint = near(case, [one.name for stage in stages for one in stage.spec.cases])
        raise UsageError(f"there is no case {case!r} in {names}; to add one, give --play, --seed or --answers{hint}")
    if case is not None and not any(_is_recorded(stage, case) for stage in stages):
        raise UsageError(f"{case!r} is no recorded case: what is expected in it is computed each time")
    changed = 0
    for stage in stages:
        expected_run = expected_run_here(stage)
        for one in stage.spec.cases:
            if isinstance(one.session, Recorded) and case in (None, one.name):
                now = retold(
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
