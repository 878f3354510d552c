"""`pitboss verify`: checks the specs of an assignment against its reference and its known mistakes."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence

import click
from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from pitboss.assignments.assignment import Assignment, Generated, Stage
from pitboss.assignments.keys import SCHEMA_FOLDER, schema_files
from pitboss.assignments.players import input_script_of
from pitboss.assignments.recording import case_text, recorded_cases_sentence
from pitboss.assignments.specfile import assignments_in
from pitboss.assignments.wordfile import MISTAKE_FILE
from pitboss.cli.common_options import WholeNumber, assignment_option, spec_folders, write_file
from pitboss.cli.completing import stage_names
from pitboss.cli.consoles import report_console
from pitboss.cli.record import add_case
from pitboss.cli.resolving import require_reference, resolve_assignment, select_stages, skip_message
from pitboss.errors import HarnessError, UsageError
from pitboss.experiments.catalogue import removed_function_sentences
from pitboss.experiments.matrix import Catch, catcher_of, catches_of, idle_cases
from pitboss.experiments.mutants.session_search import with_seed
from pitboss.kits.coverage import Gap, gaps_of, unused_text_sentences
from pitboss.kits.doubts import doubts_of, missing_locale_sentences
from pitboss.kits.verification import draws_summary, ignored_draws_sentences, problems_of
from pitboss.sessions.drivers import expected_run_here

#: The maximum number of proposed seeds that are listed.
_MAX_GAPS = 5


@click.command()
@click.argument("stages", nargs=-1, metavar="[STAGE]...", shell_complete=stage_names)
@assignment_option
@click.option("--matrix", is_flag=True, help="Show which cases catch which mistake.")
@click.option("--mutants", is_flag=True, help="Try mechanical changes of the reference instead of known mistakes.")
@click.option(
    "--grow",
    is_flag=True,
    help="Add a case for each mistake or mutant that no case catches, and add the proposed seeds.",
)
@click.option(
    "--at-most",
    metavar="COUNT",
    type=WholeNumber(1, 100_000),
    help="For mutants of a command: how many changes of its source to try (default: 200).",
)
@click.option("--jobs", "-j", type=WholeNumber(1, 256), help="For mutants: how many cores to use (default: all).")
def verify(
    stages: tuple[str, ...],
    name: str | None,
    matrix: bool,
    mutants: bool,
    grow: bool,
    at_most: int | None,
    jobs: int | None,
) -> int:
    """Check the specs against the reference and known mistakes.

    Recorded cases must match the reference, and every known mistake must be caught. Seeds with output that no case has
    are proposed. Without an assignment or a stage, checks all assignments in ./specs, or pitboss's own if it has none.
    With --mutants, the reference is changed mechanically, one thing at a time; every such mutant must be caught or
    listed in mutants.yaml. The reference must be a function, or a source that can be built.
    """
    if matrix and mutants:
        raise UsageError("--matrix and --mutants exclude each other: the matrix shows known mistakes")
    if at_most is not None and not mutants:
        raise UsageError("--at-most is for --mutants: it limits how many changes of a command's source are tried")
    verifies_all = name is None and not stages
    assignments, has_unloadable = _load_all() if verifies_all else ([_load(name, stages)], False)
    if mutants:
        # Imported here, since the import is slow.
        from pitboss.cli.mutants import try_mutants

        problem_flags = [
            try_mutants(
                assignments,
                stages,
                grows=grow,
                jobs=jobs,
                print_spec_problems=_print_spec_problems,
                max_changes=at_most,
            )
        ]
    else:
        problem_flags = [_verify(assignment, stages, shows_matrix=matrix, grows=grow) for assignment in assignments]
    return 2 if has_unloadable else int(any(problem_flags))


def _load(name: str | None, stages: tuple[str, ...] = ()) -> Assignment:
    assignment = resolve_assignment(name, stages)
    require_reference(assignment, "verify")
    return assignment


def _load_all() -> tuple[list[Assignment], bool]:
    """Returns the assignments that can be loaded, and whether any cannot be loaded; prints why.

    The assignments that come with pitboss take minutes to verify, so they are loaded only if the user has none.
    """
    *own_folders, shipped_folder = spec_folders()
    loaded, has_unloadable = [], False
    for name in assignments_in(tuple(own_folders)) or assignments_in((shipped_folder,)):
        try:
            loaded.append(_load(name))
        except HarnessError as error:
            click.echo(skip_message(name, error), err=True)
            has_unloadable = True
    return loaded, has_unloadable


def _verify(assignment: Assignment, stages: tuple[str, ...], *, shows_matrix: bool, grows: bool) -> bool:
    """Verify stages of an assignment and print the problems; returns whether there are any."""
    _check_schemas(assignment)
    selected = select_stages(assignment, stages)
    # With `|`, unlike `or`, both are called, and so the problems of both kinds are printed.
    has_problems = _print_spec_problems(assignment, selected) | _print_mistake_problems(assignment, selected)
    uncaught_flags = [_print_uncaught(assignment, stage, shows_matrix=shows_matrix, grows=grows) for stage in selected]
    for stage in selected if not has_problems else ():
        _propose_seeds(assignment, stage, grows=grows)
    return has_problems or any(uncaught_flags)


def _check_schemas(assignment: Assignment) -> None:
    """Warn if an assignment's schemas for editors are from another version of pitboss."""
    folder = assignment.folder / SCHEMA_FOLDER
    files = {name: text for name, text in schema_files().items() if os.path.isfile(folder / name)}
    if any((folder / name).read_bytes() != text.encode() for name, text in files.items()):
        names = " ".join(name.partition(".")[0] for name in files)
        click.echo(
            f"pitboss: {folder}: another version of pitboss wrote these schemas, so an editor may mark correct files "
            f"as wrong — write them again: pitboss schema {shlex.quote(str(folder))} {names}",
            err=True,
        )


