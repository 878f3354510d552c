"""`pitboss verify --mutants`: tests the specs with mechanical changes of the references."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial

import click
from rich.box import SIMPLE_HEAD
from rich.status import Status
from rich.table import Table
from rich.text import Text

from pitboss.assignments.assignment import Assignment, Stage
from pitboss.assignments.recording import case_text
from pitboss.assignments.specfile import load_assignment
from pitboss.cli.common_options import write_file
from pitboss.cli.consoles import error_console, report_console
from pitboss.cli.prompts import stages_named
from pitboss.experiments.mutants.mutant_list import MutantList, file_of, load_listed
from pitboss.experiments.mutants.outputs import OutputTrial
from pitboss.experiments.mutants.program_mutants import MOST, ProgramTrial
from pitboss.experiments.mutants.session_search import Found, case_name, fewest, grown, smallest_for
from pitboss.experiments.mutants.stages import Summary, Untested, sessions_for, summaries_of
from pitboss.experiments.mutants.trial import ExclusionReason, MutantResult
from pitboss.experiments.programs.reference_sources import Lack

#: Why the logic of a command was not tested, with a detail such as the program that the command runs.
_UNTESTED = {
    Lack.ELSEWHERE: "{} is not in the assignment's folder, where its source would be looked for",
    Lack.NO_SOURCE: "there is no source beside {}",
    Lack.NOT_BUILT: "its source cannot be built: {}",
    Lack.DIFFERS: (
        "its source, built and run as a submission is, does something else in {} — is the reference older, or does it "
        "need files that no submission may read?"
    ),
}
#: Why mutants of a program are left out.
_LEFT_OUT = {
    ExclusionReason.NOT_BUILT: "{:,} that the compiler refuses",
    ExclusionReason.EQUAL: "{:,} without effect on the compiled program",
    ExclusionReason.TWICE: "{:,} the same as another",
}


def try_mutants(
    assignments: Sequence[Assignment],
    names: tuple[str, ...],
    *,
    grows: bool,
    jobs: int | None,
    is_drifted: Callable[[Assignment, Sequence[Stage]], bool],
    most: int | None = None,
) -> bool:
    """Try the mutants of these assignments' stages; returns whether there is a problem, such as an uncaught mutant.

    `most`: the maximum number of changes of a command's source that are tried.
    """
    summaries: list[tuple[str, Summary]] = []
    failed = False
    for assignment in assignments:
        selected = stages_named(assignment, names)
        failed |= is_drifted(assignment, selected)
        listed = load_listed(assignment)
        results: list[Summary | Untested] = []
        for stage in selected:
            for summary in _run_mutants(assignment, stage, listed, jobs, MOST if most is None else most):
                results.append(summary)
                click.echo(_sentence(assignment, summary))
                if isinstance(summary, Summary) and not summary.is_clean:
                    failed = True
                    _print_uncaught(assignment, summary, grows=grows)
        tested = [result for result in results if isinstance(result, Summary)]
        untested = {result.stage.name for result in results if isinstance(result, Untested)}
        problems = _problems_in(listed, tested, untested)
        for problem in problems:
            click.echo(problem)
        failed |= bool(problems)
        summaries += [(assignment.name, summary) for summary in tested]
    if len({(name, summary.stage.name) for name, summary in summaries}) > 1:
        report_console().print(_table(summaries))
    return failed


def _run_mutants(
    assignment: Assignment, stage: Stage, listed: MutantList, jobs: int | None, most: int
) -> Iterator[Summary | Untested]:
    """Yields summaries of a stage's mutants, one kind after another, and shows the progress."""
    title = f"{assignment.name} {stage.name}"
    status = error_console().status(Text(f"{title}: trying mutants"))
    kinds = summaries_of(assignment, stage, listed, jobs, partial(_progress, status, title), most)
    while True:
        with status:
            summary = next(kinds, None)
        if summary is None:
            return
        yield summary


def _problems_in(listed: MutantList, summaries: Sequence[Summary], untested: Collection[str]) -> list[str]:
    """Returns the problems of the file of mutants, except for untested stages."""
    tried: dict[str, list[MutantResult]] = {}
    unreached: dict[str, list[str]] = {}
    others: dict[str, list[str]] = {}
    for summary in summaries:
        if summary.stage.name not in untested:
            tried.setdefault(summary.stage.name, []).extend(summary.tried)
            unreached.setdefault(summary.stage.name, []).extend(summary.unreached)
            others.setdefault(summary.stage.name, []).extend(summary.ids_without_result)
    return listed.problems(tried, unreached, others)


def _progress(status: Status, title: str, tried: int, count: int) -> None:
    status.update(Text(f"{title}: {tried:,} of {count:,} mutants tried"))


def _sentence(assignment: Assignment, summary: Summary | Untested) -> str:
    title = f"{assignment.name} {summary.stage.name}"
    if isinstance(summary, Untested):
        return f"{title}: its logic was not tested: {_UNTESTED[summary.why.lack].format(summary.why.detail)}"
    left_out = _left_out(summary)
    counts = f"{summary.caught:,} caught, {summary.equivalent:,} equivalent, {len(summary.survivors):,} not caught"
    return f"{title}: {_mutant_count(summary)}: {counts}{left_out} ({summary.seconds:.1f} s)"


