"""A line that is typed key by key, for a program that reads single keys: Enter may be none of them."""

from __future__ import annotations

_NEWLINES = (b"\n", b"\r\n")


class Keys:
    """The keys that were typed last, until their line has ended on the screen.

    A person presses Enter only where a program waits on. A program that reads single keys shows them itself, if they
    are to be seen, and ends their line; that text is no output, just as the echo of a line is none.
    """

    def __init__(self, *, shows_enter: bool = False) -> None:
        """None are typed yet; with `shows_enter` a program that reads single keys shows Enter alone, too."""
        self._shows_enter = shows_enter
        #: The line that has not ended; None if there is no such line.
        self._line: bytes | None = None
        #: What was shown since that may be the echo of its keys.
        self._echo = b""
        #: Whether Enter was pressed, and whether something else was shown.
        self._has_enter = self._is_passed = False

    @property
    def wants_enter(self) -> bool:
        """Whether Enter is pressed where the program waits on: it has not ended the line."""
        return self._line is not None and not self._has_enter

    def note(self, line: bytes | None, *, takes_keys: bool = True) -> None:
        """Note that a line was typed: its keys, and Enter only where there are none; None if nothing was.

        With `takes_keys` the program reads single keys, else the terminal shows the line.
        """
        is_shown = takes_keys and line is not None and (line != b"" or self._shows_enter)
        self._line, self._has_enter = line if is_shown else None, line == b""
        self._echo, self._is_passed = b"", False

    def enter(self) -> bytes:
        """Note that Enter was pressed; returns what was shown and was no echo of the keys."""
        self._has_enter = True
        return b"" if self._echo and self._echo == self._line else self.rest()

    def rest(self) -> bytes:
        """What was shown and was no echo of a whole line, once nothing more of it can come."""
        rest, self._echo, self._line = self._echo, b"", None
        return rest

    def without_echo(self, text: bytes) -> bytes:
        """What is output of a text that the program shows: not the echo of the keys, nor the end of their line.

        As long as it may be that, nothing is returned; the text is given back later if it is not.
        """
        if self._line is None or self._is_passed:
            return text
        shown = self._echo + text
        echoes = (self._line,) if self._has_enter else (self._line, b"")
        for whole in [echo + newline for echo in echoes for newline in _NEWLINES]:
            if shown.startswith(whole):
                self.rest()
                return shown[len(whole) :]
            if whole.startswith(shown):
                self._echo = shown
                return b""
        self._echo, self._is_passed = b"", True
        return shown
