"""Exact comparison of two transcripts: the first place where they part, as data."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal

import msgspec

from harness.transcript import Event, InputEnded, Paused, Shown, Typed, canonical

Strictness = Literal["exact", "ignored"]


class Policy(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What an instructor lets pass. Everything is exact unless it is named here."""

    pauses: Strictness = "exact"
    trailing_blanks: Strictness = "exact"
    blank_lines: Strictness = "exact"
    letter_case: Strictness = "exact"
    #: Groups of texts that may stand for one another; the first of each is the one shown.
    alternatives: tuple[tuple[str, ...], ...] = ()


EXACT = Policy()


class Difference(msgspec.Struct, frozen=True):
    """The first place where two sessions part.

    `matched` + `expected` is the whole expected session and `matched` + `actual` the whole actual one, both as
    the policy reads them; either rest may be empty (its session ended there), never both.
    """

    matched: tuple[Event, ...]
    expected: tuple[Event, ...]
    actual: tuple[Event, ...]

    @property
    def line(self) -> int:
        """The line on the screen where they part, from 1: a typed line ends a line as its Enter does."""
        return 1 + sum(_line_ends(event) for event in self.matched)

    @property
    def column(self) -> int:
        """The column on the screen where they part, in characters from 1."""
        return 1 + len(last_line(self.matched).decode("utf-8", "replace"))


def _line_ends(event: Event) -> int:
    match event:
        case Shown(text):
            return text.count(b"\n")
        case Typed():
            return 1
        case _:
            return 0


def last_line(events: tuple[Event, ...]) -> bytes:
    """What stands on the last line of the screen after these events, without what was typed."""
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
    """The first difference under a policy, or None where there is none.

    Both are in canonical form (`harness.transcript.canonical`).
    """
    if expected == actual:
        return None
    expected, actual = relaxed(expected, policy), relaxed(actual, policy)
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
        case (Shown(one),), (Shown(other),):
            offset = _shared_length(read(one), read(other))
            head = (Shown(other[:offset]),) if offset else ()
            return Difference(
                (*matched, *head),
                canonical((Shown(one[offset:]), *expected_rest[1:])),
                canonical((Shown(other[offset:]), *actual_rest[1:])),
            )
    return Difference(matched, expected_rest, actual_rest)


def _same(one: Event, other: Event, read: Callable[[bytes], bytes]) -> bool:
    if isinstance(one, Shown) and isinstance(other, Shown):
        return read(one.text) == read(other.text)
    return one == other


def _shared_length(one: bytes, other: bytes) -> int:
    """How many leading bytes are the same, never ending inside a UTF-8 character."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[:middle] == other[:middle]:
            low = middle
        else:
            high = middle - 1
    start = low
    while start > 0 and any(_is_continuation(text, start) for text in (one, other)):
        start -= 1
    # A run of more than three continuation bytes is no character, so nothing is kept whole by going back.
    return start if low - start <= 3 else low


def _is_continuation(text: bytes, index: int) -> bool:
    return index < len(text) and text[index] & 0xC0 == 0x80


def relaxed(events: tuple[Event, ...], policy: Policy) -> tuple[Event, ...]:
    """The events as a policy reads them, letter case apart.

    Blanks and blank lines are looked at across events: a blank before a pause at a line's end is trailing too.
    """
    if policy.pauses == "ignored":
        events = canonical(event for event in events if not isinstance(event, Paused))
    if policy.alternatives:
        events = _with_text(events, lambda text: _first_alternatives(text, policy.alternatives))
    if policy.trailing_blanks == "ignored":
        events = _without(events, _TRAILING_BLANKS)
    if policy.blank_lines == "ignored":
        events = _without(events, _BLANK_LINES)
    return events


#: What a policy ignores is found in the whole screen, where a mark stands for each event that is no text.
_MARK = b"\xff\x00"
_SHOWS_NOTHING = rb"(?:\xff\x00[pe])"
_TRAILING_BLANKS = re.compile(rb"[ \t]+(?=" + _SHOWS_NOTHING + rb"*(?:\r?\n|\xff\x00t|\Z))")
_BLANK_LINES = re.compile(rb"(?:(?<=\n)|(?<=\xff\x00t)|\A)(?:[ \t]*\n)+")


def _without(events: tuple[Event, ...], pattern: re.Pattern[bytes]) -> tuple[Event, ...]:
    screen = b"".join(_on_screen(event) for event in events)
    others = iter([event for event in events if not isinstance(event, Shown)])
    kept: list[Event] = []
    for part in re.split(rb"(\xff\x00[pet])", pattern.sub(b"", screen)):
        is_mark = part.startswith(_MARK) and len(part) == 3
        kept.append(next(others) if is_mark else Shown(part.replace(b"\xff\x01", b"\xff")))
    return canonical(kept)


def _on_screen(event: Event) -> bytes:
    match event:
        case Shown(text):
            return text.replace(b"\xff", b"\xff\x01")
        case Typed():
            return _MARK + b"t"
        case Paused():
            return _MARK + b"p"
        case InputEnded():
            return _MARK + b"e"


def _with_text(events: tuple[Event, ...], change: Callable[[bytes], bytes]) -> tuple[Event, ...]:
    return canonical(Shown(change(event.text)) if isinstance(event, Shown) else event for event in events)


def _first_alternatives(text: bytes, groups: tuple[tuple[str, ...], ...]) -> bytes:
    for first, *others in groups:
        for other in sorted(others, key=len, reverse=True):
            # Text that is already the first one is left alone, where the other is a part of it.
            pattern = b"(?:%s)|(%s)" % (re.escape(first.encode()), re.escape(other.encode()))
            text = re.sub(pattern, first.encode().replace(b"\\", rb"\\"), text)
    return text
