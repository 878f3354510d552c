"""Obtains what a session or a check needs from this machine: retries for a while, then raises a clear error."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from harness.errors import SessionError, ShortageError
from harness.machine.shortages import is_short, patiently, remedy_of

T = TypeVar("T")


def obtained(refusal: str, attempt: Callable[[], T]) -> T:
    """What `attempt` returns; SessionError that begins with `refusal` if it still fails after a while.

    The error is a ShortageError if something is used up.
    """
    try:
        return patiently(attempt)
    except OSError as error:
        raise refused(refusal, error) from error


def refused(refusal: str, error: OSError) -> SessionError:
    """The error to raise when something could not be obtained in time."""
    kind = ShortageError if is_short(error.errno) else SessionError
    return kind(f"{refusal}: {remedy_of(error)}")
