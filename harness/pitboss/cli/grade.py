"""`pitboss grade`."""

from __future__ import annotations

from pathlib import Path

import click

from pitboss.cli.completing import stage_names
from pitboss.cli.downloads import Download, download_options
from pitboss.cli.options import Manner, assignment_option, cluster_option, condition_options, given_option
from pitboss.cli.unchanged import fresh_option
from pitboss.errors import UsageError


@click.command()
@download_options
@click.argument("stages", nargs=-1, metavar="[STAGE]...", shell_complete=stage_names)
@assignment_option
@click.option("--json", "json_path", metavar="FILE", help="Write all reports as JSON; - for the standard output.")
@click.option("--html", "html_folder", type=click.Path(path_type=Path), metavar="DIR", help="Write pages into DIR.")
@click.option("--hidden", "shows_hidden", is_flag=True, help="Show hidden cases on the pages: not for students.")
@click.option("--csv", "csv_path", metavar="FILE", help="Write the table as CSV; - for the standard output.")
@click.option("--all", "runs_all", is_flag=True, help="Run stages although one that they need failed.")
@click.option("--details/--no-details", default=False, help="Show the report of each submission too.")
@click.option(
    "--gradebook",
    "-g",
    "book_path",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Keep results and scores there.",
)
@click.option("--due", metavar="INSTANT", help="When it was to be handed in; kept in the gradebook.")
@given_option
@fresh_option
@cluster_option
@condition_options
def grade(
    download: Download,
    stages: tuple[str, ...],
    name: str | None,
    json_path: str | None,
    html_folder: Path | None,
    shows_hidden: bool,
    csv_path: str | None,
    runs_all: bool,
    details: bool,
    book_path: Path | None,
    due: str | None,
    given: tuple[str, ...],
    is_fresh: bool,
    cluster: str,
    manner: Manner,
    jobs: int | None,
) -> int:
    """Check a class: a folder, or a course platform's download.

    DIR holds the submissions, each a folder or an archive, or is what the platform lets you download, as it is.
    """
    # What grades a class takes longer to import than the help to be shown.
    from pitboss.cli.classes import Out
    from pitboss.cli.grading import where_of
    from pitboss.cli.grading_once import grade_once
    from pitboss.cli.regrading import Asked, grade_class
    from pitboss.submissions.archives import is_archive
    from pitboss.submissions.classes import see_class

    asked, where = Asked(stages, name, given, runs_all, manner), where_of(jobs, cluster)
    out = Out(json_path, csv_path, html_folder, shows_hidden, details)
    if book_path is None and due is not None:
        raise UsageError("--due is kept in a gradebook: name one with --gradebook FILE")
    if not is_archive(download.folder):
        see_class(download.folder)
    if book_path is not None:
        return grade_class(asked, [download], book_path, due, where, out, is_fresh=is_fresh)
    return grade_once(asked, download, out, where, is_fresh=is_fresh)
