"""Collects the events of a session: its output, up to a limit, and everything else that happened, in order."""

from __future__ import annotations

from pitboss.model.scripts import Script
from pitboss.model.transcript import (
    Ending,
    EndingKind,
    Event,
    InputEnded,
    Paused,
    Remark,
    Shown,
    Transcript,
    canonical,
    character_start,
)
from pitboss.sessions.tracing.pause_lengths import pause_ms

#: How many bytes are recorded of the head and of the tail of output over the limit: enough to compare, to read, and to
#: see how the output continued.
_HEAD_BYTES, _TAIL_BYTES = 65536, 4096
#: How often a program may read the end of input before we conclude that the program ignores the end of input.
_MAX_ENDS_OF_INPUT = 100
#: Naps (short waits) right before the end of a session are not a pause if their total is shorter than this number of
#: nanoseconds: a runtime waits for its threads to end.
_EXIT_NAPS_NS = 50_000_000


class SessionOutput:
    """Collects the events of a session while the session runs."""

    def __init__(self, limit_bytes: int) -> None:
        self.events: list[Event] = []
        self._limit_bytes = limit_bytes
        #: How many bytes the program has written so far.
        self._shown_bytes = 0
        #: Text that the program has written since the last event.
        self._chunks: list[bytes] = []
        #: The length of the current pause so far; 0 if the program does not pause.
        self._pause_ns = 0
        #: How much of the current pause consists of naps at the end of the pause.
        self._naps_ns = 0
        #: Whether the program makes the current pause by polling the clock: it computes for some of that time.
        self._has_steps = False
        #: How often the program has read the end of input.
        self.ends_of_input = 0
        #: Whether nothing has followed an end of input of a program that reads single keys.
        self._may_wait_for_key = False

    @property
    def is_over(self) -> bool:
        """Whether the program has written more than the limit."""
        return self._shown_bytes > self._limit_bytes

    @property
    def progress_position(self) -> tuple[int, int]:
        """The position in the session: a value that changes whenever text is shown or an event is noted."""
        return self._shown_bytes, len(self.events)

    def show(self, text: bytes) -> None:
        """Note text that the program wrote, if any."""
        if not text:
            return
        self._may_wait_for_key = False
        if self._pause_ns:
            self._end_pause()
        self._chunks.append(text)
        self._shown_bytes += len(text)

    def pause(self, duration_ns: int, *, is_nap: bool = False, is_step: bool = False) -> None:
        """Note a pause; consecutive pauses are added up and rounded once."""
        self._end_text()
        self._pause_ns += duration_ns
        self._has_steps = self._has_steps or is_step
        self._naps_ns = self._naps_ns + duration_ns if is_nap else 0

    def end(self) -> None:
        """Note that the session has ended, and drop short naps right before its end."""
        if self._naps_ns < _EXIT_NAPS_NS:
            self._pause_ns -= self._naps_ns

    def note(self, event: Event) -> None:
        """Note an event other than text and pauses."""
        self._end_text()
        self._end_pause()
        self._may_wait_for_key = False
        self.events.append(event)

    def end_input(self, script: Script, *, takes_keys: bool) -> EndingKind | None:
        """Note that the program reads the end of input; returns why the session ends now, None if it continues.

        A program that reads single keys goes on even if the session has left its expected path: it may only wait for a
        key before its window closes (see `Transcript.may_wait_for_key`).
        """
        is_script_over = self.ends_of_input == 0 and script.is_over_after(self.so_far())
        self.ends_of_input += 1
        self.note(InputEnded())
        self._may_wait_for_key = takes_keys
        if self.ends_of_input > _MAX_ENDS_OF_INPUT:
            return EndingKind.IGNORED_END_OF_INPUT
        return EndingKind.OUT_OF_LINES if is_script_over and not takes_keys else None

    def _end_text(self) -> None:
        """Record the text since the last event, if any, as an event."""
        if self._chunks:
            self.events.append(Shown(b"".join(self._chunks)))
            self._chunks.clear()

    def _end_pause(self) -> None:
        """Record the current pause, if any, as an event."""
        if self._pause_ns:
            duration_ms = pause_ms(self._pause_ns, has_steps=self._has_steps)
            if duration_ms or not self._has_steps:  # a pause with steps is dropped if it is rounded to 0
                self.events.append(Paused(duration_ms))
            self._pause_ns, self._naps_ns, self._has_steps = 0, 0, False

    def so_far(self) -> list[Event]:
        """Returns all events up to now."""
        self._end_text()
        self._end_pause()
        return self.events

    def transcript(self, ending: Ending, remarks: tuple[Remark, ...] = ()) -> Transcript:
        """The transcript of the session, which ended like this."""
        events, dropped_bytes = self.within_limit()
        return Transcript(events, ending, dropped_bytes, remarks, may_wait_for_key=self._may_wait_for_key)

    def within_limit(self) -> tuple[tuple[Event, ...], int]:
        """Returns the canonical events, and how many bytes over the limit are omitted between head and tail."""
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
        head_bytes = sum(len(event.text) for event in head if isinstance(event, Shown))
        remaining_text = b"".join(event.text for event in events if isinstance(event, Shown))[head_bytes:]
        tail = remaining_text[character_start(remaining_text, max(0, len(remaining_text) - _TAIL_BYTES)) :]
        return canonical((*head, Shown(tail))), self._shown_bytes - head_bytes - len(tail)
