"""The path that a session is expected to take, and whether the session follows it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pitboss.model.comparison_policy import FreeText
from pitboss.model.free_texts import occurrences_in
from pitboss.model.transcript import Event, InputEnded, Paused, Shown, Typed, events_of_flat, flat


class _Gap:
    """A position on the path where any text may appear: the reference shows a free text there.

    A free text is a text that a program may word freely: see `FreeText`.
    """

    def __init__(self, free_text: FreeText) -> None:
        self.free_text = free_text
        #: Whether the session has shown text in this gap.
        self.is_begun = False

    @property
    def may_be_left_out(self) -> bool:
        """Whether the session may continue after this gap without showing further text in the gap."""
        return self.is_begun or self.free_text.may_be_missing or self.free_text.kind == "after"


class ExpectedPath:
    """The events that are still expected of a session; a session that has left the path never returns to it."""

    def __init__(self, events: Iterable[Event] | None, free_texts: tuple[FreeText, ...] = ()) -> None:
        """`events` are all events of the path; None if the path is unknown, so that the session cannot follow it.

        `free_texts` are the free texts in `events`. A session stays on the path if it shows a single line in place of a
        free text, or any text in place of a prompt. Otherwise a text of several lines makes it leave the path.
        """
        self._remaining = list(_with_gaps(tuple(events or ()), free_texts))
        self.is_followed = events is not None

    @property
    def next(self) -> Event | None:
        """The next event of the path; None at its end, and once the session has left it."""
        if not self.is_followed or not self._remaining:
            return None
        first = self._remaining[0]
        return Shown(first.free_text.reference_text) if isinstance(first, _Gap) else first

    @property
    def next_pause_s(self) -> float:
        """The length of the next event in seconds, if that event is a pause; otherwise 0."""
        next_event = self.next
        return next_event.duration_ms / 1000 if isinstance(next_event, Paused) else 0.0

    @property
    def is_read_after_pause(self) -> bool:
        """Whether a pause comes next, and then a line is read without any text in between."""
        if not self.is_followed or len(self._remaining) < 2:
            return False
        first, second = self._remaining[:2]
        return isinstance(first, Paused) and isinstance(second, Typed | InputEnded)

    @property
    def all_pauses_s(self) -> float:
        """The total length of the remaining pauses, in seconds."""
        return sum(event.duration_ms for event in self._remaining if isinstance(event, Paused)) / 1000

    def advance_by_event(self, event: Event) -> None:
        """Advance by an event, or leave the path if a different event is expected."""
        while self._remaining and isinstance(gap := self._remaining[0], _Gap) and gap.may_be_left_out:
            self._remaining.pop(0)
        if self.next == event:
            self._remaining.pop(0)
        else:
            self.leave()

    def advance_by_text(self, text: bytes) -> None:
        """Advance by a text, which may be only part of the expected text; leave the path if the text differs."""
        while text and self.is_followed:
            first = self._remaining[0] if self._remaining else None
            if isinstance(first, _Gap):
                text = self._text_after_gap(first, text)
            elif isinstance(first, Shown) and first.text.startswith(text):
                remaining_text = first.text[len(text) :]
                self._remaining[:1] = [Shown(remaining_text)] if remaining_text else []
                return
            elif isinstance(first, Shown) and text.startswith(first.text):
                self._remaining.pop(0)
                text = text[len(first.text) :]
            else:
                self.leave()

    def _text_after_gap(self, gap: _Gap, text: bytes) -> bytes:
        """Fills a gap with the beginning of a text; returns the text after the gap.

        A gap for a prompt ends when the program reads. Every other gap ends with the line; an `after` gap includes the
        newline.
        """
        if gap.may_be_left_out and not gap.is_begun and self._skip_gap(gap, text):
            return text
        gap.is_begun = True
        if gap.free_text.kind == "prompt":
            return b""
        _, newline, next_lines = text.partition(b"\n")
        if not newline:
            return b""
        self._remaining.pop(0)
        return next_lines if gap.free_text.kind == "after" else newline + next_lines

    def _skip_gap(self, gap: _Gap, text: bytes) -> bool:
        """Skips a gap if `text` is what the path expects after the gap; returns whether the gap was skipped.

        The text must be the beginning of the expected text, or contain the expected text's first line at its beginning.
        If the gap is a complete line, the newline after the gap is skipped too.
        """
        next_event = self._remaining[1] if len(self._remaining) > 1 else None
        expected_text = next_event.text if isinstance(next_event, Shown) else b""
        if gap.free_text.kind == "line":
            expected_text = expected_text.removeprefix(b"\n")
        first_line = expected_text.partition(b"\n")[0] or b"\n"
        if not expected_text or not (expected_text.startswith(text) or text.startswith(first_line)):
            return False
        self._remaining[:2] = [Shown(expected_text)]
        return True

    def leave(self) -> None:
        """Leave the path: nothing more is expected."""
        self.is_followed = False


def _with_gaps(events: tuple[Event, ...], free_texts: tuple[FreeText, ...]) -> Iterator[Event | _Gap]:
    """Yields the events with a gap in place of each free text, and after a typed line for each `after` text."""
    session, gap_end = flat(events), 0
    for occurrence in occurrences_in(session, free_texts):
        yield from events_of_flat(session[gap_end : occurrence.start])
        yield _Gap(occurrence.free)
        gap_end = occurrence.end
    yield from events_of_flat(session[gap_end:])
