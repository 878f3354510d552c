"""Collects the events of a session: its output, up to a limit, and everything else that happened, in order."""

from __future__ import annotations

from pitboss.model.scripts import Script
from pitboss.model.transcript import (
    EndingKind,
    Event,
    InputEnded,
    Paused,
    Shown,
    canonical,
    character_start,
)
from pitboss.sessions.tracing.pause_lengths import pause_ms

#: How much is recorded of output over the limit: enough to compare, to read, and to see how it continued.
_HEAD_BYTES, _TAIL_BYTES = 65536, 4096
#: How often a program may read the end of input before we conclude that it ignores it.
_ENDS_OF_INPUT = 100
#: Naps at the very end are not a pause if they are shorter than this in total: a runtime waits for its threads to end.
_LEAVING_NS = 50_000_000


class SessionOutput:
    """The growing events of a session."""

    def __init__(self, limit_bytes: int) -> None:
        self.events: list[Event] = []
        self._limit_bytes = limit_bytes
        self._bytes = 0
        self._chunks: list[bytes] = []
        self._pause_ns = 0
        #: The part of the pause that consists of naps at its end.
        self._naps_ns = 0
        #: Whether the program waited by polling the clock: it computed for some of that time.
        self._has_steps = False
        #: How often the end of input was read, and its last event, pending if it counts only when something follows.
        self.ends_of_input = 0
        self._pending_end: Event | None = None

    @property
    def is_over(self) -> bool:
        """Whether more was shown than is allowed."""
        return self._bytes > self._limit_bytes

    @property
    def place(self) -> tuple[int, int]:
        """A value that changes whenever something is shown or noted."""
        return self._bytes, len(self.events)

    def show(self, text: bytes) -> None:
        """Note text that the program wrote, if any."""
        if not text:
            return
        self._note_pending_end()
        if self._pause_ns:
            self._end_pause()
        self._chunks.append(text)
        self._bytes += len(text)

    def pause(self, duration_ns: int, *, is_nap: bool = False, is_step: bool = False) -> None:
        """Note a pause; consecutive pauses are added up and rounded once."""
        self._end_text()
        self._pause_ns += duration_ns
        self._has_steps = self._has_steps or is_step
        self._naps_ns = self._naps_ns + duration_ns if is_nap else 0

    def end(self) -> None:
        """Note that the session has ended: drops short naps at its end."""
        if self._naps_ns < _LEAVING_NS:
            self._pause_ns -= self._naps_ns

    def note(self, event: Event) -> None:
        """Note an event other than text and pauses."""
        self._end_text()
        self._end_pause()
        self._note_pending_end()
        self.events.append(event)

    def end_input(self, script: Script, *, takes_keys: bool) -> EndingKind | None:
        """Note that the program reads the end of input; returns why its session ends there, None if it continues.

        A program may wait for a last key before its window closes, which is irrelevant: an end of input there is
        recorded only if more is shown or read after it.
        """
        has_left = self.ends_of_input == 0 and script.is_over_after(self.so_far())
        is_last_key = takes_keys and (has_left or self.ends_of_input > 0 or script.has_left is None)
        self.ends_of_input += 1
        self.note(InputEnded())
        if is_last_key:
            self._pending_end = self.events.pop()
        if self.ends_of_input > _ENDS_OF_INPUT:
            return EndingKind.DEAF
        return EndingKind.OUT_OF_LINES if has_left and not is_last_key else None

    def _note_pending_end(self) -> None:
        if self._pending_end is not None:
            self.events.append(self._pending_end)
            self._pending_end = None

    def _end_text(self) -> None:
        if self._chunks:
            self.events.append(Shown(b"".join(self._chunks)))
            self._chunks.clear()

    def _end_pause(self) -> None:
        if self._pause_ns:
            duration_ms = pause_ms(self._pause_ns, has_steps=self._has_steps)
            if duration_ms or not self._has_steps:
                self.events.append(Paused(duration_ms))
            self._pause_ns, self._naps_ns, self._has_steps = 0, 0, False

    def so_far(self) -> list[Event]:
        """Returns all events up to now."""
        self._end_text()
        self._end_pause()
        return self.events

    def within_limit(self) -> tuple[tuple[Event, ...], int]:
        """Returns the canonical events, and the number of bytes omitted between head and tail of too much output."""
        events = canonical(self.so_far())
        if not self.is_over:
            return events, 0
        head: list[Event] = []
        bytes_left = _HEAD_BYTES
        for event in events:
            if isinstance(event, Shown) and len(event.text) >= bytes_left:
                head.append(Shown(event.text[: character_start(event.text, bytes_left)]))
                break
            bytes_left -= len(event.text) if isinstance(event, Shown) else 0
            head.append(event)
        shown = sum(len(event.text) for event in head if isinstance(event, Shown))
        rest = b"".join(event.text for event in events if isinstance(event, Shown))[shown:]
        tail = rest[character_start(rest, max(0, len(rest) - _TAIL_BYTES)) :]
        return canonical((*head, Shown(tail))), self._bytes - shown - len(tail)
