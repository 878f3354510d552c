"""The protocol that all drivers implement."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

from pitboss.model.scripts import Script
from pitboss.model.transcript import Transcript


class Driver(Protocol):
    """Runs sessions of one program. A driver is a context manager, which ends all processes when the context ends."""

    def sessions(self, scripts: Iterable[Script]) -> Iterator[tuple[int, Transcript]]:
        """Run a session for each script; yields its number, from 0, and its transcript when it ends.

        Raises SessionError if sessions cannot be run on this machine.
        """
        ...

    def __enter__(self) -> Driver:
        """Start preparing sessions; SessionError if sessions cannot be run on this machine."""
        ...

    def __exit__(self, *_: object) -> None:
        """End all processes that still run."""
        ...
