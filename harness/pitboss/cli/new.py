"""`pitboss new`: the command and its options."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from pitboss.cli.common_options import ANSWERS_RULE, ExitCodeOption, Seed, arguments_option


@click.command()
@click.argument("name", metavar="NAME")
@click.option(
    "--program", type=click.Path(path_type=Path), metavar="PATH", help="The program: a source or an executable."
)
@click.option("--command", metavar="LINE", help="The program as a command line, such as 'java -cp . Guess'.")
@click.option("--title", metavar="TEXT", help="The assignment's title in reports.")
@click.option("--stage", default="", metavar="NAME", help="The only stage's name (default: the program's name).")
@click.option("--language", default="", metavar="NAME", help="The language of the course, for starter kits.")
@click.option("--seeded/--no-seed", "is_seeded", default=None, help="Whether the first line typed is a seed.")
@click.option("--seed", type=Seed(), help="The seed of the first case.")
@click.option("--answers", metavar="LINES", help=f"The lines of the first case. {ANSWERS_RULE}")
@click.option(
    "--exit",
    "exit_code",
    type=ExitCodeOption(),
    default=0,
    help="The exit code of the first case, or the word nonzero for any code but 0.",
)
@arguments_option
@click.option(
    "--stderr",
    type=click.Choice(["shown", "ignored", "compared"]),
    help="What happens to standard error (default: compared if the first case fails and writes there).",
)
@click.option(
    "--file",
    "files",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="A file that each session finds in its folder, such as rates.csv. May be repeated.",
)
@click.option(
    "--writes",
    multiple=True,
    metavar="NAME",
    help="A file that the program writes; files named in --arguments are detected. May be repeated.",
)
def new(**options: Any) -> int:
    """Create an assignment from a correct program.

    The assignment is created in ./specs, or in the folder that PITBOSS_SPECS names; if NAME is a path, at that path. In
    a terminal you are asked for what is missing. The program is run, and its first session becomes a case. The lines
    typed in it are those of --answers, or you type them, or there are none if the program reads none. Options that you
    leave out are guessed from that session; the guesses are listed.
    """
    # Imported here, so that --help is fast.
    from pitboss.cli.making import create_assignment

    return create_assignment(**options)
