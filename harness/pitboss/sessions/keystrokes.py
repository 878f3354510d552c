"""A line that is typed key by key, for a program that reads single keys: Enter need not be one of them."""

from __future__ import annotations

_NEWLINES = (b"\n", b"\r\n")


class Keys:
    """The keys that were typed last, until their line has ended on the screen.

    A person presses Enter only if the program still waits. A program that reads single keys may echo them itself, and
    end their line; like the terminal's echo of a line, that text is not output.
    """

    def __init__(self, *, shows_enter: bool = False) -> None:
        """Start without keys; with `shows_enter` a program that reads single keys also echoes Enter on its own."""
        self._shows_enter = shows_enter
        #: The line that has not ended; None if there is no such line.
        self._line: bytes | None = None
        #: The text since then that may be the echo of its keys.
        self._echo = b""
        #: Whether Enter was pressed, and whether other text than the echo was shown.
        self._has_enter = self._is_passed = False

    @property
    def wants_enter(self) -> bool:
        """Whether to press Enter if the program still waits: it has not ended the line."""
        return self._line is not None and not self._has_enter

    def note(self, line: bytes | None, *, takes_keys: bool = True) -> None:
        """Note that a line was typed: its keys, with Enter only if the line is empty; None if nothing was typed.

        With `takes_keys` the program reads single keys; otherwise the terminal echoes the line.
        """
        is_echoed = takes_keys and line is not None and (line != b"" or self._shows_enter)
        self._line, self._has_enter = line if is_echoed else None, line == b""
        self._echo, self._is_passed = b"", False

    def enter(self) -> bytes:
        """Note that Enter was pressed; returns the text that turned out not to be an echo of the keys."""
        self._has_enter = True
        return b"" if self._echo and self._echo == self._line else self.rest()

    def rest(self) -> bytes:
        """Stop waiting for an echo; returns the text that turned out not to be the echo of a complete line."""
        rest, self._echo, self._line = self._echo, b"", None
        return rest

    def without_echo(self, text: bytes) -> bytes:
        """Returns the text that the program shows without the echo of the keys and the end of their line.

        Text that may still become an echo is returned later, once it is known not to be an echo.
        """
        if self._line is None or self._is_passed:
            return text
        since_typed = self._echo + text
        echoes = (self._line,) if self._has_enter else (self._line, b"")
        for ended_echo in [echo + newline for echo in echoes for newline in _NEWLINES]:
            if since_typed.startswith(ended_echo):
                self.rest()
                return since_typed[len(ended_echo) :]
            if ended_echo.startswith(since_typed):
                self._echo = since_typed
                return b""
        self._echo, self._is_passed = b"", True
        return since_typed
