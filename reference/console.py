"""The console of a program: the interface, and the implementation for a real terminal or pipe.

Bytes that are not UTF-8 become lone surrogates (PEP 383), so that any bytes typed can be shown again.
"""

from __future__ import annotations

import io
import sys
import time
from typing import BinaryIO, Protocol


class InputEnded(Exception):
    """The input ended when a program asked for more."""


class Console(Protocol):
    """The interface through which a program writes, reads lines and pauses."""

    def write(self, text: str) -> None:
        """Show text."""

    def read_line(self) -> str | None:
        """The next line typed, without its newline; None at the end of input."""

    def pause(self, seconds: float) -> None:
        """Wait."""


class StreamConsole:
    """A console on byte streams, buffered as C's stdio buffers a terminal: by line, and before each read."""

    def __init__(
        self, source: BinaryIO | None = None, target: BinaryIO | None = None, *, has_pauses: bool = True
    ) -> None:
        """Read from and write to these streams; the defaults are standard input and output."""
        # sys.stdin and sys.stdout are None if the descriptor was closed before Python started.
        self._source = source or (sys.stdin.buffer if sys.stdin else io.BytesIO())
        self._target = target or (sys.stdout.buffer if sys.stdout else io.BytesIO())
        self._has_pauses = has_pauses

    def write(self, text: str) -> None:
        """Show the text's complete lines at once; an unfinished last line stays buffered until more text or a read."""
        lines, newline, unfinished_line = text.encode("utf-8", "surrogateescape").rpartition(b"\n")
        if newline:
            self._target.write(lines + newline)
            self._target.flush()
        self._target.write(unfinished_line)

    def read_line(self) -> str | None:
        """The next line, without its newline; None at the end of input."""
        self._target.flush()
        try:
            line = self._source.readline()
        except OSError:
            # The terminal hung up; stdio treats a read error like the end of input.
            return None
        return line.removesuffix(b"\n").decode("utf-8", "surrogateescape") if line else None

    def pause(self, seconds: float) -> None:
        """Wait, unless this console omits pauses. Buffered text stays buffered."""
        if self._has_pauses:
            time.sleep(seconds)
