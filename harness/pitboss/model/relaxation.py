"""Normalizes sessions by a policy, and locates each part of the result in the original session.

Pauses, lines that are not judged, alternative texts, blanks and blank lines are each handled by one function, on parts
that carry their offsets. Letter case stays as it is: if a policy ignores it, `folding_of` folds it when texts are
compared. Other modules read these options of a policy only to load or to describe them; `line_rules` has the rules for
lines. `relaxed` normalizes one session, and `relaxed_pair` two sessions. `Provenance` has the original offsets.

A line is the program's text on one line of the screen. Typed lines and ends of input are always compared, wherever they
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
    compile_patterns,
    has_line_rules,
    located_lines,
    permitted_replacements,
    sources_of_moved_lines,
)
from pitboss.model.transcript import Event, InputEnded, Paused, Shown, Typed, canonical, character_start

#: What nobody sees at the end of a line; a line of Windows ends in "\r\n".
BLANKS = b" \t\r"
#: The blanks at which bytes.split splits words.
_WORD_SEPARATOR = re.compile(rb"[ \t\n\r\v\f]+")
#: A mark for a word that a pause interrupts: it precedes the part after the pause. Since the mark is not UTF-8, no text
#: contains it.
_CONTINUED_WORD = b"\xfd\x05"
#: The maximum number of normalized pieces that are cached: the same pieces recur in many sessions.
_MAX_CACHED = 16_384


def is_same(first: Event, second: Event, fold: Callable[[bytes], bytes]) -> bool:
    """Whether two events are the same after `fold` is applied to their texts."""
    if isinstance(first, Shown) and isinstance(second, Shown):
        return fold(first.text) == fold(second.text)
    return first == second


def shared_length(first: bytes, second: bytes) -> int:
    """Returns the number of equal leading bytes, never ending inside a UTF-8 character."""
    low, high = 0, min(len(first), len(second))
    while low < high:
        middle = (low + high + 1) // 2
        if first[:middle] == second[:middle]:
            low = middle
        else:
            high = middle - 1
    return min(character_start(first, low), character_start(second, low))


@functools.lru_cache(32)
def relaxed(events: tuple[Event, ...], policy: Policy) -> tuple[Event, ...]:
    """Returns the events normalized by a policy, except for letter case."""
    events = judged_part(without_ignored_pauses(events, policy), policy)
    if not _changes_texts(policy):
        return events
    normalize = _piece_normalizer(policy)
    normalized: list[Event] = []
    start = 0
    # A typed line ends a line of the screen, so the text between two typed lines can be normalized separately. None
    # marks the end of the session.
    for index, event in enumerate((*events, None)):
        if event is not None and type(event) is not Typed:
            continue
        if piece := events[start:index]:
            normalized += normalize(piece)
        start = index + 1
        if event is not None:
            normalized.append(event)
    return tuple(normalized)


def relaxed_pair(
    expected: tuple[Event, ...], actual: tuple[Event, ...], policy: Policy
) -> tuple[tuple[Event, ...], tuple[Event, ...]]:
    """Returns both sessions normalized; the expected session gets the permitted lines of the actual session."""
    expected, actual = relaxed(expected, policy), relaxed(actual, policy)
    return with_permitted_lines(expected, actual, policy), actual


def folding_of(policy: Policy) -> Callable[[bytes], bytes]:
    """Returns the function that folds normalized texts: they are compared after it is applied to them."""
    return bytes.lower if policy.letter_case == "ignored" else bytes


def normalized_text(text: bytes, policy: Policy) -> bytes:
    """Returns a text that is not part of a session, normalized by the policy and ready to be compared."""
    if policy.alternatives:
        text = _substituted(text, policy)
    if policy.blanks == "ignored":
        text = b" ".join(text.split())
    elif policy.trailing_blanks == "ignored":
        text = text.rstrip(BLANKS + b"\n" if policy.blank_lines == "ignored" else BLANKS)
    return folding_of(policy)(text)


def without_ignored_pauses(events: tuple[Event, ...], policy: Policy) -> tuple[Event, ...]:
    """Returns the events, without pauses if the policy ignores them."""
    return without_pauses(events) if policy.pauses == "ignored" else events


def compares_pauses(policy: Policy) -> bool:
    """Whether pauses are compared."""
    return policy.pauses == "exact"


def looks_ahead(policy: Policy) -> bool:
    """Whether normalizing the beginning of a session may depend on its end."""
    return bool(policy.free or policy.begins or policy.not_judged or has_line_rules(policy))


def judging_from_first_line(policy: Policy) -> Policy:
    """Returns the policy changed so that texts are judged from their first line."""
    return msgspec.structs.replace(policy, begins="") if policy.begins else policy


def _changes_texts(policy: Policy) -> bool:
    return bool(policy.alternatives) or _changes_blanks(policy)


def _changes_blanks(policy: Policy) -> bool:
    return "ignored" in (policy.trailing_blanks, policy.blank_lines, policy.blanks)


@functools.lru_cache(8)
def _piece_normalizer(policy: Policy) -> Callable[[tuple[Event, ...]], tuple[Event, ...]]:
    """Returns a function that normalizes the events between two typed lines."""

    @functools.lru_cache(_MAX_CACHED)
    def normalized_piece(piece: tuple[Event, ...]) -> tuple[Event, ...]:
        if len(piece) == 1 and type(piece[0]) is Shown:
            text = _relaxed_text(piece[0].text, policy)
            return (Shown(text),) if text else ()
        return canonical(part.event or Shown(part.text) for part in _relaxed_parts(_traced_parts(piece), policy))

    return normalized_piece


def _relaxed_text(text: bytes, policy: Policy) -> bytes:
    """Normalizes a single text like `_relaxed_parts`, but ten times as fast: nearly all pieces are a single text."""
    text = _substituted(text, policy)
    if policy.blanks == "ignored":
        return b" ".join(text.split())
    *lines, last = text.split(b"\n")
    if policy.blank_lines == "ignored":
        lines = [line for line in lines if line.strip(BLANKS)]
    if policy.trailing_blanks == "ignored":
        lines, last = [line.rstrip(BLANKS) for line in lines], last.rstrip(BLANKS)
    return b"\n".join((*lines, last))


def _relaxed_parts(parts: list[_Part], policy: Policy) -> list[_Part]:
    """Returns the parts without ignored blanks, and with each alternative text replaced by the first of its group."""
    parts = [part if part.event else _substituted_part(part, policy) for part in parts]
    return _changed_parts(parts, _blank_removals((part.event or Shown(part.text) for part in parts), policy))


class Provenance:
    """The original offsets of a session normalized by a policy. Units are counted in the normalized session."""

    def __init__(self, events: tuple[Event, ...], policy: Policy) -> None:
        """Trace every unit of a session through the steps of normalization."""
        self._events = without_ignored_pauses(events, policy)
        parts = _changed_parts(_traced_parts(self._events), _unjudged_removals(self._events, policy)[0])
        self.normalized_events, self._starts, self._ends = _joined_events(_relaxed_parts(parts, policy))

    def adjust_for_permitted_lines(self, other: Provenance, policy: Policy) -> None:
        """Adjust to permitted lines of another session: each gets the offsets of the expected text that it replaces."""
        for start, end, text in reversed(
            permitted_replacements(self.normalized_events, other.normalized_events, policy)
        ):
            first, last = self._starts[start], self._ends[end - 1]
            self._starts[start:end] = array("l", [first]) * len(text)
            self._ends[start:end] = array("l", [last]) * len(text)

    def with_moved_lines(self, other: Provenance, policy: Policy) -> tuple[Event, ...]:
        """Return the original session; lines that may come in any order are put into the other session's order."""
        lines = located_lines(self.normalized_events)
        sources = sources_of_moved_lines(lines, located_lines(other.normalized_events), policy)
        if not sources:
            return self._events
        flat = flat_text(self._events)

        def original_range(index: int) -> Range:
            ((start, end),) = lines[index].ranges  # a line that may move has only one range
            return self._starts[start], self._ends[end - 1]

        changes = [
            Replacement(*original_range(index), flat[slice(*original_range(source))])
            for index, source in sources.items()
        ]
        return _with_changes(self._events, sorted(changes))

    def is_boundary(self, count: int) -> bool:
        """Whether the session can be cut after `count` units without cutting an alternative text in two."""
        return not 0 < count < len(self._starts) or self._starts[count] >= self._ends[count - 1]

    def cut(self, count: int) -> tuple[tuple[Event, ...], tuple[Event, ...]]:
        """Return the original session cut in two after `count` units."""
        return _cut_events(self._events, self._starts[count] if count < len(self._starts) else size_of(self._events))


