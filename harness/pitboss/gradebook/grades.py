"""A grade with its lines, and what it depends on besides the report. Values only, all exact."""

from __future__ import annotations

import datetime
from enum import Enum
from fractions import Fraction

import msgspec


class Override(msgspec.Struct, frozen=True):
    """A score that a grader set."""

    score: Fraction
    #: The reason, which the student reads.
    reason: str


class Lateness(Enum):
    """What is known about the lateness of a submission if the number of its days late is unknown."""

    NO_SUBMISSION_TIME = "no submission time"
    NO_DUE_DATE = "no due date"
    #: The platform states that the submission was not late, but not when it was submitted.
    NOT_LATE = "not late"
    #: The platform states that the submission was late, but not by how many days.
    LATE = "late"


class DayBasis(Enum):
    """What decides whether a submission is late or early."""

    CLASS = "the due date of the class, or what the platform states"
    OWN_DUE = "a due date set for this person"
    #: A due date set for this person has no effect, since the time of submission is unknown.
    OWN_DUE_NO_TIME = "a due date without effect"
    #: A grader entered the number of days.
    PERSON = "a person"


class Circumstances(msgspec.Struct, frozen=True):
    """What a grade depends on besides the report and the policy."""

    #: The days late of the submission, negative if early; None if unknown: see `lateness`.
    days_late: int | None = None
    #: The grader's score for style, from 0 to 1; None if style is not graded yet.
    style: Fraction | None = None
    #: The score that a grader set in place of the computed score; None if no grader did.
    override: Override | None = None
    #: The grader's scores for manually graded stages, from 0 to 1; stages not graded yet are missing.
    manual_scores: tuple[tuple[str, Fraction], ...] = ()
    #: Days late by the due date of the class, for a person with another due date. None for anybody else, if these days
    #: are unknown, or if a grader entered the days late.
    days_late_by_class_due: int | None = None
    #: What is known about lateness if `days_late` is None.
    lateness: Lateness = Lateness.NO_SUBMISSION_TIME
    #: What `days_late` is based on.
    day_basis: DayBasis = DayBasis.CLASS
    #: This person's own due date; None if the due date of the class applies.
    own_due: datetime.datetime | None = None
    #: The picked rubric items: pairs of a text and its points.
    picked: tuple[tuple[str, Fraction], ...] = ()


class GradeLine(msgspec.Struct, frozen=True):
    """One line of the sum that is the score."""

    #: A clause to display, such as `basics: 30 of 60 points, 18 of 36 sessions accepted`.
    text: str
    #: The points that the line adds to the sum; negative for a deduction.
    amount: Fraction


class Grade(msgspec.Struct, frozen=True):
    """A grade: its score is the sum of the amounts of its lines."""

    #: The sum of the lines; None while the grade is open.
    score: Fraction | None
    #: The points of all stages except extra credit; a score may be higher.
    out_of: Fraction
    lines: tuple[GradeLine, ...]
    #: Why the grade is open: a clause for each unknown part of it; empty if the grade is final.
    open: tuple[str, ...] = ()
    #: The highest score still possible; the score itself if the grade is final.
    at_most: Fraction = Fraction(0)

    @property
    def so_far(self) -> Fraction:
        """The sum of the lines: the score, or its minimum while the grade is open."""
        return sum((line.amount for line in self.lines), Fraction(0))
