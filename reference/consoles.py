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


def substituting(pattern: str, new: str | Callable[[re.Match[str]], str]) -> Wrapper:
    """A console that replaces the matches of a pattern."""
    compiled = re.compile(pattern, re.MULTILINE)
    return showing(lambda text: compiled.sub(new, text))


def answering(prompts: tuple[str, ...], answer: str) -> Wrapper:
    """A console that gives this answer to prompts without reading, as a line end left in the input does."""

    class Answering(_Between):
        _shown = ""

        def write(self, text: str) -> None:
            self._shown = text
            self._console.write(text)

        def read_line(self) -> str | None:
            return answer if self._shown.endswith(prompts) else self._console.read_line()

    return Answering


def changing(prompts: tuple[str, ...], change: Callable[[str], str]) -> Wrapper:
    """A console that changes what is typed at some prompts before the program gets it."""

    class Changing(_Between):
        _shown = ""

        def write(self, text: str) -> None:
            self._shown = text
            self._console.write(text)

        def read_line(self) -> str | None:
            line = self._console.read_line()
            return change(line) if line is not None and self._shown.endswith(prompts) else line

    return Changing


class _Owing(_Between):
    """Postpones each pause until the next text is known."""

    def __init__(self, console: Console) -> None:
        super().__init__(console)
        self._owed_s = 0.0

    def pause(self, seconds: float) -> None:
        self._owed_s = seconds

    def paid(self) -> float:
        """The pause that is owed, which then is no more."""
        owed_s, self._owed_s = self._owed_s, 0.0
        return owed_s


def pausing_after(begin: str) -> Wrapper:
    """A console that pauses after a line that begins so, instead of before it."""

    class PausingAfter(_Owing):
        def write(self, text: str) -> None:
            owed_s = self.paid()
            if owed_s and text.startswith(begin):
                line, end, text = text.partition("\n")
                self._console.write(line + end)
            if owed_s:
                self._console.pause(owed_s)
            if text:
                self._console.write(text)

    return PausingAfter


def pausing_unless(*begins: str) -> Wrapper:
    """A console that does not pause before lines that begin so."""

    class PausingUnless(_Owing):
        def write(self, text: str) -> None:
            owed_s = self.paid()
            if owed_s and not text.startswith(begins):
                self._console.pause(owed_s)
            self._console.write(text)

    return PausingUnless


def pausing_once_shown(begin: str) -> Wrapper:
    """A console that pauses only where the last text shown begins so."""

    class PausingOnceShown(_Between):
        _shown = ""

        def write(self, text: str) -> None:
            self._shown = text
            self._console.write(text)

        def pause(self, seconds: float) -> None:
            if self._shown.startswith(begin):
                self._console.pause(seconds)

    return PausingOnceShown


def repeating(begin: str, after: tuple[str, ...]) -> Wrapper:
    """A console that shows the last text that began so again, after each text that ends so."""

    class Repeating(_Between):
        _last = ""

        def write(self, text: str) -> None:
            self._console.write(text)
            if text.startswith(begin):
                self._last = text
            if text.endswith(after):
                self._console.write(self._last)

    return Repeating
