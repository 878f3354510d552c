"""Obtains what a session or a check needs from this machine: retries for a while, then raises a clear error."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from pitboss.errors import SessionError, ShortageError
from pitboss.machine.shortages import error_with_remedy, is_short, retry_shortages

T = TypeVar("T")


def obtain(refusal: str, attempt: Callable[[], T]) -> T:
    """Call `attempt`, again for a while if the machine is short of something, and return its value.

    If it still fails, raises a SessionError that begins with `refusal`: a ShortageError if a resource is used up.
    """
    try:
        return retry_shortages(attempt)
    except OSError as error:
        raise refusal_error(refusal, error) from error


@contextmanager
def our_faults(refusal: str) -> Iterator[None]:
    """Raise faults of this machine inside the context as a SessionError that begins with `refusal`.

    Faults of the machine are all unexpected OSErrors, and Python's own lack of memory. A BrokenPipeError is raised
    unchanged: it is not a fault but means that nobody reads our output any more.
    """
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise refusal_error(refusal, error) from error
    except MemoryError as error:
        raise refusal_error(refusal, OSError(errno.ENOMEM, os.strerror(errno.ENOMEM))) from error


def refusal_error(refusal: str, error: OSError) -> SessionError:
    """The error to raise when `error` kept us from obtaining something; it begins with `refusal`."""
    kind = ShortageError if is_short(error.errno) else SessionError
    return kind(f"{refusal}: {error_with_remedy(error)}")
