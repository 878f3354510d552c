"""Formats scores and lateness as text."""

from __future__ import annotations

import datetime

from pitboss.gradebook.grades import Grade, Lateness
from pitboss.gradebook.number_format import format_number
from pitboss.gradebook.person_records import PersonRecord
from pitboss.gradebook.scoring import circumstances_of


def score_words(grade: Grade | None) -> str:
    """Returns a score; an open score as the range of its possible values."""
    if grade is None:
        return "none"
    return (
        format_number(grade.score)
        if grade.score is not None
        else f"{format_number(grade.so_far)} to {format_number(grade.at_most)}"
    )


def late_words(row: PersonRecord, class_due: datetime.datetime | None) -> str:
    """How late a person was, such as `2 days`; `late` if the days are unknown, empty if on time or unknown."""
    circumstances = circumstances_of(row, class_due)
    days = circumstances.days_late
    if days is None:
        return "late" if circumstances.lateness is Lateness.LATE else ""
    return f"{days} day{'' if days == 1 else 's'}" if days > 0 else ""
