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
    #: The lines of the old grade that the new grade lacks, and the reverse, in order.
    old_lines: tuple[GradeLine, ...]
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
    #: The numbers of scores that rise, fall, stay, and change by an unknown amount because a grade is open.
    up: int
    down: int
    same: int
    not_known: int


def policy_change(graded: Sequence[GradedPerson], old: GradingPolicy, new: GradingPolicy) -> PolicyChange:
    """Compares the grades of these people under both policies; the order of people stays."""
    changes = tuple(
        _effect(person.name, *(grade_of(person.report, policy, person.circumstances) for policy in (old, new)))
        for person in graded
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


def _effect(name: str, old: Grade, new: Grade) -> PolicyEffect:
    return PolicyEffect(name, old, new, _lines_without(old.lines, new.lines), _lines_without(new.lines, old.lines))


def _lines_without(lines: Iterable[GradeLine], others: Iterable[GradeLine]) -> tuple[GradeLine, ...]:
    """The lines without the others, as a multiset difference, in order."""
    unmatched = list(others)
    surplus = []
    for line in lines:
        if line in unmatched:
            unmatched.remove(line)
        else:
            surplus.append(line)
    return tuple(surplus)


def distribution_of(grades: Iterable[Grade]) -> Distribution:
    """The exact distribution of these scores; the median of an even number of scores is the mean of the middle two."""
    all_scores = [grade.score for grade in grades]
    scores = sorted(score for score in all_scores if score is not None)
    if not scores:
        return Distribution((), len(all_scores), None, None, None, None)
    middle = scores[(len(scores) - 1) // 2] + scores[len(scores) // 2]
    return Distribution(
        tuple(scores),
        len(all_scores) - len(scores),
        lowest=scores[0],
        median=middle / 2,
        mean=sum(scores, Fraction(0)) / len(scores),
        highest=scores[-1],
    )
