"""Reads points, percentages and tolerances from the files of an assignment as exact numbers, never as floats.

The parameter `what` names the number in the message of a SpecError: "points", "most".
"""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction

from pitboss.assignments.keys import AMOUNT, DISTANCE
from pitboss.assignments.nodes import Node, text
from pitboss.errors import SpecError, as_found

_DISTANCE = re.compile(DISTANCE)
_AMOUNT, _SHARE = re.compile(AMOUNT), re.compile(rf"({AMOUNT}) ?%")
_CHANGE = re.compile(rf"([+-]?{AMOUNT}) ?%")
_HUNDRED = 100


def amount(node: Node, what: str) -> Fraction:
    """Returns the number of points in a node, such as 40 or 2.5, never negative."""
    value = text(node, what)
    if not _AMOUNT.fullmatch(value):
        raise SpecError(f"{node.place}: {what} is {as_found(value)} — it must be a number such as 40 or 2.5")
    return Fraction(value)


def distance(node: Node, what: str) -> Decimal:
    """Returns the tolerance in a node, such as 0.01 or 1e-6, never negative."""
    value = text(node, what)
    if not _DISTANCE.fullmatch(value):
        raise SpecError(f"{node.place}: {what} is {as_found(value)} — it must be a number such as 0.01 or 1e-6")
    return Decimal(value)


def points(node: Node, what: str) -> Decimal:
    """Returns the points of a case, such as 2 or 0.5, never negative.

    They are a Decimal, since results contain them: msgspec can encode a Decimal, but no Fraction.
    """
    amount(node, what)
    return Decimal(text(node, what))


def share(node: Node, what: str) -> Fraction:
    """Returns a percentage from 0% to 100% as a number from 0 to 1."""
    value = text(node, what)
    match = _SHARE.fullmatch(value)
    if match is None or Fraction(match[1]) > _HUNDRED:
        raise SpecError(
            f"{node.place}: {what} is {as_found(value)} — it must be a percentage from 0% to 100%, such as 70%"
        )
    return Fraction(match[1]) / _HUNDRED


def score_change(node: Node, what: str) -> Fraction:
    """Returns the share of a score to add, negative to deduct: +5% is 1/20, -10% is -1/10, `no credit` is -1."""
    value = text(node, what)
    match = _CHANGE.fullmatch(value)
    if value == "no credit":
        return Fraction(-1)
    if match is None or abs(Fraction(match[1])) > _HUNDRED:
        raise SpecError(
            f"{node.place}: {what} is {as_found(value)} — it must be a percentage of the score to add or deduct, such "
            "as +5% or -10%, or no credit"
        )
    return Fraction(match[1]) / _HUNDRED
