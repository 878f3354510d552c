"""The grading policy of an assignment: what its stages are worth, and what changes the sum. Values only, all exact."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Literal

import msgspec

#: What of a stage that is not perfect counts: the share of its accepted sessions, each with the points of its case; the
#: share of its cases all of whose sessions are accepted; nothing.
PartialCredit = Literal["sessions", "cases", "none"]
#: What the share for style is a share of: the points that the assignment is out of, or those that the stages earned.
StyleOf = Literal["total", "earned"]
#: The due date before which somebody is early: that of the class, or one's own, where a person has a later one.
EarlyFrom = Literal["class", "own"]
#: Halves go up where they are rounded to the nearest step.
Direction = Literal["nearest", "up", "down"]


class StagePolicy(msgspec.Struct, frozen=True):
    """What one stage is worth."""

    name: str
    #: What it adds if it is perfect.
    points: Fraction
    partial_credit: PartialCredit = "sessions"
    #: Stages that must be perfect before it counts.
    gates: tuple[str, ...] = ()
    #: Names of cases that do not count.
    dropped: tuple[str, ...] = ()
    #: How many further cases do not count, those that it is best to leave out.
    drop_lowest: int = 0
    #: Whether its points come on top of what the assignment is out of.
    is_extra: bool = False
    #: What all stages earn together at most while it is the last of the perfect ones; None: there are no caps.
    cap: Fraction | None = None
    #: Whether it need not be handed in; where it is not, it earns nothing and hinders nothing.
    is_optional: bool = False
    #: Whether a person says what share of its points it earns.
    is_for_person: bool = False


class LateRow(msgspec.Struct, frozen=True):
    """What becomes of the score from some day on."""

    #: Days late, negative if early.
    days: int
    #: A share of the score that is added, from -1, which leaves no credit, to 1.
    change: Fraction


class Rounding(msgspec.Struct, frozen=True):
    """To what the score is rounded at the end."""

    #: More than 0.
    step: Fraction
    direction: Direction = "nearest"

    def rounded(self, number: Fraction) -> Fraction:
        """The number as a multiple of the step.

        >>> Rounding(Fraction(1, 2)).rounded(Fraction("82.25")), Rounding(Fraction(1), "down").rounded(Fraction("82.9"))
        (Fraction(165, 2), Fraction(82, 1))
        """
        steps = number / self.step
        whole = {"up": math.ceil, "down": math.floor}.get(self.direction, lambda one: math.floor(one + Fraction(1, 2)))
        return whole(steps) * self.step


class GradingPolicy(msgspec.Struct, frozen=True):
    """How a grade is made of a report: docs/grading.md has the arithmetic."""

    #: All stages of the assignment, in order.
    stages: tuple[StagePolicy, ...] = ()
    #: The weights of what the stages earn and of a person's score for style; 1 together.
    functionality: Fraction = Fraction(1)
    style: Fraction = Fraction(0)
    style_of: StyleOf = "total"
    #: What all stages earn together at most; None if there is no such limit.
    most: Fraction | None = None
    #: By days, the earliest first; empty if the day does not matter.
    late: tuple[LateRow, ...] = ()
    #: None: the score is not rounded.
    rounding: Rounding | None = None
    early_from: EarlyFrom = "class"

    @property
    def has_early_rows(self) -> bool:
        """Whether it matters by how many days something was early."""
        return any(row.days < 0 for row in self.late)

    @property
    def out_of(self) -> Fraction:
        """The points of all stages that are not extra."""
        return sum((stage.points for stage in self.stages if not stage.is_extra), Fraction(0))

    def change_for(self, days_late: int) -> Fraction:
        """What is added to a score of 1 that many days late: the last row up to that day holds.

        Early days go the other way: the row of the most days that have really passed holds, and a day without a row
        counts as the next one nearer to the due time.
        """
        if days_late >= 0:
            matching = [row for row in self.late if 0 <= row.days <= days_late]
            return matching[-1].change if matching else Fraction(0)
        matching = [row for row in self.late if days_late <= row.days <= 0]
        return matching[0].change if matching else Fraction(0)
