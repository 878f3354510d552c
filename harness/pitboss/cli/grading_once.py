"""What `pitboss grade` does without a gradebook: a table, and the files that were asked for."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import click

from pitboss.assignments.assignment import Stage
from pitboss.cli.checks import exit_code_of
from pitboss.cli.classes import class_of, entrants_in
from pitboss.cli.consoles import report_console
from pitboss.cli.downloads import Download
from pitboss.cli.grading import Graded, Lines, Where, graded
from pitboss.cli.options import make_folder, write_file
from pitboss.cli.regrading import Asked
from pitboss.cli.unchanged import Unchanged
from pitboss.errors import HarnessError, UsageError
from pitboss.judging.published import for_students
from pitboss.judging.results import Report
from pitboss.reports.class_table import class_table
from pitboss.reports.json_and_csv import grade_csv, grade_json
from pitboss.reports.naming import INDEX, page_names
from pitboss.reports.pages import class_values, submission_values
from pitboss.reports.report import report_of
from pitboss.reports.templates import page, style
from pitboss.running.job import Job


class Out(NamedTuple):
    """Where reports are written, and what of them is shown."""

    json_path: str | None
    csv_path: str | None
    html_folder: Path | None
    shows_hidden: bool
    details: bool

    def see_beside(self, book_path: Path | None, due: str | None) -> None:
        """Refuse what goes with a gradebook and without one only; a UsageError says what to do instead."""
        if book_path is not None and (self.json_path or self.html_folder or self.csv_path):
            raise UsageError(
                "nothing was graded: --gradebook keeps all reports, and `pitboss scores` has --csv, --json and --html"
            )
        if book_path is None and due is not None:
            raise UsageError("--due is kept in a gradebook: name one with --gradebook FILE")


def grade_once(asked: Asked, download: Download, out: Out, where: Where, *, is_fresh: bool) -> int:
    """Grade a class without a gradebook; returns the exit code."""
    job = asked.job(download.folder)
    lines = _lines(out.json_path, out.csv_path)
    try:
        with class_of(download, job.stages) as intake:
            entrants, unchanged = entrants_in(intake, download.folder, job), _unchanged(job, asked.given)
            known = graded(job, entrants, where, lines, unchanged, is_fresh=is_fresh)
    except HarnessError:  # it is no class, or a cluster is not there, or no longer
        lines.close(is_needed=lines.path.stat().st_size > 0)
        raise
    reports, names = known.reports, [stage.name for stage in job.stages]
    if "-" not in (out.json_path, out.csv_path):
        # Before files are written, so that one that cannot be written costs nobody the table.
        _print_class(job.stages, reports, has_details=out.details)
    if out.json_path:
        write_file(out.json_path, grade_json(job.assignment.name, reports, known.missing))
    if out.html_folder:
        _write_pages(out.html_folder, job.assignment.title, names, reports, out.shows_hidden)
    if out.csv_path:
        write_file(out.csv_path, grade_csv(names, reports))
    _close(lines, known, is_needed=bool(known.missing) and out.json_path in (None, "-"))
    return known.exit_code if known.missing else max(map(exit_code_of, reports), default=0)


def _unchanged(job: Job, given: tuple[str, ...]) -> Unchanged:
    """What is known of earlier runs of this class."""
    stages = ",".join(stage.name for stage in job.stages)
    asked = ("grade", job.called, stages, str(job.runs_all), repr(job.conditions), str(job.assignment.folder), *given)
    found = Unchanged(asked, lambda: [job.assignment.folder], given)
    found.begin(job.assignment, job.conditions)
    return found


def _lines(*paths: str | None) -> Lines:
    """Where each report is written down as soon as it is known; says so where nobody named a file."""
    lines = Lines(*paths)
    if not lines.is_named:
        click.echo(f"pitboss: each report is kept in {lines.path} until all are there", err=True)
    return lines


def _close(lines: Lines, known: Graded, *, is_needed: bool) -> None:
    """Close the kept reports, and tell what was not graded."""
    lines.close(is_needed=is_needed)
    if known.missing:
        kept = f"; the reports are in {lines.path}" if is_needed else ""
        click.echo(f"pitboss: {known.sentence}{kept}", err=True)


def _print_class(stages: tuple[Stage, ...], reports: list[Report], *, has_details: bool) -> None:
    """Print the table of a class, after the report of each submission where details are wanted."""
    console = report_console()
    for report in reports if has_details else ():
        console.print(report_of(report), "", crop=False)
    console.print(class_table([stage.name for stage in stages], reports))


def _write_pages(folder: Path, title: str, stages: list[str], reports: list[Report], shows_hidden: bool) -> None:
    """A page for each submission, for students where hidden cases are not to be shown, and one for the class."""
    make_folder(folder)
    names = page_names([report.submission for report in reports])
    for report, name in zip(reports, names, strict=True):
        shown = report if shows_hidden else for_students(report)
        write_file(str(folder / name), page("submission.html.j2", submission_values(shown, style(), INDEX)))
    values = class_values(title, stages, reports, names, style())
    write_file(str(folder / INDEX), page("class.html.j2", values))
