"""Adds marks to a gradebook: parses their values, and computes the new scores."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from pitboss.assignments.grading_policy import GradingPolicy
from pitboss.assignments.rubricfile import RubricItem
from pitboss.errors import UsageError, as_found, did_you_mean, listed
from pitboss.gradebook.book import ANSWER, DECLINE, Gradebook, is_text_mark, line_kind
from pitboss.gradebook.numerals import numeral
from pitboss.gradebook.person_records import Scored
from pitboss.gradebook.scoring import update_scores
from pitboss.submissions.importers.imported import Person

#: Matches numbers with so many digits that they would fill the memory; nobody enters such a number on purpose.
_HUGE = re.compile(r"[eE][+-]?[0-9_]{3,}|.{60,}", re.DOTALL)

#: A share as a percentage, such as `87,5 %`, and as a fraction, such as `4/5`.
_PERCENTAGE = re.compile(r"([0-9]{1,6})(?:[.,]([0-9]{1,10}))?\s*(%?)")
_SHARE = re.compile(r"([0-9]{1,6})/0*([1-9][0-9]{0,5})")


class ScoreBeforeAndAfter(NamedTuple):
    """A person's score before marks were added, and now; None where no score has been computed yet."""

    before: Scored | None
    now: Scored | None


class NewMark(NamedTuple):
    """A mark to add."""

    #: See the constants in `book`, such as STYLE.
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
        if scored_marks := [mark for mark in added if not is_text_mark(mark.kind)]:
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
        raise UsageError(f"{prefix}{as_found(place)} — {file} has {line_count:,} line{'' if line_count == 1 else 's'}")
    return line_kind(book.program(person.key) or "", f"{file}:{int(number)}")


def parse_share(word: str, name: str) -> str:
    """Parses a share, and returns an exact fraction as text; raises UsageError, which mentions `name`, if that fails.

    A number up to 1 could be a share or a percentage, so such a number needs the percent sign.

    >>> [parse_share(text, "style") for text in ("80%", "4/5", "80", "87,5 %")]
    ['4/5', '4/5', '4/5', '7/8']
    """
    text = word.strip()
    if match := _SHARE.fullmatch(text):
        share = Fraction(int(match[1]), int(match[2]))
    elif match := _PERCENTAGE.fullmatch(text):
        number = Fraction(f"{match[1]}.{match[2] or 0}")
        share = number / 100
        if 0 < number <= 1 and not match[3]:
            meanings = f"{numeral(number)}% or {numeral(number * 100)}%"
            raise UsageError(
                f"{name} {as_found(word)} could be {meanings} — write the one you mean, with the percent sign"
            )
    else:
        share = Fraction(-1)  # not a share: refused below
    if not 0 <= share <= 1:
        allowed_values = "a percentage from 0% to 100%, or a share: 80, 80 %, 87,5 or 4/5"
        raise UsageError(f"{name} {as_found(word)} — it must be {allowed_values}")
    return str(share)


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


def parse_points(word: str, name: str) -> str:
    """Parses points, and returns an exact fraction as text; raises UsageError, which mentions `name`, if that fails."""
    points = _fraction(word)
    if points < 0:  # negative, or not a number
        raise UsageError(f"{name} {as_found(word)} — it must be a number of points, such as 85 or 85.5")
    return str(points)


def parse_days(word: str, name: str) -> str:
    """Parses a whole number, and returns it as text; raises UsageError, which mentions `name`, if that fails."""
    if not re.fullmatch(r"-?[0-9]{1,4}", word):
        raise UsageError(
            f"{name} {as_found(word)} — it must be a whole number of days: 2, 0 for on time, -1 for a day early"
        )
    return str(int(word))


def _fraction(word: str) -> Fraction:
    """Parses a number; returns -1 if the text is not a number, or if the number is far too large."""
    if _HUGE.search(word):
        return Fraction(-1)
    try:
        return Fraction(word)
    except (ValueError, ZeroDivisionError):
        return Fraction(-1)
