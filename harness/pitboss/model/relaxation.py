"""Normalizes sessions by a policy, and locates each part of the result in the original session.

No other module reads the options of a policy, except to load them or to put them into words. Pauses, lines that are
not judged, alternative texts, blanks and blank lines are each handled in one place, on parts that carry their offsets;
letter case is ignored when texts are compared. `relaxed` normalizes one session, `relaxed_pair` two, and `Provenance`
has the original offsets.

A line is what the program shows on one line of the screen. Typed lines and ends of input always count, wherever they
are. A unit is a byte of text or another event.
"""

from __future__ import annotations

import functools
import re
from array import array
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import NamedTuple

import msgspec

from pitboss.errors import SpecError, as_found
from pitboss.model.comparison_policy import Policy
from pitboss.model.free_texts import without_pauses
from pitboss.model.line_rules import (
    LocatedLine,
    Range,
    Replacement,
    compiled,
    fillings,
    has_line_rules,
    located_lines,
    moved_lines,
)
from pitboss.model.transcript import Event, InputEnded, Paused, Shown, Typed, canonical, character_start

BLANKS = b" \t"
#: The blanks at which bytes.split splits words.
_BETWEEN = re.compile(rb"[ \t\n\r\v\f]+")
#: Marks a pause inside a word; no text contains it, since it is not UTF-8.
_GOES_ON = b"\xfd\x05"
#: How many normalized pieces of sessions are cached: the same pieces recur often.
_MAX_CACHED = 16_384


def is_same(one: Event, other: Event, read: Callable[[bytes], bytes]) -> bool:
    """Whether two events are the same once `read` has been applied to their texts."""
    if isinstance(one, Shown) and isinstance(other, Shown):
        return read(one.text) == read(other.text)
    return one == other


def shared_length(one: bytes, other: bytes) -> int:
    """Returns the number of equal leading bytes, never ending inside a UTF-8 character."""
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
    """Returns the events normalized by a policy, except for letter case."""
    events = judged_part(without_ignored_pauses(events, policy), policy)
    if not _changes_texts(policy):
        return events
    read = _pieces_under(policy)
    normalized: list[Event] = []
    before = 0
    # A line of the screen ends where a line is typed, so the text between two typed lines can be normalized alone.
    for index, event in enumerate((*events, None)):
        if event is not None and type(event) is not Typed:
            continue
        if piece := events[before:index]:
            normalized += read(piece)
        before = index + 1
        if event is not None:
            normalized.append(event)
    return tuple(normalized)


def relaxed_pair(
    expected: tuple[Event, ...], actual: tuple[Event, ...], policy: Policy
) -> tuple[tuple[Event, ...], tuple[Event, ...]]:
    """Returns both sessions normalized; where any line is allowed, the expected one gets the actual one's line."""
    expected, actual = relaxed(expected, policy), relaxed(actual, policy)
    return filled(expected, actual, policy), actual


def reading_of(policy: Policy) -> Callable[[bytes], bytes]:
    """Returns the function to apply to normalized texts before they are compared."""
    return bytes.lower if policy.letter_case == "ignored" else bytes


def read_alone(text: bytes, policy: Policy) -> bytes:
    """Returns a text that is not part of a session, normalized by the policy."""
    if policy.alternatives:
        text = _substituted(text, policy)
    if policy.blanks == "ignored":
        text = b" ".join(text.split())
    elif policy.trailing_blanks == "ignored":
        text = text.rstrip(BLANKS + b"\n" if policy.blank_lines == "ignored" else BLANKS)
    return reading_of(policy)(text)


def without_ignored_pauses(events: tuple[Event, ...], policy: Policy) -> tuple[Event, ...]:
    """Returns the events, without pauses if the policy ignores them."""
    return without_pauses(events) if policy.pauses == "ignored" else events


def compares_pauses(policy: Policy) -> bool:
    """Whether pauses count."""
    return policy.pauses == "exact"


def reads_ahead(policy: Policy) -> bool:
    """Whether normalizing the beginning of a session may depend on its end."""
    return bool(policy.free or policy.begins or policy.not_judged or has_line_rules(policy))


def from_the_start(policy: Policy) -> Policy:
    """Returns the policy for texts that are compared from their first line on."""
    return msgspec.structs.replace(policy, begins="") if policy.begins else policy


