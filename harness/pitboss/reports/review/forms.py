"""Reads a form of a person's page, and adds its marks to the gradebook.

The page then shows the marks that the form has added, and their effect on the score.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec

from pitboss.assignments.grading_policy import GradingPolicy
from pitboss.errors import UsageError
from pitboss.gradebook.book import Gradebook
from pitboss.gradebook.grades import format_number
from pitboss.gradebook.marking import check_manual_stage, check_rubric_item, line_comment_kind, mark_person
from pitboss.gradebook.marks import (
    ANSWER,
    COMMENT,
    DECLINE,
    LINE,
    OVERRIDE,
    PICKED,
    REQUEST,
    RUBRIC,
    STAGE,
    STYLE,
    kind_of,
)
from pitboss.reports.review.view import parsed_count
from pitboss.reports.score_table import WordedMark, mark_as_text, score_words
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
    marks, scores = (parsed_count(query.get(name, "")) for name in ("marks", "scores"))
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


_MAX_TEXT_LENGTH = 20_000


class Form(msgspec.Struct, frozen=True):
    """The fields of a form; empty if nothing was entered."""

    style: str = ""
    #: A comment on the whole submission.
    comment: str = ""
    #: The points that replace the computed score.
    override: str = ""
    #: The reason for the override.
    reason: str = ""
    #: A student's request to look at the grade again.
    request: str = ""
    #: The answer to the student's request.
    answer: str = ""
    #: Nonempty if the answer declines the request.
    declined: str = ""
    #: The path of the file to comment on.
    file: str = ""
    #: The number of the line to comment on.
    line: str = ""
    #: The comment to add at the line.
    line_comment: str = ""
    #: The keys of the rubric items that are picked in the form.
    picks: tuple[str, ...] = ()
    #: The keys of the rubric items that were picked when the page was loaded, separated by blanks.
    picked_before: str = ""
    #: Scores of manually graded stages: pairs of the name of a stage and the text entered.
    stages: tuple[tuple[str, str], ...] = ()
    #: The kind of mark to take back: style, override, comment, request, `stage NAME` or `line FILE:LINE`.
    take_back: str = ""

    def of_stage(self, name: str) -> str:
        """The score entered for a stage; empty if none was entered."""
        return dict(self.stages).get(name, "")

    @classmethod
    def from_fields(cls, fields: Mapping[str, Sequence[str]]) -> Form:
        entered = {name: values[0].strip() for name, values in fields.items()}
        stages = (
            (name.removeprefix(STAGE), score) for name, score in entered.items() if name.startswith(STAGE) and score
        )
        return msgspec.convert({**entered, "stages": tuple(stages), "picks": fields.get("picks", ())}, cls)


def add_form_marks(form: Form, book: Gradebook, policy: GradingPolicy, person: Person, *, by: str) -> CountsBefore:
    """Add a form's marks; returns how many marks and scores the person had before.

    Raises UsageError if nothing was entered, or if an entry is invalid.
    """
    marks = [*_submission_marks(form, policy), *_rubric_marks(form, book), *_line_marks(form, book, person)]
    if not marks:
        raise UsageError("Nothing was entered: give a style score, an override with a reason, or a comment")
    counts_before = CountsBefore(len(book.marks(person.key)), len(book.scores(person.key)))
    mark_person(book, policy, person, marks, reason=form.reason, by=by)
    return counts_before


def _submission_marks(form: Form, policy: GradingPolicy) -> list[tuple[str, str]]:
    """Returns the marks on the submission or its stages, as pairs of a kind and a value; without rubric items."""
    if form.take_back.startswith(LINE):
        return []
    if form.take_back:
        stages = (f"{STAGE}{stage.name}" for stage in policy.stages if stage.is_manual)
        if form.take_back not in (STYLE, OVERRIDE, COMMENT, REQUEST, *stages):
            raise UsageError(
                "Only a style score, an override, comments, requests and stage scores can be taken back here"
            )
        return [(form.take_back, "")]
    for name, _ in form.stages:
        check_manual_stage(policy, name)
    if form.override and not form.reason:
        raise UsageError("An override needs a reason: the reason is shown in the student's sum")
    scores = ((f"{STAGE}{name}", score, name) for name, score in form.stages)
    entries = ((STYLE, form.style, "Style"), *scores, (OVERRIDE, form.override, "Override"))
    marks = [(kind, kind_of(kind).parse(text, name)) for kind, text, name in entries if text]
    marks += _text_marks(form)
    if form.declined and not form.answer:
        raise UsageError("Declining a request needs an answer, which the student reads: write it")
    return marks


def _rubric_marks(form: Form, book: Gradebook) -> list[tuple[str, str]]:
    """Returns a mark for each rubric item that was picked or unpicked in the form since the page was loaded.

    Items that other people picked meanwhile stay picked.
    """
    changed = set(form.picks) ^ set(form.picked_before.split()) if not form.take_back else set()
    for key in changed:
        check_rubric_item(book, key, "Rubric ")
    return [(f"{RUBRIC}{key}", PICKED if key in form.picks else "") for key in sorted(changed)]


def _line_marks(form: Form, book: Gradebook, person: Person) -> list[tuple[str, str]]:
    """Returns the mark that adds or takes back comments at a line; raises UsageError if there is no such line."""
    if form.take_back.startswith(LINE):
        return [(line_comment_kind(book, person, form.take_back.removeprefix(LINE), ""), "")]
    if not form.line_comment:
        return []
    kind = line_comment_kind(book, person, f"{form.file}:{form.line}", "Comment on a line: ")
    return [(kind, _checked_text(form.line_comment, "comment"))]


def _text_marks(form: Form) -> list[tuple[str, str]]:
    """Returns the marks that are free text; raises UsageError if a text is too long."""
    answer = DECLINE if form.declined else ANSWER
    texts = ((COMMENT, "comment", form.comment), (REQUEST, "request", form.request), (answer, "answer", form.answer))
    return [(kind, _checked_text(text, text_kind)) for kind, text_kind, text in texts if text]


def _checked_text(text: str, text_kind: str) -> str:
    """Returns a text with Unix newlines; raises UsageError, which mentions `text_kind`, if the text is too long."""
    if len(text) > _MAX_TEXT_LENGTH:
        raise UsageError(f"The {text_kind} has {len(text):,} characters; at most {_MAX_TEXT_LENGTH:,} are allowed")
    return text.replace("\r\n", "\n")
