"""Scores, lateness, marks and merges of marks as text."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from typing import NamedTuple

from pitboss.errors import listed
from pitboss.gradebook.grades import Grade, Lateness, format_number
from pitboss.gradebook.marking import Conflict, Merged
from pitboss.gradebook.marks import Mark, kind_words, value_words
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


class WordedMark(NamedTuple):
    """A mark as text."""

    label: str
    value: str
    reason: str
    by: str
    at: str


def count_text(number: int, one: str, many: str) -> str:
    """Returns a number with its noun: `one` is the singular, `many` the plural."""
    return f"{number} {one if number == 1 else many}"


def mark_as_text(mark: Mark) -> WordedMark:
    """Returns the fields of a mark as text; a value that was removed is “taken back”."""
    value = value_words(mark.kind, mark.value) or "taken back"
    return WordedMark(kind_words(mark.kind), value, mark.reason, mark.by, mark.at)


def merge_sentences(called: str, merged: Merged, names: dict[str, str]) -> Iterator[str]:
    """Yields sentences on what was merged from a copy and what was not, then a sentence on each conflict.

    `called` is the name of the copy in the sentences; `names` maps the keys of people to their names.
    """
    already_clause = (
        f"; {merged.already_present} {'was' if merged.already_present == 1 else 'were'} already in the gradebook"
        if merged.already_present
        else ""
    )
    people_clause = f" for {count_text(merged.people, 'person', 'people')}" if merged.added else ""
    yield f"{called}: {count_text(merged.added, 'mark', 'marks')}{people_clause} added{already_clause}"
    for person in merged.unknown:
        yield f"{called}: {person.name} ({person.key}) is not in the gradebook: the marks were not merged"
    if merged.other_items:
        yield f"{called}: its rubric differs in {listed(merged.other_items)}; the gradebook's items are used"
    for conflict in merged.conflicts:
        yield _conflict_sentence(conflict, names[conflict.person.key])


def _conflict_sentence(conflict: Conflict, name: str) -> str:
    label = mark_as_text(conflict.in_effect).label
    return (
        f"{name}: {label} {_value_and_author(conflict.in_effect)} is used, not {_value_and_author(conflict.overridden)}"
    )


def _value_and_author(mark: Mark) -> str:
    mark_text = mark_as_text(mark)
    return f"{mark_text.value} by {mark_text.by} ({mark_text.at})"
