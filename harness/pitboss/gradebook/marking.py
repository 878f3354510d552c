"""Adds marks to a gradebook: parses their values, computes the new scores, and merges the marks of copies."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from pitboss.assignments.grading_policy import GradingPolicy
from pitboss.assignments.gradingfile import RubricItem
from pitboss.errors import UsageError, as_found, did_you_mean, listed
from pitboss.gradebook.book import Gradebook
from pitboss.gradebook.marks import ANSWER, COMMENT, DECLINE, Mark, kind_of, line_kind
from pitboss.gradebook.people import Scored
from pitboss.gradebook.scoring import ScoreChange, multiset_difference, update_scores
from pitboss.model.words import counted
from pitboss.submissions.importers.imported import Person


class ScoreBeforeAndAfter(NamedTuple):
    """A person's score before marks were added, and now; None where no score has been computed yet."""

    before: Scored | None
    now: Scored | None


class NewMark(NamedTuple):
    """A mark to add."""

    #: See the constants in `marks`, such as STYLE.
    kind: str
    value: str
    reason: str = ""


def mark_person(
    book: Gradebook,
    policy: GradingPolicy,
    person: Person,
    added: Sequence[tuple[str, str]],
    *,
    reason: str = "",
    by: str = "",
) -> ScoreBeforeAndAfter:
    """Add marks (pairs of a kind and a value) for a person and compute the new score, in one transaction.

    Earlier marks stay. Raises UsageError if the person is not in this gradebook, or has no open request to answer.
    """
    return add_marks(book, policy, person, [NewMark(kind, value, reason) for kind, value in added], by=by)


def add_marks(
    book: Gradebook, policy: GradingPolicy, person: Person, added: Sequence[NewMark], *, by: str = ""
) -> ScoreBeforeAndAfter:
    """Like `mark_person`, but each mark has its own reason."""
    before = book.score(person.key)
    with book.writing():
        if any(mark.kind in (ANSWER, DECLINE) for mark in added) and not book.person_record(person).has_open_request:
            raise UsageError(f"{person.name} has no open request that could be answered")
        for mark in added:
            book.add_mark(person.key, mark.kind, mark.value, reason=mark.reason, by=by)
        if scored_marks := [mark for mark in added if not kind_of(mark.kind).is_text]:
            reasons = "; ".join(dict.fromkeys(mark.reason for mark in scored_marks if mark.reason))
            why = (f"marked manually{': ' if reasons else ''}{reasons}",)
            list(update_scores(book, policy, lambda _: why, [person]))  # update_scores does its work while it yields
    return ScoreBeforeAndAfter(before, book.score(person.key))


def set_rubric(book: Gradebook, policy: GradingPolicy, items: Sequence[RubricItem], *, by: str) -> int:
    """Set or replace the rubric of a gradebook; returns the number of scores that changed.

    Raises UsageError if the new rubric lacks a picked item.
    """
    with book.writing():
        book.set_rubric(items)
        why = (f"the rubric was changed by {by}",)
        people = [person for person in book.people() if book.person_record(person).picked]
        return len(list(update_scores(book, policy, lambda _: why, people)))


def check_rubric_item(book: Gradebook, key: str, prefix: str) -> None:
    """Raise UsageError unless the rubric has an item with this key.

    The message begins with `prefix`, which says where the key was entered, such as `rubric `.
    """
    keys = [item.key for item in book.rubric()]
    if not keys:
        raise UsageError(f"{prefix}{as_found(key)} — there is no rubric: `pitboss mark --rubric FILE` sets one")
    if key not in keys:
        raise UsageError(f"{prefix}{as_found(key)} — the rubric has {listed(keys)}{did_you_mean(key, keys)}")


def line_comment_kind(book: Gradebook, person: Person, place: str, prefix: str) -> str:
    """Returns the kind of a comment at `place`, a line such as `main.c:12` of a person's current submission.

    The file may be named without its folders if no other file has this name. Raises UsageError if there is no such
    line; the message begins with `prefix`, which says where the place was entered, such as `--at `, and may be empty.
    """
    sources = {source.path: source.text for source in book.sources(person.key)}
    path, _, number = place.strip().rpartition(":")
    if not path or not re.fullmatch("[0-9]{1,7}", number):
        raise UsageError(f"{prefix}{as_found(place)} — it must be a file and a line: main.c:12")
    matching_paths = [path] if path in sources else [name for name in sources if name.rpartition("/")[2] == path]
    if len(matching_paths) != 1:
        files = listed(sources) or "none"
        raise UsageError(
            f"{prefix}{as_found(path)} — the sources of {person.name} are {files}{did_you_mean(path, sources)}"
        )
    file = matching_paths[0]
    line_count = len(sources[file].removesuffix("\n").split("\n"))
    if not 1 <= int(number) <= line_count:
        raise UsageError(f"{prefix}{as_found(place)} — {file} has {counted(line_count, 'line')}")
    return line_kind(book.program(person.key) or "", f"{file}:{int(number)}")


def check_manual_stage(policy: GradingPolicy, name: str, prefix: str = "") -> None:
    """Raise UsageError unless `name` is a manually graded stage.

    The message begins with `prefix`: an option such as `--stage `, or nothing.
    """
    manual_stages = [stage.name for stage in policy.stages if stage.is_manual]
    if name not in manual_stages:
        raise UsageError(
            f"{prefix}{as_found(name)} — manually graded stages are {listed(manual_stages) or 'none'}"
            f"{did_you_mean(name, manual_stages)}"
        )


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
            new_marks = multiset_difference(their_marks, our_marks)
            if new_marks and person.key not in people_by_key:
                unknown.append(person)
                continue
            already_present += len(their_marks) - len(new_marks)
            if new_marks:
                merged = _merged_by_time(our_marks, new_marks)
                conflicts += _conflicts(
                    people_by_key[person.key], multiset_difference(our_marks, their_marks), new_marks, merged
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
        {mark.kind: mark for mark in marks if not kind_of(mark.kind).is_text} for marks in (only_ours, only_theirs)
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
