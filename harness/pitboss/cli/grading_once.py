"""What `pitboss grade` does without a gradebook: a table, and the files that were asked for."""

from __future__ import annotations

import click

from pitboss.cli.checks import exit_code_of
from pitboss.cli.classes import Out, class_of, entrants_in
from pitboss.cli.consoles import report_console
from pitboss.cli.downloads import Download
from pitboss.cli.grading import Graded, Lines, Where, graded
from pitboss.cli.regrading import Asked
from pitboss.cli.unchanged import Unchanged
from pitboss.errors import HarnessError
from pitboss.reports.class_table import class_table
from pitboss.running.job import Job


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
    if out.has_table:
        # Before files are written, so that one that cannot be written costs nobody the table.
        out.print_details(known.reports)
        report_console().print(class_table([stage.name for stage in job.stages], known.reports))
    out.write(job, known.reports, known.missing)
    _close(lines, known, is_needed=bool(known.missing) and out.json_path in (None, "-"))
    return known.exit_code if known.missing else max(map(exit_code_of, known.reports), default=0)


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
