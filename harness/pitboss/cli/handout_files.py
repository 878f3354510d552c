"""The warning about a handout that does not describe the task."""

from __future__ import annotations

import click

from pitboss.assignments.assignment import Assignment
from pitboss.assignments.specfile import ASSIGNMENT_FILE


def report_missing_task(assignment: Assignment) -> None:
    """Print a warning if an assignment does not describe its task: its handout then has only rules and samples."""
    if assignment.handout is None and not any(stage.handout for stage in assignment.stages):
        click.echo(
            f"pitboss: the handout does not describe the task: write it into a file beside "
            f"{assignment.folder / ASSIGNMENT_FILE}, and name the file there: `handout: handout.md`",
            err=True,
        )
