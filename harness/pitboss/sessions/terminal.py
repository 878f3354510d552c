"""A terminal with a program at one end and us at the other; all terminal settings are made here.

This is the only module that imports pexpect, whose fdspawn owns our end of every terminal, under both drivers. A
program's terminal has no echo or output processing: we insert the typed lines, and a newline stays a newline. Input is
read line by line, but without editing or signal keys: every typed byte is data. The terminal is so wide that nothing
wraps.

For a program that reads single keys, `Keys` tracks whether Enter must follow, and the echo of the keys.
"""

from __future__ import annotations

import contextlib
import fcntl
import functools
import os
import select
import struct
import termios
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from pexpect.fdpexpect import fdspawn

from pitboss.errors import SessionError
from pitboss.model.invocation import LONGEST_LINE

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


#: The message if this machine has no terminal left.
NO_TERMINAL = "no pseudo terminal could be opened"

#: Rows and columns: so wide that no program that asks for the width wraps or truncates a line.
_WINDOW = struct.pack("4H", 50, 1000, 0, 0)
#: The value that disables a control character, such as the key that erases a character.
_NO_KEY = b"\0"
#: The value that makes a read of single keys wait for one key, as on any terminal.
_ONE_KEY = b"\1"
_CHUNK_BYTES = 65536
_BYTES = tuple(bytes((value,)) for value in range(256))
#: The maximum number of bytes that are inserted into a terminal's input. Inserting takes a call for each byte, so
#: longer lines are written to our end instead.
_MAX_INSERTED = 64
#: How often to check whether a line has been read, in seconds.
_POLL_S = 0.002

#: The indexes of these settings in the list that termios.tcgetattr() returns.
_INPUT, _OUTPUT, _LOCAL, _KEYS = 0, 1, 3, 6


def _mode_of(terminal: int, end_of_input: bytes) -> list[Any]:
    """A mode for reading whole lines; `end_of_input` is the only key with an effect (if `_NO_KEY`, no key)."""
    mode: list[Any] = termios.tcgetattr(terminal)
    mode[_INPUT] = mode[_OUTPUT] = 0
    mode[_LOCAL] = termios.ICANON
    mode[_KEYS] = [_NO_KEY] * len(mode[_KEYS])
    mode[_KEYS][termios.VEOF] = end_of_input
    mode[_KEYS][termios.VMIN] = _ONE_KEY
    return mode


class _Modes(NamedTuple):
    """Two terminal modes, both of which read whole lines."""

    #: No key has an effect.
    without_keys: list[Any]
    #: The key `END_OF_INPUT` ends the input.
    with_end_of_input: list[Any]


@functools.cache
def _modes() -> _Modes:
    """The modes of a program's terminal, made from the mode of a terminal of this machine."""
    with _trial_terminal() as program_end:
        return _Modes(_mode_of(program_end, _NO_KEY), _mode_of(program_end, END_OF_INPUT))


@contextlib.contextmanager
def _trial_terminal() -> Iterator[int]:
    """The program's end of a terminal that no program gets."""
    our_end, program_end = os.openpty()
    try:
        yield program_end
    finally:
        os.close(our_end)
        os.close(program_end)


@functools.cache
def _may_type_at_once() -> bool:
    """Whether this process may insert bytes into a terminal's input: TIOCSTI in ioctl_tty(2), with CAP_SYS_ADMIN.

    Otherwise we write to our end, and the reader has to wait for a kernel thread to pass the bytes on. Then typing
    takes ten times as long: a tenth of a session.
    """
    with _trial_terminal() as program_end:
        termios.tcsetattr(program_end, termios.TCSANOW, _modes().without_keys)
        try:
            _press(program_end, b"a\n")
        except OSError:
            return False
        trial_poll = select.poll()
        trial_poll.register(program_end, select.POLLIN)
        return bool(trial_poll.poll(0))


def _press(program_end: int, keys: bytes) -> None:
    """Inserts keys into a terminal's input."""
    for key in keys:
        fcntl.ioctl(program_end, termios.TIOCSTI, _BYTES[key])


