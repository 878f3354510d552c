"""Merges marks that were added to copies of one gradebook, without losing or repeating any."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from pitboss.assignments.grading_policy import GradingPolicy
from pitboss.errors import UsageError
from pitboss.gradebook.book import COMMENT, DUE, LATE, OVERRIDE, RUBRIC, STAGE, STYLE, Gradebook
from pitboss.gradebook.person_records import Mark
from pitboss.gradebook.scoring import ScoreChange, rescored
from pitboss.submissions.importers.imported import Person

#: Kinds for which only the last mark counts.
_LAST_COUNTS = (STYLE, OVERRIDE, DUE, LATE)


class Conflict(NamedTuple):
    """Two graders marked a person differently: the mark that counts, and the one that it overrides."""

    person: Person
    counts: Mark
    outdone: Mark


class Merged(NamedTuple):
    """The result of merging a copy into a gradebook."""

    #: The numbers of marks added, of marks in the copy that were there already, and of people with new marks.
    added: int
    there: int
    people: int
    conflicts: tuple[Conflict, ...]
    #: People with marks in the copy who are not in the gradebook: their marks are not merged.
    unknown: tuple[Person, ...]
    #: The scores that have changed.
    changes: tuple[ScoreChange, ...]
    #: The keys of rubric items that differ in the copy; those of the gradebook stay.
    other_items: tuple[str, ...] = ()


def merge(book: Gradebook, copy: Gradebook, policy: GradingPolicy, why: str) -> Merged:
    """Add the marks that only `copy` has to `book`, and compute the new scores, with `why` as their reason.

    Writes everything or nothing. Raises UsageError if the assignments differ, or if `book` is read-only.
    """
    ours, theirs = (one.about().get("assignment", "") for one in (book, copy))
    if ours != theirs:
        raise UsageError(f"{copy.path}: this is a gradebook of {theirs}, and {book.path} of {ours}")
    by_key = {person.key: person for person in book.people()}
    added = there = 0
    conflicts, unknown, people = list[Conflict](), list[Person](), list[Person]()
    with book.writing():
        other_items = _merge_rubric(book, copy)
        for person in copy.people():
            own, others = book.marks(person.key), copy.marks(person.key)
            new = _without(others, own)
            if new and person.key not in by_key:
                unknown.append(person)
                continue
            there += len(others) - len(new)
            if new:
                whole = _in_time(own, new)
                conflicts += _conflicts(by_key[person.key], _without(own, others), new, whole)
                book.put_marks(person.key, whole)
                people.append(by_key[person.key])
                added += len(new)
        changes = tuple(rescored(book, policy, lambda row: (why,), people))
    return Merged(added, there, len(people), tuple(conflicts), tuple(unknown), changes, other_items)


def _merge_rubric(book: Gradebook, copy: Gradebook) -> tuple[str, ...]:
    """Add the items that only the rubric of the copy has; returns the keys of those that differ there."""
    ours = {item.key: item for item in book.rubric()}
    theirs = copy.rubric()
    new = [item for item in theirs if item.key not in ours]
    if new:
        book.set_rubric((*ours.values(), *new))
    return tuple(item.key for item in theirs if ours.get(item.key, item) != item)


def _without(marks: Sequence[Mark], others: Sequence[Mark]) -> list[Mark]:
    """The marks that are not among the others; of equal ones only the surplus."""
    left, found = Counter(others), []
    for mark in marks:
        if left[mark]:
            left[mark] -= 1
        else:
            found.append(mark)
    return found


def _in_time(marks: Sequence[Mark], new: Sequence[Mark]) -> list[Mark]:
    """Both together in order of time; each keeps its own order even if a clock was wrong."""
    whole, left = [], list(new)
    for mark in marks:
        while left and left[0].at < mark.at:
            whole.append(left.pop(0))
        whole.append(mark)
    return [*whole, *left]


def _conflicts(person: Person, ours: Sequence[Mark], theirs: Sequence[Mark], whole: Sequence[Mark]) -> list[Conflict]:
    """Marks added on both sides since the copy that differ, and comments that one side withdrew."""
    found = []
    last = [{mark.kind: mark for mark in marks if _is_last_counting(mark)} for marks in (ours, theirs)]
    for kind in last[0].keys() & last[1].keys():
        both = (last[0][kind], last[1][kind])
        if both[0].value != both[1].value:
            outdone, counts = sorted(both, key=lambda mark: max(at for at, one in enumerate(whole) if one == mark))
            found.append(Conflict(person, counts, outdone))
    for marks, others in ((ours, theirs), (theirs, ours)):
        for back in (mark for mark in marks if mark.kind == COMMENT and not mark.value):
            before = whole[: whole.index(back)]
            found += [
                Conflict(person, back, one) for one in others if one.kind == COMMENT and one.value and one in before
            ]
    return sorted(found, key=lambda one: (one.counts.kind, one.counts.at))


def _is_last_counting(mark: Mark) -> bool:
    return mark.kind in _LAST_COUNTS or mark.kind.startswith((STAGE, RUBRIC))
