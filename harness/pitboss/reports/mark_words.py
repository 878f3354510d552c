"""Marks in a gradebook as text."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from pitboss.gradebook.book import ANSWER, COMMENT, DECLINE, DUE, LATE, LINE, OVERRIDE, REQUEST, STAGE, STYLE
from pitboss.gradebook.grades import format_number, percentage
from pitboss.gradebook.people import Mark

#: What a report calls each kind of mark. A kind that is not listed here is shown as it is.
_LABELS = {
    STYLE: "style",
    OVERRIDE: "override",
    DUE: "due",
    LATE: "days late",
    COMMENT: "comment",
    REQUEST: "request",
    ANSWER: "answer",
    DECLINE: "request declined:",
}


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


def kind_words(kind: str) -> str:
    if kind.startswith(LINE):  # such a kind is "line DIGEST FILE:LINE"
        _, _, location = kind.split(" ", 2)
        return f"comment at {location}"
    return _LABELS.get(kind, kind)


def value_words(kind: str, value: str) -> str:
    """Returns the value of a mark as text; empty if the value is empty."""
    if value and (kind == STYLE or kind.startswith(STAGE)):
        return percentage(Fraction(value))
    if value and kind == OVERRIDE:
        return f"{format_number(Fraction(value))} points"
    return value
