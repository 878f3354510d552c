"""Converts exact numbers to numbers for JSON."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction


def number(exact: Fraction | Decimal) -> int | float:
    """Returns a whole number as an integer, any other as the nearest float.

    >>> number(Fraction(80)), number(Fraction(175, 2))
    (80, 87.5)
    """
    return int(exact) if int(exact) == exact else float(exact)
