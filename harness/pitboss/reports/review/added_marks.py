"""The marks that a form has just added, and the effect of these marks on the score."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from pitboss.gradebook.book import Gradebook
from pitboss.gradebook.grades import format_number
from pitboss.reports.score_words import WordedMark, mark_as_text, score_words
from pitboss.submissions.importers.imported import Person


class CountsBefore(NamedTuple):
    """How many marks (such as comments) and scores the gradebook had for a person before a form was submitted."""

    marks: int
    scores: int


class AddedMarks(NamedTuple):
    """The marks that a form has added, and their effect."""

    marks: list[WordedMark]
    #: A sentence on the effect of the marks on the score.
    score_sentence: str


def marks_added_since(book: Gradebook, person: Person, query: Mapping[str, str]) -> AddedMarks | None:
    """Returns the marks that a person got since a form was submitted, and their effect; None if there are no new marks.

    The query has the person's numbers of marks and scores before that (`CountsBefore`); without them, returns None.
    """
    marks, scores = (_parsed_count(query.get(name, "")) for name in ("marks", "scores"))
    if marks is None or scores is None:
        return None
    added, history = book.marks(person.key)[marks:], book.scores(person.key)
    if not added:
        return None
    previous_score = score_words(history[scores - 1].grade if 0 < scores <= len(history) else None)
    current_score = score_words(history[-1].grade if history else None)
    out_of = f" of {format_number(history[-1].grade.out_of)}" if history else ""
    has_new_score = len(history) > scores
    score_sentence = (
        f"The score was {previous_score} and is now {current_score}{out_of}."
        if has_new_score
        else f"The score stays {current_score}{out_of}."
    )
    return AddedMarks([mark_as_text(mark) for mark in added], score_sentence)


def _parsed_count(word: str) -> int | None:
    """Returns a number of at most seven digits; None if the text is something else."""
    return int(word) if word.isascii() and word.isdigit() and len(word) < 8 else None