def differ_by_alternatives(expected: tuple[Event, ...], actual: tuple[Event, ...], policy: Policy) -> bool:
    """Whether two sessions differ only in texts that are alternatives, as most accepted sessions do."""
    if not policy.alternatives or len(expected) != len(actual):
        return False
    return all(
        expected_event == actual_event
        or (
            isinstance(expected_event, Shown)
            and isinstance(actual_event, Shown)
            and _substituted(expected_event.text, policy) == _substituted(actual_event.text, policy)
        )
        for expected_event, actual_event in zip(expected, actual, strict=True)
    )


def accepted_alternatives(
    sessions: Sequence[tuple[Policy, tuple[Event, ...], tuple[Event, ...]]],
) -> list[tuple[str, str]]:
    """Returns the alternatives that programs show more often than the reference.

    Each session is a policy, the expected events and the actual events. Each result is a pair: the first text of the
    group, and the alternative, which is empty if the program omitted the text.
    """
    groups = dict.fromkeys(group for policy, *_ in sessions for group in policy.alternatives)
    return [accepted for group in groups for accepted in _accepted_alternatives_of_group(group, sessions)]


def _accepted_alternatives_of_group(
    group: tuple[str, ...], sessions: Sequence[tuple[Policy, tuple[Event, ...], tuple[Event, ...]]]
) -> Iterable[tuple[str, str]]:
    """Returns the pairs of one group for `accepted_alternatives`."""
    [(pattern, _)] = _substitutions_of((group,))
    first = next(filter(None, group))
    accepted: dict[str, None] = {}
    for policy, expected, actual in sessions:
        if group not in policy.alternatives:
            continue
        judged_actual = judged_part(actual, policy)
        judged_expected = with_permitted_lines(judged_part(expected, policy), judged_actual, policy)
        expected_texts = pattern.findall(flat_text(judged_expected))
        actual_texts = pattern.findall(flat_text(judged_actual))
        for text in group:
            looks_different = text.strip() != first.strip()
            if text and looks_different and actual_texts.count(text.encode()) > expected_texts.count(text.encode()):
                accepted[text] = None
        if "" in group and len(actual_texts) < len(expected_texts):
            accepted[""] = None
    return [(first, text) for text in accepted]


