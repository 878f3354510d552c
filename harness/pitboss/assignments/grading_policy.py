"""The grading policy of an assignment: the points of stages, and the rules that change the sum. Numbers are exact."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Literal

import msgspec

#: The credit of an imperfect stage: the share of its accepted sessions, or of its cases with all sessions accepted,
#: both weighted by the points of the cases; or none.
PartialCredit = Literal["sessions", "cases", "none"]
#: What the style weight is a share of: the points that the assignment is out of, or the points that the stages earned.
StyleOf = Literal["total", "earned"]
#: The due date before which a submission is early: the class's, or the student's own, which is later.
EarlyFrom = Literal["class", "own"]
#: How a score is rounded to a step; `nearest` rounds halves up.
Direction = Literal["nearest", "up", "down"]


class StagePolicy(msgspec.Struct, frozen=True):
    """The points and rules of one stage."""

    name: str
    #: The points that the stage earns if it is perfect.
    points: Fraction
    partial_credit: PartialCredit = "sessions"
    #: Stages that must be perfect before this stage earns points.
    gates: tuple[str, ...] = ()
    #: Names of cases that are not graded.
    dropped: tuple[str, ...] = ()
    #: The number of further cases that are not graded, chosen so that the score is as high as possible.
    drop_lowest: int = 0
    #: Whether the stage's points are a bonus: they do not belong to the points that the assignment is out of.
    is_extra: bool = False
    #: The maximum that all stages earn together if this is the last perfect stage before the first imperfect one. If
    #: there is no such stage, the first cap applies. None if the stage has no cap.
    cap: Fraction | None = None
    #: Whether a submission may lack the stage; the stage then earns nothing and blocks no other stage.
    is_optional: bool = False
    #: Whether the stage is graded manually: a grader sets the share of the stage's points that it earns.
    is_manual: bool = False


class LateRow(msgspec.Struct, frozen=True):
    """A row of the late table: how the score changes from a given day onwards."""

    #: Days late, negative if early.
    days: int
    #: The change as a share of the score: -1 removes all credit, 1 doubles it.
    change: Fraction


_ROUND: dict[Direction, Callable[[Fraction], int]] = {
    "nearest": lambda number: math.floor(number + Fraction(1, 2)),
    "up": math.ceil,
    "down": math.floor,
}


class Rounding(msgspec.Struct, frozen=True):
    """The step to which the score is rounded at the end."""

    #: Scores are rounded to multiples of this number, which is more than 0.
    step: Fraction
    direction: Direction = "nearest"

    def round_number(self, number: Fraction) -> Fraction:
        """Return the number rounded to a multiple of the step.

        >>> Rounding(Fraction(1, 2)).round_number(Fraction("82.25"))
        Fraction(165, 2)
        >>> Rounding(Fraction(1), "down").round_number(Fraction("82.9"))
        Fraction(82, 1)
        """
        return _ROUND[self.direction](number / self.step) * self.step


class GradingPolicy(msgspec.Struct, frozen=True):
    """How a grade is computed from a report: docs/grading.md has the arithmetic."""

    #: All stages of the assignment, in order.
    stages: tuple[StagePolicy, ...] = ()
    #: The weight of the stages' points; this weight and that of style add up to 1.
    functionality: Fraction = Fraction(1)
    #: The weight of the manual style score.
    style: Fraction = Fraction(0)
    style_of: StyleOf = "total"
    #: The maximum that all stages earn together; None if it is not limited.
    most: Fraction | None = None
    #: The late table, sorted by day, the earliest first; empty if the day of submission does not matter.
    late: tuple[LateRow, ...] = ()
    #: How the score is rounded; None if it is not rounded.
    rounding: Rounding | None = None
    early_from: EarlyFrom = "class"

    @property
    def has_early_rows(self) -> bool:
        """Whether handing in early changes the score."""
        return any(row.days < 0 for row in self.late)

    @property
    def out_of(self) -> Fraction:
        """The points that the assignment is out of: the points of all stages that are not extra."""
        return sum((stage.points for stage in self.stages if not stage.is_extra), Fraction(0))

    def change_for(self, days_late: int) -> Fraction:
        """Return the share of the score to add for this many days late: the last row up to that day applies.

        For an early submission (negative days), the first row from its day to the due date applies. Without such a row
        the result is 0.
        """
        first, last = sorted((0, days_late))
        matching = [row for row in self.late if first <= row.days <= last]
        return matching[-1 if days_late >= 0 else 0].change if matching else Fraction(0)
