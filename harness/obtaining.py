"""Obtaining what a session or a check needs of this machine: with patience, and with a sentence where it is in vain."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from harness.errors import SessionError
from harness.watching.shortages import patiently, remedy_of

T = TypeVar("T")


def obtained(refusal: str, attempt: Callable[[], T]) -> T:
    """What `attempt` returns; SessionError that opens with `refusal` where it still fails after a while."""
    try:
        return patiently(attempt)
    except OSError as error:
        raise SessionError(f"{refusal}: {remedy_of(error)}") from error
