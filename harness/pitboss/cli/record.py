"""`pitboss record`: the command and its options."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from pitboss.cli.common_options import ANSWERS_RULE, ExitCodeOption, Seed, arguments_option, assignment_option
from pitboss.cli.completing import case_names, stage_names


@click.command()
@click.argument("stages", nargs=-1, metavar="[STAGE]...", shell_complete=stage_names)
@assignment_option
@click.option(
    "--case",
    "case",
    metavar="NAME",
    shell_complete=case_names,
    help="Record only this case; with --play, --seed, --answers, --arguments or --input-file, add it.",
)
@click.option(
    "--play", "is_played", is_flag=True, help="Play a new case here; the default if the stage has no case yet."
)
@click.option("--seed", type=Seed(), help="The seed of a new case.")
@click.option("--answers", default="", metavar="LINES", help=f"The lines of a new case. {ANSWERS_RULE}")
@click.option(
    "--input-file",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="The file that is the standard input of a new case, instead of lines; it is copied beside the spec.",
)
@click.option(
    "--exit",
    "exit_code",
    type=ExitCodeOption(),
    default=0,
    help="The exit code of a new case, or the word nonzero for any code but 0.",
)
@arguments_option
@click.option(
    "--rule", "rules", multiple=True, metavar="TEXT", help="A rule that a new case exercises. May be repeated."
)
@click.option("--no-pause", is_flag=True, help="With --play: skip the pauses; they are recorded all the same.")
def record(**options: Any) -> int:
    """Update recorded cases from the reference, or add a new case.

    Updates the cases of the STAGEs, or of all stages, in which the reference now behaves differently.
    """
    # Imported here, so that --help is fast.
    from pitboss.cli.record_cases import record_from_options

    return record_from_options(**options)