def _changes_texts(policy: Policy) -> bool:
    return bool(policy.alternatives) or _changes_blanks(policy)


def _changes_blanks(policy: Policy) -> bool:
    return "ignored" in (policy.trailing_blanks, policy.blank_lines, policy.blanks)


@functools.lru_cache(8)
def _pieces_under(policy: Policy) -> Callable[[tuple[Event, ...]], tuple[Event, ...]]:
    """Returns a function that normalizes the events between two typed lines."""

    @functools.lru_cache(_MAX_CACHED)
    def read(piece: tuple[Event, ...]) -> tuple[Event, ...]:
        if len(piece) == 1 and type(piece[0]) is Shown:
            return (Shown(text),) if (text := _relaxed_text(piece[0].text, policy)) else ()
        return canonical(part.event or Shown(part.text) for part in _relaxed(_traced(piece), policy))

    return read


def _relaxed_text(text: bytes, policy: Policy) -> bytes:
    """Same as `_relaxed` for a single text, but ten times as fast: nearly all pieces are a single text."""
    text = _substituted(text, policy)
    if policy.blanks == "ignored":
        return b" ".join(text.split())
    *lines, last = text.split(b"\n")
    if policy.blank_lines == "ignored":
        lines = [line for line in lines if line.strip(BLANKS)]
    if policy.trailing_blanks == "ignored":
        lines, last = [line.rstrip(BLANKS) for line in lines], last.rstrip(BLANKS)
    return b"\n".join((*lines, last))


def _relaxed(parts: list[_Part], policy: Policy) -> list[_Part]:
    """The parts with each alternative text replaced by the first of its group, and without ignored blanks."""
    parts = [part if part.event else _substituted_part(part, policy) for part in parts]
    return _changed(parts, _blanks((part.event or Shown(part.text) for part in parts), policy))


class Provenance:
    """One session under one policy. A unit is a byte of text or another event, after normalization."""

    def __init__(self, events: tuple[Event, ...], policy: Policy) -> None:
        """Trace every unit of a session through the steps of the policy."""
        self._events = without_ignored_pauses(events, policy)
        parts = _changed(_traced(self._events), _unjudged(self._events, policy)[0])
        self.read, self._starts, self._ends = _joined(_relaxed(parts, policy))

    def fill(self, other: Provenance, policy: Policy) -> None:
        """Copy the lines of another session where any line is allowed; each is located at the line it replaces."""
        for start, end, text in reversed(fillings(self.read, other.read, policy)):
            first, last = self._starts[start], self._ends[end - 1]
            self._starts[start:end] = array("l", [first]) * len(text)
            self._ends[start:end] = array("l", [last]) * len(text)

    def moved(self, other: Provenance, policy: Policy) -> tuple[Event, ...]:
        """Return the original session; its lines that may come in any order get the other session's order."""
        lines = located_lines(self.read)
        places = moved_lines(lines, located_lines(other.read), policy)
        if not places:
            return self._events
        flat = flat_text(self._events)

        def range_of(place: int) -> Range:
            (start, end) = lines[place].ranges[0]
            return self._starts[start], self._ends[end - 1]

        changes = [Replacement(*range_of(place), flat[slice(*range_of(line))]) for place, line in places.items()]
        return _with_changes(self._events, sorted(changes))

    def is_boundary(self, count: int) -> bool:
        """Whether the session can be cut after `count` units; inside an alternative text it cannot."""
        return not 0 < count < len(self._starts) or self._starts[count] >= self._ends[count - 1]

    def cut(self, count: int) -> tuple[tuple[Event, ...], tuple[Event, ...]]:
        """Return the original session cut in two after `count` units."""
        return _cut(self._events, self._starts[count] if count < len(self._starts) else size_of(self._events))


def differ_by_alternatives(expected: tuple[Event, ...], actual: tuple[Event, ...], policy: Policy) -> bool:
    """Whether two sessions differ only in texts that are alternatives, as most accepted sessions do."""
    if not policy.alternatives or len(expected) != len(actual):
        return False
    return all(
        one == other
        or (
            isinstance(one, Shown)
            and isinstance(other, Shown)
            and _substituted(one.text, policy) == _substituted(other.text, policy)
        )
        for one, other in zip(expected, actual, strict=True)
    )


