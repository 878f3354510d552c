"""Merges marks that were added to copies of one gradebook, without losing or repeating a mark."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from pitboss.assignments.grading_policy import GradingPolicy
from pitboss.errors import UsageError
from pitboss.gradebook.book import COMMENT, DUE, LATE, OVERRIDE, RUBRIC, STAGE, STYLE, Gradebook
from pitboss.gradebook.person_records import Mark
from pitboss.gradebook.scoring import ScoreChange, update_scores
from pitboss.submissions.importers.imported import Person

#: Kinds of marks that replace all earlier marks of their kind.
_REPLACING_KINDS = (STYLE, OVERRIDE, DUE, LATE)


class Conflict(NamedTuple):
    """Two graders marked a person differently: one of the two marks is in effect."""

    person: Person
    in_effect: Mark
    overridden: Mark


class Merged(NamedTuple):
    """The result of merging a copy into a gradebook."""

    #: The number of marks that were added to the gradebook.
    added: int
    #: The number of marks in the copy that the gradebook had already.
    already_present: int
    #: The number of people with added marks.
    people: int
    conflicts: tuple[Conflict, ...]
    #: People who have marks in the copy but are not in the gradebook: their marks are not merged.
    unknown: tuple[Person, ...]
    #: The scores that have changed.
    changes: tuple[ScoreChange, ...]
    #: The keys of rubric items that differ in the copy; the gradebook's items stay.
    other_items: tuple[str, ...] = ()


def merge(book: Gradebook, copy: Gradebook, policy: GradingPolicy, why: str) -> Merged:
    """Add the marks that only `copy` has to `book`, and compute the new scores, with `why` as their reason.

    Writes everything or nothing. Raises UsageError if the assignments differ, or if `book` is read-only.
    """
    our_assignment, their_assignment = (gradebook.class_facts().get("assignment", "") for gradebook in (book, copy))
    if our_assignment != their_assignment:
        raise UsageError(f"{copy.path}: this is a gradebook of {their_assignment}, and {book.path} of {our_assignment}")
    people_by_key = {person.key: person for person in book.people()}
    added = already_present = 0
    conflicts, unknown, people_with_new_marks = list[Conflict](), list[Person](), list[Person]()
    with book.writing():
        other_items = _merge_rubric(book, copy)
        for person in copy.people():
            our_marks, their_marks = book.marks(person.key), copy.marks(person.key)
            new_marks = _multiset_difference(their_marks, our_marks)
            if new_marks and person.key not in people_by_key:
                unknown.append(person)
                continue
            already_present += len(their_marks) - len(new_marks)
            if new_marks:
                merged = _merged_by_time(our_marks, new_marks)
                conflicts += _conflicts(
                    people_by_key[person.key], _multiset_difference(our_marks, their_marks), new_marks, merged
                )
                book.replace_marks(person.key, merged)
                people_with_new_marks.append(people_by_key[person.key])
                added += len(new_marks)
        changes = tuple(update_scores(book, policy, lambda _: (why,), people_with_new_marks))
    return Merged(
        added, already_present, len(people_with_new_marks), tuple(conflicts), tuple(unknown), changes, other_items
    )


def _merge_rubric(book: Gradebook, copy: Gradebook) -> tuple[str, ...]:
    """Add the items that only the rubric of the copy has; return the keys of items that differ in the copy."""
    our_items = {item.key: item for item in book.rubric()}
    their_items = copy.rubric()
    new_items = [item for item in their_items if item.key not in our_items]
    if new_items:
        book.set_rubric((*our_items.values(), *new_items))
    return tuple(item.key for item in their_items if our_items.get(item.key, item) != item)


def _multiset_difference(marks: Sequence[Mark], others: Sequence[Mark]) -> list[Mark]:
    """The multiset difference `marks` minus `others`, in the order of `marks`."""
    unmatched, difference = Counter(others), []
    for mark in marks:
        if unmatched[mark]:
            unmatched[mark] -= 1
        else:
            difference.append(mark)
    return difference


def _merged_by_time(marks: Sequence[Mark], new_marks: Sequence[Mark]) -> list[Mark]:
    """Both sequences of marks, merged by time. The order within each sequence stays, even if a clock was wrong."""
    merged, remaining = [], list(new_marks)
    for mark in marks:
        while remaining and remaining[0].at < mark.at:
            merged.append(remaining.pop(0))
        merged.append(mark)
    return [*merged, *remaining]


def _conflicts(
    person: Person, only_ours: Sequence[Mark], only_theirs: Sequence[Mark], merged: Sequence[Mark]
) -> list[Conflict]:
    """The conflicts between the marks that only one side has: `only_ours` and `only_theirs`.

    There is a conflict if both sides set a mark to different values, or if one side withdrew a comment of the other.
    """
    conflicts = []
    our_last, their_last = (
        {mark.kind: mark for mark in marks if _replaces_earlier(mark)} for marks in (only_ours, only_theirs)
    )
    for kind in our_last.keys() & their_last.keys():
        last_marks = (our_last[kind], their_last[kind])
        if last_marks[0].value != last_marks[1].value:
            # The mark that comes later in `merged` is in effect.
            overridden, in_effect = sorted(
                last_marks, key=lambda mark: max(index for index, other in enumerate(merged) if other == mark)
            )
            conflicts.append(Conflict(person, in_effect, overridden))
    for marks, others in ((only_ours, only_theirs), (only_theirs, only_ours)):
        for withdrawal in (mark for mark in marks if mark.kind == COMMENT and not mark.value):
            earlier_marks = merged[: merged.index(withdrawal)]
            conflicts += [
                Conflict(person, withdrawal, comment)
                for comment in others
                if comment.kind == COMMENT and comment.value and comment in earlier_marks
            ]
    return sorted(conflicts, key=lambda conflict: (conflict.in_effect.kind, conflict.in_effect.at))


def _replaces_earlier(mark: Mark) -> bool:
    return mark.kind in _REPLACING_KINDS or mark.kind.startswith((STAGE, RUBRIC))
