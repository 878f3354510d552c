"""`pitboss policy`: how another grading policy would change the scores of a class."""

from __future__ import annotations

from pathlib import Path

import click

from pitboss.assignments.gradingfile import grading_of_file
from pitboss.cli.consoles import report_console
from pitboss.cli.scores_and_marks import assignment_of, book_argument
from pitboss.errors import UsageError
from pitboss.gradebook.book import Gradebook
from pitboss.gradebook.policy_effects import GradedPerson, policy_change
from pitboss.gradebook.scoring import circumstances_of, class_due
from pitboss.reports.policy_table import policy_table


@click.command()
@book_argument
@click.option(
    "--try", "tried", type=click.Path(path_type=Path), metavar="FILE", help="A file with another `grading` section."
)
@click.option("--details", is_flag=True, help="Also show which lines of each sum differ.")
def policy(path: Path, tried: Path | None, details: bool) -> None:
    """Show how another grading policy would change the scores.

    Changes nothing in the GRADEBOOK.
    """
    if tried is None:
        raise UsageError("--try FILE is missing: a file with another `grading`, such as a copy of assignment.yaml")
    with Gradebook(path) as book:
        assignment, due = assignment_of(book), class_due(book)
        other_policy = grading_of_file(tried, assignment.stages)
        graded_people = [
            GradedPerson(record.person.name, record.report, circumstances_of(record, due))
            for record in book.person_records()
            if not record.is_waiting  # a waiting submission has not run yet, so there is nothing to score
        ]
        report_console().print(
            policy_table(policy_change(graded_people, assignment.grading, other_policy), has_details=details)
        )
