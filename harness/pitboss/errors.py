"""Errors that are not the submission's fault, one class for each party that has to fix them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

#: In a message, values are cut to this many characters, and at most this many names are listed.
_MAX_CHARACTERS, _MAX_LISTED = 60, 30


def as_found(value: str) -> str:
    """Returns a value quoted for a message: on one line, and cut if it is long.

    >>> as_found("seven"), as_found("x" * 1000)
    ("'seven'", "'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'… (1,000 characters)")
    """
    return repr(value) if len(value) <= _MAX_CHARACTERS else f"{value[:_MAX_CHARACTERS]!r}… ({len(value):,} characters)"


def shortened(text: str) -> str:
    """Returns a text for a message, unquoted, and cut if it is long."""
    return text if len(text) <= _MAX_CHARACTERS else f"{text[:_MAX_CHARACTERS]}…"


def fitted(text: str, columns: int) -> str:
    """Returns a text, with an ellipsis in the last of these columns if it is longer."""
    return text if len(text) <= columns else f"{text[: columns - 1]}…"


def listed(names: Iterable[str], max_listed: int = _MAX_LISTED) -> str:
    """Returns names as a list in a message: long names are cut, and only the first `max_listed` are listed.

    >>> listed(["open", "close"])
    'open, close'
    """
    all_names = list(names)
    short_names = [shortened(name if name.isprintable() else repr(name)[1:-1]) for name in all_names[:max_listed]]
    omitted_count = len(all_names) - len(short_names)
    return ", ".join(short_names) + (f" and {omitted_count} more" if omitted_count else "")


def did_you_mean(name: str, allowed: Iterable[str]) -> str:
    """Returns `; did you mean 'x'?` if an allowed name `x` is similar to `name`, else an empty text."""
    import difflib  # slower to import than this whole module, and needed only after a mistake

    match = difflib.get_close_matches(name, list(allowed), 1)
    return f"; did you mean {as_found(match[0])}?" if match else ""


def missing_folder(folder: Path, prefix: str = "") -> UsageError:
    """Returns the error for a folder that does not exist; the message suggests a folder beside it of a similar name.

    `prefix` is the text before the folder's name in the message, such as an option.
    """
    try:
        siblings = [entry.name for entry in os.scandir(folder.parent) if entry.is_dir()]
    except (OSError, ValueError):
        siblings = []
    return UsageError(f"{prefix}{folder}: there is no such folder{did_you_mean(folder.name, siblings)}")


class WaitWarning(UserWarning):
    """A command waits for another process, which the message names."""


class HarnessError(Exception):
    """The base class of all errors that pitboss raises; the message is meant for people."""


class UsageError(HarnessError):
    """The caller asked for something that does not exist or does not make sense."""


class NoProgramError(UsageError):
    """A submission has no program that could be checked: its author has to correct it."""


class SpecError(HarnessError):
    """An assignment or a spec file is wrong; the message starts with `file:line:`."""


class EndlessError(SpecError):
    """The player of a session never stops typing, so the reference does not end."""


class SessionError(HarnessError):
    """This machine could not run a session: a fault, never the submission's failure."""


class AssignmentError(SpecError):
    """A call into the assignment's own code failed: a fault only of the session that made the call."""

    def __init__(self, message: str, *, is_endless: bool = False) -> None:
        """`is_endless`: the call did not end in time and was aborted."""
        super().__init__(message)
        self.is_endless = is_endless
        #: If a reference failed: the events of its transcript, up to the failure.
        self.events: tuple[object, ...] = ()


class RefusalError(SessionError):
    """The kernel or the platform does not allow an operation: trying again on this machine does not help."""


class ShortageError(SessionError):
    """This machine ran short of a resource, and waiting a while did not help: a later try may succeed."""
