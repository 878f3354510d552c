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
    """Two graders marked a person differently: the mark in effect, and the mark that it overrides."""

    person: Person
    counts: Mark
    overridden: Mark


class Merged(NamedTuple):
    """The result of merging a copy into a gradebook."""

    #: The numbers of marks added, of marks in the copy that the gradebook had already, and of people with new marks.
    added: int
    already_present: int
    people: int
    conflicts: tuple[Conflict, ...]
    #: People with marks in the copy who are not in the gradebook: their marks are not merged.
    unknown: tuple[Person, ...]
    #: The scores that have changed.
    changes: tuple[ScoreChange, ...]
    #: The keys of rubric items that differ in the copy; the gradebook's items stay.
    other_items: tuple[str, ...] = ()


def merge(book: Gradebook, copy: Gradebook, policy: GradingPolicy, why: str) -> Merged:
    """Add the marks that only `copy` has to `book`, and compute the new scores, with `why` as their reason.

    Writes everything or nothing. Raises UsageError if the assignments differ, or if `book` is read-only.
    """
    ours, theirs = (gradebook.class_facts().get("assignment", "") for gradebook in (book, copy))
    if ours != theirs:
        raise UsageError(f"{copy.path}: this is a gradebook of {theirs}, and {book.path} of {ours}")
    by_key = {person.key: person for person in book.people()}
    added = repeated = 0
    conflicts, unknown, people = list[Conflict](), list[Person](), list[Person]()
    with book.writing():
        other_items = _merge_rubric(book, copy)
        for person in copy.people():
            own, others = book.marks(person.key), copy.marks(person.key)
            new = _surplus(others, own)
            if new and person.key not in by_key:
                unknown.append(person)
                continue
            repeated += len(others) - len(new)
            if new:
                merged = _merged_by_time(own, new)
                conflicts += _conflicts(by_key[person.key], _surplus(own, others), new, merged)
                book.replace_marks(person.key, merged)
                people.append(by_key[person.key])
                added += len(new)
        changes = tuple(update_scores(book, policy, lambda row: (why,), people))
    return Merged(added, repeated, len(people), tuple(conflicts), tuple(unknown), changes, other_items)


def _merge_rubric(book: Gradebook, copy: Gradebook) -> tuple[str, ...]:
    """Add the items that only the rubric of the copy has; returns the keys of items that differ in the copy."""
    ours = {item.key: item for item in book.rubric()}
    theirs = copy.rubric()
    new = [item for item in theirs if item.key not in ours]
    if new:
        book.set_rubric((*ours.values(), *new))
    return tuple(item.key for item in theirs if ours.get(item.key, item) != item)


def _surplus(marks: Sequence[Mark], others: Sequence[Mark]) -> list[Mark]:
    """The marks without the others, as a multiset difference, in order."""
    unmatched, surplus = Counter(others), []
    for mark in marks:
        if unmatched[mark]:
            unmatched[mark] -= 1
        else:
            surplus.append(mark)
    return surplus


def _merged_by_time(marks: Sequence[Mark], new: Sequence[Mark]) -> list[Mark]:
    """All marks by time; each sequence keeps its own order, even if a clock was wrong."""
    merged, remaining = [], list(new)
    for mark in marks:
        while remaining and remaining[0].at < mark.at:
            merged.append(remaining.pop(0))
        merged.append(mark)
    return [*merged, *remaining]


def _conflicts(person: Person, ours: Sequence[Mark], theirs: Sequence[Mark], merged: Sequence[Mark]) -> list[Conflict]:
    """The conflicts: different marks that both sides added since the copy, and comments that one side withdrew."""
    conflicts = []
    last_by_kind = [{mark.kind: mark for mark in marks if _replaces_earlier(mark)} for marks in (ours, theirs)]
    for kind in last_by_kind[0].keys() & last_by_kind[1].keys():
        last_marks = (last_by_kind[0][kind], last_by_kind[1][kind])
        if last_marks[0].value != last_marks[1].value:
            outdone, counts = sorted(
                last_marks, key=lambda mark: max(at for at, other in enumerate(merged) if other == mark)
            )
            conflicts.append(Conflict(person, counts, outdone))
    for marks, others in ((ours, theirs), (theirs, ours)):
        for withdrawal in (mark for mark in marks if mark.kind == COMMENT and not mark.value):
            before = merged[: merged.index(withdrawal)]
            conflicts += [
                Conflict(person, withdrawal, comment)
                for comment in others
                if comment.kind == COMMENT and comment.value and comment in before
            ]
    return sorted(conflicts, key=lambda conflict: (conflict.counts.kind, conflict.counts.at))


def _replaces_earlier(mark: Mark) -> bool:
    """Whether a mark replaces the earlier marks of its kind."""
    return mark.kind in _REPLACING_KINDS or mark.kind.startswith((STAGE, RUBRIC))
