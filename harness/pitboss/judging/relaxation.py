"""What a policy ignores in a session, with the place in the session that each part of the rest comes from.

Pauses, lines that are not judged, alternative texts, blanks and blank lines are each left out in one place, on parts
that carry their offsets; letter case is ignored where texts are compared. `relaxed` gives what is left, and
`Provenance` where it was.
"""

from __future__ import annotations

import functools
import re
from array import array
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import NamedTuple

from pitboss.transcripts.free_texts import without_pauses
from pitboss.transcripts.policy import Policy
from pitboss.transcripts.scope import Range, dropped, fillings, judged_part, limits_scope, located_lines
from pitboss.transcripts.transcript import Event, InputEnded, Paused, Shown, Typed, canonical, character_start

BLANKS = b" \t"
#: How many pieces of sessions are kept as they are read under a policy: the same ones come again and again.
_MOST_KEPT = 16_384


def is_same(one: Event, other: Event, read: Callable[[bytes], bytes]) -> bool:
    """Whether two events are the same, their texts read by `read`."""
    if isinstance(one, Shown) and isinstance(other, Shown):
        return read(one.text) == read(other.text)
    return one == other


def shared_length(one: bytes, other: bytes) -> int:
    """The number of equal leading bytes, never ending inside a UTF-8 character."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[:middle] == other[:middle]:
            low = middle
        else:
            high = middle - 1
    return min(character_start(one, low), character_start(other, low))


@functools.lru_cache(32)
def relaxed(events: tuple[Event, ...], policy: Policy) -> tuple[Event, ...]:
    """The events normalized by a policy, except for letter case."""
    events = without_pauses(events) if policy.pauses == "ignored" else events
    if limits_scope(policy):
        events = judged_part(events, policy)
    if not _changes_texts(policy):
        return events
    read = _pieces_under(policy)
    kept: list[Event] = []
    before = 0
    # Lines end where a line is typed, so that what is shown between two of them can be read by itself.
    for index, event in enumerate((*events, None)):
        if event is not None and type(event) is not Typed:
            continue
        if piece := events[before:index]:
            kept += read(piece)
        before = index + 1
        if event is not None:
            kept.append(event)
    return tuple(kept)


def _changes_texts(policy: Policy) -> bool:
    return bool(policy.alternatives) or "ignored" in (policy.trailing_blanks, policy.blank_lines)


@functools.lru_cache(8)
def _pieces_under(policy: Policy) -> Callable[[tuple[Event, ...]], tuple[Event, ...]]:
    """Reads what is between two typed lines under a policy."""

    @functools.lru_cache(_MOST_KEPT)
    def read(piece: tuple[Event, ...]) -> tuple[Event, ...]:
        if len(piece) == 1 and type(piece[0]) is Shown:
            return (Shown(text),) if (text := _relaxed_text(piece[0].text, policy)) else ()
        return canonical(part.event or Shown(part.text) for part in _relaxed(_traced(piece), policy))

    return read


def _relaxed_text(text: bytes, policy: Policy) -> bytes:
    """What `_relaxed` leaves of a text alone, ten times as fast: nearly everything that is shown is one."""
    *lines, last = substituted(text, policy).split(b"\n")
    if policy.blank_lines == "ignored":
        lines = [line for line in lines if line.strip(BLANKS)]
    if policy.trailing_blanks == "ignored":
        lines, last = [line.rstrip(BLANKS) for line in lines], last.rstrip(BLANKS)
    return b"\n".join((*lines, last))


def _relaxed(parts: list[_Part], policy: Policy) -> list[_Part]:
    """The parts with the first of alternative texts, and without what is ignored of blanks."""
    if policy.alternatives:
        parts = [part if part.event else _substituted_part(part, policy) for part in parts]
    if "ignored" in (policy.trailing_blanks, policy.blank_lines):
        parts = _without(parts, _blanks((part.event or Shown(part.text) for part in parts), policy))
    return parts


class Provenance:
    """One session under one policy. A unit is a byte of text or another event, after normalization."""

    def __init__(self, events: tuple[Event, ...], policy: Policy) -> None:
        """Trace every unit of a session through the steps of the policy."""
        self._events = without_pauses(events) if policy.pauses == "ignored" else events
        parts = _traced(self._events)
        if limits_scope(policy):
            parts = _without(parts, dropped(self._events, policy)[0])
        self.read, self._starts, self._ends = _joined(_relaxed(parts, policy))

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


def differ_by_alternatives(expected: tuple[Event, ...], actual: tuple[Event, ...], policy: Policy) -> bool:
    """Whether two sessions differ only in texts that are alternatives of each other."""
    if len(expected) != len(actual):
        return False
    substitutions = substitutions_of(policy.alternatives)
    return all(
        one == other
        or (
            isinstance(one, Shown)
            and isinstance(other, Shown)
            and _substituted(one.text, substitutions) == _substituted(other.text, substitutions)
        )
        for one, other in zip(expected, actual, strict=True)
    )


def substituted(text: bytes, policy: Policy) -> bytes:
    """A text with every alternative text in it replaced by the first text of its group."""
    return _substituted(text, substitutions_of(policy.alternatives)) if policy.alternatives else text


def _substituted(text: bytes, substitutions: list[tuple[re.Pattern[bytes], bytes]]) -> bytes:
    for pattern, first in substitutions:
        text = pattern.sub(first.replace(b"\\", rb"\\"), text)
    return text


@functools.cache
def substitutions_of(groups: tuple[tuple[str, ...], ...]) -> list[tuple[re.Pattern[bytes], bytes]]:
    """For each group of alternatives, a pattern that matches any of its texts, and the replacement.

    Longer texts are tried first, so the first text is left alone where it contains another one. If a group contains
    the empty text, each of the others may be missing, so all of them are removed.
    """
    substitutions = []
    for group in groups:
        texts = [one.encode() for one in sorted(filter(None, group), key=len, reverse=True)]
        pattern = re.compile(b"|".join(map(re.escape, texts)))
        first = b"" if "" in group else group[0].encode()
        substitutions.append((pattern, first))
    return substitutions


class _Part(NamedTuple):
    """A text or another event, and for each of its units the range in the original session that it comes from."""

    #: None for a text.
    event: Event | None
    text: bytes
    #: Offsets in the original session: each byte of text counts as one, and so does each other event.
    starts: Sequence[int]
    ends: Sequence[int]

    def cut(self, first: int, last: int | None = None) -> _Part:
        part = slice(first, last)
        return _Part(None, self.text[part], self.starts[part], self.ends[part])


def size_of(events: Iterable[Event]) -> int:
    """The number of bytes shown, plus one for each other event."""
    return sum(len(event.text) if isinstance(event, Shown) else 1 for event in events)


def _traced(events: Iterable[Event]) -> list[_Part]:
    parts, offset = [], 0
    for event in events:
        text = event.text if isinstance(event, Shown) else b""
        size = len(text) if isinstance(event, Shown) else 1
        starts, ends = range(offset, offset + size), range(offset + 1, offset + size + 1)
        parts.append(_Part(None if isinstance(event, Shown) else event, text, starts, ends))
        offset += size
    return parts


def _without(parts: Iterable[_Part], ranges: Sequence[Range]) -> list[_Part]:
    """The parts without these ranges of their units, which are in order; none of them goes over several parts."""
    kept: list[_Part] = []
    left, begin = list(reversed(ranges)), 0
    for part in parts:
        end, done = begin + len(part.starts), 0
        while left and left[-1][0] < end:
            start, stop = left.pop()
            kept += [part.cut(done, start - begin)] if part.event is None else []
            done = stop - begin
        if part.event is None:
            kept.append(part.cut(done))
        elif not done:
            kept.append(part)
        begin = end
    return kept


def _substituted_part(part: _Part, policy: Policy) -> _Part:
    for pattern, text in substitutions_of(policy.alternatives):
        pieces, done = [], 0
        for found in pattern.finditer(part.text):
            if found[0] != text:  # else it stays unchanged
                start, end = part.starts[found.start()], part.ends[found.end() - 1]
                starts, ends = (start,) * len(text), (end,) * len(text)
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


def _blanks(events: Iterable[Event], policy: Policy) -> list[Range]:
    """The ranges of units that are blanks at the end of a line or belong to an empty one, if the policy ignores them.

    Both are found across events: a blank before a pause at the end of a line is trailing too.
    """
    ranges: list[Range] = []
    for line in located_lines(events):
        if policy.blank_lines == "ignored" and line.newline and not line.text.strip(BLANKS):
            ranges += [*line.ranges, line.newline]
        elif policy.trailing_blanks == "ignored":
            ranges += line.end_of(len(line.text) - len(line.text.rstrip(BLANKS)))
    return sorted(ranges)


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
