"""`pitboss verify --mutants`: tests the specs with mechanical changes of the references."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence

import click
from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from pitboss.assignments.assignment import Assignment, Stage
from pitboss.assignments.recording import case_text
from pitboss.assignments.specfile import load_assignment
from pitboss.cli.common_options import write_file
from pitboss.cli.consoles import error_console, report_console
from pitboss.cli.resolving import select_stages
from pitboss.experiments.mutants.mutant_list import ExclusionReason, MutantList, MutantResult, file_of, load_listed
from pitboss.experiments.mutants.session_search import (
    TriedSession,
    case_name,
    smallest_cover,
    smallest_for,
    spec_with_session,
)
from pitboss.experiments.mutants.source_mutants import DEFAULT_MAX_CHANGES, SourceMutants
from pitboss.experiments.mutants.stages import Summary, Untested, sessions_for, summary_of


def try_mutants(
    assignments: Sequence[Assignment],
    names: tuple[str, ...],
    *,
    grows: bool,
    jobs: int | None,
    print_spec_problems: Callable[[Assignment, Sequence[Stage]], bool],
    max_changes: int | None = None,
) -> bool:
    """Try the mutants of these assignments' stages; returns whether there is a problem, such as an uncaught mutant.

    `names`: the names of the stages, or none for all stages.
    `grows`: adds cases that catch uncaught mutants, instead of printing these cases.
    `print_spec_problems`: prints the problems of the stages' specs, and returns whether there are any.
    `max_changes`: the maximum number of changes of a command's source that are tried.
    """
    max_changes = DEFAULT_MAX_CHANGES if max_changes is None else max_changes
    # Pairs of an assignment's name and a summary.
    summaries: list[tuple[str, Summary]] = []
    has_problem = False
    for assignment in assignments:
        selected = select_stages(assignment, names)
        has_problem |= print_spec_problems(assignment, selected)
        mutant_list = load_listed(assignment)
        results: list[Summary | Untested] = []
        for stage in selected:
            summary = _run_mutants(assignment, stage, mutant_list, jobs, max_changes)
            results.append(summary)
            click.echo(_summary_sentence(assignment, summary))
            if isinstance(summary, Summary) and not summary.is_clean:
                has_problem = True
                _print_uncaught(assignment, summary, grows=grows)
        tested = [result for result in results if isinstance(result, Summary)]
        untested_stages = {result.stage.name for result in results if isinstance(result, Untested)}
        problems = _problems_in(mutant_list, tested, untested_stages)
        for problem in problems:
            click.echo(problem)
        has_problem |= bool(problems)
        summaries += [(assignment.name, summary) for summary in tested]
    if len({(name, summary.stage.name) for name, summary in summaries}) > 1:
        report_console().print(_table(summaries))
    return has_problem


def _run_mutants(
    assignment: Assignment, stage: Stage, mutant_list: MutantList, jobs: int | None, max_changes: int
) -> Summary | Untested:
    """Try the mutants of a stage, and show the progress meanwhile."""
    title = f"{assignment.name} {stage.name}"
    with error_console().status(Text(f"{title}: trying mutants")) as status:

        def show_progress(tried: int, count: int) -> None:
            status.update(Text(f"{title}: {tried:,} of {count:,} mutants tried"))

        return summary_of(assignment, stage, mutant_list, jobs, show_progress, max_changes)


def _problems_in(mutant_list: MutantList, summaries: Sequence[Summary], untested_stages: Collection[str]) -> list[str]:
    """Returns the problems of the mutant list, except in untested stages, whose mutants are not all known."""
    results: dict[str, list[MutantResult]] = {}
    unreached_lines: dict[str, list[str]] = {}
    ids_without_result: dict[str, list[str]] = {}
    for summary in summaries:
        if summary.stage.name not in untested_stages:
            results.setdefault(summary.stage.name, []).extend(summary.tried)
            unreached_lines.setdefault(summary.stage.name, []).extend(summary.unreached)
            ids_without_result.setdefault(summary.stage.name, []).extend(summary.ids_without_result)
    return mutant_list.problems(results, unreached_lines, ids_without_result)


def _summary_sentence(assignment: Assignment, summary: Summary | Untested) -> str:
    """Returns a sentence with the counts of a stage's mutants, or on why the stage's program was not mutated."""
    title = f"{assignment.name} {summary.stage.name}"
    if isinstance(summary, Untested):
        return f"{title}: no mutants of its program: {summary.reason}"
    count, untried_count = len(summary.tried) + len(summary.left_out), len(summary.trial.mutants.untried)
    total = f"{count:,} of {count + untried_count:,} mutants were tried" if untried_count else f"{count:,} mutants"
    survivor_count = len(summary.survivors)
    counts = f"{summary.caught_count:,} caught, {summary.equivalent_count:,} equivalent, {survivor_count:,} not caught"
    left_out_counts = Counter(mutant.exclusion for mutant in summary.left_out)
    left_out = ", ".join(f"{left_out_counts[why]:,} {why.value}" for why in ExclusionReason if left_out_counts[why])
    exclusions = f"; left out: {left_out}" if left_out else ""
    return f"{title}: {total}: {counts}{exclusions} ({summary.seconds:.1f} s)"


def _print_uncaught(assignment: Assignment, summary: Summary, *, grows: bool) -> None:
    """Print uncaught mutants, and lines that no session runs, with cases that would catch or run them.

    `grows`: adds these cases to the spec instead of printing them.
    """
    if isinstance(summary.trial.mutants, SourceMutants):
        _print_changes(assignment, summary)
        return
    with error_console().status(Text(f"{assignment.name} {summary.stage.name}: looking for sessions")):
        sessions, session_count = sessions_for(summary)
    session_by_mutant = smallest_for(sessions)
    # Reversed, so that the first session that runs a line is the one kept.
    session_by_line = {line: session for session in reversed(sessions) for line in session.lines}
    if grows and sessions:
        _add_cases(assignment, summary.stage, smallest_cover(sessions))
    search_note = f", and none of {session_count:,} further sessions shows it" if session_count else ""
    advice = f"{search_note}; fix the spec, or give the reason in {file_of(assignment)}:"
    _print_list(f"  not caught{advice}", [id_ for id_ in summary.survivors if id_ not in session_by_mutant])
    _print_list(
        f"  run by no session{advice}", [line for line in summary.unexplained_lines if line not in session_by_line]
    )
    if not grows:
        _print_cases(
            "not caught; this case would catch it", {id_: session_by_mutant.get(id_) for id_ in summary.survivors}
        )
        _print_cases(
            "run by no session; this case would run it",
            {line: session_by_line.get(line) for line in summary.unexplained_lines},
        )


def _print_changes(assignment: Assignment, summary: Summary) -> None:
    """Print the changes of a program that no session catches, by file and line, and how to add a case for them."""
    command = f"pitboss record {summary.stage.name} --assignment {shlex.quote(assignment.name)} --play"
    # In an unseeded stage, a recorded case is never run with the program under test, so it cannot catch a mutant.
    how_to_show = (
        "add a case that shows them" if summary.stage.reader else f"record sessions that show them ({command})"
    )
    click.echo(f"  not caught; {how_to_show}, or explain in {file_of(assignment)} why none can:")
    last_location = ""
    survivors = set(summary.survivors)
    for change in (change for change in summary.trial.mutants.changes if change.id in survivors):
        location = f"{assignment.folder / change.file}:{change.line}"
        if location != last_location:
            click.echo(f"    {location}")
        last_location = location
        click.echo(f"      {change.id}")


def _print_list(title: str, ids: Sequence[str]) -> None:
    if ids:
        click.echo("\n".join((title, *(f"    {id_}" for id_ in ids))))


def _print_cases(title: str, sessions: Mapping[str, TriedSession | None]) -> None:
    """Print the cases of these sessions, each case once, below the title and the ids of its mutants or lines.

    `sessions`: by the id of a mutant, or by a line; None if no session was found.
    """
    ids_by_case: dict[str, list[str]] = {}
    for id_, session in sessions.items():
        if session is not None:
            exit_code = session.expected.ending.exit_code or 0
            case = case_text(case_name(session, ()), session.expected.events, exit_code=exit_code)
            ids_by_case.setdefault(case, []).append(id_)
    for case, ids in ids_by_case.items():
        _print_list(f"  {title}:", ids)
        click.echo(case)


def _add_cases(assignment: Assignment, stage: Stage, sessions: Sequence[TriedSession]) -> None:
    path = stage.spec.path
    for session in sessions:
        current = load_assignment(assignment.folder).stage(stage.name)
        assert current is not None
        text, seed_or_case = spec_with_session(
            path, session, case_name(session, [case.name for case in current.spec.cases])
        )
        write_file(str(path), text)
        click.echo(f"  {path}: added {seed_or_case}")


def _table(summaries: Sequence[tuple[str, Summary]]) -> Table:
    """Returns a table with a row for each stage, and the sums."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, show_footer=True)
    columns: dict[str, list[float]] = {
        "mutants": [len(summary.tried) for _, summary in summaries],
        "caught": [summary.caught_count for _, summary in summaries],
        "equivalent": [summary.equivalent_count for _, summary in summaries],
        "not caught": [len(summary.survivors) for _, summary in summaries],
        "lines not run": [len(summary.unexplained_lines) for _, summary in summaries],
        "seconds": [summary.seconds for _, summary in summaries],
    }
    table.add_column("stage", footer="all")
    for title, numbers in columns.items():
        table.add_column(title, footer=_number_text(sum(numbers)), justify="right")
    for (name, summary), *row in zip(summaries, *columns.values(), strict=True):
        table.add_row(Text(f"{name} {summary.stage.name}"), *map(_number_text, row))
    return table


def _number_text(number: float) -> str:
    return f"{number:,}" if isinstance(number, int) else f"{number:.1f}"
