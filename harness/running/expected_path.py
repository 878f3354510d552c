"""The path that a session is expected to take, and whether it follows it."""

from __future__ import annotations

from collections.abc import Iterable

from harness.transcripts.transcript import Event, Paused, Shown


class ExpectedPath:
    """The events that a session is still expected to have; once it has left the path it never returns."""

    def __init__(self, events: Iterable[Event] | None) -> None:
        """`events` is the whole path; None if it is unknown, which is like a path that has been left."""
        self._left = list(events or ())
        self.is_kept = events is not None

    @property
    def next(self) -> Event | None:
        """The next event; None at the end, and once the path has been left."""
        return self._left[0] if self.is_kept and self._left else None

    @property
    def pauses_s(self) -> float:
        """The total length of its pauses, in seconds."""
        return sum(event.duration_ms for event in self._left if isinstance(event, Paused)) / 1000

    def meet(self, event: Event) -> None:
        """Advance by an event, or leave the path if another one is expected."""
        if self.next == event:
            self._left.pop(0)
        else:
            self.leave()

    def show(self, text: bytes) -> None:
        """Advance by a text, which may be a part of what is expected, or leave the path."""
        wanted = self.next
        if isinstance(wanted, Shown) and wanted.text.startswith(text):
            rest = wanted.text[len(text) :]
            self._left[:1] = [Shown(rest)] if rest else []
        else:
            self.leave()

    def leave(self) -> None:
        """Leave the path: nothing more is expected."""
        self.is_kept = False
