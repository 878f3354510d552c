"""What a policy ignores in a session: pauses, blanks, blank lines and alternative texts are normalized."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable

from pitboss.transcripts.free_texts import without_pauses
from pitboss.transcripts.policy import Policy
from pitboss.transcripts.scope import judged_part, limits_scope
from pitboss.transcripts.transcript import Event, Shown, Typed, canonical, character_start, with_texts


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
    """The events normalized by a policy, except for letter case.

    Blanks and blank lines are found across events: a blank before a pause at the end of a line is trailing too.
    """
    if policy.pauses == "ignored":
        events = without_pauses(events)
    if limits_scope(policy):
        events = judged_part(events, policy)
    one_text = _text_under(policy)
    kept: list[Event] = []
    before = 0
    # Lines end where a line is typed, so that what is shown between two of them can be read by itself.
    for index, event in enumerate((*events, None)):
        if event is not None and type(event) is not Typed:
            continue
        between, before = events[before:index], index + 1
        if len(between) == 1 and type(between[0]) is Shown:
            if text := one_text(between[0].text):
                kept.append(Shown(text))
        elif between:
            kept += _relaxed(between, policy)
        if event is not None:
            kept.append(event)
    return tuple(kept)


def _relaxed(events: tuple[Event, ...], policy: Policy) -> tuple[Event, ...]:
    """Events between two typed lines, without alternative texts and without what is ignored of blanks."""
    if policy.alternatives:
        substitutions = substitutions_of(policy.alternatives)
        events = with_texts(events, lambda text: _substituted(text, substitutions))
    if "ignored" in (policy.trailing_blanks, policy.blank_lines):
        events = _without_blanks(events, policy)
    return events


#: How many texts are kept as they are read under a policy: the same ones come again and again.
_MOST_KEPT = 16_384


class _Text:
    """Normalizes what is shown between two typed lines, if it is one text."""

    def __init__(self, policy: Policy) -> None:
        self._kept: dict[bytes, bytes] = {}
        self._substitutions = substitutions_of(policy.alternatives) if policy.alternatives else []
        self._has_ends, self._has_blank = policy.trailing_blanks == "exact", policy.blank_lines == "exact"

    def __call__(self, text: bytes) -> bytes:
        kept = self._kept.get(text)
        if kept is None:
            if len(self._kept) >= _MOST_KEPT:
                self._kept.clear()
            kept = self._kept[text] = self._normalized(text)
        return kept

    def _normalized(self, text: bytes) -> bytes:
        if self._substitutions:
            text = _substituted(text, self._substitutions)
        if self._has_ends and self._has_blank:
            return text
        *lines, last = text.split(b"\n")
        if not self._has_blank:
            lines = [line for line in lines if line.strip(BLANKS)]
        if not self._has_ends:
            lines, last = [line.rstrip(BLANKS) for line in lines], last.rstrip(BLANKS)
        return b"\n".join((*lines, last))


@functools.lru_cache(8)
def _text_under(policy: Policy) -> _Text:
    return _Text(policy)


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


class _Line:
    """A line of the screen: texts, the events between them, and the newline or typed line that ends it."""

    def __init__(self) -> None:
        self.items: list[Event] = []
        self.end: Event | None = None

    @property
    def is_blank(self) -> bool:
        return not any(isinstance(item, Shown) and item.text.strip(BLANKS) for item in self.items)

    def strip_end(self) -> None:
        """Remove trailing blanks, including those before a pause at the end of the line."""
        for index in range(len(self.items) - 1, -1, -1):
            item = self.items[index]
            if isinstance(item, Shown):
                self.items[index] = Shown(item.text.rstrip(BLANKS))
                if self.items[index] != Shown(b""):
                    return

    def drop_text(self) -> None:
        """Remove the text and the line end, but keep the other events of the line."""
        self.items = [item for item in self.items if not isinstance(item, Shown)]
        self.end = None


BLANKS = b" \t"


def _lines_of(events: tuple[Event, ...]) -> list[_Line]:
    lines = [_Line()]
    for event in events:
        if isinstance(event, Shown):
            first, *others = event.text.split(b"\n")
            lines[-1].items.append(Shown(first))
            for other in others:
                lines[-1].end = Shown(b"\n")
                lines.append(_Line())
                lines[-1].items.append(Shown(other))
        elif isinstance(event, Typed):
            lines[-1].end = event
            lines.append(_Line())
        else:
            lines[-1].items.append(event)
    return lines


def _without_blanks(events: tuple[Event, ...], policy: Policy) -> tuple[Event, ...]:
    lines = _lines_of(events)
    for line in lines:
        if policy.trailing_blanks == "ignored":
            line.strip_end()
        if policy.blank_lines == "ignored" and line.is_blank and line.end == Shown(b"\n"):
            line.drop_text()
    return canonical(event for line in lines for event in (*line.items, line.end) if event is not None)


def substituted(text: bytes, policy: Policy) -> bytes:
    """A text with every alternative text in it replaced by the first text of its group."""
    return _substituted(text, substitutions_of(policy.alternatives)) if policy.alternatives else text


def _substituted(text: bytes, substitutions: list[tuple[re.Pattern[bytes], bytes]]) -> bytes:
    for pattern, first in substitutions:
        text = pattern.sub(first, text)
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
        first = b"" if "" in group else group[0].encode().replace(b"\\", rb"\\")
        substitutions.append((pattern, first))
    return substitutions
