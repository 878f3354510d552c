"""Tracks a line typed for a program that reads single keys: whether Enter must follow, and the echo of the keys."""

from __future__ import annotations

#: The key that ends the input, Ctrl-D.
END_OF_INPUT = b"\x04"
_NEWLINES = (b"\n", b"\r\n")


class Keys:
    """The keys that were typed last, until their line has ended on the screen.

    Like a person, we press Enter only if the program still waits. A program that reads single keys may echo the keys
    itself, and then end the line. Such text is not output, just as a terminal's echo of a line is not output.
    """

    def __init__(self, *, shows_enter: bool = False) -> None:
        """Start without keys; with `shows_enter` a program that reads single keys echoes even an Enter without keys.

        Such a program also echoes the key that ends the input.
        """
        self._shows_enter = shows_enter
        #: Whether the end of input was typed, and nothing was shown since.
        self._has_typed_end = False
        #: The typed line, until it has ended on the screen; None if all lines have ended.
        self._line: bytes | None = None
        #: The text shown since the line was typed, as long as it may be the beginning of the line's echo.
        self._echo = b""
        #: Whether Enter was pressed after the line.
        self._has_enter = False
        #: Whether text other than the line's echo was shown since the line was typed.
        self._has_other_text = False

    @property
    def wants_enter(self) -> bool:
        """Whether to press Enter if the program still waits: the typed line has neither ended nor got an Enter."""
        return self._line is not None and not self._has_enter

    def note(self, line: bytes | None, *, takes_keys: bool = True) -> None:
        """Note that `line` was typed; None if nothing was typed.

        With `takes_keys` the program reads single keys: the keys of `line` were typed without Enter, or only Enter if
        the line is empty. Otherwise the program reads whole lines, and no echo is expected of it.
        """
        self._has_typed_end = False
        is_echoed = takes_keys and line is not None and (line != b"" or self._shows_enter)
        self._line, self._has_enter = line if is_echoed else None, line == b""
        if self._line and self._shows_enter:
            self._line = self._line.replace(b"\t", b" ")  # .NET shows a tab as one blank
        self._echo, self._has_other_text = b"", False

    def note_end(self, *, takes_keys: bool) -> None:
        """Note that the end of input was typed, for a program that reads single keys if `takes_keys`."""
        self._has_typed_end = self._shows_enter and takes_keys

    def enter(self) -> bytes:
        """Note that Enter was pressed; returns the text that turned out not to be an echo of the keys.

        If all keys have been echoed, the echo is kept until its line ends, and nothing is returned.
        """
        self._has_enter = True
        return b"" if self._echo and self._echo == self._line else self.rest()

    def rest(self) -> bytes:
        """Stop waiting for an echo; returns the text that turned out not to be the echo of a complete line."""
        unechoed_text, self._echo, self._line = self._echo, b"", None
        return unechoed_text

    def without_echo(self, text: bytes) -> bytes:
        """Returns the text that the program shows without the echo of the keys and the end of their line.

        Text that may still become an echo is returned later, once it is known not to be an echo.
        """
        if self._has_typed_end and text:
            self._has_typed_end, text = False, text.removeprefix(END_OF_INPUT)
        if self._line is None or self._has_other_text:
            return text
        text_since_line = self._echo + text
        # Before Enter the program may also end the line without having echoed the keys.
        possible_echoes = (self._line,) if self._has_enter else (self._line, b"")
        for complete_echo in [echo + newline for echo in possible_echoes for newline in _NEWLINES]:
            if text_since_line.startswith(complete_echo):
                self.rest()
                return text_since_line[len(complete_echo) :]
            if complete_echo.startswith(text_since_line):
                self._echo = text_since_line
                return b""
        self._echo, self._has_other_text = b"", True
        return text_since_line
