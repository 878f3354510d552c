"""A score in words."""

from __future__ import annotations

from pitboss.gradebook.grades import Grade
from pitboss.gradebook.number_format import format_number


def score_words(grade: Grade | None) -> str:
    """A score, or between what it will be while it is open."""
    if grade is None:
        return "none"
    return (
        format_number(grade.score)
        if grade.score is not None
        else f"{format_number(grade.so_far)} to {format_number(grade.at_most)}"
    )
