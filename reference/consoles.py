"""Consoles that change a program's text, or pause in other places."""

from __future__ import annotations

import re
from collections.abc import Callable

from reference.console import Console

#: Wraps the real console.
Wrapper = Callable[[Console], Console]


class _Between:
    """A console that forwards everything."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def write(self, text: str) -> None:
        self._console.write(text)

    def read_line(self) -> str | None:
        return self._console.read_line()

    def pause(self, seconds: float) -> None:
        self._console.pause(seconds)


def showing(change: Callable[[str], str]) -> Wrapper:
    """A console that applies `change` to every text before showing it."""

    class Changed(_Between):
        def write(self, text: str) -> None:
            self._console.write(change(text))

    return Changed


def replacing(old: str, new: str) -> Wrapper:
    """A console that replaces one text by another."""
    return showing(lambda text: text.replace(old, new))


def substituting(pattern: str, new: str) -> Wrapper:
    """A console that replaces the matches of a pattern."""
    compiled = re.compile(pattern, re.MULTILINE)
    return showing(lambda text: compiled.sub(new, text))


class PausingAfter(_Between):
    """Pauses after a line instead of before it."""

    def __init__(self, console: Console) -> None:
        """Begin without a pending pause."""
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
        """Postpone the pause until after the next line."""
        self._owed_s = seconds


class PausingUnlessBust(_Between):
    """Does not pause before the line that says the dealer busts."""

    def __init__(self, console: Console) -> None:
        """Begin without a pending pause."""
        super().__init__(console)
        self._owed_s = 0.0

    def write(self, text: str) -> None:
        """Make the pending pause, except before that line."""
        if self._owed_s and not text.startswith("Dealer busts"):
            self._console.pause(self._owed_s)
        self._owed_s = 0.0
        self._console.write(text)

    def pause(self, seconds: float) -> None:
        """Postpone the pause until the next text is known."""
        self._owed_s = seconds
