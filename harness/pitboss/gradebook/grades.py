"""A grade with the lines that make it, and what it hangs on besides the report. Values only, all exact."""

from __future__ import annotations

import datetime
from enum import Enum
from fractions import Fraction

import msgspec


class Override(msgspec.Struct, frozen=True):
    """A score that a person set."""

    score: Fraction
    #: Why, as it is shown to the student.
    reason: str


class Lateness(Enum):
    """What is known of the day on which something was handed in, where nobody can say how many days late that was."""

    NO_INSTANT = "no instant"
    NO_DUE_DATE = "no due date"
    #: The platform says that it was not late, and not when it was.
    NOT_LATE = "not late"
    #: The platform says that it was late, and not by how much.
    LATE = "late"


class DayBasis(Enum):
    """By what something counts as late or early."""

    CLASS = "the due date of the class, or what the platform says"
    OWN_DUE = "a due date of this person's own"
    #: There is such a date, which changes nothing since nobody knows when it was handed in.
    OWN_DUE_UNUSED = "not that due date"
    #: A person has said by how many days.
    PERSON = "a person"


class Circumstances(msgspec.Struct, frozen=True):
    """What a grade hangs on besides the report and the policy."""

    #: Negative if it is early; None if that is not known: see `lateness`.
    days_late: int | None = None
    #: What a person gives for style, from 0 to 1; None if that is not given yet.
    style: Fraction | None = None
    override: Override | None = None
    #: What a person gives for stages that a person grades, from 0 to 1; of one that is missing it is not given yet.
    by_person: tuple[tuple[str, Fraction], ...] = ()
    #: Days late by the due date of the class, of somebody with one of their own; None where there is no such date.
    days_late_of_class: int | None = None
    #: Why `days_late` is not known, where it is not.
    lateness: Lateness = Lateness.NO_INSTANT
    day_basis: DayBasis = DayBasis.CLASS
    #: The due date of this person's own; None where it is that of the class.
    own_due: datetime.datetime | None = None
    #: What was picked of the rubric: pairs of a text and its points.
    picked: tuple[tuple[str, Fraction], ...] = ()


class GradeLine(msgspec.Struct, frozen=True):
    """One step of the sum."""

    #: A part of a sentence for a person, such as `basics: 30 of 60 points, 18 of 36 sessions accepted`.
    text: str
    #: What it adds; negative where it takes something away.
    amount: Fraction


class Grade(msgspec.Struct, frozen=True):
    """A grade: its score is the sum of the amounts of its lines."""

    #: None while it is open.
    score: Fraction | None
    #: The points of all stages that are not extra; a score may be more.
    out_of: Fraction
    lines: tuple[GradeLine, ...]
    #: Why it is not final, in parts of sentences; empty if it is.
    open: tuple[str, ...] = ()
    #: What the score will be at most; the score itself if that is final.
    at_most: Fraction = Fraction(0)

    @property
    def so_far(self) -> Fraction:
        """The sum of the lines: the score, or the least that it can be while it is open."""
        return sum((line.amount for line in self.lines), Fraction(0))
