"""Scores from what counts: computed anew whenever that has changed, and noted with the reason where they differ."""

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
    """A score that differs from the one that a person had."""

    person: Person
    #: None where there was none.
    before: Scored | None
    now: Grade
    why: tuple[str, ...]


def circumstances_of(row: PersonRecord, due: datetime.datetime | None) -> Circumstances:
    """What counts for a person's score besides the report; `due` is that of the class."""
    own_due = due_in(row.due) if row.due else due
    at = row.handed_in.at if row.handed_in else None
    override = Override(Fraction(row.override.value), row.override.reason) if row.override else None
    return Circumstances(
        days_late=_days_late(row, own_due),
        days_late_of_class=days_late(at, due) if at and due and row.due and not row.late else None,
        lateness=_lateness(row, own_due),
        style=Fraction(row.style) if row.style else None,
        override=override,
        by_person=tuple((stage, Fraction(share)) for stage, share in row.by_person),
        day_basis=_day_basis(row),
        own_due=own_due if row.due else None,
        picked=tuple((one.text, Fraction(one.points)) for one in row.picked),
    )


def _day_basis(row: PersonRecord) -> DayBasis:
    if row.late:
        return DayBasis.PERSON
    if not row.due:
        return DayBasis.CLASS
    return DayBasis.OWN_DUE_UNUSED if is_undated(row) else DayBasis.OWN_DUE


def is_undated(row: PersonRecord) -> bool:
    """Whether something was handed in and nobody knows when, so that a due date changes nothing."""
    return row.handed_in is not None and row.handed_in.at is None


def _days_late(row: PersonRecord, due: datetime.datetime | None) -> int | None:
    """How many days late it was, with this due date: by a person, by the instants, or as the platform says."""
    if row.late:
        return int(row.late)
    if row.handed_in is None:
        return None
    at = row.handed_in.at
    return days_late(at, due) if at and due else row.handed_in.days_late


def _lateness(row: PersonRecord, due: datetime.datetime | None) -> Lateness:
    """What is known of the day where the days late are not, with this due date."""
    is_late = row.handed_in.is_late if row.handed_in else None
    if is_late is not None:
        return Lateness.LATE if is_late else Lateness.NOT_LATE
    return Lateness.NO_INSTANT if due is not None else Lateness.NO_DUE_DATE


def grade_of_row(row: PersonRecord, policy: GradingPolicy, due: datetime.datetime | None) -> Grade:
    """The grade of a person; of what cannot be taken the sum says why."""
    circumstances = circumstances_of(row, due)
    grade = grade_of(row.report, policy, circumstances)
    if row.report is None and row.handed_in is not None and not circumstances.override:
        reason = GradeLine(f"what was handed in cannot be taken: {row.handed_in.problem}", Fraction(0))
        return msgspec.structs.replace(grade, lines=(reason, *grade.lines[1:]))
    return grade


def rescored(
    book: Gradebook,
    policy: GradingPolicy,
    why: Callable[[PersonRecord], tuple[str, ...]],
    people: Iterable[Person] | None = None,
) -> Iterator[ScoreChange]:
    """Compute the scores of all, or of these people, anew; note and yield those that differ. `why` says why.

    Where the only report is a fault of ours, or what was handed in has not been run yet, the score that is there stays.
    """
    due = due_of(book)
    for person in book.people() if people is None else people:
        row, before = book.row(person), book.score(person.key)
        now = _grade_now(row, before, policy, due)
        if now is None or (before is not None and before.grade == now):
            continue
        reasons = why(row)
        book.add_score(row.person.key, now, reasons)
        yield ScoreChange(row.person, before, now, reasons)


def count_outdated(book: Gradebook, rows: Iterable[tuple[PersonRecord, Scored | None]], policy: GradingPolicy) -> int:
    """How many of these scores of a gradebook are of another policy than this one.

    A sum with other words alone is not: it may be by another version of pitboss.
    """
    due = due_of(book)
    found = ((before, _grade_now(row, before, policy, due)) for row, before in rows)
    return sum(before is not None and now is not None and _sums(before.grade) != _sums(now) for before, now in found)


def _sums(grade: Grade) -> tuple[object, ...]:
    """The numbers of a grade, without the lines that add nothing."""
    return (grade.score, grade.out_of, grade.at_most, *(line.amount for line in grade.lines if line.amount))


def grade_with(book: Gradebook, policy: GradingPolicy, person: Person, marks: Sequence[Mark]) -> Grade | None:
    """The grade that a person would have with these marks; None where there would be none. Nothing is noted."""
    return _grade_now(book.row(person, marks), book.score(person.key), policy, due_of(book))


def _grade_now(
    row: PersonRecord, before: Scored | None, policy: GradingPolicy, due: datetime.datetime | None
) -> Grade | None:
    """The grade that follows from what counts now, or the one before where that stays."""
    if row.is_waiting or (before is not None and is_fault(row.report)):
        return before.grade if before else None
    return grade_of_row(row, policy, due)


def due_of(book: Gradebook) -> datetime.datetime | None:
    """When the class was to hand in; None if nobody has said so."""
    text = book.about().get("due", "")
    return due_in(text) if text else None


def is_past_due(book: Gradebook, now: datetime.datetime) -> bool:
    """Whether nobody is to hand in any more, those included who have longer than the class; no where nobody has said.

    What is shown after the due date is shown to all at once: who has longer would be told it by those who have not.
    """
    of_class = due_of(book)
    own = [due_in(row.due) for row in book.rows() if row.due]
    return of_class is not None and all(due < now for due in (of_class, *own))
