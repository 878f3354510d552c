"""Adds marks to a gradebook: parses their words, and computes the new score."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from pitboss.assignments.grading_policy import GradingPolicy
from pitboss.assignments.rubricfile import RubricItem
from pitboss.errors import UsageError, as_found, listed, near
from pitboss.gradebook.book import ANSWER, DECLINE, Gradebook, is_words, line_kind
from pitboss.gradebook.numerals import numeral
from pitboss.gradebook.person_records import Scored
from pitboss.gradebook.scoring import rescored
from pitboss.submissions.importers.imported import Person

#: A number that nobody means, whose digits would fill the memory.
_HUGE = re.compile(r"[eE][+-]?[0-9_]{3,}|.{60,}", re.DOTALL)

_PERCENTAGE = re.compile(r"([0-9]{1,6})(?:[.,]([0-9]{1,10}))?\s*(%?)")
_SHARE = re.compile(r"([0-9]{1,6})/0*([1-9][0-9]{0,5})")


class Marked(NamedTuple):
    """The effect of marks: the scores before and after; equal if they change nothing."""

    before: Scored | None
    now: Scored | None


class Added(NamedTuple):
    """A mark to be added."""

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
) -> Marked:
    """Add marks (pairs of a kind and a value) for a person and compute the new score, in one transaction.

    Earlier marks stay. Raises UsageError if the person is not in this gradebook, or has no open request to answer.
    """
    return add_marks(book, policy, person, [Added(kind, value, reason) for kind, value in added], by=by)


def add_marks(
    book: Gradebook, policy: GradingPolicy, person: Person, added: Sequence[Added], *, by: str = ""
) -> Marked:
    """Like `mark_person`, for marks that each have their own reason."""
    before = book.score(person.key)
    with book.writing():
        if any(one.kind in (ANSWER, DECLINE) for one in added) and not book.row(person).has_open_request:
            raise UsageError(f"{person.name} has no open request that could be answered")
        for one in added:
            book.add_mark(person.key, one.kind, one.value, reason=one.reason, by=by)
        if counting := [one for one in added if not is_words(one.kind)]:
            reasons = "; ".join(dict.fromkeys(one.reason for one in counting if one.reason))
            why = (f"marked manually{': ' if reasons else ''}{reasons}",)
            list(rescored(book, policy, lambda row: why, [person]))
    return Marked(before, book.score(person.key))


def set_rubric(book: Gradebook, policy: GradingPolicy, items: Sequence[RubricItem], *, by: str) -> int:
    """Set or replace the rubric of a gradebook; returns the number of scores that changed.

    Raises UsageError if it lacks a picked item.
    """
    with book.writing():
        book.set_rubric(items)
        why = (f"the rubric was changed by {by}",)
        picking = [person for person in book.people() if book.row(person).picked]
        return len(list(rescored(book, policy, lambda row: why, picking)))


def see_item(book: Gradebook, key: str, called: str) -> None:
    """Raise UsageError, prefixed by `called`, unless the rubric has an item with this key."""
    keys = [one.key for one in book.rubric()]
    if not keys:
        raise UsageError(f"{called}{as_found(key)} — there is no rubric: `pitboss mark --rubric FILE` sets one")
    if key not in keys:
        raise UsageError(f"{called}{as_found(key)} — the rubric has {listed(keys)}{near(key, keys)}")


def line_in(book: Gradebook, person: Person, place: str, called: str) -> str:
    """The kind of a comment at a line, such as `main.c:12`, of the submission that counts for a person.

    A file may be named without its folders. Raises UsageError, prefixed by `called`, if there is no such line.
    """
    sources = {one.path: one.text for one in book.sources(person.key)}
    path, _, number = place.strip().rpartition(":")
    if not path or not re.fullmatch("[0-9]{1,7}", number):
        raise UsageError(f"{called}{as_found(place)} — it is a file and a line: main.c:12")
    paths = [one for one in sources if path in (one, one.rpartition("/")[2])]
    found = path if path in sources else paths[0] if len(paths) == 1 else None
    if found is None:
        there = listed(sources) or "none"
        raise UsageError(f"{called}{as_found(path)} — the sources of {person.name} are {there}{near(path, sources)}")
    count = len(sources[found].removesuffix("\n").split("\n"))
    if not 1 <= int(number) <= count:
        raise UsageError(f"{called}{as_found(place)} — {found} has {count:,} line{'' if count == 1 else 's'}")
    return line_kind(book.program(person.key) or "", f"{found}:{int(number)}")


def share_in(word: str, name: str) -> str:
    """A share as the text of an exact fraction; raises UsageError, which calls it `name`, for anything else.

    Up to 1 a number may be two things, so it needs its sign.

    >>> share_in("80%", "style"), share_in("4/5", "style"), share_in("80", "style"), share_in("87,5 %", "style")
    ('4/5', '4/5', '4/5', '7/8')
    """
    text = word.strip()
    if found := _SHARE.fullmatch(text):
        share = Fraction(int(found[1]), int(found[2]))
    elif found := _PERCENTAGE.fullmatch(text):
        number = Fraction(f"{found[1]}.{found[2] or 0}")
        share = number / 100
        if 0 < number <= 1 and not found[3]:
            both = f"{numeral(number)}% or {numeral(number * 100)}%"
            raise UsageError(f"{name} {as_found(word)} may be {both} — write the one that is meant, with its sign")
    else:
        share = Fraction(-1)
    if not 0 <= share <= 1:
        allowed = "a percentage from 0% to 100%, or a share: 80, 80 %, 87,5 or 4/5"
        raise UsageError(f"{name} {as_found(word)} — it is {allowed}")
    return str(share)


def see_stage(policy: GradingPolicy, name: str, called: str = "") -> None:
    """Raise UsageError, prefixed by `called`, unless it is the name of a manually graded stage."""
    manual = [stage.name for stage in policy.stages if stage.is_manual]
    if name not in manual:
        raise UsageError(
            f"{called}{as_found(name)} — manually graded stages are {listed(manual) or 'none'}{near(name, manual)}"
        )


def points_in(word: str, name: str) -> str:
    """Points as the text of an exact fraction; raises UsageError, which calls them `name`, for anything else."""
    points = _fraction(word)
    if points < 0:
        raise UsageError(f"{name} {as_found(word)} — it is a number of points, such as 85 or 85.5")
    return str(points)


def days_in(word: str, name: str) -> str:
    """A number of days as a text; raises UsageError, which calls it `name`, for anything else."""
    if not re.fullmatch(r"-?[0-9]{1,4}", word):
        raise UsageError(
            f"{name} {as_found(word)} — it is a whole number of days: 2, 0 for on time, -1 for a day early"
        )
    return str(int(word))


def _fraction(word: str) -> Fraction:
    """Parses a number; returns a negative one if the text is not a number or far too large."""
    if _HUGE.search(word):
        return Fraction(-1)
    try:
        return Fraction(word)
    except (ValueError, ZeroDivisionError):
        return Fraction(-1)
