"""Consoles that show a program's text otherwise, or pause elsewhere."""

from __future__ import annotations

import re
from collections.abc import Callable

from reference.console import Console

#: A console that stands between the program and the real one.
Wrapper = Callable[[Console], Console]


class _Between:
    """A console that hands everything on."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def write(self, text: str) -> None:
        self._console.write(text)

    def read_line(self) -> str | None:
        return self._console.read_line()

    def pause(self, seconds: float) -> None:
        self._console.pause(seconds)


def showing(change: Callable[[str], str]) -> Wrapper:
    """A console on which every text is changed before it is shown."""

    class Changed(_Between):
        def write(self, text: str) -> None:
            self._console.write(change(text))

    return Changed


def replacing(old: str, new: str) -> Wrapper:
    """A console on which one text stands in the place of another."""
    return showing(lambda text: text.replace(old, new))


def substituting(pattern: str, new: str) -> Wrapper:
    """A console on which what fits a pattern is shown otherwise."""
    compiled = re.compile(pattern, re.MULTILINE)
    return showing(lambda text: compiled.sub(new, text))


class PausingAfter(_Between):
    """Pauses after the line that it should pause before."""

    def __init__(self, console: Console) -> None:
        """Owe nothing yet."""
        super().__init__(console)
        self._owed_s = 0.0

    def write(self, text: str) -> None:
        """Show the first line, then pause, then show the rest."""
        if self._owed_s:
            line, end, text = text.partition("\n")
            self._console.write(line + end)
            self._console.pause(self._owed_s)
            self._owed_s = 0.0
        if text:
            self._console.write(text)

    def pause(self, seconds: float) -> None:
        """Wait for the next line."""
        self._owed_s = seconds


class PausingUnlessBust(_Between):
    """Does not pause before the line that says the dealer busts."""

    def __init__(self, console: Console) -> None:
        """Owe nothing yet."""
        super().__init__(console)
        self._owed_s = 0.0

    def write(self, text: str) -> None:
        """Pause now, but for that line."""
        if self._owed_s and not text.startswith("Dealer busts"):
            self._console.pause(self._owed_s)
        self._owed_s = 0.0
        self._console.write(text)

    def pause(self, seconds: float) -> None:
        """Wait to see what comes."""
        self._owed_s = seconds
