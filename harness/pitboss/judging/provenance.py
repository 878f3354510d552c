"""Maps each part of a session normalized by a policy to its place in the original session."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import NamedTuple

from pitboss.judging.relaxation import BLANKS, substitutions_of
from pitboss.transcripts.policy import Policy
from pitboss.transcripts.scope import dropped, fillings, limits_scope
from pitboss.transcripts.transcript import Event, InputEnded, Paused, Shown, Typed, canonical, character_start


class _Part(NamedTuple):
    """A text or another event, and for each of its units the range in the original session that it comes from."""

    #: None for a text.
    event: Event | None
    text: bytes
    #: Offsets in the original session: each byte of text counts as one, and so does each other event.
    starts: array[int]
    ends: array[int]

    def cut(self, first: int, last: int | None = None) -> _Part:
        part = slice(first, last)
        return _Part(None, self.text[part], self.starts[part], self.ends[part])


class Provenance:
    """One session under one policy. A unit is a byte of text or another event, after normalization."""

    def __init__(self, events: tuple[Event, ...], policy: Policy) -> None:
        """Trace every unit of a session through the steps of the policy."""
        self._events = events_judged(events, policy)
        parts = _traced(self._events)
        if limits_scope(policy):
            parts = _without(parts, dropped(self._events, policy)[0])
        if policy.alternatives:
            parts = [part if part.event else _substituted(part, policy) for part in parts]
        if "ignored" in (policy.trailing_blanks, policy.blank_lines):
            parts = _without_blanks(parts, policy)
        self.read, self._starts, self._ends = _joined(parts)

    def fill(self, other: Provenance, policy: Policy) -> None:
        """Take over the lines of another session where any line may be; each comes from the line it replaces."""
        for start, end, text in reversed(fillings(self.read, other.read, policy)):
            first, last = self._starts[start], self._ends[end - 1]
            self._starts[start:end] = array("l", [first]) * len(text)
            self._ends[start:end] = array("l", [last]) * len(text)

    def is_boundary(self, count: int) -> bool:
        """Whether the session can be cut after `count` units, which is not so inside an alternative text."""
        return not 0 < count < len(self._starts) or self._starts[count] >= self._ends[count - 1]

    def cut(self, count: int) -> tuple[tuple[Event, ...], tuple[Event, ...]]:
        """The original session cut in two after `count` units."""
        return _cut(self._events, self._starts[count] if count < len(self._starts) else size_of(self._events))


def events_judged(events: tuple[Event, ...], policy: Policy) -> tuple[Event, ...]:
    """The events that a policy compares, each unchanged."""
    if policy.pauses == "ignored":
        return canonical(event for event in events if not isinstance(event, Paused))
    return events


def size_of(events: Iterable[Event]) -> int:
    """The number of bytes shown, plus one for each other event."""
    return sum(len(event.text) if isinstance(event, Shown) else 1 for event in events)


def _traced(events: Iterable[Event]) -> list[_Part]:
    parts, offset = [], 0
    for event in events:
        text = event.text if isinstance(event, Shown) else b""
        size = len(text) if isinstance(event, Shown) else 1
        starts, ends = array("l", range(offset, offset + size)), array("l", range(offset + 1, offset + size + 1))
        parts.append(_Part(None if isinstance(event, Shown) else event, text, starts, ends))
        offset += size
    return parts


def _without(parts: Iterable[_Part], ranges: Sequence[tuple[int, int]]) -> list[_Part]:
    """The parts without these ranges of units, which are in order; none of them goes over several parts."""
    kept: list[_Part] = []
    left = list(reversed(ranges))
    for part in parts:
        begin, end, done = part.starts[0], part.ends[-1], 0
        while left and left[-1][0] < end:
            start, stop = left.pop()
            kept += [part.cut(done, start - begin)] if part.event is None else []
            done = stop - begin
        if part.event is None:
            kept.append(part.cut(done))
        elif not done:
            kept.append(part)
    return kept


def _substituted(part: _Part, policy: Policy) -> _Part:
    for pattern, replacement in substitutions_of(policy.alternatives):
        pieces, done = [], 0
        for found in pattern.finditer(part.text):
            text = found.expand(replacement)
            if text != found[0]:  # else it stays unchanged
                start, end = part.starts[found.start()], part.ends[found.end() - 1]
                starts, ends = array("l", [start]) * len(text), array("l", [end]) * len(text)
                pieces += [part.cut(done, found.start()), _Part(None, text, starts, ends)]
                done = found.end()
        if pieces:
            part = _together([*pieces, part.cut(done)])
    return part


def _together(parts: Sequence[_Part]) -> _Part:
    """Consecutive texts joined into one."""
    text = b"".join(part.text for part in parts)
    starts = array("l", chain.from_iterable(part.starts for part in parts))
    return _Part(None, text, starts, array("l", chain.from_iterable(part.ends for part in parts)))


def _without_blanks(parts: list[_Part], policy: Policy) -> list[_Part]:
    """The parts without what `relaxation.relaxed` removes: trailing blanks, empty lines, or both."""
    kept: list[_Part] = []
    line: list[_Part] = []

    def end_line(end: _Part | None) -> None:
        texts = [part.text for part in line if part.event is None]
        is_blank = not any(text.strip(BLANKS) for text in texts)
        is_dropped = policy.blank_lines == "ignored" and is_blank and end is not None and end.event is None
        if is_dropped:
            kept.extend(part for part in line if part.event)
        else:
            kept.extend(_stripped(line) if policy.trailing_blanks == "ignored" else line)
            kept.extend([end] if end else [])
        line.clear()

    for part in parts:
        if part.event is None:
            first = 0
            while (newline := part.text.find(b"\n", first)) >= 0:
                line.append(part.cut(first, newline))
                end_line(part.cut(newline, newline + 1))
                first = newline + 1
            line.append(part.cut(first))
        elif isinstance(part.event, Typed):
            end_line(part)
        else:
            line.append(part)
    end_line(None)
    return kept


def _stripped(line: list[_Part]) -> list[_Part]:
    """A line without trailing blanks, including those before a pause at its end."""
    kept = list(line)
    for index in range(len(kept) - 1, -1, -1):
        if kept[index].event is None:
            kept[index] = kept[index].cut(0, len(kept[index].text.rstrip(BLANKS)))
            if kept[index].text:
                break
    return kept


def _joined(parts: Iterable[_Part]) -> tuple[tuple[Event, ...], array[int], array[int]]:
    """The events in canonical form, and the original start and end of each unit."""
    starts, ends = array("l"), array("l")
    read: list[Event] = []
    for part in parts:
        event = part.event or Shown(part.text)
        if event == Shown(b""):
            continue
        is_again = bool(read) and isinstance(event, Paused | InputEnded) and type(read[-1]) is type(event)
        read.append(event)
        if is_again:  # two that became neighbours are merged
            ends[-1] = part.ends[0]
        else:
            starts.extend(part.starts)
            ends.extend(part.ends)
    return canonical(read), starts, ends


def _cut(events: tuple[Event, ...], offset: int) -> tuple[tuple[Event, ...], tuple[Event, ...]]:
    """A session cut in two at an offset, never inside a character."""
    for index, event in enumerate(events):
        size = size_of((event,))
        if offset < size and not isinstance(event, Shown):
            return events[:index], events[index:]
        if offset < size and isinstance(event, Shown):
            at = character_start(event.text, offset)
            head = (Shown(event.text[:at]),) if at else ()
            return (*events[:index], *head), (Shown(event.text[at:]), *events[index + 1 :])
        offset -= size
    return events, ()
