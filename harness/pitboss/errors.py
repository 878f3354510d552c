"""Errors that are not the submission's fault, one class for each party that has to fix them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_LONGEST, _MAX_LISTED = 60, 30


def as_found(value: str) -> str:
    """A value quoted for a message: on one line, and cut if it is long.

    >>> as_found("seven"), as_found("x" * 1000)
    ("'seven'", "'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'… (1,000 characters)")
    """
    return repr(value) if len(value) <= _LONGEST else f"{value[:_LONGEST]!r}… ({len(value):,} characters)"


def shortened(text: str) -> str:
    """A text from a file, unquoted, and cut if it is long."""
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def listed(names: Iterable[str], most: int = _MAX_LISTED) -> str:
    """Names listed for a message: long names are cut, and only the first `most` are listed.

    >>> listed(["open", "close"])
    'open, close'
    """
    all_names = list(names)
    shown = [shortened(name if name.isprintable() else repr(name)[1:-1]) for name in all_names[:most]]
    more = len(all_names) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")


def did_you_mean(found: str, allowed: Iterable[str]) -> str:
    """`; did you mean 'x'?` if one of the allowed names is close enough, else an empty text."""
    import difflib  # takes longer to import than all of this, and only a mistake needs it

    match = difflib.get_close_matches(found, list(allowed), 1)
    return f"; did you mean {as_found(match[0])}?" if match else ""


def missing_folder(folder: Path, called: str = "") -> UsageError:
    """The error for a folder that is not there, suggesting a folder beside it with a similar name.

    `called` is the text before its name: an option.
    """
    try:
        beside = [entry.name for entry in os.scandir(folder.parent) if entry.is_dir()]
    except (OSError, ValueError):
        beside = []
    return UsageError(f"{called}{folder}: there is no such folder{did_you_mean(folder.name, beside)}")


class OldKeyWarning(DeprecationWarning):
    """A file has a key under its old name, supported for one more version; the text starts with its location."""


class HarnessError(Exception):
    """The base class of everything pitboss raises; its text is meant for people."""


class UsageError(HarnessError):
    """The caller asked for something that does not exist or does not make sense."""


class NothingError(UsageError):
    """A submission has no program that could be checked: its author has to correct it."""


class SpecError(HarnessError):
    """An assignment or a spec file is wrong; the text starts with `file:line:`."""


class EndlessError(SpecError):
    """The player of a session never stops typing, so the reference does not end."""


class SessionError(HarnessError):
    """This machine could not run a session: a fault, never the submission's failure."""


class AssignmentError(SpecError):
    """A call into the assignment's own code failed: a fault of that session only."""

    def __init__(self, message: str, *, is_endless: bool = False) -> None:
        """`is_endless`: the call did not end in time and was aborted."""
        super().__init__(message)
        self.is_endless = is_endless
        #: What a reference did before it failed, as events of a transcript.
        self.events: tuple[object, ...] = ()


class RefusalError(SessionError):
    """The kernel or the platform does not allow an operation: trying again on this machine does not help."""


class ShortageError(SessionError):
    """This machine ran short of a resource, and still was after a while: a later try may succeed."""
