"""Formats exact numbers for people."""

from __future__ import annotations

import math
from fractions import Fraction

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
    scaled = number * 10**_MAX_DECIMALS
    is_exact, decimal_count = scaled.denominator == 1, _MAX_DECIMALS
    if not is_exact:
        scaled, decimal_count = number * 10**_ABOUT_DECIMALS, _ABOUT_DECIMALS
    rounded = math.floor(abs(scaled) + Fraction(1, 2))
    whole, remainder = divmod(rounded, 10**decimal_count)
    decimals = f"{remainder:0{decimal_count}}".rstrip("0") if is_exact else f"{remainder:0{decimal_count}}"
    sign = "−" if number < 0 and rounded else ""
    return f"{'' if is_exact else 'about '}{sign}{whole}{'.' if decimals else ''}{decimals}"


def percentage(share: Fraction, *, signed: bool = False) -> str:
    """A share, such as 7/10, as a percentage.

    >>> percentage(Fraction(7, 10)), percentage(Fraction(1, 20), signed=True), percentage(Fraction(-1, 10), signed=True)
    ('70 %', '+5 %', '−10 %')
    """
    return f"{'+' if signed and share > 0 else ''}{format_number(share * 100)} %"
