"""Marks in a gradebook as text."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from pitboss.gradebook.book import ANSWER, COMMENT, DECLINE, DUE, LATE, LINE, OVERRIDE, REQUEST, STAGE, STYLE
from pitboss.gradebook.number_format import format_number, percentage
from pitboss.gradebook.person_records import Mark

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

    what: str
    value: str
    reason: str
    by: str
    at: str


def count_text(number: int, one: str, many: str) -> str:
    """A number with its noun in the singular or plural."""
    return f"{number} {one if number == 1 else many}"


def worded_mark(mark: Mark) -> WordedMark:
    """Converts a mark to text."""
    value = value_words(mark.kind, mark.value) or "taken back"
    return WordedMark(kind_words(mark.kind), value, mark.reason, mark.by, mark.at)


def kind_words(kind: str) -> str:
    """The label of a kind of mark."""
    if kind.startswith(LINE):
        return f"comment at {kind.split(' ', 2)[2]}"
    return _LABELS.get(kind, kind)


def value_words(kind: str, value: str) -> str:
    """The value of a mark as text; empty if it has none."""
    if value and (kind == STYLE or kind.startswith(STAGE)):
        return percentage(Fraction(value))
    if value and kind == OVERRIDE:
        return f"{format_number(Fraction(value))} points"
    return value
