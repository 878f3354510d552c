"""`pitboss verify --mutants`: mechanical changes of the references against the specs, as a person reads it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import click
from rich.box import SIMPLE_HEAD
from rich.status import Status
from rich.table import Table
from rich.text import Text

from pitboss.assignments.assignment import Assignment, Stage
from pitboss.assignments.recording import case_text
from pitboss.assignments.specfile import load_assignment
from pitboss.cli.asked import stages_named
from pitboss.cli.consoles import error_console, report_console
from pitboss.cli.options import write_file
from pitboss.experiments.mutants.listed import file_of, load_listed
from pitboss.experiments.mutants.search import Found, case_name, fewest, grown, smallest_for
from pitboss.experiments.mutants.stages import Summary, sessions_for, summary_of


def mutants_get_through(
    assignments: Sequence[Assignment],
    names: tuple[str, ...],
    *,
    grows: bool,
    jobs: int | None,
    is_drifted: Callable[[Assignment, Sequence[Stage]], bool],
) -> bool:
    """Try the mutants of these assignments' stages; returns whether something is neither caught nor listed."""
    summaries: list[tuple[str, Summary]] = []
    failed = False
    for assignment in assignments:
        chosen = stages_named(assignment, names)
        failed |= is_drifted(assignment, chosen)
        listed = load_listed(assignment)
        found = []
        for stage in chosen:
            title = f"{assignment.name} {stage.name}"
            with error_console().status(Text(f"{title}: trying mutants")) as status:
                summary = summary_of(assignment, stage, listed, jobs, partial(_progress, status, title))
            found.append(summary)
            click.echo(_sentence(assignment, summary))
            if not summary.is_clean:
                failed = True
                _tell_open(assignment, summary, grows=grows)
        tried, unreached = ({one.stage.name: getattr(one, name) for one in found} for name in ("tried", "unreached"))
        problems = listed.problems(tried, unreached)
        for problem in problems:
            click.echo(problem)
        failed |= bool(problems)
        summaries += [(assignment.name, summary) for summary in found]
    if len(summaries) > 1:
        report_console().print(_table(summaries))
    return failed


def _progress(status: Status, title: str, tried: int, count: int) -> None:
    status.update(Text(f"{title}: {tried:,} of {count:,} mutants tried"))


def _sentence(assignment: Assignment, summary: Summary) -> str:
    count, through = len(summary.tried), len(summary.survivors)
    counts = f"{summary.caught:,} caught, {summary.equivalent:,} equivalent, {through:,} not caught"
    return f"{assignment.name} {summary.stage.name}: {count:,} mutants: {counts} ({summary.seconds:.1f} s)"


def _tell_open(assignment: Assignment, summary: Summary, *, grows: bool) -> None:
    """What no session shows, with the sessions that would, ready to paste or added."""
    with error_console().status(Text(f"{assignment.name} {summary.stage.name}: looking for sessions")):
        found, count = sessions_for(summary)
    smallest = smallest_for(found)
    shown = {line: one for one in reversed(found) for line in one.lines}
    if grows and found:
        _grow(assignment, summary.stage, fewest(found))
    mend = f"{_tried(count)}; mend the spec, or say why in {file_of(assignment)}:"
    _list(f"  not caught{mend}", [id_ for id_ in summary.survivors if id_ not in smallest])
    _list(f"  run by no session{mend}", [line for line in summary.unlisted if line not in shown])
    if not grows:
        _propose("not caught; this case would catch it", {id_: smallest.get(id_) for id_ in summary.survivors})
        _propose("run by no session; this case would run it", {line: shown.get(line) for line in summary.unlisted})


def _tried(count: int) -> str:
    return f", and none of {count:,} further sessions shows it" if count else ""


def _list(title: str, ids: Sequence[str]) -> None:
    if ids:
        click.echo("\n".join((title, *(f"    {id_}" for id_ in ids))))


def _propose(what: str, sessions: Mapping[str, Found | None]) -> None:
    """The cases that show what is open; of several with one case, that case once."""
    by_case: dict[str, list[str]] = {}
    for id_, found in sessions.items():
        if found is not None:
            exit_code = found.expected.ending.exit_code or 0
            case = case_text(case_name(found, ()), found.expected.events, exit_code=exit_code)
            by_case.setdefault(case, []).append(id_)
    for case, ids in by_case.items():
        _list(f"  {what}:", ids)
        click.echo(case)


def _grow(assignment: Assignment, stage: Stage, found: Sequence[Found]) -> None:
    """Add these sessions to the spec file of a stage."""
    path = stage.spec.path
    for one in found:
        now = load_assignment(assignment.folder).stage(stage.name)
        assert now is not None
        text, added = grown(path, one, case_name(one, [case.name for case in now.spec.cases]))
        write_file(str(path), text)
        click.echo(f"  {path}: added {added}")


def _table(summaries: Sequence[tuple[str, Summary]]) -> Table:
    """A row for each stage, and the sum of all."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, show_footer=True)
    rows = [
        (len(one.tried), one.caught, one.equivalent, len(one.survivors), len(one.unlisted), one.seconds)
        for _, one in summaries
    ]
    sums = [sum(row[column] for row in rows) for column in range(6)]
    titles = ("mutants", "caught", "equivalent", "not caught", "lines not run", "seconds")
    table.add_column("stage", footer="all")
    for title, total in zip(titles, sums, strict=True):
        table.add_column(title, footer=_figure(total), justify="right")
    for (name, one), row in zip(summaries, rows, strict=True):
        table.add_row(Text(f"{name} {one.stage.name}"), *map(_figure, row))
    return table


def _figure(number: float) -> str:
    return f"{number:,}" if isinstance(number, int) else f"{number:.1f}"
