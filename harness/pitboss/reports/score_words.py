"""A score in words."""

from __future__ import annotations

from pitboss.gradebook.grades import Circumstances, Grade, Lateness
from pitboss.gradebook.number_format import format_number


def score_words(grade: Grade | None) -> str:
    """Returns a score; an open one as the range in which it will be."""
    if grade is None:
        return "none"
    return (
        format_number(grade.score)
        if grade.score is not None
        else f"{format_number(grade.so_far)} to {format_number(grade.at_most)}"
    )


def late_words(circumstances: Circumstances) -> str:
    """How late something was, such as `2 days`; `late` where nobody knows by how many, empty where it was not late."""
    days = circumstances.days_late
    if days is None:
        return "late" if circumstances.lateness is Lateness.LATE else ""
    return f"{days} day{'' if days == 1 else 's'}" if days > 0 else ""
