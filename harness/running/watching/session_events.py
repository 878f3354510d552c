"""What a session has shown so far, in order with everything else that happened, within a limit."""

from __future__ import annotations

from harness.running.watching.pauses import told_ms
from harness.transcripts.transcript import Event, Paused, Shown, canonical, character_start

#: Of a flood these are kept: enough to compare, to read, and to see what it went on with.
_HEAD_BYTES, _TAIL_BYTES = 65536, 4096
#: Naps after which there is nothing more are no pause below this: a runtime takes leave of its threads.
_LEAVING_NS = 50_000_000


class Output:
    """The growing events of a session."""

    def __init__(self, limit_bytes: int) -> None:
        self.events: list[Event] = []
        self._limit_bytes = limit_bytes
        self._bytes = 0
        self._chunks: list[bytes] = []
        self._pause_ns = 0
        #: What of it are naps of some thread, with nothing else after them so far.
        self._naps_ns = 0
        #: Whether the program waited by looking at the clock: some of that time it computed.
        self._has_steps = False

    @property
    def is_over(self) -> bool:
        """Whether more was shown than is allowed."""
        return self._bytes > self._limit_bytes

    @property
    def place(self) -> tuple[int, int]:
        """Another value whenever something was shown or noted."""
        return self._bytes, len(self.events)

    def show(self, text: bytes) -> None:
        """Note what the program wrote."""
        if self._pause_ns:
            self._end_pause()
        self._chunks.append(text)
        self._bytes += len(text)

    def pause(self, duration_ns: int, *, is_nap: bool = False, is_step: bool = False) -> None:
        """Note a pause; those that follow on one another are one, rounded only as a whole."""
        self._end_text()
        self._pause_ns += duration_ns
        self._has_steps = self._has_steps or is_step
        self._naps_ns = self._naps_ns + duration_ns if is_nap else 0

    def end(self) -> None:
        """Nothing more comes."""
        if self._naps_ns < _LEAVING_NS:
            self._pause_ns -= self._naps_ns

    def note(self, event: Event) -> None:
        """Note what happened otherwise."""
        self._end_text()
        self._end_pause()
        self.events.append(event)

    def _end_text(self) -> None:
        if self._chunks:
            self.events.append(Shown(b"".join(self._chunks)))
            self._chunks.clear()

    def _end_pause(self) -> None:
        if self._pause_ns:
            self.events.append(Paused(told_ms(self._pause_ns, has_steps=self._has_steps)))
            self._pause_ns, self._naps_ns, self._has_steps = 0, 0, False

    def so_far(self) -> list[Event]:
        """All that happened, up to now."""
        self._end_text()
        self._end_pause()
        return self.events

    def kept(self) -> tuple[tuple[Event, ...], int]:
        """The canonical events and how many bytes are left out of them: of a flood, all but head and tail."""
        events = canonical(self.so_far())
        if not self.is_over:
            return events, 0
        head: list[Event] = []
        room = _HEAD_BYTES
        for event in events:
            if isinstance(event, Shown) and len(event.text) >= room:
                head.append(Shown(event.text[: character_start(event.text, room)]))
                break
            room -= len(event.text) if isinstance(event, Shown) else 0
            head.append(event)
        shown = sum(len(event.text) for event in head if isinstance(event, Shown))
        rest = b"".join(event.text for event in events if isinstance(event, Shown))[shown:]
        tail = rest[character_start(rest, max(0, len(rest) - _TAIL_BYTES)) :]
        return canonical((*head, Shown(tail))), self._bytes - shown - len(tail)
