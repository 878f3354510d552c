"""Formats a grade as plain text, for course platforms."""

from __future__ import annotations

from pitboss.gradebook.grades import Grade
from pitboss.gradebook.number_format import format_number


def format_sum(grade: Grade) -> list[str]:
    """Returns the lines of the grade's sum with their points, then the score, or the reasons why it is not final."""
    lines = [f"{line.text} ({'+' if line.amount > 0 else ''}{format_number(line.amount)})" for line in grade.lines]
    if grade.score is not None:
        lines.append(f"Score: {format_number(grade.score)} of {format_number(grade.out_of)}")
    return [*lines, *(f"Not final: {reason}" for reason in grade.open)]