def _mutant_count(summary: Summary) -> str:
    """Returns the number of mutants as text; for a program the number of changes, since some make no mutant."""
    if isinstance(summary.trial, ProgramTrial):
        count = len(summary.tried) + len(summary.left_out)
        total = count + len(summary.not_tried)
        tried = f"{count:,} of {total:,} changes of its program were tried" if summary.not_tried else ""
        return tried or f"{count:,} changes of its program"
    of_output = " of its output" if isinstance(summary.trial, OutputTrial) else ""
    return f"{len(summary.tried):,} mutants{of_output}"


def _left_out(summary: Summary) -> str:
    reasons = [text.format(count) for why, text in _LEFT_OUT.items() if (count := summary.count_of(why))]
    return f"; left out: {', '.join(reasons)}" if reasons else ""


def _print_uncaught(assignment: Assignment, summary: Summary, *, grows: bool) -> None:
    """Print uncaught mutants and lines that no session runs; print or add cases that would change that."""
    if isinstance(summary.trial, ProgramTrial):
        _print_changes(assignment, summary, summary.trial)
        return
    with error_console().status(Text(f"{assignment.name} {summary.stage.name}: looking for sessions")):
        sessions, count = sessions_for(summary)
    smallest = smallest_for(sessions)
    case_for = {line: session for session in reversed(sessions) for line in session.lines}
    if grows and sessions:
        _grow(assignment, summary.stage, fewest(sessions))
    advice = f"{_search_note(count)}; fix the spec, or give the reason in {file_of(assignment)}:"
    _print_list(f"  not caught{advice}", [id_ for id_ in summary.survivors if id_ not in smallest])
    _print_list(f"  run by no session{advice}", [line for line in summary.unlisted if line not in case_for])
    if not grows:
        _propose("not caught; this case would catch it", {id_: smallest.get(id_) for id_ in summary.survivors})
        _propose("run by no session; this case would run it", {line: case_for.get(line) for line in summary.unlisted})


def _print_changes(assignment: Assignment, summary: Summary, trial: ProgramTrial) -> None:
    """Print the changes of a program that no session catches, by file and line, and how to add a case that does."""
    command = f"pitboss record {summary.stage.name} --assignment {shlex.quote(assignment.name)} --play"
    # A recording without a seed is only read back; it judges no program.
    add = "add a case that shows them" if summary.stage.reader else f"record sessions that show them ({command})"
    click.echo(f"  not caught; {add}, or explain in {file_of(assignment)} why none can:")
    last_location = ""
    for change in trial.changes_called(summary.survivors):
        location = f"{assignment.folder / change.file}:{change.line}"
        if location != last_location:
            click.echo(f"    {location}")
        last_location = location
        click.echo(f"      {change.id}")


def _search_note(count: int) -> str:
    return f", and none of {count:,} further sessions shows it" if count else ""


def _print_list(title: str, ids: Sequence[str]) -> None:
    if ids:
        click.echo("\n".join((title, *(f"    {id_}" for id_ in ids))))


def _propose(remedy: str, sessions: Mapping[str, Found | None]) -> None:
    """Print the cases that would catch these mutants, or run these lines; each case once."""
    by_case: dict[str, list[str]] = {}
    for id_, session in sessions.items():
        if session is not None:
            exit_code = session.expected.ending.exit_code or 0
            case = case_text(case_name(session, ()), session.expected.events, exit_code=exit_code)
            by_case.setdefault(case, []).append(id_)
    for case, ids in by_case.items():
        _print_list(f"  {remedy}:", ids)
        click.echo(case)


def _grow(assignment: Assignment, stage: Stage, sessions: Sequence[Found]) -> None:
    """Add these sessions to the spec file of a stage."""
    path = stage.spec.path
    for session in sessions:
        current = load_assignment(assignment.folder).stage(stage.name)
        assert current is not None
        text, added = grown(path, session, case_name(session, [case.name for case in current.spec.cases]))
        write_file(str(path), text)
        click.echo(f"  {path}: added {added}")


def _table(summaries: Sequence[tuple[str, Summary]]) -> Table:
    """Returns a table with a row for each stage, and the sums."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, show_footer=True)
    rows = [
        (
            len(summary.tried),
            summary.caught,
            summary.equivalent,
            len(summary.survivors),
            len(summary.unlisted),
            summary.seconds,
        )
        for _, summary in summaries
    ]
    sums = [sum(row[column] for row in rows) for column in range(6)]
    titles = ("mutants", "caught", "equivalent", "not caught", "lines not run", "seconds")
    table.add_column("stage", footer="all")
    for title, total in zip(titles, sums, strict=True):
        table.add_column(title, footer=_figure(total), justify="right")
    for (name, summary), row in zip(summaries, rows, strict=True):
        kind = " (program)" if isinstance(summary.trial, ProgramTrial) else ""
        table.add_row(Text(f"{name} {summary.stage.name}{kind}"), *map(_figure, row))
    return table


def _figure(number: float) -> str:
    return f"{number:,}" if isinstance(number, int) else f"{number:.1f}"