def _print_spec_problems(assignment: Assignment, selected: Sequence[Stage]) -> bool:
    """Print the problems of the stages' specs; returns whether there are any."""
    problems = [problem for stage in selected for problem in problems_of(stage, assignment.name)]
    problems += [doubt for stage in selected for doubt in doubts_of(stage)]
    problems += missing_locale_sentences(selected)
    never_shown, warnings = unused_text_sentences(assignment.stages)
    problems += never_shown
    for sentence in (*problems, *warnings, *removed_function_sentences(assignment.stages)):
        click.echo(sentence)
    if not problems:
        click.echo(f"{assignment.name}: {recorded_cases_sentence(selected)}{draws_summary(selected)}")
    return bool(problems)


def _print_mistake_problems(assignment: Assignment, selected: Sequence[Stage]) -> bool:
    """Print the problems of known mistakes that are folders with a program or a patch; returns whether any exist."""
    if not any(stage.mistake_folders for stage in assignment.stages):
        return False
    # Imported here, since the import is slow.
    from pitboss.experiments.programs.mistake_programs import unused_folder_sentences

    problems = [
        *unused_folder_sentences(assignment.stages),
        *(problem for stage in selected for problem in ignored_draws_sentences(stage)),
    ]
    for problem in problems:
        click.echo(problem)
    return bool(problems)


def _print_uncaught(assignment: Assignment, stage: Stage, *, shows_matrix: bool, grows: bool) -> bool:
    """Print how many known mistakes are caught, and which are not; returns whether any is not caught.

    A mistake that is declared invisible, with the reason why no session can show it, does not count.
    """
    catches = catches_of(assignment, stage) if stage.mistakes or stage.mistake_folders else []
    if not catches:
        return False
    survivors = [catch for catch in catches if catch.is_survivor]
    visible = [catch for catch in catches if not catch.mistake.invisible]
    count = f"{len(visible) - len(survivors)} of {len(visible)}"
    click.echo(f"{assignment.name} {stage.name}: {count} known mistakes are caught")
    if shows_matrix:
        report_console().print(_table(stage, catches))
    for catch in catches:
        if catch.mistake.invisible and catch.cases:
            click.echo(f"  {catch.mistake.id}: declared invisible, but {catch.cases[0]!r} catches it")
        elif catch.mistake.invisible and shows_matrix:
            click.echo(f"  {catch.mistake.id}: declared invisible, and not counted: {catch.mistake.invisible}")
    for case in idle_cases(stage, catches):
        click.echo(f"  case {case!r} catches no known mistake")
    for catch in survivors:
        _propose_case(assignment, stage, catch, grows=grows)
    return bool(survivors)


