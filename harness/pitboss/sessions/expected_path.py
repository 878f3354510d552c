"""The path that a session is expected to take, and whether the session follows it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pitboss.model.comparison_policy import FreeText
from pitboss.model.free_texts import occurrences_in
from pitboss.model.transcript import Event, InputEnded, Paused, Shown, Typed


class _Gap:
    """A position on the path where any text may appear."""

    def __init__(self, free: FreeText) -> None:
        self.free = free
        self.is_begun = False

    @property
    def may_be_left_out(self) -> bool:
        return self.is_begun or self.free.may_be_missing or self.free.kind == "after"


class ExpectedPath:
    """The events that are still expected of a session; a session that has left the path never returns to it."""

    def __init__(self, events: Iterable[Event] | None, free: tuple[FreeText, ...] = ()) -> None:
        """`events` are all events of the path; None if it is unknown: then the session has left it from the start.

        A text of one line in place of a free text stays on the path; a longer text leaves it.
        """
        self._remaining = list(_with_gaps(tuple(events or ()), free))
        self.is_followed = events is not None

    @property
    def next(self) -> Event | None:
        """The next event; None at the end, and once the session has left the path."""
        if not self.is_followed or not self._remaining:
            return None
        first = self._remaining[0]
        return Shown(first.free.own_text) if isinstance(first, _Gap) else first

    @property
    def pause_s(self) -> float:
        """The length of the pause that comes next, in seconds; 0 if no pause does."""
        following = self.next
        return following.duration_ms / 1000 if isinstance(following, Paused) else 0.0

    @property
    def is_read_after_pause(self) -> bool:
        """Whether a pause comes next, and then a line is read without any text in between."""
        first, *others = [*self._remaining[:2], None]
        return self.is_followed and isinstance(first, Paused) and isinstance(others[0], Typed | InputEnded)

    @property
    def pauses_s(self) -> float:
        """The total length of the remaining pauses, in seconds."""
        return sum(event.duration_ms for event in self._remaining if isinstance(event, Paused)) / 1000

    def meet(self, event: Event) -> None:
        """Advance by an event, or leave the path if a different event is expected."""
        while self._remaining and isinstance(gap := self._remaining[0], _Gap) and gap.may_be_left_out:
            self._remaining.pop(0)
        if self.next == event:
            self._remaining.pop(0)
        else:
            self.leave()

    def show(self, text: bytes) -> None:
        """Advance by a text, which may be part of the expected text, or leave the path."""
        while text and self.is_followed:
            first = self._remaining[0] if self._remaining else None
            if isinstance(first, _Gap):
                text = self._text_after_gap(first, text)
            elif isinstance(first, Shown) and first.text.startswith(text):
                rest = first.text[len(text) :]
                self._remaining[:1] = [Shown(rest)] if rest else []
                return
            elif isinstance(first, Shown) and text.startswith(first.text):
                self._remaining.pop(0)
                text = text[len(first.text) :]
            else:
                self.leave()

    def _text_after_gap(self, gap: _Gap, text: bytes) -> bytes:
        """Fills a gap with the beginning of a text; returns the rest."""
        if gap.may_be_left_out and not gap.is_begun and self._skip_gap(gap, text):
            return text
        gap.is_begun = True
        if gap.free.kind == "prompt":
            return b""
        line, newline, _ = text.partition(b"\n")
        if not newline:
            return b""
        self._remaining.pop(0)
        return text[len(line) + (gap.free.kind == "after") :]

    def _skip_gap(self, gap: _Gap, text: bytes) -> bool:
        """Skips a gap, and the newline of a free line, if the text continues after it; returns whether it does."""
        after = self._remaining[1] if len(self._remaining) > 1 else None
        following = after.text if isinstance(after, Shown) else b""
        following = following[following.startswith(b"\n") if gap.free.kind == "line" else 0 :]
        if not following or not (following.startswith(text) or text.startswith(following.partition(b"\n")[0] or b"\n")):
            return False
        self._remaining[:2] = [Shown(following)]
        return True

    def leave(self) -> None:
        """Leave the path: nothing more is expected."""
        self.is_followed = False


def _with_gaps(events: tuple[Event, ...], free: tuple[FreeText, ...]) -> Iterator[Event | _Gap]:
    """The events with a gap in place of each free text."""
    for event, occurrences in zip(events, occurrences_in(events, free), strict=True):
        if not isinstance(event, Shown):
            yield event
            if isinstance(event, Typed):
                yield from (_Gap(occurrence.free) for occurrence in occurrences)
            continue
        end = 0
        for occurrence in occurrences:
            if occurrence.start > end:
                yield Shown(event.text[end : occurrence.start])
            yield _Gap(occurrence.free)
            end = occurrence.end
        if end < len(event.text):
            yield Shown(event.text[end:])
