"""Exact comparison of two transcripts: the first difference, as data."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable

import msgspec

from harness.transcripts.policy import EXACT, Policy
from harness.transcripts.scope import filled, judged_part, limits_scope
from harness.transcripts.transcript import Event, Paused, Shown, Typed, canonical, character_start, with_texts


class Split(msgspec.Struct, frozen=True):
    """Two original sessions, each cut in two where they part; messages to people quote from these.

    Pauses that a policy ignores are left out.
    """

    expected_before: tuple[Event, ...]
    before: tuple[Event, ...]
    expected: tuple[Event, ...]
    actual: tuple[Event, ...]

    @property
    def line(self) -> int:
        """The line on the program's screen where they part, from 1; typing Enter also ends a line."""
        return 1 + sum(map(_line_ends, self.before))

    @property
    def column(self) -> int:
        """The column on the program's screen where they part, counted in characters from 1."""
        return 1 + len(last_line(self.before).decode("utf-8", "replace"))


class Difference(msgspec.Struct, frozen=True):
    """The first place where two sessions differ.

    `matched` + `expected` is the whole expected session and `matched` + `actual` the whole actual one, both
    normalized by the policy. Either rest may be empty (that session ended there), but never both.
    """

    matched: tuple[Event, ...]
    expected: tuple[Event, ...]
    actual: tuple[Event, ...]
    #: The original sessions; None if the policy leaves them unchanged (see `located`).
    split: Split | None = None
    #: The file in which they differ, or “standard error”; empty for the screen.
    place: str = ""
    #: The sentence on it, if it is not one of the screen; else empty.
    sentence: str = ""
    #: Whether two texts differ, so that one may nearly be the other.
    is_of_texts: bool = True

    @property
    def told(self) -> Split:
        """Both sessions as messages to people quote them."""
        return self.split or Split(self.matched, self.matched, self.expected, self.actual)

    @property
    def line(self) -> int:
        """See `Split.line`."""
        return self.told.line

    @property
    def column(self) -> int:
        """See `Split.column`."""
        return self.told.column


def _line_ends(event: Event) -> int:
    match event:
        case Shown(text):
            return text.count(b"\n")
        case Typed():
            return 1
        case _:
            return 0


def last_line(events: tuple[Event, ...]) -> bytes:
    """The last line of the screen after these events, without typed text."""
    line = b""
    for event in reversed(events):
        match event:
            case Shown(text):
                before, newline, after = text.rpartition(b"\n")
                line = after + line
                if newline:
                    break
            case Typed():
                break
            case _:
                pass
    return line


def difference_between(
    expected: tuple[Event, ...], actual: tuple[Event, ...], policy: Policy = EXACT
) -> Difference | None:
    """The first difference under a policy, or None if there is none.

    Both sessions must be in canonical form (`harness.transcripts.transcript.canonical`).
    """
    if expected == actual:
        return None
    # Most differences are alternative texts, and these are faster to check than blank lines.
    if policy.alternatives and _differ_by_alternatives(expected, actual, policy):
        return None
    expected, actual = relaxed(expected, policy), relaxed(actual, policy)
    if policy.any_line:
        expected = filled(expected, actual, policy)
    if expected == actual:
        return None
    if policy.letter_case == "ignored":
        return _parted(expected, actual, bytes.lower)
    return _parted(expected, actual, bytes)


def _parted(
    expected: tuple[Event, ...], actual: tuple[Event, ...], read: Callable[[bytes], bytes]
) -> Difference | None:
    shared = 0
    for one, other in zip(expected, actual, strict=False):
        if not _same(one, other, read):
            break
        shared += 1
    matched, expected_rest, actual_rest = expected[:shared], expected[shared:], actual[shared:]
    match expected_rest[:1], actual_rest[:1]:
        case (), ():
            return None
        case (Shown(wanted),), (Shown(found),):
            offset = _shared_length(read(wanted), read(found))
            head = (Shown(found[:offset]),) if offset else ()
            return Difference(
                (*matched, *head),
                canonical((Shown(wanted[offset:]), *expected_rest[1:])),
                canonical((Shown(found[offset:]), *actual_rest[1:])),
            )
    return Difference(matched, expected_rest, actual_rest)


def _same(one: Event, other: Event, read: Callable[[bytes], bytes]) -> bool:
    if isinstance(one, Shown) and isinstance(other, Shown):
        return read(one.text) == read(other.text)
    return one == other


def _shared_length(one: bytes, other: bytes) -> int:
    """The number of equal leading bytes, never ending inside a UTF-8 character."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[:middle] == other[:middle]:
            low = middle
        else:
            high = middle - 1
    return min(character_start(one, low), character_start(other, low))


def relaxed(events: tuple[Event, ...], policy: Policy) -> tuple[Event, ...]:
    """The events normalized by a policy, except for letter case.

    Blanks and blank lines are found across events: a blank before a pause at the end of a line is trailing too.
    """
    if policy.pauses == "ignored":
        events = canonical(event for event in events if not isinstance(event, Paused))
    if limits_scope(policy):
        events = judged_part(events, policy)
    events = _first_texts(events, policy)
    if "ignored" in (policy.trailing_blanks, policy.blank_lines):
        events = _without_blanks(events, policy)
    return events


def _first_texts(events: tuple[Event, ...], policy: Policy) -> tuple[Event, ...]:
    """The events with every alternative text replaced by the first text of its group."""
    if not policy.alternatives:
        return events
    substitutions = substitutions_of(policy.alternatives)
    return with_texts(events, lambda text: _substituted(text, substitutions))


def _differ_by_alternatives(expected: tuple[Event, ...], actual: tuple[Event, ...], policy: Policy) -> bool:
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
