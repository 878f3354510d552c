"""Wrappers of consoles that change what a program shows or reads, or when it pauses, to make the program wrong.

Except for `end`, `skipping_empty_lines` and `unflushed`, each function returns a `Wrapper`, and its docstring describes
the wrapped console.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from reference.console import Console

#: Returns a console that passes calls on to another console with a change.
Wrapper = Callable[[Console], Console]


class _ConsoleWrapper:
    """A console that forwards every call to another console; the base of the consoles below."""

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
    """Let a console, if it is wrapped, show its buffered text when the program has ended."""
    if isinstance(console, _ConsoleWrapper):
        console.end()


def apply_to_text(change: Callable[[str], str]) -> Wrapper:
    """A console that applies `change` to every text before showing it."""

    class Changed(_ConsoleWrapper):
        def write(self, text: str) -> None:
            self._console.write(change(text))

    return Changed


def replacing(old: str, new: str) -> Wrapper:
    """A console that replaces one text by another."""
    return apply_to_text(lambda text: text.replace(old, new))


def substituting(pattern: str, new: str | Callable[[re.Match[str]], str]) -> Wrapper:
    """A console that replaces the matches of a pattern."""
    compiled = re.compile(pattern, re.MULTILINE)
    return apply_to_text(lambda text: compiled.sub(new, text))


def answering(prompts: tuple[str, ...], answer: str) -> Wrapper:
    """A console that returns this answer at these prompts without reading, as if a left-over newline were read."""

    class Answering(_ConsoleWrapper):
        _last_text = ""

        def write(self, text: str) -> None:
            self._last_text = text
            self._console.write(text)

        def read_line(self) -> str | None:
            return answer if self._last_text.endswith(prompts) else self._console.read_line()

    return Answering


def changing(prompts: tuple[str, ...], change: Callable[[str], str]) -> Wrapper:
    """A console that applies `change` to each line typed at these prompts before the program gets the line."""

    class Changing(_ConsoleWrapper):
        _last_text = ""

        def write(self, text: str) -> None:
            self._last_text = text
            self._console.write(text)

        def read_line(self) -> str | None:
            line = self._console.read_line()
            return change(line) if line is not None and self._last_text.endswith(prompts) else line

    return Changing


def skipping_empty_lines(console: Console) -> Console:
    """A console that reads on without a word where a line has no more than blanks, as scanf's " %c" does."""

    class SkippingEmptyLines(_ConsoleWrapper):
        def read_line(self) -> str | None:
            line = self._console.read_line()
            while line is not None and not line.strip():
                line = self._console.read_line()
            return line

    return SkippingEmptyLines(console)


def reading_words() -> Wrapper:
    """A console that returns one word at each read, as scanf's %s does."""

    class ReadingWords(_ConsoleWrapper):
        def __init__(self, console: Console) -> None:
            super().__init__(console)
            self._unread_words: list[str] = []

        def read_line(self) -> str | None:
            while not self._unread_words:
                line = self._console.read_line()
                if line is None:
                    return None
                self._unread_words = line.split()
            return self._unread_words.pop(0)

    return ReadingWords


def reading_pieces(size: int) -> Wrapper:
    """A console that reads at most `size` characters of a line at a time, as fgets does with an array of size + 1."""

    class ReadingPieces(_ConsoleWrapper):
        _unread = ""

        def read_line(self) -> str | None:
            if not self._unread:
                line = self._console.read_line()
                if line is None:
                    return None
                self._unread = f"{line}\n"
            piece, self._unread = self._unread[:size], self._unread[size:]
            return piece.removesuffix("\n")

    return ReadingPieces


#: Blanks that `reading_characters` returns as an answer, and the private-use characters in place of them: the program
#: would strip a blank from its answer, but not such a character.
_PLACEHOLDERS = {blank: chr(0xE000 + ord(blank)) for blank in " \t\n"}


def reading_characters(prompts: tuple[str, ...], *, skips_newline: bool) -> Wrapper:
    """A console that reads one character at these prompts, as getchar does, and up to the newline at other prompts.

    With `skips_newline` a newline is read as an empty answer; otherwise it is an answer of one character.
    """

    class ReadingCharacters(_ConsoleWrapper):
        _unread = _last_text = ""

        def write(self, text: str) -> None:
            self._last_text = text
            for blank, placeholder in _PLACEHOLDERS.items():
                text = text.replace(placeholder, blank)
            self._console.write(text)

        def read_line(self) -> str | None:
            if not self._unread:
                line = self._console.read_line()
                if line is None:
                    return None
                self._unread = f"{line}\n"
            if not self._last_text.endswith(prompts):
                line, _, self._unread = self._unread.partition("\n")
                return line
            character, self._unread = self._unread[0], self._unread[1:]
            return "" if character == "\n" and skips_newline else _PLACEHOLDERS.get(character, character)

    return ReadingCharacters


class _PostponingConsole(_ConsoleWrapper):
    """Postpones each pause until the next text is written; subclasses then decide whether and where to pause."""

    def __init__(self, console: Console) -> None:
        super().__init__(console)
        self._pending_pause_s = 0.0

    def pause(self, seconds: float) -> None:
        self._pending_pause_s = seconds

    def take_pending_pause(self) -> float:
        """Return the length of the postponed pause, 0 if none is, and forget that pause."""
        pause_s, self._pending_pause_s = self._pending_pause_s, 0.0
        return pause_s


def pausing_after(begin: str) -> Wrapper:
    """A console that pauses after a line that begins with `begin`, instead of before that line."""

    class PausingAfter(_PostponingConsole):
        def write(self, text: str) -> None:
            pause_s = self.take_pending_pause()
            if pause_s and text.startswith(begin):
                line, newline, text = text.partition("\n")
                self._console.write(line + newline)
            if pause_s:
                self._console.pause(pause_s)
            if text:
                self._console.write(text)

    return PausingAfter


def pausing_unless(*begins: str) -> Wrapper:
    """A console that does not pause before texts that begin with one of `begins`."""

    class PausingUnless(_PostponingConsole):
        def write(self, text: str) -> None:
            pause_s = self.take_pending_pause()
            if pause_s and not text.startswith(begins):
                self._console.pause(pause_s)
            self._console.write(text)

    return PausingUnless


def pausing_once_shown(begin: str) -> Wrapper:
    """A console that pauses only if the last text shown begins with `begin`."""

    class PausingOnceShown(_ConsoleWrapper):
        _last_text = ""

        def write(self, text: str) -> None:
            self._last_text = text
            self._console.write(text)

        def pause(self, seconds: float) -> None:
            if self._last_text.startswith(begin):
                self._console.pause(seconds)

    return PausingOnceShown


def unflushed(console: Console) -> Console:
    """A console that shows text only before a read and at the program's end, but pauses at once."""

    class Unflushed(_ConsoleWrapper):
        _buffer = ""

        def write(self, text: str) -> None:
            self._buffer += text

        def read_line(self) -> str | None:
            self._flush()
            return self._console.read_line()

        def _flush(self) -> None:
            text_to_show, self._buffer = self._buffer, ""
            self._console.write(text_to_show)

        def end(self) -> None:
            self._flush()
            super().end()

    return Unflushed(console)


def repeating(begin: str, after: tuple[str, ...]) -> Wrapper:
    """A console that repeats the last text that began with `begin` after each text that ends with one of `after`."""

    class Repeating(_ConsoleWrapper):
        _text_to_repeat = ""

        def write(self, text: str) -> None:
            self._console.write(text)
            if text.startswith(begin):
                self._text_to_repeat = text
            if text.endswith(after):
                self._console.write(self._text_to_repeat)

    return Repeating
