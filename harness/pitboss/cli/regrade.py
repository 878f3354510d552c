"""`pitboss regrade`."""

from __future__ import annotations

import datetime
from pathlib import Path

import click

from pitboss.cli.book import book_argument
from pitboss.cli.downloads import Download
from pitboss.cli.options import WholeNumber, cluster_option
from pitboss.cli.unchanged import fresh_option
from pitboss.errors import UsageError
from pitboss.gradebook.book import Gradebook


@click.command()
@book_argument
@click.option("--due", metavar="INSTANT", help="When it was to be handed in, if that has changed.")
@fresh_option
@click.option("--jobs", "-j", type=WholeNumber(1, 256), help="How many cores to use; all where not given.")
@cluster_option
def regrade(path: Path, due: str | None, is_fresh: bool, jobs: int | None, cluster: str) -> int:
    """Grade a class again, running only what has changed.

    Whose score is another is told, by which case and why.
    """
    # What grades a class takes longer to import than the help to be shown.
    from pitboss.cli.classes import Out
    from pitboss.cli.grading import where_of
    from pitboss.cli.regrading import asked_as_before, downloads_in, grade_class

    where = where_of(jobs, cluster)
    with Gradebook(path) as book:
        about = book.about()
    known = [_download(*one) for one in downloads_in(about)]
    there = [one for one in known if one.folder.exists()]
    for one in known:
        if one not in there:
            click.echo(f"pitboss: {one.folder} is no longer there: nothing of it is run", err=True)
    if not there:
        raise UsageError(f"{path}: there is nothing to grade again: pitboss grade DIR --gradebook {path}")
    return grade_class(asked_as_before(about), there, path, due, where, Out(), is_fresh=is_fresh)


def _download(folder: str, roster: str, until: str) -> Download:
    """A download as it was given; without its roster where that is gone, since the gradebook knows the people."""
    people = Path(roster) if roster and Path(roster).exists() else None
    return Download(Path(folder), people, datetime.datetime.fromisoformat(until) if until else None)
