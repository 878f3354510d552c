"""A grade with its lines, what it depends on besides the report, and how its exact numbers are written."""

from __future__ import annotations

import datetime
import math
from decimal import Decimal
from enum import Enum
from fractions import Fraction

import msgspec

#: A number with up to this many decimals is written exactly, since so few decimals are easy to read.
_MAX_DECIMALS = 4
#: A number with more decimals than _MAX_DECIMALS is rounded to this many decimals and preceded by “about”.
_ABOUT_DECIMALS = 2


def format_number(number: Fraction) -> str:
    """The number in decimal notation: exact if four decimals are enough, else “about” and two decimals.

    Halves are rounded away from 0.

    >>> [format_number(Fraction(text)) for text in ("70", "82.5", "-9/4", "200/3")]
    ['70', '82.5', '−2.25', 'about 66.67']
    """
    is_exact = (number * 10**_MAX_DECIMALS).denominator == 1
    text = numeral(number) if is_exact else f"about {_rounded(number, _ABOUT_DECIMALS)}"
    return text.replace("-", "−")


def _rounded(number: Fraction, decimals: int) -> str:
    """The number with this many decimals; halves are rounded away from 0."""
    units = math.floor(abs(number) * 10**decimals + Fraction(1, 2))
    whole, remainder = divmod(units, 10**decimals)
    return f"{'-' if number < 0 and units else ''}{whole}.{remainder:0{decimals}}"


def percentage(share: Fraction, *, signed: bool = False) -> str:
    """A share, such as 7/10, as a percentage.

    >>> percentage(Fraction(7, 10)), percentage(Fraction(1, 20), signed=True), percentage(Fraction(-1, 10), signed=True)
    ('70 %', '+5 %', '−10 %')
    """
    return f"{'+' if signed and share > 0 else ''}{format_number(share * 100)} %"


def percentage_numeral(share: str) -> str:
    """Returns a share, such as 4/5, as a percentage, since a spreadsheet would read 4/5 as a date.

    Returns an empty text for an empty share.

    >>> percentage_numeral("4/5"), percentage_numeral("")
    ('80%', '')
    """
    return f"{numeral(Fraction(share) * 100)}%" if share else ""


def numeral(number: Fraction) -> str:
    """A number for a platform's table: exact if four decimals are enough, else rounded to four, halves away from 0.

    >>> numeral(Fraction(175, 2)), numeral(Fraction(200, 3)), numeral(Fraction(-9, 4)), numeral(Fraction(100))
    ('87.5', '66.6667', '-2.25', '100')
    """
    return _rounded(number, _MAX_DECIMALS).rstrip("0").rstrip(".")


def json_number(exact: Fraction | Decimal) -> int | float:
    """Returns a whole number as an int, any other number as the nearest float.

    >>> json_number(Fraction(80)), json_number(Fraction(175, 2))
    (80, 87.5)
    """
    return int(exact) if int(exact) == exact else float(exact)


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


def format_sum(grade: Grade) -> list[str]:
    """Returns the lines of the grade's sum with their points, then the score, or the reasons why it is not final."""
    lines = [f"{line.text} ({'+' if line.amount > 0 else ''}{format_number(line.amount)})" for line in grade.lines]
    if grade.score is not None:
        lines.append(f"Score: {format_number(grade.score)} of {format_number(grade.out_of)}")
    return [*lines, *(f"Not final: {reason}" for reason in grade.open)]
