"""`pitboss play`, `pitboss record` and `pitboss verify`: for those who write references and specs."""

from __future__ import annotations

import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import click
import msgspec

from harness.assignments.answers import answers_in
from harness.assignments.assignment import Answers, Generated, Recorded, Stage
from harness.assignments.authored import call_live
from harness.assignments.functions import resolved
from harness.assignments.json_schema import schema_files
from harness.assignments.options import accepted_by, own_keywords
from harness.assignments.players import input_script_of
from harness.assignments.recording import recorded_as_it_is, with_new_case, with_transcript
from harness.authoring.verification import is_the_same, retold
from harness.cli.options import ANSWERS_RULE, Seed, assignment_option, loaded, stages_named
from harness.errors import UsageError
from harness.machine import files, scratch
from harness.running.drivers import expected_run_here
from harness.running.executables import program_of
from harness.running.references import checked_run, exit_code_of
from harness.running.textfiles import bound, texts_of
from harness.transcripts.invocation import Invocation

#: The most bytes of a file that are shown.
_MOST_SHOWN = 1 << 20


class LiveConsole:
    """The console of a person who plays the reference here; the seed may be typed for them."""

    def __init__(self, seed: int | None, *, has_pauses: bool) -> None:
        """Type this seed first, if there is one."""
        self._seed, self._has_pauses = seed, has_pauses

    def write(self, text: str) -> None:
        """Show text."""
        sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape"))
        sys.stdout.buffer.flush()

    def read_line(self) -> str | None:
        """The next line."""
        if self._seed is not None:
            line, self._seed = str(self._seed), None
            self.write(f"{line}\n")
            return line
        raw = sys.stdin.buffer.readline()
        return raw.removesuffix(b"\n").decode("utf-8", "surrogateescape") if raw else None

    def write_error(self, text: str) -> None:
        """Write to the standard error."""
        sys.stderr.buffer.write(text.encode("utf-8", "surrogateescape"))
        sys.stderr.buffer.flush()

    def pause(self, seconds: float) -> None:
        """Wait."""
        if self._has_pauses:
            time.sleep(seconds)


@click.command()
@click.argument("stage")
@click.argument("arguments", nargs=-1, metavar="[-- ARGUMENT...]")
@assignment_option
@click.option("--seed", type=Seed(), help="The seed, typed for you.")
@click.option("--no-pause", is_flag=True, help="Leave the pauses out.")
def play(stage: str, arguments: tuple[str, ...], name: str | None, seed: int | None, no_pause: bool) -> int:
    """Play the reference of a stage, in a new folder with the stage's files if it has any."""
    assignment = loaded(name, (stage,))
    (chosen,) = stages_named(assignment, (stage,))
    if seed is not None and not assignment.is_seeded:
        raise UsageError(f"--seed: {assignment.name} is not seeded")
    invocation = chosen.invocation
    if arguments and invocation.arguments is None:
        raise UsageError(f"{stage}: no case of this stage has arguments, so its reference takes none")
    invocation = msgspec.structs.replace(invocation, arguments=arguments if invocation.arguments is not None else None)
    if chosen.reference.command:
        return _played((*program_of(chosen, chosen.reference.command).argv, *arguments), invocation)
    what = f"the reference of {stage!r}"
    main = resolved(chosen.reference.function, what)
    main = partial(main, **accepted_by(main, own_keywords(chosen.options)))
    texts = texts_of(invocation)
    try:
        console = LiveConsole(seed, has_pauses=not no_pause)
        code = exit_code_of(call_live(what, bound(main, invocation, texts), console), what)
    except KeyboardInterrupt:
        raise click.Abort from None
    for one in invocation.outputs:
        if one.name in texts:
            _show_file(one.name, str(texts[one.name]).encode("utf-8", "surrogateescape"))
    return code


def _played(argv: tuple[str, ...], invocation: Invocation) -> int:
    try:
        if invocation.files is None:
            return subprocess.call(argv)
        with scratch.folder("session") as folder:
            files.put(folder, [(one.name, one.content) for one in invocation.files])
            code = subprocess.call(argv, cwd=folder)
            names = [one.name for one in invocation.outputs]
            for name, kind, content in files.left_in(folder, names, _MOST_SHOWN):
                if kind == files.REGULAR:
                    _show_file(name, content)
            return code
    except OSError as error:
        raise UsageError(f"{argv[0]}: the reference cannot be started: {error.strerror}") from error


def _show_file(name: str, content: bytes) -> None:
    """Show what the reference has written to a file, after its session."""
    click.echo(f"pitboss: it wrote {name}:", err=True)
    sys.stderr.buffer.write(content)
    sys.stderr.buffer.flush()


@click.command()
@click.argument("stages", nargs=-1, metavar="[STAGE]...")
@assignment_option
@click.option("--case", "case", metavar="NAME", help="Record only this case; with --seed, add it if it is new.")
@click.option("--seed", type=Seed(), help="The seed of a new case.")
@click.option("--answers", default="", metavar="LINES", help=f"The lines of a new case. {ANSWERS_RULE}")
@click.option("--rule", "rules", multiple=True, metavar="TEXT", help="A rule a new case exercises. May be repeated.")
def record(
    stages: tuple[str, ...], name: str | None, case: str | None, seed: int | None, answers: str, rules: tuple[str, ...]
) -> int:
    """Write what the reference does into recorded cases: those that drifted, or a new one."""
    assignment = loaded(name, stages)
    chosen = stages_named(assignment, stages)
    if seed is None and not (answers and not assignment.is_seeded):
        return _refresh(chosen, case)
    if len(chosen) != 1 or not case:
        raise UsageError("a new case needs one stage and a name: pitboss record play --case NAME --seed 7 --answers hs")
    (stage,) = chosen
    game = Generated((seed,), Answers(tuple(line.encode() for line in answers_in(answers))))
    transcript = checked_run(
        expected_run_here(stage)(input_script_of(game, seed, str(stage.spec.path))), 0, str(stage.spec.path)
    )
    _write(stage.spec.path, with_new_case(stage.spec.path, case, transcript.events, rules=rules))
    click.echo(f"{stage.spec.path}: added {case!r}")
    return 0


def _refresh(stages: tuple[Stage, ...], case: str | None) -> int:
    if case is not None and not any(case == one.name for stage in stages for one in stage.spec.cases):
        names = ", ".join(stage.name for stage in stages)
        raise UsageError(f"there is no case {case!r} in {names}; to add one, give --seed or --answers")
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
                    _write(stage.spec.path, with_transcript(stage.spec.path, one.name, now.events))
                    click.echo(f"{stage.spec.path}: recorded {one.name!r}")
                    changed += 1
    count = "1 recorded case" if changed == 1 else f"{changed} recorded cases"
    click.echo(f"{count} changed" if changed else recorded_as_it_is(stages, case))
    return 0


def _is_recorded(stage: Stage, name: str) -> bool:
    return any(one.name == name and isinstance(one.session, Recorded) for one in stage.spec.cases)


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path}: the file cannot be written: {error.strerror}") from error


@click.command()
@click.argument("folder", type=click.Path(path_type=Path), metavar="DIR")
def schema(folder: Path) -> int:
    """Write the JSON Schemas of both kinds of file into DIR, for editors."""
    for name, text in schema_files().items():
        _write(folder / name, text)
    return 0
