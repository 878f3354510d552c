"""Words read from a console as C's scanf reads them, across lines, and the parsing of integers."""

from __future__ import annotations

import re

from reference.console import Console, InputEnded

#: The characters for which isspace(3) is true in the C locale.
BLANKS = " \t\n\v\f\r"
_WORD = re.compile(rf"[^{BLANKS}]+")
_INTEGER = re.compile(r"[+-]?[0-9]+")
#: Python refuses to convert more than 4300 digits, and no C integer has even 4000.
_MAX_DIGITS = 4000


class Words:
    """The words typed on a console; a line may have several."""

    def __init__(self, console: Console) -> None:
        """Read from this console, one line at a time and only when another word is needed."""
        self._console = console
        self._waiting: list[str] = []

    def ask(self, prompt: str) -> str:
        """Show a prompt and return the next word; raises InputEnded at the end of the input."""
        self._console.write(prompt)
        while not self._waiting:
            line = self._console.read_line()
            if line is None:
                raise InputEnded
            self._waiting = _WORD.findall(line)[::-1]
        return self._waiting.pop()

    def ask_integer(self, prompt: str) -> int:
        """Ask until a word begins with an integer; return it as scanf's %d stores it in an int."""
        while True:
            match = _INTEGER.match(self.ask(prompt))
            if match:
                return scanned_int(match[0])

    def ask_letter(self, prompt: str, letters: str) -> str:
        """Ask until a word begins with one of these letters; return that letter."""
        while True:
            letter = self.ask(prompt)[0]
            if letter in letters:
                return letter


def scanned_int(digits: str) -> int:
    """The int that glibc's scanf stores for an integer of any size: clamped to a long, then its low 32 bits.

    >>> scanned_int("-7"), scanned_int("4294967296"), scanned_int("9" * 5000)
    (-7, 0, -1)
    """
    number = max(-1 << 63, min((1 << 63) - 1, _value(digits)))
    return (number + (1 << 31)) % (1 << 32) - (1 << 31)


def integer_in(text: str, low: int, high: int) -> int | None:
    """The value of a text that is only an optional sign and digits, if it lies within the bounds; else None.

    >>> integer_in("+10", 1, 99), integer_in("100", 1, 99), integer_in("1.5", 1, 99)
    (10, None, None)
    """
    value = _value(text) if _INTEGER.fullmatch(text) else None
    return value if value is not None and low <= value <= high else None


def number_at_start(text: str) -> str:
    """The integer with which a text begins; empty if it begins with none."""
    match = _INTEGER.match(text)
    return match[0] if match else ""


def _value(digits: str) -> int:
    """The value of an optional sign and digits; for more digits than Python converts, a value outside every C type."""
    significant = digits.lstrip("+-").lstrip("0")[:_MAX_DIGITS] or "0"
    return -int(significant) if digits.startswith("-") else int(significant)