def accepted_alternatives(
    sessions: Sequence[tuple[Policy, tuple[Event, ...], tuple[Event, ...]]],
) -> list[tuple[str, str]]:
    """Returns alternatives that came up more often than in the reference, each with the first text of its group.

    Each session is a policy, the expected events and the actual ones. A pair is (first, alternative); the alternative
    is empty if the program left the text out.
    """
    groups = dict.fromkeys(group for policy, *_ in sessions for group in policy.alternatives)
    return [one for group in groups for one in _accepted_of(group, sessions)]


def _accepted_of(
    group: tuple[str, ...], sessions: Sequence[tuple[Policy, tuple[Event, ...], tuple[Event, ...]]]
) -> Iterable[tuple[str, str]]:
    pattern = _substitutions_of((group,))[0][0]
    first = next(filter(None, group))
    found: dict[str, None] = {}
    for policy, expected, actual in sessions:
        if group not in policy.alternatives:
            continue
        judged = judged_part(actual, policy)
        both = filled(judged_part(expected, policy), judged, policy), judged
        wanted, actual_texts = (pattern.findall(flat_text(events)) for events in both)
        for text in group:
            is_visible = text.strip() != first.strip()
            if text and is_visible and actual_texts.count(text.encode()) > wanted.count(text.encode()):
                found[text] = None
        if "" in group and len(actual_texts) < len(wanted):
            found[""] = None
    return [(first, text) for text in found]


def flat_text(events: Iterable[Event]) -> bytes:
    """Returns the texts of a session joined, with a null byte for each other event."""
    return b"".join(event.text if isinstance(event, Shown) else b"\0" for event in events)


def _substituted(text: bytes, policy: Policy) -> bytes:
    """A text with every alternative text in it replaced by the first text of its group."""
    for pattern, first in _substitutions_of(policy.alternatives):
        text = pattern.sub(first.replace(b"\\", rb"\\"), text)
    return text


