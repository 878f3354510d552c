"""What a form on a person's page says, and adding it to the gradebook."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from pitboss.assignments.grading import GradingPolicy
from pitboss.errors import UsageError
from pitboss.gradebook.book import ANSWER, COMMENT, DECLINE, OVERRIDE, REQUEST, STAGE, STYLE, Gradebook
from pitboss.gradebook.marking import mark_person, points_in, see_stage, share_in
from pitboss.reports.review.noted import Since
from pitboss.submissions.importers.handed import Person

_LONGEST_TEXT = 20_000


class Form(msgspec.Struct, frozen=True):
    """The fields of a form; empty where nothing was entered."""

    style: str = ""
    comment: str = ""
    override: str = ""
    reason: str = ""
    #: A student's request; the answer to one, and whether that declines it.
    request: str = ""
    answer: str = ""
    declined: str = ""
    #: What stages earn that a person grades: pairs of a stage and what was entered.
    stages: tuple[tuple[str, str], ...] = ()
    #: Which mark is taken back: style, override, comment, or a stage's.
    take_back: str = ""

    def of_stage(self, name: str) -> str:
        """What was entered for a stage."""
        return dict(self.stages).get(name, "")

    @classmethod
    def of(cls, fields: Mapping[str, Sequence[str]]) -> Form:
        """The form of what a browser sent."""
        entered = {name: values[0].strip() for name, values in fields.items()}
        stages = ((name.removeprefix(STAGE), word) for name, word in entered.items() if name.startswith(STAGE) and word)
        texts = {name: entered.get(name, "") for name in cls.__struct_fields__ if name != "stages"}
        return cls(**texts, stages=tuple(stages))


def added_by(form: Form, book: Gradebook, policy: GradingPolicy, person: Person, *, by: str) -> Since:
    """Add what a form says; returns how many marks and scores there were before. UsageError where it says nothing."""
    marks = _marks(form, policy)
    since = Since(len(book.marks(person.key)), len(book.scores(person.key)))
    mark_person(book, policy, person, marks, reason=form.reason, by=by)
    return since


def _marks(form: Form, policy: GradingPolicy) -> list[tuple[str, str]]:
    """Pairs of a kind and a value."""
    if form.take_back:
        stages = (f"{STAGE}{stage.name}" for stage in policy.stages if stage.is_for_person)
        if form.take_back not in (STYLE, OVERRIDE, COMMENT, REQUEST, *stages):
            raise UsageError(
                "A style score, an override, comments, requests and shares of stages can be taken back here"
            )
        return [(form.take_back, "")]
    marks: list[tuple[str, str]] = []
    if form.style:
        marks.append((STYLE, share_in(form.style, "Style")))
    for name, word in form.stages:
        see_stage(policy, name)
        marks.append((f"{STAGE}{name}", share_in(word, name)))
    if form.override:
        if not form.reason:
            raise UsageError("An override needs a reason: it stands in the person's sum")
        marks.append((OVERRIDE, points_in(form.override, "Override")))
    marks += _texts(form)
    if form.declined and not form.answer:
        raise UsageError("A request is declined with an answer, which the student reads: write one")
    if not marks:
        raise UsageError("Nothing was entered: give a style score, an override with a reason, or a comment")
    return marks


def _texts(form: Form) -> list[tuple[str, str]]:
    """The marks that are words; UsageError where one is too long."""
    answer = DECLINE if form.declined else ANSWER
    texts = ((COMMENT, "comment", form.comment), (REQUEST, "request", form.request), (answer, "answer", form.answer))
    for _, called, text in texts:
        if len(text) > _LONGEST_TEXT:
            raise UsageError(f"The {called} has {len(text):,} characters, and may have {_LONGEST_TEXT:,}")
    return [(kind, text.replace("\r\n", "\n")) for kind, _, text in texts if text]
