"""Formats scores and lateness as text."""

from __future__ import annotations

import datetime

from pitboss.gradebook.grades import Grade, Lateness, format_number
from pitboss.gradebook.people import PersonRecord
from pitboss.gradebook.scoring import circumstances_of


def score_words(grade: Grade | None) -> str:
    """Returns a score as text; for an open grade the range of possible scores, such as `7 to 10`."""
    if grade is None:
        return "none"
    return (
        format_number(grade.score)
        if grade.score is not None
        else f"{format_number(grade.so_far)} to {format_number(grade.at_most)}"
    )


def lateness_text(record: PersonRecord, class_due: datetime.datetime | None) -> str:
    """Returns how late a person handed in, such as `2 days`.

    Returns `late` if only the number of days is unknown, and an empty text if the person was not late or if it is
    unknown whether the person was late.
    """
    circumstances = circumstances_of(record, class_due)
    days = circumstances.days_late
    if days is None:
        return "late" if circumstances.lateness is Lateness.LATE else ""
    return f"{days} day{'' if days == 1 else 's'}" if days > 0 else ""
