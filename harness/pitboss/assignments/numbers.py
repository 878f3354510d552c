"""Exact numbers in the files of an assignment: points, percentages and distances, read from their decimal text."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction

from pitboss.assignments.keys import AMOUNT, DISTANCE
from pitboss.assignments.nodes import text
from pitboss.assignments.yamlfile import Node
from pitboss.errors import SpecError, as_found

_DISTANCE = re.compile(DISTANCE)
_AMOUNT, _SHARE = re.compile(AMOUNT), re.compile(rf"({AMOUNT}) ?%")
_CHANGE = re.compile(rf"([+-]?{AMOUNT}) ?%")
_HUNDRED = 100


def amount(node: Node, what: str) -> Fraction:
    """A number of points: 40 or 2.5, never negative."""
    value = text(node, what)
    if not _AMOUNT.fullmatch(value):
        raise SpecError(f"{node.place}: {what} is {as_found(value)} — it is a number such as 40 or 2.5")
    return Fraction(value)


def distance(node: Node, what: str) -> Decimal:
    """How far off a number may be: 0.01 or 1e-6, never negative."""
    value = text(node, what)
    if not _DISTANCE.fullmatch(value):
        raise SpecError(f"{node.place}: {what} is {as_found(value)} — it is a number such as 0.01 or 1e-6")
    return Decimal(value)


def points(node: Node, what: str) -> Decimal:
    """What a case is worth: 2 or 0.5, never negative; a value that reports can have."""
    amount(node, what)
    return Decimal(text(node, what))


def share(node: Node, what: str) -> Fraction:
    """A percentage from 0% to 100%, as a share of 1."""
    value = text(node, what)
    found = _SHARE.fullmatch(value)
    if found is None or Fraction(found[1]) > _HUNDRED:
        raise SpecError(f"{node.place}: {what} is {as_found(value)} — it is a percentage from 0% to 100%, such as 70%")
    return Fraction(found[1]) / _HUNDRED


def change(node: Node, what: str) -> Fraction:
    """What is added to or taken from a score, as a share of it: +5%, -10%, or no credit, which is -1."""
    value = text(node, what)
    found = _CHANGE.fullmatch(value)
    if value == "no credit":
        return Fraction(-1)
    if found is None or abs(Fraction(found[1])) > _HUNDRED:
        raise SpecError(
            f"{node.place}: {what} is {as_found(value)} — it is a percentage of the score that is added or taken, such "
            "as +5% or -10%, or no credit"
        )
    return Fraction(found[1]) / _HUNDRED
