"""Converts exact numbers to numbers for JSON."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction


def json_number(exact: Fraction | Decimal) -> int | float:
    """Returns a whole number as an int, any other number as the nearest float.

    >>> json_number(Fraction(80)), json_number(Fraction(175, 2))
    (80, 87.5)
    """
    return int(exact) if int(exact) == exact else float(exact)
