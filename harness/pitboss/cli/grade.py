"""`pitboss grade` and `regrade`: the commands and their options."""

from __future__ import annotations

from pathlib import Path

import click

from pitboss.cli.common_options import (
    RunOptions,
    WholeNumber,
    assignment_option,
    cluster_option,
    condition_options,
    fresh_option,
    given_option,
)
from pitboss.cli.completing import stage_names
from pitboss.cli.consoles import print_sentence
from pitboss.cli.scores import book_argument
from pitboss.errors import UsageError
from pitboss.gradebook.book import Gradebook
from pitboss.gradebook.days import parse_instant


@click.command()
@click.argument("folder", type=click.Path(path_type=Path), metavar="DIR")
@click.option(
    "--roster",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A CSV file of all students, so that students without a submission are listed too.",
)
@click.option("--until", metavar="INSTANT", help="In git repositories, use the last commit before INSTANT.")
@click.argument("stages", nargs=-1, metavar="[STAGE]...", shell_complete=stage_names)
@assignment_option
@click.option("--json", "json_path", metavar="FILE", help="Write all reports as JSON; - for standard output.")
@click.option(
    "--html", "html_folder", type=click.Path(path_type=Path), metavar="DIR", help="Write HTML pages into DIR."
)
@click.option("--hidden", "shows_hidden", is_flag=True, help="Show hidden cases on the pages; not for students.")
@click.option("--csv", "csv_path", metavar="FILE", help="Write the table as CSV; - for standard output.")
@click.option("--all", "runs_all", is_flag=True, help="Run stages even if a stage that they need failed.")
@click.option("--details/--no-details", default=False, help="Also show the report of each submission.")
@click.option(
    "--gradebook",
    "-g",
    "book_path",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Store results and scores in this file.",
)
@click.option("--due", metavar="INSTANT", help="The due date; stored in the gradebook.")
@given_option
@fresh_option
@cluster_option
@condition_options
def grade(
    folder: Path,
    roster: Path | None,
    until: str | None,
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
    run_options: RunOptions,
    jobs: int | None,
) -> int:
    """Check a class: a folder, or a course platform's download.

    DIR contains the submissions, each a folder or an archive, or is the unchanged download of a course platform.
    Without a STAGE all stages are checked.
    """
    # Imported here, so that --help is fast.
    from pitboss.cli.class_runs import ClassOutput, Download, GradeRequest, backend_of, grade_class
    from pitboss.submissions.archives import is_archive
    from pitboss.submissions.submission import check_class_folder

    download = Download(folder, roster, parse_instant(until) if until else None)
    request, backend = GradeRequest(stages, name, given, runs_all, run_options), backend_of(jobs, cluster)
    output = ClassOutput(json_path, csv_path, html_folder, shows_hidden, details)
    if book_path is None and due is not None:
        raise UsageError("--due needs a gradebook: name one with --gradebook FILE")
    if not is_archive(folder):
        check_class_folder(folder)
    return grade_class(request, [download], book_path, due, backend, output, is_fresh=is_fresh)


@click.command()
@book_argument
@click.option("--due", metavar="INSTANT", help="The new due date, if it has changed.")
@fresh_option
@click.option("--jobs", "-j", type=WholeNumber(1, 256), help="How many cores to use (default: all).")
@cluster_option
def regrade(path: Path, due: str | None, is_fresh: bool, jobs: int | None, cluster: str) -> int:
    """Grade a class again, running only what has changed.

    Runs the submissions for which something has changed since the GRADEBOOK was written, and lists the changed scores
    with the reasons.
    """
    from pitboss.cli.class_runs import ClassOutput, GradeRequest, backend_of, downloads_in, grade_class

    backend = backend_of(jobs, cluster)
    with Gradebook(path) as book:
        facts = book.class_facts()
    downloads = downloads_in(facts)
    existing_downloads = [download for download in downloads if download.folder.exists()]
    for download in downloads:
        if download not in existing_downloads:
            print_sentence(f"{download.folder} no longer exists: nothing in it is run")
    if not existing_downloads:
        raise UsageError(f"{path}: there is nothing to grade again; use pitboss grade DIR --gradebook {path}")
    request = GradeRequest.from_gradebook(facts)
    return grade_class(request, existing_downloads, path, due, backend, ClassOutput(), is_fresh=is_fresh)
