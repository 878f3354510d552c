"""`pitboss verify`: the command and its options."""

from __future__ import annotations

import click

from pitboss.cli.common_options import WholeNumber, assignment_option
from pitboss.cli.completing import stage_names


@click.command()
@click.argument("stages", nargs=-1, metavar="[STAGE]...", shell_complete=stage_names)
@assignment_option
@click.option("--matrix", is_flag=True, help="Show which cases catch which mistake.")
@click.option("--mutants", is_flag=True, help="Try mechanical changes of the reference instead of known mistakes.")
@click.option(
    "--grow",
    is_flag=True,
    help="Add a case for each mistake or mutant that no case catches, and add the proposed seeds.",
)
@click.option(
    "--at-most",
    metavar="COUNT",
    type=WholeNumber(1, 100_000),
    help="For mutants of a command: how many changes of its source to try (default: 200).",
)
@click.option("--jobs", "-j", type=WholeNumber(1, 256), help="For mutants: how many cores to use (default: all).")
def verify(
    stages: tuple[str, ...],
    name: str | None,
    matrix: bool,
    mutants: bool,
    grow: bool,
    at_most: int | None,
    jobs: int | None,
) -> int:
    """Check the specs against the reference and known mistakes.

    Recorded cases must match the reference, and every known mistake must be caught. Seeds with output that no case has
    are proposed. Without an assignment or a stage, checks all assignments in ./specs, or pitboss's own if it has none.
    With --mutants, the reference is changed mechanically, one thing at a time; every such mutant must be caught or
    listed in mutants.yaml. If the reference is a command, its output is changed, and also its source if that can be
    found and built.
    """
    # Imported here, so that --help is fast.
    from pitboss.cli.verifying import verify_specs

    return verify_specs(stages, name, shows_matrix=matrix, mutants=mutants, grows=grow, jobs=jobs, max_changes=at_most)
