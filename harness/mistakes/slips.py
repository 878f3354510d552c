"""Slips of the text: one change of words that a program makes wherever the text stands, and that is no other outcome.

What is printed for another word may be a slip of the hand where it is printed, or a wrong comparison that leads there.
It is told as a slip only if all that was seen speaks for it: no line that has the same words in the same place is shown
as it should be, what is shown is no line that the right program shows elsewhere, and it is no number, since numbers are
computed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from typing import NamedTuple

from harness.transcripts.transcript import Event, Shown

#: A line as it should be, and as it is.
LinePair = tuple[bytes, bytes]
_TOKENS = re.compile(rb"\w+|\s+|[^\w\s]+")
_NUMBER = b"#"


class Change(NamedTuple):
    """Words that stand for others."""

    wanted: bytes
    shown: bytes


class _Place(NamedTuple):
    """A change in a line: the words beside it, with a mark for each number and b"" at the ends of the line."""

    before: bytes
    change: Change
    after: bytes


def line_pairs(expected: tuple[Event, ...], actual: tuple[Event, ...]) -> list[LinePair] | None:
    """The lines of two sessions side by side; None if they differ in more than the text of lines."""
    if len(expected) != len(actual):
        return None
    found: list[LinePair] = []
    for wanted, shown in zip(expected, actual, strict=True):
        if not isinstance(wanted, Shown) or not isinstance(shown, Shown):
            if wanted != shown:
                return None
            continue
        lines = wanted.text.split(b"\n"), shown.text.split(b"\n")
        if len(lines[0]) != len(lines[1]):
            return None
        found += zip(*lines, strict=True)
    return found


def the_one_change(lines: Iterable[LinePair]) -> Change | None:
    """The change of words that is the same in all lines that differ; None if there are several, or none."""
    changes = {place.change for pair in lines if pair[0] != pair[1] for place in _places(*pair)}
    return changes.pop() if len(changes) == 1 else None


def as_told(change: Change, lines: Iterable[LinePair]) -> Change:
    """The change with the word before it, if that is always the same: a “!” alone stands at many places."""
    if re.search(rb"\w", change.wanted + change.shown) or not change.wanted.strip():
        return change
    before = {place.before for pair in lines if pair[0] != pair[1] for place in _places(*pair)}
    word = before.pop() if len(before) == 1 else b""
    return Change(word + change.wanted, word + change.shown) if re.fullmatch(rb"\w+", word) else change


def is_slip(change: Change, lines: Iterable[LinePair], others: Iterable[LinePair]) -> bool:
    """Whether a change that explains `lines` is a slip of the text, as far as these and `others` tell."""
    if change.wanted.isdigit() and change.shown.isdigit():
        return False
    pairs = {*lines, *others}
    changed = [pair for pair in pairs if pair[0] != pair[1]]
    places = {place for pair in changed for place in _places(*pair)}
    unchanged = [wanted for wanted, shown in pairs if wanted == shown]
    if any(_stands_in(place, line) for place in places for line in unchanged):
        return False
    meant = {tuple(_marked(_tokens(wanted))) for wanted, _ in pairs}
    return not any(_could_be_meant(pair, change, meant) for pair in changed)


def _could_be_meant(pair: LinePair, change: Change, meant: set[tuple[bytes, ...]]) -> bool:
    """Whether the line that is shown is one that the right program shows elsewhere: then another outcome led there."""
    shown = _tokens(pair[1])
    if not pair[1].strip() or not change.shown.strip():
        return False
    own = set(_tokens(change.shown))
    return tuple(token if token in own else _mark(token) for token in shown) in meant


def _stands_in(place: _Place, line: bytes) -> bool:
    """Whether a line has the wanted words between the same words."""
    tokens, wanted = [b"", *_tokens(line), b""], _tokens(place.change.wanted)
    for start in range(1, len(tokens) - len(wanted)):
        end = start + len(wanted)
        beside = _mark(tokens[start - 1]), _mark(tokens[end])
        if tokens[start:end] == wanted and beside == (place.before, place.after):
            return True
    return False


def _tokens(line: bytes) -> list[bytes]:
    return _TOKENS.findall(line)


def _mark(token: bytes) -> bytes:
    return _NUMBER if token.isdigit() else token


def _marked(tokens: Sequence[bytes]) -> list[bytes]:
    return list(map(_mark, tokens))


@lru_cache(maxsize=4096)
def _places(wanted: bytes, shown: bytes) -> tuple[_Place, ...]:
    ours, theirs = _tokens(wanted), _tokens(shown)
    matcher = SequenceMatcher(None, ours, theirs, autojunk=False)
    return tuple(_found(ours, theirs, matcher.get_opcodes()))


def _found(
    ours: Sequence[bytes], theirs: Sequence[bytes], steps: Iterable[tuple[str, int, int, int, int]]
) -> Iterator[_Place]:
    for kind, start, end, their_start, their_end in steps:
        if kind != "equal":
            before = _mark(ours[start - 1]) if start else b""
            after = _mark(ours[end]) if end < len(ours) else b""
            yield _Place(before, Change(b"".join(ours[start:end]), b"".join(theirs[their_start:their_end])), after)
