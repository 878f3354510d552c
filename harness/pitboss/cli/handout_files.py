"""What is said of a handout when it is written."""

from __future__ import annotations

import click

from pitboss.assignments.assignment import Assignment
from pitboss.assignments.specfile import ASSIGNMENT_FILE


def tell_missing_task(assignment: Assignment) -> None:
    """Tell that nobody has written what is to be done, if that is so: the handout has rules and samples alone."""
    if assignment.handout is None and not any(stage.handout for stage in assignment.stages):
        click.echo(
            f"pitboss: the handout does not say in words what is to be done: write it into a file beside "
            f"{assignment.folder / ASSIGNMENT_FILE}, and name that there: `handout: handout.md`",
            err=True,
        )
