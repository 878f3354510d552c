"""The options for the download of a class."""

from __future__ import annotations

import datetime
import functools
from pathlib import Path
from typing import Any, NamedTuple

import click

from pitboss.cli.common_options import CommandFunction
from pitboss.gradebook.days import parse_instant


class Download(NamedTuple):
    """A download of a class, and the options for reading it."""

    folder: Path
    roster: Path | None
    #: In git repositories, the last commit before this instant is the submission.
    until: datetime.datetime | None


def download_options(function: CommandFunction) -> CommandFunction:
    """Add the options for the download of a class, as argument `download`."""

    @functools.wraps(function)
    def wrapper(folder: Path, roster: Path | None, until: str | None, **options: Any) -> Any:
        return function(download=Download(folder, roster, parse_instant(until) if until else None), **options)

    decorated: CommandFunction = wrapper
    for option in (
        click.option("--until", metavar="INSTANT", help="In git repositories, use the last commit before INSTANT."),
        click.option(
            "--roster",
            type=click.Path(path_type=Path),
            metavar="FILE",
            help="A CSV file of all students, so that students without a submission are listed too.",
        ),
        click.argument("folder", type=click.Path(path_type=Path), metavar="DIR"),
    ):
        decorated = option(decorated)
    return decorated
