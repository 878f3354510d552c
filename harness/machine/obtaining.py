"""Obtaining what a session or a check needs of this machine: with patience, and with a sentence where it is in vain."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from harness.errors import SessionError, ShortageError
from harness.machine.shortages import is_short, patiently, remedy_of

T = TypeVar("T")


def obtained(refusal: str, attempt: Callable[[], T]) -> T:
    """What `attempt` returns; SessionError that opens with `refusal` where it still fails after a while.

    It is a ShortageError where it fails because something is used up.
    """
    try:
        return patiently(attempt)
    except OSError as error:
        raise refused(refusal, error) from error


def refused(refusal: str, error: OSError) -> SessionError:
    """What to raise where something could not be had in time."""
    kind = ShortageError if is_short(error.errno) else SessionError
    return kind(f"{refusal}: {remedy_of(error)}")
