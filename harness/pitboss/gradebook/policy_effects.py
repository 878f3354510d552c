"""Compares grades under two grading policies, for each person and for the whole class."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

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


class Distribution(msgspec.Struct, frozen=True):
    """How the final scores of a class are distributed; if no score is final, all fields from `lowest` on are None."""

    #: All final scores, the lowest first.
    scores: tuple[Fraction, ...]
    #: The number of open grades.
    open: int
    lowest: Fraction | None
    median: Fraction | None
    mean: Fraction | None
    highest: Fraction | None


class PolicyChange(msgspec.Struct, frozen=True):
    """What a new policy changes in a class."""

    #: The effect on each person, also where nothing changes.
    effects: tuple[PolicyEffect, ...]
    old: Distribution
    new: Distribution
    #: The number of scores that rise.
    up: int
    #: The number of scores that fall.
    down: int
    #: The number of scores that stay equal.
    same: int
    #: The number of people whose change is unknown because a grade is open.
    unknown_changes: int


def policy_change(graded: Sequence[GradedPerson], old: GradingPolicy, new: GradingPolicy) -> PolicyChange:
    """Compares the grades of these people under both policies, in the order of `graded`."""
    effects = tuple(
        _effect(person.name, *(grade_of(person.report, policy, person.circumstances) for policy in (old, new)))
        for person in graded
    )
    differences = [effect.difference for effect in effects]
    final_differences = [difference for difference in differences if difference is not None]
    return PolicyChange(
        effects,
        distribution_of(effect.old for effect in effects),
        distribution_of(effect.new for effect in effects),
        up=sum(difference > 0 for difference in final_differences),
        down=sum(difference < 0 for difference in final_differences),
        same=sum(difference == 0 for difference in final_differences),
        unknown_changes=len(differences) - len(final_differences),
    )


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


def distribution_of(grades: Iterable[Grade]) -> Distribution:
    """The exact distribution of the final scores among these grades.

    The median of an even number of scores is the mean of the middle two.
    """
    all_scores = [grade.score for grade in grades]
    scores = sorted(score for score in all_scores if score is not None)
    if not scores:
        return Distribution((), len(all_scores), None, None, None, None)
    middle_sum = scores[(len(scores) - 1) // 2] + scores[len(scores) // 2]
    return Distribution(
        tuple(scores),
        len(all_scores) - len(scores),
        lowest=scores[0],
        median=middle_sum / 2,
        mean=sum(scores, Fraction(0)) / len(scores),
        highest=scores[-1],
    )
