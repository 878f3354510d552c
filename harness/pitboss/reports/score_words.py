"""A score in words."""

from __future__ import annotations

from pitboss.gradebook.grade import Grade
from pitboss.gradebook.shown import shown


def score_words(grade: Grade | None) -> str:
    """A score, or between what it will be while it is open."""
    if grade is None:
        return "none"
    return shown(grade.score) if grade.score is not None else f"{shown(grade.so_far)} to {shown(grade.at_most)}"
