"""Formats exact numbers for tables and programs."""

from __future__ import annotations

import math
from fractions import Fraction

#: Numbers have up to four decimals.
_SCALE = 10**4


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
    whole, remainder = divmod(math.floor(abs(number) * _SCALE + Fraction(1, 2)), _SCALE)
    decimals = f".{remainder:04}".rstrip("0").rstrip(".")
    return f"{'-' if number < 0 and (whole or remainder) else ''}{whole}{decimals}"
