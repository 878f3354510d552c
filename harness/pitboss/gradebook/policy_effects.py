"""Compares grades under two grading policies, and summarizes the scores of a class."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

import msgspec

from pitboss.assignments.grading_policy import GradingPolicy
from pitboss.compare.results import Report
from pitboss.gradebook.arithmetic import grade_of
from pitboss.gradebook.grades import Circumstances, Grade, GradeLine


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
    return PolicyEffect(name, old, new, _lines_without(old.lines, new.lines), _lines_without(new.lines, old.lines))


def _lines_without(lines: Iterable[GradeLine], others: Iterable[GradeLine]) -> tuple[GradeLine, ...]:
    """The multiset difference `lines` minus `others`, in the order of `lines`."""
    unmatched = list(others)
    remaining_lines = []
    for line in lines:
        if line in unmatched:
            unmatched.remove(line)
        else:
            remaining_lines.append(line)
    return tuple(remaining_lines)


def distribution_of(scores: Sequence[Fraction]) -> Distribution | None:
    """The exact distribution of scores; None without scores."""
    if not scores:
        return None
    return Distribution(min(scores), statistics.median(scores), statistics.mean(scores), max(scores))
