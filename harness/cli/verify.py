"""`pitboss verify`: the specs of an assignment against its reference, and against its known mistakes."""

from __future__ import annotations

from collections.abc import Sequence

import click
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from harness.assignments.assignment import Answers, Assignment, Generated, Stage
from harness.assignments.players import input_script_of
from harness.assignments.recording import case_text, recorded_as_it_is, with_new_case
from harness.assignments.specfile import assignments_in
from harness.authoring.free_texts import idle_free_texts
from harness.authoring.verification import problems_of
from harness.cli.mutants import mutants_get_through
from harness.cli.options import assignment_option, loaded, spec_folders, stages_named, write_file
from harness.mistakes.matrix import Catch, catcher_of, catches_of, idle_cases
from harness.running.drivers import expected_run_here


@click.command()
@click.argument("stages", nargs=-1, metavar="[STAGE]...")
@assignment_option
@click.option("--matrix", is_flag=True, help="Show which cases catch which mistake.")
@click.option("--mutants", is_flag=True, help="Try mechanical changes of the reference instead of known mistakes.")
@click.option("--grow", is_flag=True, help="Add a case for each mistake, or mutant, that no case catches.")
@click.option("--jobs", "-j", type=click.IntRange(1, 256), help="For mutants: how many cores to use; all by default.")
def verify(stages: tuple[str, ...], name: str | None, matrix: bool, mutants: bool, grow: bool, jobs: int | None) -> int:
    """Check the specs: recorded cases are what the reference does, and every known mistake is caught.

    Those of the assignment named, or of all where neither one nor a stage is named. With --mutants, the reference is
    changed mechanically, one thing at a time, and every such mutant must be caught or listed in mutants.yaml.
    """
    names = assignments_in(spec_folders()) if name is None and not stages else [name]
    assignments = [loaded(one, stages) for one in names]
    if mutants:
        return 1 if mutants_get_through(assignments, stages, grows=grow, jobs=jobs, is_drifted=_is_drifted) else 0
    failed = [_verified(one, stages, shows=matrix, grows=grow) for one in assignments]
    return 1 if any(failed) else 0


def _verified(assignment: Assignment, stages: tuple[str, ...], *, shows: bool, grows: bool) -> bool:
    chosen = stages_named(assignment, stages)
    is_drifted = _is_drifted(assignment, chosen)
    survivors = [_caught(assignment, stage, shows=shows, grows=grows) for stage in chosen if stage.mistakes]
    return is_drifted or any(survivors)


def _is_drifted(assignment: Assignment, chosen: Sequence[Stage]) -> bool:
    """Print the problems of the stages' specs; returns whether there are any."""
    problems = [problem for stage in chosen for problem in problems_of(stage, assignment.name)]
    problems += idle_free_texts(assignment.stages)
    for problem in problems:
        click.echo(problem)
    if not problems:
        click.echo(f"{assignment.name}: {recorded_as_it_is(chosen)}")
    return bool(problems)


def _caught(assignment: Assignment, stage: Stage, *, shows: bool, grows: bool) -> bool:
    catches = catches_of(assignment, stage)
    if not catches:
        return False
    survivors = [catch for catch in catches if catch.is_survivor]
    visible = [catch for catch in catches if not catch.mistake.invisible]
    counted = f"{len(visible) - len(survivors)} of {len(visible)}"
    click.echo(f"{assignment.name} {stage.name}: {counted} known mistakes are caught")
    if shows:
        Console().print(_table(stage, catches))
    for catch in catches:
        if catch.mistake.invisible and catch.cases:
            click.echo(f"  {catch.mistake.id}: it is said to be invisible, and {catch.cases[0]!r} catches it")
        elif catch.mistake.invisible and shows:
            click.echo(f"  {catch.mistake.id}: not held against the spec: {catch.mistake.invisible}")
    for case in idle_cases(stage, catches) if catches else ():
        click.echo(f"  case {case!r} catches no known mistake")
    for catch in survivors:
        _told(assignment, stage, catch, grows=grows)
    return bool(survivors)


def _table(stage: Stage, catches: Sequence[Catch]) -> Table:
    """A row for each mistake, a column for each case that is held."""
    cases = list(dict.fromkeys(name for catch in catches for name in catch.cases))
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, title=stage.name)
    table.add_column("mistake")
    table.add_column("cases that catch it, by number", overflow="fold")
    for catch in catches:
        numbers = [str(cases.index(name) + 1) for name in catch.cases]
        table.add_row(catch.mistake.id, " ".join(numbers) or "none")
    table.caption = "\n".join(f"{number} {name}" for number, name in enumerate(cases, 1))
    return table


def _told(assignment: Assignment, stage: Stage, catch: Catch, *, grows: bool) -> None:
    """What would catch a mistake that gets through, ready to paste, or added."""
    mistake = catch.mistake
    click.echo(f"  {mistake.id} ({mistake.title}) gets through")
    catcher = None if stage.reader else catcher_of(assignment, stage, mistake)
    if catcher is None:
        click.echo("  and no player of the assignment shows it: give one that does, or say why it is invisible")
        return
    game = Generated((catcher.seed,), Answers(catcher.lines))
    told = expected_run_here(stage)(input_script_of(game, catcher.seed, str(stage.spec.path)))
    case = f"catches {mistake.title}"
    if grows:
        write_file(str(stage.spec.path), with_new_case(stage.spec.path, case, told.events))
        click.echo(f"  {stage.spec.path}: added {case!r}")
    else:
        click.echo(case_text(case, told.events))