def flat_text(events: Iterable[Event]) -> bytes:
    """Returns the texts of a session joined, with a null byte for each other event."""
    return b"".join(event.text if isinstance(event, Shown) else b"\0" for event in events)


def _substituted(text: bytes, policy: Policy) -> bytes:
    """Returns a text with every alternative text in it replaced by the first text of its group."""
    for pattern, first in _substitutions_of(policy.alternatives):
        text = pattern.sub(first.replace(b"\\", rb"\\"), text)
    return text


@functools.cache
def _substitutions_of(groups: tuple[tuple[str, ...], ...]) -> list[tuple[re.Pattern[bytes], bytes]]:
    """Returns for each group of alternatives a pattern that matches any of its texts, and their replacement.

    Longer texts are tried first, so the first text is left unchanged if it contains another text of the group. If a
    group contains the empty text, each of its other texts may be missing, so all of them are removed.
    """
    substitutions = []
    for group in groups:
        texts = [text.encode() for text in sorted(filter(None, group), key=len, reverse=True)]
        pattern = re.compile(b"|".join(map(re.escape, texts)))
        first = b"" if "" in group else group[0].encode()
        substitutions.append((pattern, first))
    return substitutions


class _Part(NamedTuple):
    """A text or another event, with the range in the original session from which each of its units comes."""

    #: None for a text.
    event: Event | None
    #: Empty for another event.
    text: bytes
    #: The start and the end of each unit's range in the original session, counted in units.
    starts: Sequence[int]
    ends: Sequence[int]

    def cut(self, first: int, last: int | None = None) -> _Part:
        """Return the part of a text from the unit `first` up to `last`, or up to the end."""
        part = slice(first, last)
        return _Part(None, self.text[part], self.starts[part], self.ends[part])


def size_of(events: Iterable[Event]) -> int:
    """Returns the number of units: bytes of text and other events."""
    return sum(len(event.text) if isinstance(event, Shown) else 1 for event in events)