class Terminal:
    """A pseudo terminal: a program gets `program_end` as input, output and standard error; `our_end` is ours."""

    def __init__(self, *, ends_by_key: bool = False) -> None:
        """Open both ends; OSError if this machine has no terminal left.

        With `ends_by_key` a program that reads single keys gets the key Ctrl-D as the end of input.
        """
        self._ends_by_key = ends_by_key
        self._inserts_keys = _may_type_at_once()
        #: A second descriptor of the program's end, from which we take lines back; opened when it is first needed.
        self._taking_back_end: int | None = None
        self.our_end, self.program_end = os.openpty()
        try:
            self._prepare()
        except BaseException:
            self.close()
            raise

    def _prepare(self) -> None:
        fcntl.ioctl(self.program_end, termios.TIOCSWINSZ, _WINDOW)
        mode = _modes().with_end_of_input if self._ends_by_key else _modes().without_keys
        termios.tcsetattr(self.program_end, termios.TCSANOW, mode)
        os.set_blocking(self.our_end, False)
        self._spawn = fdspawn(self.our_end, timeout=None)
        self._input_poll = select.poll()
        self._input_poll.register(self.program_end, select.POLLIN)

    def close(self) -> None:
        """Close both ends."""
        for descriptor in (self.program_end, self.our_end, self._taking_back_end):
            if descriptor is not None:
                os.close(descriptor)

    @property
    def _has_key_for_end(self) -> bool:
        """Whether the end of input is a key that the program reads."""
        return self._ends_by_key and self.takes_keys

    @property
    def takes_keys(self) -> bool:
        """Whether the program has switched from whole lines to single keys: see termios(3), ICANON."""
        return not termios.tcgetattr(self.program_end)[_LOCAL] & termios.ICANON

    def type_line(self, line: bytes, *, has_enter: bool = True) -> None:
        """Type a line and Enter, or its keys alone; SessionError if the line is longer than `LONGEST_LINE`."""
        if len(line) > LONGEST_LINE:
            raise SessionError(f"a typed line has {len(line)} bytes; a terminal takes at most {LONGEST_LINE}")
        self._type(line + b"\n" if has_enter else line)

    def _type(self, keys: bytes) -> None:
        if len(keys) <= _MAX_INSERTED and self._inserts_keys:
            _press(self.program_end, keys)
        else:
            self._spawn.send(keys)

    def end_input(self) -> None:
        """Make the next read return the end of input, whether the program reads lines or single keys."""
        if not self._has_key_for_end:  # set a mode in which the kernel does not pass the key on, but ends the input
            termios.tcsetattr(self.program_end, termios.TCSANOW, _modes().with_end_of_input)
        self._type(END_OF_INPUT)

    def has_typed_ahead(self) -> bool:
        """Whether a read of the program would return something that was typed earlier.

        The kernel passes written data on with a delay; polling makes the kernel pass the data on first.
        """
        return bool(self._input_poll.poll(0))

    def try_line(
        self,
        line: bytes | None,
        within_s: float,
        *,
        has_enter: bool = True,
        interrupt: Callable[[], None] = lambda: None,
    ) -> bool:
        """Type a line, or the end of input for None; returns whether the program reads it within that time.

        If the program does not read the line, the program was not waiting, and the line is taken back. Each typed byte
        is read either by the program or by us, and a waiting program is served first, so nothing is lost or read twice.

        `interrupt` makes the program restart its read: a read of single keys that has begun misses the end of input.
        """
        mode = termios.tcgetattr(self.program_end)
        if line is not None:
            self.type_line(line, has_enter=has_enter)
        else:
            if self.takes_keys and not self._ends_by_key:
                termios.tcsetattr(self.program_end, termios.TCSANOW, _modes().with_end_of_input)
                interrupt()
            self.end_input()
        deadline = time.monotonic() + within_s
        while self.has_typed_ahead():
            if time.monotonic() > deadline:
                keys = line if line is None or not has_enter else line + b"\n"
                return self._was_read_before_taking_back(keys, mode)
            time.sleep(_POLL_S)
        return True

    def _was_read_before_taking_back(self, keys: bytes | None, mode: list[Any]) -> bool:
        """Take back the keys typed last, unless the program has read some of them; returns whether it has.

        `keys` is None for the end of input: taking it back also restores the terminal's earlier `mode`.
        """
        if self._taking_back_end is None:
            # A separate open file, since O_NONBLOCK on the program's end would also affect the program.
            flags = os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC
            self._taking_back_end = os.open(os.ttyname(self.program_end), flags)
        try:
            unread = os.read(self._taking_back_end, _CHUNK_BYTES)
        except BlockingIOError:  # the program has read everything
            return True
        if keys is None:
            termios.tcsetattr(self.program_end, termios.TCSANOW, mode)
            return False
        if unread != keys:
            self._type(unread)  # the program reads key by key, and has read some keys
        return unread != keys

    def drain_output(self) -> bytes:
        """Everything the program has written since the last call; empty if nothing.

        Before a read blocks, the kernel passes on the bytes in transit and checks again. So if a read would block,
        everything has been read.
        """
        chunks = []
        try:
            while chunk := os.read(self.our_end, _CHUNK_BYTES):
                chunks.append(chunk)
        except OSError:  # EAGAIN: drained; EIO: every program end is closed
            pass
        return b"".join(chunks)
