"""Recomputes scores when anything they depend on changes, and records the new scores with a reason."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

import msgspec

from pitboss.assignments.grading_policy import GradingPolicy
from pitboss.gradebook.arithmetic import grade_of
from pitboss.gradebook.book import Gradebook, is_fault
from pitboss.gradebook.days import days_late, due_in
from pitboss.gradebook.grades import Circumstances, DayBasis, Grade, GradeLine, Lateness, Override
from pitboss.gradebook.person_records import Mark, PersonRecord, Scored
from pitboss.submissions.importers.imported import Person


class ScoreChange(NamedTuple):
    """A new score of a person, and the previous score."""

    person: Person
    #: None for the first score.
    before: Scored | None
    now: Grade
    why: tuple[str, ...]


def circumstances_of(row: PersonRecord, due: datetime.datetime | None) -> Circumstances:
    """What a person's score depends on besides the report; `due`: the due date of the class."""
    own_due = due_in(row.due) if row.due else due
    at = row.handed_in.at if row.handed_in else None
    override = Override(Fraction(row.override.value), row.override.reason) if row.override else None
    return Circumstances(
        days_late=_days_late(row, own_due),
        days_late_by_class_due=days_late(at, due) if at and due and row.due and not row.late else None,
        lateness=_lateness(row, own_due),
        style=Fraction(row.style) if row.style else None,
        override=override,
        by_person=tuple((stage, Fraction(share)) for stage, share in row.by_person),
        day_basis=_day_basis(row),
        own_due=own_due if row.due else None,
        picked=tuple((item.text, Fraction(item.points)) for item in row.picked),
    )


def _day_basis(row: PersonRecord) -> DayBasis:
    if row.late:
        return DayBasis.PERSON
    if not row.due:
        return DayBasis.CLASS
    return DayBasis.OWN_DUE_NO_TIME if is_undated(row) else DayBasis.OWN_DUE


def is_undated(row: PersonRecord) -> bool:
    """Whether the time of a submission is unknown, so that a due date has no effect."""
    return row.handed_in is not None and row.handed_in.at is None


def _days_late(row: PersonRecord, due: datetime.datetime | None) -> int | None:
    """The days late with this due date.

    Taken from the grader's entry, else computed from the submission time, else as stated by the platform.
    """
    if row.late:
        return int(row.late)
    if row.handed_in is None:
        return None
    at = row.handed_in.at
    return days_late(at, due) if at and due else row.handed_in.days_late


def _lateness(row: PersonRecord, due: datetime.datetime | None) -> Lateness:
    """What is known about lateness when the number of days is unknown."""
    is_late = row.handed_in.is_late if row.handed_in else None
    if is_late is not None:
        return Lateness.LATE if is_late else Lateness.NOT_LATE
    return Lateness.NO_SUBMISSION_TIME if due is not None else Lateness.NO_DUE_DATE


def grade_of_row(row: PersonRecord, policy: GradingPolicy, due: datetime.datetime | None) -> Grade:
    """The grade of a person; if the submission could not be used, its lines say why."""
    circumstances = circumstances_of(row, due)
    grade = grade_of(row.report, policy, circumstances)
    if row.report is None and row.handed_in is not None and not circumstances.override:
        reason = GradeLine(f"the submission cannot be used: {row.handed_in.problem}", Fraction(0))
        return msgspec.structs.replace(grade, lines=(reason, *grade.lines[1:]))
    return grade


def update_scores(
    book: Gradebook,
    policy: GradingPolicy,
    why: Callable[[PersonRecord], tuple[str, ...]],
    people: Iterable[Person] | None = None,
) -> Iterator[ScoreChange]:
    """Recompute the scores of everybody, or of these people; record and yield the scores that differ.

    `why` returns the reasons. The current score stays if the report contains a fault (JUDGE_ERROR), or if the
    submission has not been run yet.
    """
    due = class_due(book)
    for person in book.people() if people is None else people:
        row, before = book.row(person), book.score(person.key)
        now = _grade_now(row, before, policy, due)
        if now is None or (before is not None and before.grade == now):
            continue
        reasons = why(row)
        book.add_score(row.person.key, now, reasons)
        yield ScoreChange(row.person, before, now, reasons)


def count_outdated(book: Gradebook, rows: Iterable[tuple[PersonRecord, Scored | None]], policy: GradingPolicy) -> int:
    """The number of these scores that were computed with another policy.

    Only numbers are compared: another version of pitboss may word the lines differently.
    """
    due = class_due(book)
    grades = ((before, _grade_now(row, before, policy, due)) for row, before in rows)
    return sum(
        before is not None and now is not None and _amounts(before.grade) != _amounts(now) for before, now in grades
    )


def _amounts(grade: Grade) -> tuple[object, ...]:
    """The numbers of a grade, without the lines that add nothing."""
    return (grade.score, grade.out_of, grade.at_most, *(line.amount for line in grade.lines if line.amount))


def grade_with(book: Gradebook, policy: GradingPolicy, person: Person, marks: Sequence[Mark]) -> Grade | None:
    """The grade that a person would have with these marks. None if there is no grade. Records nothing."""
    return _grade_now(book.row(person, marks), book.score(person.key), policy, class_due(book))


def _grade_now(
    row: PersonRecord, before: Scored | None, policy: GradingPolicy, due: datetime.datetime | None
) -> Grade | None:
    """The grade under the current policy and marks, or the recorded grade if that stays."""
    if row.is_waiting or (before is not None and is_fault(row.report)):
        return before.grade if before else None
    return grade_of_row(row, policy, due)


def class_due(book: Gradebook) -> datetime.datetime | None:
    """The due date of the class; None if it has none."""
    text = book.class_facts().get("due", "")
    return due_in(text) if text else None


def is_past_due(book: Gradebook, now: datetime.datetime) -> bool:
    """Whether all due dates have passed, including individual extensions; False without a due date.

    What is revealed after the due date reaches everybody, including students who still have time.
    """
    class_deadline = class_due(book)
    own_deadlines = [due_in(row.due) for row in book.rows() if row.due]
    return class_deadline is not None and all(due < now for due in (class_deadline, *own_deadlines))
