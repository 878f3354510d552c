"""Protects text in CSV that a spreadsheet would convert: to a formula, a date, a number without its zeros."""

from __future__ import annotations

import re

#: The first characters of a formula.
FORMULA = ("=", "+", "-", "@", "\t", "\r")
#: A number that spreadsheets preserve; longer numbers are rounded.
_PLAIN_NUMBER = re.compile(r"0|[1-9][0-9]{0,14}")
_MONTHS = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
#: A digit without letters, such as 007, 1-2, 3/4 and 12:30; 1e5; 2 pm; MAR1, 5 May, Oct 5, 2026; and truth values.
_MISREAD = re.compile(
    rf"[\W\d_]*\d[\W\d_]*|[\W\d]*\d\.?e[+-]?\d+[\W]*|[\d:\s]*\d\s*[ap]m?\s*|(?=.*\d)[\W\d]*({_MONTHS})[a-z]*[\W\d]*"
    r"|\s*(true|false)\s*",
    re.IGNORECASE | re.DOTALL,
)


def safe_cell(text: str) -> str:
    """The text, with an apostrophe before it if a spreadsheet would convert it.

    >>> [safe_cell(text) for text in ("Ada", "=1+2", "00123", "123", "MAR1", "3-4")]
    ['Ada', "'=1+2", "'00123", '123', "'MAR1", "'3-4"]
    """
    is_misread = text.startswith(FORMULA) or _MISREAD.fullmatch(text)
    return f"'{text}" if is_misread and not _PLAIN_NUMBER.fullmatch(text) else text


def original_of(cell: str) -> str:
    """The text from which `safe_cell` made this cell.

    >>> [original_of(cell) for cell in ("Ada", "'=1+2", "'00123", "'tis")]
    ['Ada', '=1+2', '00123', "'tis"]
    """
    text = cell[1:].replace("\r\n", "\n")
    return text if cell.startswith("'") and safe_cell(text) != text else cell
