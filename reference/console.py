"""The console a program speaks to: what it needs of one, and the one on a real terminal or pipe.

Text that is not UTF-8 travels as lone surrogates (PEP 383), so that any bytes typed can be shown again.
"""

from __future__ import annotations

import io
import sys
import time
from typing import BinaryIO, Protocol


class InputEnded(Exception):
    """The input ended where a program asked for more."""


class Console(Protocol):
    """Where a program writes, reads lines and pauses."""

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
        """Read from and write to these streams; standard input and output where none are given."""
        # Python has no sys.stdin or sys.stdout when the descriptor was closed before the start.
        self._source = source or (sys.stdin.buffer if sys.stdin else io.BytesIO())
        self._target = target or (sys.stdout.buffer if sys.stdout else io.BytesIO())
        self._has_pauses = has_pauses

    def write(self, text: str) -> None:
        """Show text up to its last line end at once, the rest with what comes after it."""
        lines, end, rest = text.encode("utf-8", "surrogateescape").rpartition(b"\n")
        if end:
            self._target.write(lines + end)
            self._target.flush()
        self._target.write(rest)

    def read_line(self) -> str | None:
        """The next line, without its newline; None at the end of input."""
        self._target.flush()
        try:
            line = self._source.readline()
        except OSError:
            # A terminal that hangs up: to stdio an error of reading is the end of input.
            return None
        return line.removesuffix(b"\n").decode("utf-8", "surrogateescape") if line else None

    def pause(self, seconds: float) -> None:
        """Wait, unless this console leaves the pauses out. Nothing is shown that was not before."""
        if self._has_pauses:
            time.sleep(seconds)
