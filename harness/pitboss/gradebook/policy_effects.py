"""What another grading policy would change, for each person and for the whole class. Values only."""

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
    #: The lines that only the old grade has, and those that only the new one has, in order.
    old_lines: tuple[GradeLine, ...]
    new_lines: tuple[GradeLine, ...]

    @property
    def difference(self) -> Fraction | None:
        """By how much the score changes; None while one of the grades is open."""
        if self.old.score is None or self.new.score is None:
            return None
        return self.new.score - self.old.score

    @property
    def is_changed(self) -> bool:
        """Whether the score, its maximum, or whether it is open differs."""
        old, new = self.old, self.new
        return (old.score, old.so_far, old.at_most, old.out_of) != (new.score, new.so_far, new.at_most, new.out_of)


class Distribution(msgspec.Struct, frozen=True):
    """The final scores of a class; the numbers are None if no score is final."""

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

    changes: tuple[PolicyEffect, ...]
    old: Distribution
    new: Distribution
    #: The numbers of scores that rise, fall and stay, and of those unknown because a grade is open.
    up: int
    down: int
    same: int
    not_known: int


def policy_change(graded: Sequence[GradedPerson], old: GradingPolicy, new: GradingPolicy) -> PolicyChange:
    """The grades of these people under both policies, in their order."""
    changes = tuple(
        _change(one.name, *(grade_of(one.report, policy, one.circumstances) for policy in (old, new))) for one in graded
    )
    differences = [change.difference for change in changes]
    final = [difference for difference in differences if difference is not None]
    return PolicyChange(
        changes,
        distribution_of(change.old for change in changes),
        distribution_of(change.new for change in changes),
        up=sum(difference > 0 for difference in final),
        down=sum(difference < 0 for difference in final),
        same=sum(difference == 0 for difference in final),
        not_known=len(differences) - len(final),
    )


def _change(name: str, old: Grade, new: Grade) -> PolicyEffect:
    return PolicyEffect(name, old, new, _without(old.lines, new.lines), _without(new.lines, old.lines))


def _without(lines: Iterable[GradeLine], others: Iterable[GradeLine]) -> tuple[GradeLine, ...]:
    """The lines that are not among the others; of equal ones only the surplus."""
    left = list(others)
    only = []
    for line in lines:
        if line in left:
            left.remove(line)
        else:
            only.append(line)
    return tuple(only)


def distribution_of(grades: Iterable[Grade]) -> Distribution:
    """The exact distribution of these scores; the median of an even number is the mean of the middle two."""
    of_all = [grade.score for grade in grades]
    scores = sorted(score for score in of_all if score is not None)
    if not scores:
        return Distribution((), len(of_all), None, None, None, None)
    middle = scores[(len(scores) - 1) // 2] + scores[len(scores) // 2]
    return Distribution(
        tuple(scores),
        len(of_all) - len(scores),
        lowest=scores[0],
        median=middle / 2,
        mean=sum(scores, Fraction(0)) / len(scores),
        highest=scores[-1],
    )
