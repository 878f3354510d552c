"""The path that a session is expected to take, and whether the session follows it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pitboss.model.comparison_policy import FreeText
from pitboss.model.free_texts import occurrences_in
from pitboss.model.transcript import Event, InputEnded, Paused, Shown, Typed


class _Gap:
    """A position on the path where any text may follow."""

    def __init__(self, free: FreeText) -> None:
        self.free = free
        self.is_begun = False

    @property
    def may_be_left_out(self) -> bool:
        return self.is_begun or self.free.may_be_missing or self.free.kind == "after"


class ExpectedPath:
    """The events that are still expected of a session; a session that has left the path never returns to it."""

    def __init__(self, events: Iterable[Event] | None, free: tuple[FreeText, ...] = ()) -> None:
        """`events` are all events of the path; None if it is unknown, which counts as having left it.

        In place of a free text, any text of one line follows the path; a longer one leaves it.
        """
        self._left = list(_with_gaps(tuple(events or ()), free))
        self.is_followed = events is not None

    @property
    def next(self) -> Event | None:
        """The next event; None at the end, and once the path has been left."""
        if not self.is_followed or not self._left:
            return None
        first = self._left[0]
        return Shown(first.free.own_text) if isinstance(first, _Gap) else first

    @property
    def pause_s(self) -> float:
        """The length of the pause that comes next, in seconds; 0 if none does."""
        following = self.next
        return following.duration_ms / 1000 if isinstance(following, Paused) else 0.0

    @property
    def is_read_after_pause(self) -> bool:
        """Whether a pause comes next, and then a line is read with nothing shown in between."""
        first, *others = [*self._left[:2], None]
        return self.is_followed and isinstance(first, Paused) and isinstance(others[0], Typed | InputEnded)

    @property
    def pauses_s(self) -> float:
        """The total length of its pauses, in seconds."""
        return sum(event.duration_ms for event in self._left if isinstance(event, Paused)) / 1000

    def meet(self, event: Event) -> None:
        """Advance by an event, or leave the path if a different one is expected."""
        while self._left and isinstance(gap := self._left[0], _Gap) and gap.may_be_left_out:
            self._left.pop(0)
        if self.next == event:
            self._left.pop(0)
        else:
            self.leave()

    def show(self, text: bytes) -> None:
        """Advance by a text, which may be part of the expected one, or leave the path."""
        while text and self.is_followed:
            first = self._left[0] if self._left else None
            if isinstance(first, _Gap):
                text = self._crossed(first, text)
            elif isinstance(first, Shown) and first.text.startswith(text):
                rest = first.text[len(text) :]
                self._left[:1] = [Shown(rest)] if rest else []
                return
            elif isinstance(first, Shown) and text.startswith(first.text):
                self._left.pop(0)
                text = text[len(first.text) :]
            else:
                self.leave()

    def _crossed(self, gap: _Gap, text: bytes) -> bytes:
        """The rest of a text after the part that fills a gap."""
        if gap.may_be_left_out and not gap.is_begun and self._skips(gap, text):
            return text
        gap.is_begun = True
        if gap.free.kind == "prompt":
            return b""
        line, newline, _ = text.partition(b"\n")
        if not newline:
            return b""
        self._left.pop(0)
        return text[len(line) + (gap.free.kind == "after") :]

    def _skips(self, gap: _Gap, text: bytes) -> bool:
        """Whether a text continues after a gap; if so the gap is skipped, and the newline of a free line with it."""
        after = self._left[1] if len(self._left) > 1 else None
        following = after.text if isinstance(after, Shown) else b""
        following = following[following.startswith(b"\n") if gap.free.kind == "line" else 0 :]
        if not following or not (following.startswith(text) or text.startswith(following.partition(b"\n")[0] or b"\n")):
            return False
        self._left[:2] = [Shown(following)]
        return True

    def leave(self) -> None:
        """Leave the path: nothing more is expected."""
        self.is_followed = False


def _with_gaps(events: tuple[Event, ...], free: tuple[FreeText, ...]) -> Iterator[Event | _Gap]:
    """The events with a gap in place of each free text."""
    for event, found in zip(events, occurrences_in(events, free), strict=True):
        if not isinstance(event, Shown):
            yield event
            if isinstance(event, Typed):
                yield from (_Gap(occurrence.free) for occurrence in found)
            continue
        done = 0
        for occurrence in found:
            if occurrence.start > done:
                yield Shown(event.text[done : occurrence.start])
            yield _Gap(occurrence.free)
            done = occurrence.end
        if done < len(event.text):
            yield Shown(event.text[done:])
