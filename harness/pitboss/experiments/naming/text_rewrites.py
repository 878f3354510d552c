"""Finds slips of the text: wrong words that a program shows wherever a text occurs, although its outcome is right.

A wrong word may be a slip in the text itself, or the result of a wrong comparison that leads to another text. A word is
reported as a slip only if all sessions support that: no line shows the same words correctly in the same place, the
correct program does not show the wrong line elsewhere, and the word is not a number, since numbers are computed.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import takewhile
from typing import NamedTuple

from pitboss.model.transcript import Event, Shown

#: The expected and the actual line.
LinePair = tuple[bytes, bytes]
_TOKENS = re.compile(rb"\w+|\s+|[^\w\s]+")
_WORD = re.compile(rb"\w")
_NUMBER = b"#"


class WordChange(NamedTuple):
    """A word that is shown instead of the expected word."""

    expected: bytes
    actual: bytes


class _Place(NamedTuple):
    """A change in a line, the tokens before the change, nearest first, and the tokens after the change."""

    change: WordChange
    before: tuple[bytes, ...]
    after: tuple[bytes, ...]


def line_pairs(expected: tuple[Event, ...], actual: tuple[Event, ...]) -> list[LinePair] | None:
    """The lines of two sessions side by side; None if the sessions differ in more than the text of lines."""
    pairs, is_all = _side_by_side(expected, actual)
    return pairs if is_all else None


def leading_pairs(expected: tuple[Event, ...], actual: tuple[Event, ...]) -> list[LinePair]:
    """The lines of two sessions side by side, up to where the sessions differ in more than the text of lines."""
    return _side_by_side(expected, actual)[0]


def _side_by_side(expected: tuple[Event, ...], actual: tuple[Event, ...]) -> tuple[list[LinePair], bool]:
    """The pairs of lines up to where the sessions differ in more than the text of lines, and whether these are all."""
    all_pairs: list[LinePair] = []
    for expected_event, actual_event in zip(expected, actual, strict=False):
        if not isinstance(expected_event, Shown) or not isinstance(actual_event, Shown):
            if expected_event != actual_event:
                return all_pairs, False
            continue
        lines = expected_event.text.split(b"\n"), actual_event.text.split(b"\n")
        pairs = list(zip(*lines, strict=False))
        if len(lines[0]) != len(lines[1]):
            return all_pairs + list(takewhile(lambda pair: pair[0] == pair[1], pairs)), False
        all_pairs += pairs
    return all_pairs, len(expected) == len(actual)


class Slip(NamedTuple):
    """A slip of the text, and the number of failed sessions that show the slip."""

    change: WordChange
    sessions: int


def slips_in(failed: Sequence[Sequence[LinePair]], accepted: Sequence[Sequence[LinePair]]) -> list[Slip]:
    """All slips of the text that the failed sessions show and no line contradicts, the commonest first.

    Unlike `slip_in`, this function allows other differences too.
    """
    places: dict[WordChange, list[tuple[LinePair, _Place]]] = defaultdict(list)
    sessions: dict[WordChange, set[int]] = defaultdict(set)
    for number, lines in enumerate(failed):
        for pair in lines:
            for place in _places(*pair) if pair[0] != pair[1] else ():
                places[place.change].append((pair, place))
                sessions[place.change].add(number)
    pairs = {pair for lines in (*failed, *accepted) for pair in lines}
    all_lines = _AllLines(pairs)
    slips = []
    for change, occurrences in places.items():
        widest = all_lines.widest(change, {pair for pair, _ in occurrences}, [place for _, place in occurrences])
        if widest is not None:
            slips.append(Slip(widest, len(sessions[change])))
    return sorted(slips, key=lambda slip: -slip.sessions)


def changed(text: bytes, changes: Sequence[WordChange]) -> bytes:
    """The text with each of these changes made wherever the expected words occur as whole words."""
    return b"\n".join(_changed_line(line, changes) for line in text.split(b"\n"))


def _changed_line(line: bytes, changes: Sequence[WordChange]) -> bytes:
    joined = _joined_tokens(line)
    for expected, actual in changes:
        joined = joined.replace(_joined_tokens(expected), _joined_tokens(actual))
    return joined.replace(b"\0", b"")


class _AllLines:
    """All lines of the sessions, to distinguish a slip of the text from another outcome."""

    def __init__(self, pairs: Iterable[LinePair]) -> None:
        pairs = list(pairs)
        self._expected = {tuple(map(_mark, _tokens(expected))) for expected, _ in pairs}
        self._unchanged = {_joined_tokens(expected) for expected, actual in pairs if expected == actual}

    def widest(self, change: WordChange, pairs: Iterable[LinePair], places: Sequence[_Place]) -> WordChange | None:
        """The change, widened by surrounding words until no line contradicts it; None if that is impossible."""
        is_computed = change.expected.isdigit() and change.actual.isdigit()
        if is_computed or any(_is_another_line(pair, change, self._expected) for pair in pairs):
            return None
        possible = _with_words(change, places)
        return next(
            (
                change
                for change in possible
                if not any(_joined_tokens(change.expected) in line for line in self._unchanged)
            ),
            None,
        )


def slip_in(lines: Sequence[LinePair], others: Iterable[LinePair]) -> WordChange | None:
    """The one slip of the text that explains all pairs of differing lines; None if no slip does.

    The slip is widened by surrounding words until no pair of `lines` and `others` shows its expected text correctly.
    """
    pairs = {*lines, *others}
    differing = [pair for pair in pairs if pair[0] != pair[1]]
    places = [place for pair in differing for place in _places(*pair)]
    changes = {place.change for place in places}
    if len(changes) != 1:
        return None
    (change,) = changes
    return _AllLines(pairs).widest(change, differing, places)


def _with_words(change: WordChange, places: Sequence[_Place]) -> Iterator[WordChange]:
    """Yields the change with more and more of the tokens that surround it in all places; each version has a word."""
    before, after = (_shared([getattr(place, side) for place in places]) for side in ("before", "after"))
    extents = (
        (before_count, after_count) for before_count in range(len(before) + 1) for after_count in range(len(after) + 1)
    )
    for before_count, after_count in sorted(extents, key=lambda extent: (sum(extent), extent[1])):
        start, end = b"".join(reversed(before[:before_count])), b"".join(after[:after_count])
        widened = WordChange(start + change.expected + end, start + change.actual + end)
        # A blank is visible only between two words.
        words = (start, end) if change.expected and not change.expected.strip() else (widened.expected,)
        if all(map(_WORD.search, words)) and not start[:1].isspace() and not end[-1:].isspace():
            yield widened


def _shared(contexts: Sequence[tuple[bytes, ...]]) -> tuple[bytes, ...]:
    """The tokens with which all of these contexts begin."""
    sides = zip(*contexts, strict=False)
    return tuple(tokens[0] for tokens in takewhile(lambda tokens: len(set(tokens)) == 1, sides))


def _is_another_line(pair: LinePair, change: WordChange, expected: set[tuple[bytes, ...]]) -> bool:
    """Whether the correct program shows the actual line elsewhere: then the line belongs to another outcome."""
    actual = _tokens(pair[1])
    if not pair[1].strip() or not change.actual.strip():
        return False
    changed_tokens = set(_tokens(change.actual))
    return tuple(token if token in changed_tokens else _mark(token) for token in actual) in expected


def _joined_tokens(line: bytes) -> bytes:
    """The tokens of a line, with zero bytes around each token."""
    return b"\0" + b"".join(token + b"\0" for token in _tokens(line))


def _tokens(line: bytes) -> list[bytes]:
    return _TOKENS.findall(line)


def _mark(token: bytes) -> bytes:
    return _NUMBER if token.isdigit() else token


@lru_cache(maxsize=4096)
def _places(expected: bytes, actual: bytes) -> tuple[_Place, ...]:
    expected_tokens, actual_tokens = _tokens(expected), _tokens(actual)
    matcher = SequenceMatcher(None, expected_tokens, actual_tokens, autojunk=False)
    return tuple(_found(expected_tokens, actual_tokens, matcher.get_opcodes()))


def _found(
    expected_tokens: Sequence[bytes], actual_tokens: Sequence[bytes], opcodes: Iterable[tuple[str, int, int, int, int]]
) -> Iterator[_Place]:
    for kind, start, end, actual_start, actual_end in opcodes:
        if kind != "equal":
            change = WordChange(b"".join(expected_tokens[start:end]), b"".join(actual_tokens[actual_start:actual_end]))
            yield _Place(change, tuple(reversed(expected_tokens[:start])), tuple(expected_tokens[end:]))
