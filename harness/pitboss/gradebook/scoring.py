"""Recomputes scores when anything they depend on changes, with a reason, and compares them under two policies."""

from __future__ import annotations

import datetime
import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple, TypeVar

import msgspec

from pitboss.assignments.grading_policy import GradingPolicy
from pitboss.compare.results import Report, Verdict
from pitboss.gradebook.arithmetic import grade_of
from pitboss.gradebook.book import Gradebook, has_our_fault
from pitboss.gradebook.days import days_late, due_in
from pitboss.gradebook.grades import Circumstances, DayBasis, Grade, GradeLine, Lateness, Override
from pitboss.gradebook.marks import Mark
from pitboss.gradebook.people import PersonRecord, Scored
from pitboss.sandbox.digests import Causes
from pitboss.submissions.importers.imported import Person

_T = TypeVar("_T")


class ScoreChange(NamedTuple):
    """A new score of a person, and the previous score."""

    person: Person
    #: The previous score; None for the first score.
    before: Scored | None
    now: Grade
    #: Sentences on why the score changed.
    why: tuple[str, ...]


def circumstances_of(record: PersonRecord, due: datetime.datetime | None) -> Circumstances:
    """Returns everything that a person's score depends on besides the report; `due` is the due date of the class."""
    person_due = due_in(record.due) if record.due else due
    submitted_at = record.handed_in.at if record.handed_in else None
    override = Override(Fraction(record.override.value), record.override.reason) if record.override else None
    # Set only if the days late are computed from the person's own due date in place of the class's.
    by_class_due = days_late(submitted_at, due) if submitted_at and due and record.due and not record.late else None
    return Circumstances(
        days_late=_days_late(record, person_due),
        days_late_by_class_due=by_class_due,
        lateness=_lateness(record, person_due),
        style=Fraction(record.style) if record.style else None,
        override=override,
        manual_scores=tuple((stage, Fraction(share)) for stage, share in record.manual_scores),
        day_basis=_day_basis(record),
        own_due=person_due if record.due else None,
        picked=tuple((item.text, Fraction(item.points)) for item in record.picked),
    )


def _day_basis(record: PersonRecord) -> DayBasis:
    """Returns the source of a person's days late: a grader's entry, the class's due date, or the person's own."""
    if record.late:
        return DayBasis.PERSON
    if not record.due:
        return DayBasis.CLASS
    return DayBasis.OWN_DUE_NO_TIME if is_undated(record) else DayBasis.OWN_DUE


def is_undated(record: PersonRecord) -> bool:
    """Whether the time of the person's submission is unknown, so that a due date has no effect."""
    return record.handed_in is not None and record.handed_in.at is None


def _days_late(record: PersonRecord, due: datetime.datetime | None) -> int | None:
    """The days late if this is the due date; None if unknown.

    The grader's entry is used if there is one, else the submission time and the due date, else the platform's number.
    """
    if record.late:
        return int(record.late)
    if record.handed_in is None:
        return None
    submitted_at = record.handed_in.at
    return days_late(submitted_at, due) if submitted_at and due else record.handed_in.days_late


def _lateness(record: PersonRecord, due: datetime.datetime | None) -> Lateness:
    """What is known about lateness when the number of days is unknown."""
    is_late = record.handed_in.is_late if record.handed_in else None
    if is_late is not None:
        return Lateness.LATE if is_late else Lateness.NOT_LATE
    return Lateness.NO_SUBMISSION_TIME if due is not None else Lateness.NO_DUE_DATE


def grade_of_record(record: PersonRecord, policy: GradingPolicy, due: datetime.datetime | None) -> Grade:
    """The grade of a person; if the submission could not be used, the first line of the grade says why."""
    circumstances = circumstances_of(record, due)
    grade = grade_of(record.report, policy, circumstances)
    if record.report is None and record.handed_in is not None and not circumstances.override:
        # This line replaces the first line, which says that nothing was handed in.
        reason = GradeLine(f"the submission cannot be used: {record.handed_in.problem}", Fraction(0))
        return msgspec.structs.replace(grade, lines=(reason, *grade.lines[1:]))
    return grade


