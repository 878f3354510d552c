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

    def end(self) -> None:
        end(self._console)


def end(console: Console) -> None:
    """Let a console do what is left when its program has ended."""
    if isinstance(console, _Between):
        console.end()


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


def reading_words() -> Wrapper:
    """A console whose lines are the words typed, as scanf's %s reads them."""

    class ReadingWords(_Between):
        def __init__(self, console: Console) -> None:
            super().__init__(console)
            self._left: list[str] = []

        def read_line(self) -> str | None:
            while not self._left:
                line = self._console.read_line()
                if line is None:
                    return None
                self._left = line.split()
            return self._left.pop(0)

    return ReadingWords


def reading_pieces(size: int) -> Wrapper:
    """A console that cuts longer lines into lines of this many characters, as fgets does with an array of one more."""

    class ReadingPieces(_Between):
        _left = ""

        def read_line(self) -> str | None:
            if not self._left:
                line = self._console.read_line()
                if line is None:
                    return None
                self._left = f"{line}\n"
            piece, self._left = self._left[:size], self._left[size:]
            return piece.removesuffix("\n")

    return ReadingPieces


#: Blanks that an answer may consist of, and characters that no program strips from it.
_BLANKS = {blank: chr(0xE000 + ord(blank)) for blank in " \t\n"}


def reading_characters(prompts: tuple[str, ...], *, skips_newline: bool) -> Wrapper:
    """A console that reads one character at these prompts, as getchar does, and the rest of the line at others.

    With `skips_newline` a line end is an empty answer; without it, it is an answer of one character.
    """

    class ReadingCharacters(_Between):
        _left = _shown = ""

        def write(self, text: str) -> None:
            self._shown = text
            for blank, mark in _BLANKS.items():
                text = text.replace(mark, blank)
            self._console.write(text)

        def read_line(self) -> str | None:
            if not self._left:
                line = self._console.read_line()
                if line is None:
                    return None
                self._left = f"{line}\n"
            if not self._shown.endswith(prompts):
                line, _, self._left = self._left.partition("\n")
                return line
            character, self._left = self._left[0], self._left[1:]
            return "" if character == "\n" and skips_newline else _BLANKS.get(character, character)

    return ReadingCharacters


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


def unflushed(console: Console) -> Console:
    """A console that shows its text only when it reads and at the end, but pauses at once."""

    class Unflushed(_Between):
        _waiting = ""

        def write(self, text: str) -> None:
            self._waiting += text

        def read_line(self) -> str | None:
            self._flush()
            return self._console.read_line()

        def _flush(self) -> None:
            waiting, self._waiting = self._waiting, ""
            self._console.write(waiting)

        def end(self) -> None:
            self._flush()
            super().end()

    return Unflushed(console)


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
