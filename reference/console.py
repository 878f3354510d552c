"""The console a program speaks to: what it needs of one, and the one on a real terminal or pipe.

Text that is not UTF-8 travels as lone surrogates (PEP 383), so that any bytes typed can be shown again.
"""

from __future__ import annotations

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
        self._source = source or sys.stdin.buffer
        self._target = target or sys.stdout.buffer
        self._has_pauses = has_pauses

    def write(self, text: str) -> None:
        """Show text, up to its last line end at once."""
        self._target.write(text.encode("utf-8", "surrogateescape"))
        if "\n" in text:
            self._target.flush()

    def read_line(self) -> str | None:
        """The next line, without its newline; None at the end of input."""
        self._target.flush()
        line = self._source.readline()
        return line.removesuffix(b"\n").decode("utf-8", "surrogateescape") if line else None

    def pause(self, seconds: float) -> None:
        """Wait, unless this console leaves the pauses out."""
        self._target.flush()
        if self._has_pauses:
            time.sleep(seconds)
