"""The marks that a form has just added, and their effect on the score."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from pitboss.gradebook.book import Gradebook
from pitboss.gradebook.number_format import format_number
from pitboss.reports.mark_words import WordedMark, worded_mark
from pitboss.reports.score_words import score_words
from pitboss.submissions.importers.imported import Person


class Since(NamedTuple):
    """How many marks and scores a person had before something was added."""

    marks: int
    scores: int


class Noted(NamedTuple):
    """The marks that were added, and a sentence on their effect on the score."""

    said: list[WordedMark]
    score: str


def noted_since(book: Gradebook, person: Person, query: Mapping[str, str]) -> Noted | None:
    """Returns the marks added since the counts in a query; None if there are no counts or no new marks."""
    marks, scores = (_parsed_count(query.get(name, "")) for name in ("marks", "scores"))
    if marks is None or scores is None:
        return None
    added, history = book.marks(person.key)[marks:], book.scores(person.key)
    if not added:
        return None
    before = score_words(history[scores - 1].grade if 0 < scores <= len(history) else None)
    now = score_words(history[-1].grade if history else None)
    out_of = f" of {format_number(history[-1].grade.out_of)}" if history else ""
    is_new = len(history) > scores
    score = f"The score was {before} and is now {now}{out_of}." if is_new else f"The score stays {now}{out_of}."
    return Noted([worded_mark(mark) for mark in added], score)


def _parsed_count(word: str) -> int | None:
    return int(word) if word.isascii() and word.isdigit() and len(word) < 8 else None
