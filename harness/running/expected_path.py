"""The path that a session is expected to take, and whether it keeps to it."""

from __future__ import annotations

from collections.abc import Iterable

from harness.transcripts.transcript import Event, Paused, Shown


class ExpectedPath:
    """What a session is still expected to show, to read and to pause; once it has left the path it never returns."""

    def __init__(self, events: Iterable[Event] | None) -> None:
        """The whole path; None where nothing is known of it, which is like one that has been left."""
        self._left = list(events or ())
        self.is_kept = events is not None

    @property
    def next(self) -> Event | None:
        """What comes next; None at the end, and once the path has been left."""
        return self._left[0] if self.is_kept and self._left else None

    @property
    def pauses_s(self) -> float:
        """How long its pauses are, all together."""
        return sum(event.duration_ms for event in self._left if isinstance(event, Paused)) / 1000

    def meet(self, event: Event) -> None:
        """Go on by an event, or leave the path where another one is expected."""
        if self.next == event:
            self._left.pop(0)
        else:
            self.leave()

    def show(self, text: bytes) -> None:
        """Go on by a text, which may be a part of what is expected, or leave the path."""
        wanted = self.next
        if isinstance(wanted, Shown) and wanted.text.startswith(text):
            rest = wanted.text[len(text) :]
            self._left[:1] = [Shown(rest)] if rest else []
        else:
            self.leave()

    def leave(self) -> None:
        """Nothing more is expected."""
        self.is_kept = False
