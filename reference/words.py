"""Asking on a console and reading as C's scanf does: word by word, over line ends. What an integer is."""

from __future__ import annotations

import re

from reference.console import Console, InputEnded

#: What isspace(3) takes for blank in the C locale.
BLANKS = " \t\n\v\f\r"
_WORD = re.compile(rf"[^{BLANKS}]+")
_INTEGER = re.compile(r"[+-]?[0-9]+")
#: Python refuses to convert many more digits than these, and no integer that C can hold has as many.
_MOST_DIGITS = 4000


class Words:
    """The words typed on a console, several on a line or one."""

    def __init__(self, console: Console) -> None:
        """Read from this console, a line at a time and only when another word is asked for."""
        self._console = console
        self._waiting: list[str] = []

    def ask(self, prompt: str) -> str:
        """Show a prompt; the next word, or InputEnded when there is none."""
        self._console.write(prompt)
        while not self._waiting:
            line = self._console.read_line()
            if line is None:
                raise InputEnded
            self._waiting = _WORD.findall(line)[::-1]
        return self._waiting.pop()

    def ask_integer(self, prompt: str) -> int:
        """Ask until a word begins with an integer; that, as scanf's %d stores it in an int."""
        while True:
            match = _INTEGER.match(self.ask(prompt))
            if match:
                return scanned_int(match[0])

    def ask_letter(self, prompt: str, letters: str) -> str:
        """Ask until a word begins with one of these letters; that letter."""
        while True:
            letter = self.ask(prompt)[0]
            if letter in letters:
                return letter


def scanned_int(digits: str) -> int:
    """What glibc's scanf stores in an int for an integer of any size: held to a long, then its low 32 bits.

    >>> scanned_int("-7"), scanned_int("4294967296"), scanned_int("9" * 5000)
    (-7, 0, -1)
    """
    number = max(-1 << 63, min((1 << 63) - 1, _value(digits)))
    return (number + (1 << 31)) % (1 << 32) - (1 << 31)


def integer_in(text: str, low: int, high: int) -> int | None:
    """The integer that a text is, an optional sign and digits and nothing else, if it lies in the bounds; else None.

    >>> integer_in("+10", 1, 99), integer_in("100", 1, 99), integer_in("1.5", 1, 99)
    (10, None, None)
    """
    value = _value(text) if _INTEGER.fullmatch(text) else None
    return value if value is not None and low <= value <= high else None


def _value(digits: str) -> int:
    """The value of a sign and digits; of very many of them, which Python refuses, one beyond every C type."""
    significant = digits.lstrip("+-").lstrip("0")[:_MOST_DIGITS] or "0"
    return -int(significant) if digits.startswith("-") else int(significant)
