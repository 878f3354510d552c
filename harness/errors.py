"""What can go wrong that is not the submission's doing, by whose desk it lands on."""

from __future__ import annotations

from collections.abc import Iterable

_LONGEST, _MOST_LISTED = 60, 30


def as_found(value: str) -> str:
    """A value as a message quotes it: on one line, cut where it is long.

    >>> as_found("seven"), as_found("x" * 1000)
    ("'seven'", "'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'… (1,000 characters)")
    """
    return repr(value) if len(value) <= _LONGEST else f"{value[:_LONGEST]!r}… ({len(value):,} characters)"


def shortened(text: str) -> str:
    """A text of a file as it is, cut where it is long."""
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def listed(names: Iterable[str]) -> str:
    """Names as a message lists them, long ones cut, and of very many the first.

    >>> listed(["open", "close"])
    'open, close'
    """
    all_names = list(names)
    shown = [shortened(name if name.isprintable() else repr(name)[1:-1]) for name in all_names[:_MOST_LISTED]]
    more = len(all_names) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")


class HarnessError(Exception):
    """The base of everything pitboss raises; its text is for a person to read."""


class UsageError(HarnessError):
    """The caller asked for something that is not there or does not make sense."""


class SpecError(HarnessError):
    """An assignment or a spec file is wrong; the text opens with `file:line:`."""


class SessionError(HarnessError):
    """This machine could not hold a session: a fault, never the submission's failure."""


class AssignmentError(SpecError):
    """Code of an assignment failed where it was called: a fault of that session, and of no other."""

    def __init__(self, message: str, *, is_endless: bool = False) -> None:
        """`is_endless` says that it came to no end and was broken off."""
        super().__init__(message)
        self.is_endless = is_endless
        #: What a reference had done until it failed, as events of a transcript.
        self.events: tuple[object, ...] = ()


class ShortageError(SessionError):
    """This machine is short of something, and was for a while: it may be there the next time."""
