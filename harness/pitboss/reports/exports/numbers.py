"""Exact numbers as JSON has them."""

from __future__ import annotations

from fractions import Fraction


def number(exact: Fraction) -> int | float:
    """An integer where it is one, else the nearest that JSON's readers take.

    >>> number(Fraction(80)), number(Fraction(175, 2))
    (80, 87.5)
    """
    return int(exact) if exact.denominator == 1 else float(exact)