def _traced_parts(events: Iterable[Event]) -> list[_Part]:
    """Returns the unchanged events as parts, with the offsets of their units."""
    parts, offset = [], 0
    for event in events:
        text = event.text if isinstance(event, Shown) else b""
        size = len(text) if isinstance(event, Shown) else 1
        starts, ends = range(offset, offset + size), range(offset + 1, offset + size + 1)
        parts.append(_Part(None if isinstance(event, Shown) else event, text, starts, ends))
        offset += size
    return parts


def _changed_parts(parts: Iterable[_Part], changes: Sequence[Replacement]) -> list[_Part]:
    """Returns the parts after these changes, which must be sorted; no change spans several parts."""
    if not changes:
        return list(parts)
    result: list[_Part] = []
    pending, offset = list(reversed(changes)), 0
    for part in parts:
        end, position = offset + len(part.starts), 0
        while pending and pending[-1].start < end:
            first, last, text = pending.pop()
            first, last = first - offset, last - offset
            if part.event is None:  # other events can only be removed
                origins = (part.starts[first],) * len(text), (part.ends[last - 1],) * len(text)
                result += [part.cut(position, first), _Part(None, text, *origins)]
            position = last
        if part.event is None:
            result.append(part.cut(position))
        elif not position:  # no change has removed this event
            result.append(part)
        offset = end
    return result


def _substituted_part(part: _Part, policy: Policy) -> _Part:
    """Returns the part of a text, with every alternative text in it replaced by the first text of its group."""
    for pattern, text in _substitutions_of(policy.alternatives):
        # The first text of a group is left unchanged.
        changes = [Replacement(*match.span(), text) for match in pattern.finditer(part.text) if match[0] != text]
        if changes:
            part = _joined_part(_changed_parts([part], changes))
    return part


def _joined_part(parts: Sequence[_Part]) -> _Part:
    """Returns consecutive texts as one part."""
    text = b"".join(part.text for part in parts)
    starts = array("l", chain.from_iterable(part.starts for part in parts))
    return _Part(None, text, starts, array("l", chain.from_iterable(part.ends for part in parts)))


def _blank_removals(events: Iterable[Event], policy: Policy) -> list[Replacement]:
    """Returns the changes that remove the blanks and the blank lines that the policy ignores.

    Trailing blanks and blank lines are recognised across events: a blank before a pause at the end of a line is a
    trailing blank too.
    """
    if not _changes_blanks(policy):
        return []
    if policy.blanks == "ignored":
        return _word_separations(events)
    ranges: list[Range] = []
    for line in located_lines(events):
        if policy.blank_lines == "ignored" and line.newline and not line.text.strip(BLANKS):
            ranges += [*line.ranges, line.newline]
        elif policy.trailing_blanks == "ignored":
            ranges += line.ranges_at_end(len(line.text) - len(line.text.rstrip(BLANKS)))
    return [Replacement(*removed) for removed in sorted(ranges)]


def _word_separations(events: Iterable[Event]) -> list[Replacement]:
    """Returns the replacements that leave one blank between two words of a text, and none at its ends.

    So blanks beside a pause are removed. If a pause interrupts a word, a mark follows the pause: without it, the word
    would look like two words.
    """
    changes: list[Replacement] = []
    offset, is_in_word = 0, False
    for event in events:
        if not isinstance(event, Shown):
            offset += 1
            is_in_word = is_in_word and isinstance(event, Paused)
            continue
        text = event.text
        if is_in_word and text[:1].strip():
            changes.append(Replacement(offset, offset + 1, _CONTINUED_WORD + text[:1]))
        for blanks in _WORD_SEPARATOR.finditer(text):
            is_between = blanks.start() > 0 and blanks.end() < len(text)
            changes.append(Replacement(offset + blanks.start(), offset + blanks.end(), b" " if is_between else b""))
        is_in_word = bool(text[-1:].strip())
        offset += len(text)
    return changes


def _joined_events(parts: Iterable[_Part]) -> tuple[tuple[Event, ...], array[int], array[int]]:
    """Returns the events in canonical form, and the original start and end of each unit."""
    starts, ends = array("l"), array("l")
    events: list[Event] = []
    for part in parts:
        event = part.event or Shown(part.text)
        if event == Shown(b""):
            continue
        is_repeated = bool(events) and isinstance(event, Paused | InputEnded) and type(events[-1]) is type(event)
        events.append(event)
        if is_repeated:  # two events of a kind that became neighbours are merged
            ends[-1] = part.ends[0]
        else:
            starts.extend(part.starts)
            ends.extend(part.ends)
    return canonical(events), starts, ends


