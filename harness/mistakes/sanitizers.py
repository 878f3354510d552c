"""Finding the line of the student's code that misuses memory.

The program is built once more with AddressSanitizer and UndefinedBehaviorSanitizer, see gcc(1), and their output is
parsed. If they find nothing and valgrind is installed, it looks for uninitialized values. The result changes no
verdict: it explains a crash, or a session that failed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable

import msgspec

_KINDS = {
    "heap-buffer-overflow": "it uses memory outside what malloc or new gave it",
    "stack-buffer-overflow": "it uses an element outside an array",
    "dynamic-stack-buffer-overflow": "it uses an element outside an array",
    "global-buffer-overflow": "it uses an element outside an array",
    "stack-buffer-underflow": "it uses an element before the beginning of an array",
    "heap-use-after-free": "it uses memory that was freed before",
    "attempting double-free": "it frees the same memory twice",
    "attempting free on address which was not malloc()-ed": "it frees an address that malloc or new did not give it",
    "stack-use-after-return": "it uses a variable of a function that has ended",
    "stack-use-after-scope": "it uses a variable outside the braces that it lives in",
    "stack-overflow": "functions call one another without end, or an array is huge",
    "SEGV": "it uses memory that is not its own: often a missing & in scanf, a wild index, or a pointer never set",
    "FPE": "it divides by zero",
}
_ADDRESS = re.compile(rb"AddressSanitizer: ([A-Za-z-]+(?: double-free| free on address which was not malloc\(\)-ed)?)")
_FRAME = re.compile(rb"#\d+ 0x[0-9a-f]+ in (\S+) (\S+?):(\d+)")
_UNDEFINED = re.compile(rb"([^\s:]+):(\d+):\d+: runtime error: ([^\n]+)")
_BOUNDS = re.compile(r"index (-?\d+) out of bounds for type '[^\[]*\[(\d+)\]")


#: The most characters of a source line that are quoted.
_LONGEST_CODE = 120


class Place(msgspec.Struct, frozen=True):
    """Where and why a program crashed."""

    file: str
    line: int
    why: str

    def sentence(self, source: str) -> str:
        """A sentence for the student that quotes the line; `source` is the text of the file."""
        lines = source.splitlines()
        code = lines[self.line - 1].strip() if self.line <= len(lines) else ""
        code = code if len(code) <= _LONGEST_CODE else f"{code[: _LONGEST_CODE - 1]}…"
        return f"In {self.file}, line {self.line}{f', “{code}”' if code else ''}: {self.why}."


def place_in(output: bytes, files: frozenset[str]) -> Place | None:
    """The place that the sanitizers printed, if it is in one of these files."""
    undefined = _UNDEFINED.search(output)
    if undefined:
        file = undefined[1].decode("utf-8", "replace").rpartition("/")[2]
        if file in files:
            return Place(file, int(undefined[2]), _of_undefined(undefined[3].decode("utf-8", "replace")))
    kind = _ADDRESS.search(output)
    if kind is None:
        return None
    why = _KINDS.get(kind[1].decode(), "it uses memory that is not its own")
    for frame in _FRAME.finditer(output, kind.end()):
        file = frame[2].decode("utf-8", "replace").rpartition("/")[2]
        if file in files:
            return Place(file, int(frame[3]), why)
    return None


def _of_undefined(message: str) -> str:
    bounds = _BOUNDS.search(message)
    if bounds:
        last = int(bounds[2]) - 1
        return f"it uses index {bounds[1]} of an array of {bounds[2]}, whose indexes go from 0 to {last}"
    if "null pointer" in message:
        return "it follows a pointer that points nowhere"
    if "division by zero" in message:
        return "it divides by zero"
    if "overflow" in message:
        return "a number grows larger than its type can hold"
    return message


_VALUE = re.compile(rb"==\d+== (?:Conditional jump or move depends on|Use of) uninitialised value")
_CALL = re.compile(rb"==\d+==    (?:at|by) 0x[0-9A-F]+: \S+ \(([^():]+):(\d+)\)")


def unset_value_in(output: bytes, files: frozenset[str]) -> Place | None:
    """The place of the uninitialized value that valgrind printed, if it is in one of these files."""
    found = _VALUE.search(output)
    for call in _CALL.finditer(output, found.end()) if found else ():
        file = call[1].decode("utf-8", "replace")
        if file in files:
            return Place(file, int(call[2]), "it uses the value of a variable that was never given one")
    return None


class Check(msgspec.Struct, frozen=True):
    """A way to look for misuse of memory."""

    name: str
    #: Additional compiler flags.
    flags: tuple[str, ...]
    #: The words in front of the program's own command.
    command: tuple[str, ...]
    environment: tuple[tuple[str, str], ...]
    #: Parses the program's output, given the names of the student's files.
    place_in: Callable[[bytes, frozenset[str]], Place | None]

    def is_here(self) -> bool:
        """Whether the tools that it needs are installed."""
        return not self.command or os.path.exists(self.command[0])


#: They stop at the first finding and ignore leaks. Debian's `valgrind` is a script that starts the real program.
CHECKS = (
    Check(
        "sanitizers",
        ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer"),
        (),
        (
            ("ASAN_OPTIONS", "detect_leaks=0:color=never:handle_abort=1:detect_stack_use_after_return=1"),
            ("UBSAN_OPTIONS", "print_stacktrace=0:color=never"),
        ),
        place_in,
    ),
    Check(
        "valgrind",
        ("-O0",),
        ("/usr/bin/valgrind.bin", "-q", "--vgdb=no", "--exit-on-first-error=yes", "--error-exitcode=99"),
        (("VALGRIND_LIB", "/usr/libexec/valgrind"),),
        unset_value_in,
    ),
)