def _propose_seeds(assignment: Assignment, stage: Stage, *, grows: bool) -> None:
    """Print seeds whose sessions show new output, or add them if `grows`; a spec without them still passes `verify`."""
    gaps = gaps_of(stage)
    if not gaps:
        return
    seeds = f"{len(gaps)} more seeds show" if len(gaps) > 1 else "one more seed shows"
    click.echo(
        f"{assignment.name} {stage.name}: {seeds} output that no case has{'' if grows else '; --grow adds them'}"
    )
    for gap in gaps if grows else gaps[:_MAX_GAPS]:
        outcome = _add_seed(stage, gap) if grows else ""
        click.echo(f"  seed {gap.seed} of {gap.case!r}{outcome}: {_gap_text(gap)}")
    if len(gaps) > _MAX_GAPS and not grows:
        click.echo(f"  … and {len(gaps) - _MAX_GAPS} more")


def _add_seed(stage: Stage, gap: Gap) -> str:
    """Add a seed to its case, if the case has its seeds on one line; returns the outcome as part of a sentence."""
    text = with_seed(stage.spec.path, gap.case, gap.seed)
    if text is None:
        return ", not added: write the seeds of the case on one line"
    write_file(str(stage.spec.path), text)
    return ", added"


def _gap_text(gap: Gap) -> str:
    """Returns the first passage of the seed's session that no case shows, and how many further passages there are."""
    passage, further_count = gap.passages[0], len(gap.passages) - 1
    text = f"“{passage.line}”"
    if passage.next_line:
        text += f" and then “{passage.next_line}”"
    elif passage.times > 1:
        text += f" {passage.times} times in a row"
    return text + (f", and {further_count} more" if further_count else "")


def _table(stage: Stage, catches: Sequence[Catch]) -> Table:
    """Returns a table with a row for each mistake and the numbers of the cases that catch it."""
    cases = list(dict.fromkeys(name for catch in catches for name in catch.cases))
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, title=Text(stage.name))
    table.add_column("mistake")
    table.add_column("cases that catch it, by number", overflow="fold")
    for catch in catches:
        numbers = [str(cases.index(name) + 1) for name in catch.cases]
        table.add_row(Text(catch.mistake.id), " ".join(numbers) or "none")
    table.caption = Text("\n".join(f"{number} {name}" for number, name in enumerate(cases, 1)))
    return table


def _propose_case(assignment: Assignment, stage: Stage, catch: Catch, *, grows: bool) -> None:
    """Report an uncaught mistake, and print a case that would catch the mistake, or add the case if `grows`."""
    mistake = catch.mistake
    click.echo(f"  {mistake.id} ({mistake.title}) is not caught")
    mistake_folder = next((entry for entry in stage.mistake_folders if entry.words.id == mistake.id), None)
    if mistake_folder is not None and len(mistake_folder.stages) > 1:
        stages = ", ".join(name for name in mistake_folder.stages if name != stage.name)
        file = mistake_folder.folder / MISTAKE_FILE
        click.echo(
            f"  if this mistake does not concern {stage.name}, list the other stages in {file}: stages: [{stages}]"
        )
    catcher = None if stage.reader else catcher_of(assignment, stage, mistake)
    if catcher is None:
        remedy = (
            "no player of the assignment shows this mistake: give a player that does"
            if stage.reader
            else "no input of the assignment's cases and players shows this mistake: record a case that does "
            f"(pitboss record {stage.name} --assignment {assignment.name} --play)"
        )
        click.echo(f"  and {remedy}, or say why the mistake is invisible")
        return
    generated = Generated((catcher.seed,), catcher.answers)
    transcript = expected_run_here(stage)(input_script_of(generated, catcher.seed, str(stage.spec.path)))
    case = f"catches {mistake.title}"
    exit_code = transcript.ending.exit_code
    if grows:
        add_case(stage, case, transcript, exit_code=exit_code)
        click.echo(f"  {stage.spec.path}: added {case!r}")
    else:
        click.echo(case_text(case, transcript.events, exit_code=exit_code))