@functools.cache
def _substitutions_of(groups: tuple[tuple[str, ...], ...]) -> list[tuple[re.Pattern[bytes], bytes]]:
    """For each group of alternatives, a pattern that matches any of its texts, and the replacement.

    Longer texts are tried first, so the first text is left unchanged if it contains another one. If a group contains
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
    """A text or another event, with the range in the original session that each of its units comes from."""

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
    """Returns the number of bytes shown, plus one for each other event."""
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


def _changed(parts: Iterable[_Part], changes: Sequence[Replacement]) -> list[_Part]:
    """The parts after these changes, which must be sorted; no change spans several parts."""
    if not changes:
        return list(parts)
    result: list[_Part] = []
    left, begin = list(reversed(changes)), 0
    for part in parts:
        end, done = begin + len(part.starts), 0
        while left and left[-1].start < end:
            first, last, text = left.pop()
            first, last = first - begin, last - begin
            if part.event is None:
                origins = (part.starts[first],) * len(text), (part.ends[last - 1],) * len(text)
                result += [part.cut(done, first), _Part(None, text, *origins)]
            done = last
        if part.event is None:
            result.append(part.cut(done))
        elif not done:
            result.append(part)
        begin = end
    return result


def _substituted_part(part: _Part, policy: Policy) -> _Part:
    for pattern, text in _substitutions_of(policy.alternatives):
        # The first text of a group is left unchanged.
        changes = [Replacement(*found.span(), text) for found in pattern.finditer(part.text) if found[0] != text]
        if changes:
            part = _together(_changed([part], changes))
    return part


def _together(parts: Sequence[_Part]) -> _Part:
    """One part made of consecutive texts."""
    text = b"".join(part.text for part in parts)
    starts = array("l", chain.from_iterable(part.starts for part in parts))
    return _Part(None, text, starts, array("l", chain.from_iterable(part.ends for part in parts)))


def _blanks(events: Iterable[Event], policy: Policy) -> list[Replacement]:
    """The removals of blanks at the ends of lines, of empty lines, or of both, as the policy says.

    Both are found across events: a blank before a pause at the end of a line is trailing too.
    """
    if not _changes_blanks(policy):
        return []
    if policy.blanks == "ignored":
        return _between_words(events)
    ranges: list[Range] = []
    for line in located_lines(events):
        if policy.blank_lines == "ignored" and line.newline and not line.text.strip(BLANKS):
            ranges += [*line.ranges, line.newline]
        elif policy.trailing_blanks == "ignored":
            ranges += line.end_of(len(line.text) - len(line.text.rstrip(BLANKS)))
    return [Replacement(*one) for one in sorted(ranges)]


def _between_words(events: Iterable[Event]) -> list[Replacement]:
    """The replacements that leave one blank between two words of a text, and none at its ends.

    Words separated by a pause get no blank; a word that is interrupted by a pause gets a mark there.
    """
    changes: list[Replacement] = []
    offset, is_inside = 0, False
    for event in events:
        if not isinstance(event, Shown):
            offset += 1
            is_inside = is_inside and isinstance(event, Paused)
            continue
        text = event.text
        if is_inside and text[:1].strip():
            changes.append(Replacement(offset, offset + 1, _GOES_ON + text[:1]))
        for blanks in _BETWEEN.finditer(text):
            is_between = blanks.start() > 0 and blanks.end() < len(text)
            changes.append(Replacement(offset + blanks.start(), offset + blanks.end(), b" " if is_between else b""))
        is_inside = bool(text[-1:].strip())
        offset += len(text)
    return changes


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
        if is_again:  # two events of a kind that became neighbours are merged
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


# Which lines are judged


def _unjudged(events: tuple[Event, ...], policy: Policy) -> tuple[list[Replacement], int]:
    """The changes that remove all text that is not judged, and how many lines with text they remove."""
    if not (policy.begins or policy.not_judged):
        return [], 0
    lines = located_lines(events)
    first = _first(lines, policy)
    patterns = compiled(policy.not_judged)
    ranges, count = [], 0
    for index, line in enumerate(lines):
        is_before = index < first
        if policy.begins and index == first:  # a pause before its first character belongs before the line
            ranges += [pause for pause in line.pauses if line.ranges and pause < line.ranges[0]]
        if not is_before and not (line.text and line.fits(patterns)):
            continue
        count += bool(line.text)
        ranges += line.ranges + ([line.newline] if line.newline else []) + (line.pauses if is_before else [])
    return [Replacement(*one) for one in sorted(ranges)], count


def judged_part(events: tuple[Event, ...], policy: Policy) -> tuple[Event, ...]:
    """Returns the events without the lines that are not judged."""
    return _with_changes(events, _unjudged(events, policy)[0])


def unjudged_lines(events: tuple[Event, ...], policy: Policy) -> int:
    """Returns how many lines with text are not judged."""
    return _unjudged(events, policy)[1]


def never_begins(events: tuple[Event, ...], policy: Policy) -> bool:
    """Whether a session lacks the line at which judging begins."""
    return bool(policy.begins) and _first(lines := located_lines(events), policy) == len(lines)


def checked(events: tuple[Event, ...], policy: Policy, place: str) -> None:
    """Raise SpecError if nothing that a reference shows is judged; `place` is where the case is written."""
    if never_begins(events, policy):
        raise SpecError(
            f"{place}: the reference never shows a line with {as_found(policy.begins)}, from which on it is judged — "
            'correct `judged_from`, or write `compare: {judged_from: ""}` in this case'
        )
    lines = [line for line in located_lines(events) if line.text] if policy.not_judged else []
    if lines and all(line.fits(compiled(policy.not_judged)) for line in lines):
        raise SpecError(f"{place}: nothing that the reference shows is judged: all of it matches `not_judged`")


def first_judged(events: tuple[Event, ...], policy: Policy) -> bytes:
    """Returns the line at which judging begins; empty if there is none."""
    lines = located_lines(events)
    first = _first(lines, policy)
    return lines[first].text if first < len(lines) else b""


def filled(expected: tuple[Event, ...], actual: tuple[Event, ...], policy: Policy) -> tuple[Event, ...]:
    """Returns the expected events with the actual session's lines where any line is allowed; both are normalized."""
    return _with_changes(expected, fillings(expected, actual, policy))


def _first(lines: Sequence[LocatedLine], policy: Policy) -> int:
    """The index of the first line that is judged; the number of lines if none is."""
    if not policy.begins:
        return 0
    patterns = compiled((policy.begins,))
    return next((index for index, line in enumerate(lines) if line.fits(patterns)), len(lines))


def _with_changes(events: tuple[Event, ...], changes: Sequence[Replacement]) -> tuple[Event, ...]:
    if not changes:
        return events
    return canonical(part.event or Shown(part.text) for part in _changed(_traced(events), changes))