def update_scores(
    book: Gradebook,
    policy: GradingPolicy,
    why: Callable[[PersonRecord], tuple[str, ...]],
    people: Iterable[Person] | None = None,
) -> Iterator[ScoreChange]:
    """Recompute the scores of everybody, or of these people; record and yield the scores that differ.

    `why` returns the reasons for a person's new score. The current score stays if the report contains a fault
    (JUDGE_ERROR), or if the submission has not been run yet.
    """
    due = class_due(book)
    for person in book.people() if people is None else people:
        record, before = book.person_record(person), book.score(person.key)
        now = _grade_now(record, before, policy, due)
        if now is None or (before is not None and before.grade == now):
            continue
        reasons = why(record)
        book.add_score(record.person.key, now, reasons)
        yield ScoreChange(record.person, before, now, reasons)


def count_outdated(
    book: Gradebook, records: Iterable[tuple[PersonRecord, Scored | None]], policy: GradingPolicy
) -> int:
    """The number of recorded scores that differ from the scores under this policy.

    Only the numbers of the grades are compared, since another version of pitboss may word the lines differently.
    """
    due = class_due(book)
    grade_pairs = ((before, _grade_now(record, before, policy, due)) for record, before in records)
    return sum(
        before is not None and now is not None and _amounts(before.grade) != _amounts(now)
        for before, now in grade_pairs
    )


def _amounts(grade: Grade) -> tuple[object, ...]:
    """The numbers of a grade; lines that add no points are left out."""
    return (grade.score, grade.out_of, grade.at_most, *(line.amount for line in grade.lines if line.amount))


def grade_with(book: Gradebook, policy: GradingPolicy, person: Person, marks: Sequence[Mark]) -> Grade | None:
    """The grade that a person would have with these marks; None if there is no grade yet. Nothing is recorded."""
    return _grade_now(book.person_record(person, marks), book.score(person.key), policy, class_due(book))


def _grade_now(
    record: PersonRecord, before: Scored | None, policy: GradingPolicy, due: datetime.datetime | None
) -> Grade | None:
    """The grade under this policy and the marks of `record`, except in two cases; `before` is the recorded score.

    If the submission has not been run yet, returns the recorded grade, or None if no grade is recorded. If the report
    contains a fault, returns the recorded grade if there is one.
    """
    if record.is_waiting or (before is not None and has_our_fault(record.report)):
        return before.grade if before else None
    return grade_of_record(record, policy, due)


def class_due(book: Gradebook) -> datetime.datetime | None:
    """The due date of the class; None if it has none."""
    text = book.class_facts().get("due", "")
    return due_in(text) if text else None


def is_past_due(book: Gradebook, now: datetime.datetime) -> bool:
    """Whether the due date of the class and all individual ones have passed; False if the class has no due date.

    Everything revealed after the due date reaches the whole class, including students who still have time.
    """
    class_due_date = class_due(book)
    individual_due_dates = [due_in(record.due) for record in book.person_records() if record.due]
    return class_due_date is not None and all(due < now for due in (class_due_date, *individual_due_dates))


def changed_verdicts(before: Report, now: Report) -> list[tuple[str, str, str, str]]:
    """Returns the sessions whose verdict differs in two reports: stage, session, verdict before, verdict now.

    A verdict is empty if its report lacks the session.
    """
    old_verdicts, new_verdicts = (
        {(stage.stage, result.session): result.verdict.value for stage in report.stages for result in stage.results}
        for report in (before, now)
    )
    return [
        (*key, old_verdicts.get(key, ""), new_verdicts.get(key, ""))
        for key in dict.fromkeys((*old_verdicts, *new_verdicts))
        if old_verdicts.get(key) != new_verdicts.get(key)
    ]


