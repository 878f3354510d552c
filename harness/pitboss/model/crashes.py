"""Reads what a runtime printed about the error that ended a program, in any language."""

from __future__ import annotations

import functools
import re
from pathlib import PurePath

import msgspec

from pitboss.errors import fitted
from pitboss.model.languages import LANGUAGES


class Crash(msgspec.Struct, frozen=True):
    """The error that ended a program, as its runtime reported it."""

    #: The name of the error and its message, such as `ValueError: no`.
    error: str
    #: The program's own file in which the error occurred, and the line; empty and 0 if the runtime does not say.
    file: str = ""
    line: int = 0
    #: Whether the error ended the program, not only one of its threads, and the program did not catch it.
    is_uncaught: bool = True

    @property
    def place(self) -> str:
        """The line and the file, such as `line 9 of Program.cs`; empty if they are unknown."""
        return f"line {self.line} of {self.file}" if self.file else ""


#: For each language: how it prints an error that ends a program, how it prints one that does not, how it names a line,
#: and whether the last one counts.
_PATTERNS = tuple(
    (
        re.compile(language.uncaught.encode(), re.MULTILINE),
        re.compile(language.survived.encode()) if language.survived else None,
        re.compile(language.frame.encode(), re.MULTILINE) if language.frame else None,
        language.prints_innermost_last,
    )
    for language in LANGUAGES.values()
    if language.uncaught
)
#: The maximum number of characters of an error: its message may have a whole line of input in it.
_MAX_ERROR = 300
#: How Java begins to print an uncaught error in a thread, which does not always end the program.
_JAVA_THREAD_ERROR = re.compile(rb'Exception in thread "[^"\n]*" ')


@functools.lru_cache(maxsize=32)  # verdicts and sentences ask again, and a search of long output takes a second
def crash_in(output: bytes) -> Crash | None:
    r"""Returns the error that ended a program with this output; None if no runtime reports one.

    >>> crash_in(b'Traceback (most recent call last):\n  File "/a/b.py", line 3, in <module>\nValueError: no\n')
    Crash(error='ValueError: no', file='b.py', line=3, is_uncaught=True)
    """
    for pattern, survived, frame, is_last_decisive in _PATTERNS:
        matches = list(pattern.finditer(output))
        if not matches:
            continue
        match = matches[-1 if is_last_decisive else 0]
        parts = [group for group in match.groups() if group] or [match[0]]
        error = ": ".join(part.decode("utf-8", "replace").strip() for part in parts)
        error = fitted(error.rstrip(":. "), _MAX_ERROR)
        is_uncaught = survived is None or not all(survived.match(each[0]) for each in matches)
        places = list(frame.finditer(output, match.start())) if frame else []
        if not places:
            return Crash(error, is_uncaught=is_uncaught)
        file, line = places[-1 if is_last_decisive else 0].groups()
        path = PurePath(file.decode("utf-8", "replace"))
        return Crash(error, path.name if path.is_absolute() else str(path), int(line), is_uncaught)
    return None


def last_words(output: bytes) -> str:
    """Returns the error that ended a program with this output, with its place, or else the last line.

    Indented lines do not count: they are the calls in a trace that the program printed itself.
    """
    if crash := crash_in(output):
        return f"{crash.error} ({crash.place})" if crash.place else crash.error
    lines = output.decode("utf-8", "replace").strip().splitlines()
    return next((line.rstrip() for line in reversed(lines) if line and not line[0].isspace()), "")


def begins_with_crash(text: bytes) -> bool:
    """Whether a text begins with the report of an uncaught error in one of the languages."""
    text = text.lstrip(b"\r\n")
    return any(pattern.match(text) for pattern in (*(pattern for pattern, *_ in _PATTERNS), _JAVA_THREAD_ERROR))
