"""Obtains what a session or a check needs from this machine: retries for a while, then raises a clear error."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from pitboss.errors import SessionError, ShortageError
from pitboss.sandbox.shortages import is_short, remedy_of, retry_shortages

T = TypeVar("T")


def obtain(refusal: str, attempt: Callable[[], T]) -> T:
    """What `attempt` returns; SessionError that begins with `refusal` if it still fails after a while.

    The error is a ShortageError if something is used up.
    """
    try:
        return retry_shortages(attempt)
    except OSError as error:
        raise refused(refusal, error) from error


@contextmanager
def our_faults(refusal: str) -> Iterator[None]:
    """Raise faults of this machine inside the context as a SessionError that begins with `refusal`.

    These are every unexpected OSError, and Python's own lack of memory. A BrokenPipeError, since nobody reads our
    output any more, is not a fault.
    """
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise refused(refusal, error) from error
    except MemoryError as error:
        raise refused(refusal, OSError(errno.ENOMEM, os.strerror(errno.ENOMEM))) from error


def refused(refusal: str, error: OSError) -> SessionError:
    """The error to raise when something could not be obtained in time."""
    kind = ShortageError if is_short(error.errno) else SessionError
    return kind(f"{refusal}: {remedy_of(error)}")