#: The sentence for each field of Causes that changed.
_SENTENCES = {
    "program": "another program was handed in",
    "assignment": "the assignment's specs or its code have changed",
    "options": "it was graded with other options",
    "pitboss": "it was graded by another version of pitboss",
}
#: The maximum number of sessions that are named.
_MAX_SESSIONS = 3
#: A run of a submission: the digests of its causes, and its report.
Run = tuple[Causes, Report]


def score_change_reasons(before: Run | None, now: Run | None) -> tuple[str, ...]:
    """Sentences on what changed between the runs of the previous and the current grade; empty if `now` is None."""
    if now is None:
        return ()
    if before is None:
        return ("graded for the first time",)
    sentences = [_SENTENCES[name] for name in now[0].changed_since(before[0])]
    return (*(sentences or ["it was run again"]), *_session_sentences(before[1], now[1]))


def _session_sentences(before: Report, now: Report) -> list[str]:
    """Sentences on the first sessions whose verdict changed, and the number of further sessions."""
    changed = changed_verdicts(before, now)
    examples = [
        f"{stage}, {case}: {_verdict_text(old)} before, {_verdict_text(new)} now"
        for stage, case, old, new in changed[:_MAX_SESSIONS]
    ]
    more = len(changed) - len(examples)
    return examples + ([f"{more} more sessions changed" if more > 1 else "1 more session changed"] if more else [])


def _verdict_text(verdict: str) -> str:
    """The verdict of a session in words; `verdict` is empty if the session was not run."""
    return Verdict(verdict).words if verdict else "not run"


class GradedPerson(msgspec.Struct, frozen=True):
    """A person to grade: the report (None if nothing was submitted) and the circumstances."""

    name: str
    report: Report | None
    circumstances: Circumstances = Circumstances()


class PolicyEffect(msgspec.Struct, frozen=True):
    """One person's grade under both policies."""

    name: str
    old: Grade
    new: Grade
    #: The lines of the old grade that the new grade lacks, in the order of the old grade.
    old_lines: tuple[GradeLine, ...]
    #: The lines of the new grade that the old grade lacks, in the order of the new grade.
    new_lines: tuple[GradeLine, ...]

    @property
    def difference(self) -> Fraction | None:
        """By how much the score changes; None while either grade is open."""
        if self.old.score is None or self.new.score is None:
            return None
        return self.new.score - self.old.score

    @property
    def is_changed(self) -> bool:
        """Whether the score, its possible range or the total points differ."""
        old, new = self.old, self.new
        return (old.score, old.so_far, old.at_most, old.out_of) != (new.score, new.so_far, new.at_most, new.out_of)


class Distribution(NamedTuple):
    """How the scores of a class are distributed."""

    lowest: Fraction
    median: Fraction
    mean: Fraction
    highest: Fraction


def policy_effects(graded: Sequence[GradedPerson], old: GradingPolicy, new: GradingPolicy) -> list[PolicyEffect]:
    """Compares the grades of these people under both policies, in the order of `graded`, also where nothing changes."""
    return [
        _effect(person.name, *(grade_of(person.report, policy, person.circumstances) for policy in (old, new)))
        for person in graded
    ]


def _effect(name: str, old: Grade, new: Grade) -> PolicyEffect:
    old_lines, new_lines = multiset_difference(old.lines, new.lines), multiset_difference(new.lines, old.lines)
    return PolicyEffect(name, old, new, old_lines, new_lines)


def multiset_difference(items: Iterable[_T], others: Iterable[_T]) -> tuple[_T, ...]:
    """The multiset difference `items` minus `others`, in the order of `items`."""
    unmatched, difference = Counter(others), []
    for item in items:
        if unmatched[item]:
            unmatched[item] -= 1
        else:
            difference.append(item)
    return tuple(difference)


def distribution_of(scores: Sequence[Fraction]) -> Distribution | None:
    """The exact distribution of scores; None without scores."""
    if not scores:
        return None
    return Distribution(min(scores), statistics.median(scores), statistics.mean(scores), max(scores))
