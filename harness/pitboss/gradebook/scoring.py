"""Scores from what counts: computed anew whenever that has changed, and noted with the reason where they differ."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from typing import NamedTuple

import msgspec

from pitboss.assignments.grading import GradingPolicy
from pitboss.gradebook.arithmetic import TAKEN_AS_ON_TIME, grade_of
from pitboss.gradebook.book import Gradebook, is_fault
from pitboss.gradebook.days import days_late, due_in
from pitboss.gradebook.grade import Circumstances, Grade, Line, Override
from pitboss.gradebook.values import Row, Scored
from pitboss.submissions.importers.handed import Person


class Change(NamedTuple):
    """A score that differs from the one that a person had."""

    person: Person
    #: None where there was none.
    before: Scored | None
    now: Grade
    why: tuple[str, ...]


def circumstances_of(row: Row, due: datetime.datetime | None) -> Circumstances:
    """What counts for a person's score besides the report; `due` is that of the class."""
    own_due = due_in(row.due) if row.due else due
    at = row.handed_in.at if row.handed_in else None
    override = Override(Fraction(row.override.value), row.override.reason) if row.override else None
    return Circumstances(
        days_late=int(row.late) if row.late else days_late(at, own_due) if at and own_due else None,
        style=Fraction(row.style) if row.style else None,
        override=override,
        by_person=tuple((stage, Fraction(share)) for stage, share in row.by_person),
    )


def grade_of_row(row: Row, policy: GradingPolicy, due: datetime.datetime | None) -> Grade:
    """The grade of a person; open where the platform says that it is late and nobody knows by how many days."""
    circumstances = circumstances_of(row, due)
    grade = grade_of(row.report, policy, circumstances)
    if row.report is None and row.handed_in is not None and not circumstances.override:
        told: tuple[Line, ...] = (Line(f"what was handed in cannot be taken: {row.handed_in.problem}", Fraction(0)),)
        return msgspec.structs.replace(grade, lines=told)
    is_late = row.handed_in is not None and row.handed_in.is_late
    if not (is_late and policy.late and circumstances.days_late is None) or circumstances.override or not grade.at_most:
        return grade
    # A late table may leave no credit.
    kept = tuple(line for line in grade.lines if line.text != TAKEN_AS_ON_TIME)
    taken_away = -sum((line.amount for line in kept), Fraction(0))
    lines = (*kept, Line("marked as late: by how many days is not known", taken_away))
    reason = "it is marked as late, and by how many days is not known: `pitboss mark --late DAYS` says it"
    return msgspec.structs.replace(grade, score=None, lines=lines, open=(*grade.open, reason))


def rescored(
    book: Gradebook,
    policy: GradingPolicy,
    why: Callable[[Row], tuple[str, ...]],
    people: Iterable[Person] | None = None,
) -> Iterator[Change]:
    """Compute the scores of all, or of these people, anew; note and yield those that differ. `why` says why.

    Where the only report is a fault of ours, or what was handed in has not been run yet, the score that is there stays.
    """
    due = due_of(book)
    for person in book.people() if people is None else people:
        row = book.row(person)
        if row.is_waiting:
            continue
        before, now = book.score(row.person.key), grade_of_row(row, policy, due)
        if before is not None and (before.grade == now or is_fault(row.report)):
            continue
        told = why(row)
        book.add_score(row.person.key, now, told)
        yield Change(row.person, before, now, told)


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
