"""Reading a console as C's scanf does: word by word, over line ends."""

from __future__ import annotations

import re

from reference.console import Console, InputEnded

#: What isspace(3) takes for blank in the C locale.
BLANKS = " \t\n\v\f\r"
_WORD = re.compile(rf"[^{BLANKS}]+")
_INTEGER = re.compile(r"[+-]?[0-9]+")


class Words:
    """The words typed on a console, several on a line or one."""

    def __init__(self, console: Console) -> None:
        """Read from this console, a line at a time and only when another word is asked for."""
        self._console = console
        self._waiting: list[str] = []

    def next(self) -> str:
        """The next word; InputEnded when there is none."""
        while not self._waiting:
            line = self._console.read_line()
            if line is None:
                raise InputEnded
            self._waiting = _WORD.findall(line)[::-1]
        return self._waiting.pop()

    def next_integer(self) -> int:
        """The integer the next word begins with; what is none counts as the end of input, as nothing more can come."""
        match = _INTEGER.match(self.next())
        if match is None:
            raise InputEnded
        return int(match[0][:32])


def integer_in(text: str, low: int, high: int) -> int | None:
    """The integer that a whole text is, blanks around it apart, if it lies between two bounds; else None."""
    digits = text.strip(BLANKS)
    if not _INTEGER.fullmatch(digits):
        return None
    significant = digits.lstrip("+-").lstrip("0")
    if len(significant) > 10:
        return None
    value = int(significant or "0") * (-1 if digits.startswith("-") else 1)
    return value if low <= value <= high else None