def _cut_events(events: tuple[Event, ...], offset: int) -> tuple[tuple[Event, ...], tuple[Event, ...]]:
    """Returns a session cut in two at an offset, never inside a character."""
    for index, event in enumerate(events):
        size = size_of((event,))
        if offset < size and not isinstance(event, Shown):
            return events[:index], events[index:]
        if offset < size and isinstance(event, Shown):
            byte_index = character_start(event.text, offset)
            head = (Shown(event.text[:byte_index]),) if byte_index else ()
            return (*events[:index], *head), (Shown(event.text[byte_index:]), *events[index + 1 :])
        offset -= size
    return events, ()


# Which lines are judged


def _unjudged_removals(events: tuple[Event, ...], policy: Policy) -> tuple[list[Replacement], int]:
    """Returns the changes that remove the lines that are not judged, and how many of these lines have text."""
    if not (policy.begins or policy.not_judged):
        return [], 0
    lines = located_lines(events)
    first = _first_judged_index(lines, policy)
    patterns = compile_patterns(policy.not_judged)
    ranges, count = [], 0
    for index, line in enumerate(lines):
        is_before_first = index < first
        if policy.begins and index == first:  # remove pauses before the first character of this line too
            ranges += [pause for pause in line.pauses if line.ranges and pause < line.ranges[0]]
        if not is_before_first and not (line.text and line.matches_any_pattern(patterns)):
            continue
        count += bool(line.text)
        ranges += line.ranges + ([line.newline] if line.newline else []) + (line.pauses if is_before_first else [])
    return [Replacement(*removed) for removed in sorted(ranges)], count


def judged_part(events: tuple[Event, ...], policy: Policy) -> tuple[Event, ...]:
    """Returns the events without the lines that are not judged."""
    return _with_changes(events, _unjudged_removals(events, policy)[0])


def count_unjudged_lines(events: tuple[Event, ...], policy: Policy) -> int:
    """Returns the number of lines with text that are not judged."""
    return _unjudged_removals(events, policy)[1]


def judging_never_begins(events: tuple[Event, ...], policy: Policy) -> bool:
    """Whether judging never begins, because the session lacks the line at which the policy has it begin."""
    if not policy.begins:
        return False
    lines = located_lines(events)
    return _first_judged_index(lines, policy) == len(lines)


def check_anything_is_judged(events: tuple[Event, ...], policy: Policy, place: str) -> None:
    """Raise SpecError if nothing that a reference shows is judged; `place` is the location of the case."""
    if judging_never_begins(events, policy):
        raise SpecError(
            f"{place}: the reference never shows a line with {as_found(policy.begins)}, where judging begins — "
            'correct `judged_from`, or write `compare: {judged_from: ""}` in this case'
        )
    lines = [line for line in located_lines(events) if line.text] if policy.not_judged else []
    if lines and all(line.matches_any_pattern(compile_patterns(policy.not_judged)) for line in lines):
        raise SpecError(f"{place}: nothing that the reference shows is judged: all of it matches `not_judged`")


def first_judged_line(events: tuple[Event, ...], policy: Policy) -> bytes:
    """Returns the line at which judging begins; empty if it never begins."""
    lines = located_lines(events)
    first = _first_judged_index(lines, policy)
    return lines[first].text if first < len(lines) else b""


def with_permitted_lines(expected: tuple[Event, ...], actual: tuple[Event, ...], policy: Policy) -> tuple[Event, ...]:
    """Returns the expected events with the permitted lines of the actual session; both must be normalized."""
    return _with_changes(expected, permitted_replacements(expected, actual, policy))


def _first_judged_index(lines: Sequence[LocatedLine], policy: Policy) -> int:
    """Returns the index of the first judged line; the number of lines if no line is judged."""
    if not policy.begins:
        return 0
    patterns = compile_patterns((policy.begins,))
    return next((index for index, line in enumerate(lines) if line.matches_any_pattern(patterns)), len(lines))


def _with_changes(events: tuple[Event, ...], changes: Sequence[Replacement]) -> tuple[Event, ...]:
    """Returns the events after these changes, in canonical form."""
    if not changes:
        return events
    return canonical(part.event or Shown(part.text) for part in _changed_parts(_traced_parts(events), changes))
