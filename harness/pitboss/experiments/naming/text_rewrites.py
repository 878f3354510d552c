"""Finds slips of the text: wrong words that a program shows wherever a text occurs, although the outcome is right.

A wrong word may be a slip in the text itself. Or a wrong condition in the program may lead to the text of another
outcome. A wrong word is reported as a slip only if no line of any session shows the right word between the same other
words, if the correct program does not show the wrong line elsewhere, and if the word is not a number, since numbers are
computed.
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
#: Replaces each number when lines of different outcomes are compared.
_NUMBER_MARK = b"#"


class WordChange(NamedTuple):
    """A word that is shown instead of the expected word."""

    expected: bytes
    actual: bytes


class _Context(NamedTuple):
    """A change in a line, and the tokens before and after the change, each beginning with the nearest token."""

    change: WordChange
    before: tuple[bytes, ...]
    after: tuple[bytes, ...]


def line_pairs(expected: tuple[Event, ...], actual: tuple[Event, ...]) -> list[LinePair] | None:
    """The lines of two sessions side by side; None if the sessions differ in more than the text of lines."""
    pairs, is_complete = _aligned_lines(expected, actual)
    return pairs if is_complete else None


def leading_pairs(expected: tuple[Event, ...], actual: tuple[Event, ...]) -> list[LinePair]:
    """The lines of two sessions side by side, up to where the sessions differ in more than the text of lines."""
    return _aligned_lines(expected, actual)[0]


def _aligned_lines(expected: tuple[Event, ...], actual: tuple[Event, ...]) -> tuple[list[LinePair], bool]:
    """The pairs of lines up to where the sessions differ in more than the text of lines.

    The second value is whether these pairs are all lines of the sessions.
    """
    all_pairs: list[LinePair] = []
    for expected_event, actual_event in zip(expected, actual, strict=False):
        if not isinstance(expected_event, Shown) or not isinstance(actual_event, Shown):
            if expected_event != actual_event:
                return all_pairs, False
            continue
        expected_lines, actual_lines = expected_event.text.split(b"\n"), actual_event.text.split(b"\n")
        pairs = list(zip(expected_lines, actual_lines, strict=False))
        if len(expected_lines) != len(actual_lines):
            return all_pairs + list(takewhile(lambda pair: pair[0] == pair[1], pairs)), False
        all_pairs += pairs
    return all_pairs, len(expected) == len(actual)


class Slip(NamedTuple):
    """A slip of the text, and the number of failed sessions that show the slip."""

    change: WordChange
    session_count: int


def slips_in(failed: Sequence[Sequence[LinePair]], accepted: Sequence[Sequence[LinePair]]) -> list[Slip]:
    """All slips of the text that the failed sessions show and no line contradicts, the commonest first.

    Unlike `only_slip_in`, this function allows other differences too.
    """
    contexts: dict[WordChange, list[tuple[LinePair, _Context]]] = defaultdict(list)
    session_numbers: dict[WordChange, set[int]] = defaultdict(set)
    for number, pairs in enumerate(failed):
        for pair in pairs:
            for context in _contexts(*pair) if pair[0] != pair[1] else ():
                contexts[context.change].append((pair, context))
                session_numbers[context.change].add(number)
    all_lines = _AllLines({pair for pairs in (*failed, *accepted) for pair in pairs})
    slips = []
    for change, occurrences in contexts.items():
        widened = all_lines.widen(change, {pair for pair, _ in occurrences}, [context for _, context in occurrences])
        if widened is not None:
            slips.append(Slip(widened, len(session_numbers[change])))
    return sorted(slips, key=lambda slip: -slip.session_count)


def changed(text: bytes, changes: Sequence[WordChange]) -> bytes:
    """The text with each of these changes made wherever the expected words occur as whole words."""
    return b"\n".join(_changed_line(line, changes) for line in text.split(b"\n"))


def _changed_line(line: bytes, changes: Sequence[WordChange]) -> bytes:
    joined = _joined_tokens(line)
    for expected, actual in changes:
        joined = joined.replace(_joined_tokens(expected), _joined_tokens(actual))
    return joined.replace(b"\0", b"")


class _AllLines:
    """All lines of the sessions, to distinguish a slip of the text from the text of another outcome."""

    def __init__(self, pairs: Iterable[LinePair]) -> None:
        pairs = list(pairs)
        #: The expected lines, as tokens with masked numbers.
        self._expected = {tuple(map(_with_number_masked, _tokens(expected))) for expected, _ in pairs}
        #: The lines that are shown as expected, as joined tokens.
        self._unchanged = {_joined_tokens(expected) for expected, actual in pairs if expected == actual}

    def widen(self, change: WordChange, pairs: Iterable[LinePair], contexts: Sequence[_Context]) -> WordChange | None:
        """The change, widened by surrounding words until no line contradicts it; None if that is impossible."""
        is_computed = change.expected.isdigit() and change.actual.isdigit()
        if is_computed or any(_belongs_to_other_outcome(pair, change, self._expected) for pair in pairs):
            return None
        candidates = _widened_changes(change, contexts)
        return next(
            (
                candidate
                for candidate in candidates
                if not any(_joined_tokens(candidate.expected) in line for line in self._unchanged)
            ),
            None,
        )


def only_slip_in(pairs: Iterable[LinePair], others: Iterable[LinePair]) -> WordChange | None:
    """The one slip of the text that explains all pairs of differing lines; None if no slip does.

    The slip is widened by surrounding words until no pair of `pairs` and `others` shows its expected text correctly.
    """
    all_pairs = {*pairs, *others}
    differing = [pair for pair in all_pairs if pair[0] != pair[1]]
    contexts = [context for pair in differing for context in _contexts(*pair)]
    changes = {context.change for context in contexts}
    if len(changes) != 1:
        return None
    (change,) = changes
    return _AllLines(all_pairs).widen(change, differing, contexts)


def _widened_changes(change: WordChange, contexts: Sequence[_Context]) -> Iterator[WordChange]:
    """Yields the change, widened by more and more of the tokens around it that all contexts share.

    Changes whose expected text contains no word, or which are widened by a blank at an end, are left out.
    """
    before, after = (
        _common_beginning([getattr(context, side) for context in contexts]) for side in ("before", "after")
    )
    extents = (
        (before_count, after_count) for before_count in range(len(before) + 1) for after_count in range(len(after) + 1)
    )
    for before_count, after_count in sorted(extents, key=lambda extent: (sum(extent), extent[1])):
        start, end = b"".join(reversed(before[:before_count])), b"".join(after[:after_count])
        widened = WordChange(start + change.expected + end, start + change.actual + end)
        # If the expected text is blank, a word must stand on both sides: a blank is visible only between two words.
        words = (start, end) if change.expected and not change.expected.strip() else (widened.expected,)
        if all(map(_WORD.search, words)) and not start[:1].isspace() and not end[-1:].isspace():
            yield widened


def _common_beginning(contexts: Sequence[tuple[bytes, ...]]) -> tuple[bytes, ...]:
    tokens_by_distance = zip(*contexts, strict=False)
    return tuple(tokens[0] for tokens in takewhile(lambda tokens: len(set(tokens)) == 1, tokens_by_distance))


def _belongs_to_other_outcome(pair: LinePair, change: WordChange, expected_lines: set[tuple[bytes, ...]]) -> bool:
    """Whether the correct program shows the actual line elsewhere: then the line belongs to another outcome."""
    actual = _tokens(pair[1])
    if not pair[1].strip() or not change.actual.strip():
        return False
    changed_tokens = set(_tokens(change.actual))
    return tuple(token if token in changed_tokens else _with_number_masked(token) for token in actual) in expected_lines


def _joined_tokens(line: bytes) -> bytes:
    """The tokens of a line, with zero bytes around each token."""
    return b"\0" + b"".join(token + b"\0" for token in _tokens(line))


def _tokens(line: bytes) -> list[bytes]:
    return _TOKENS.findall(line)


def _with_number_masked(token: bytes) -> bytes:
    """The token, or `#` if it is a number."""
    return _NUMBER_MARK if token.isdigit() else token


@lru_cache(maxsize=4096)
def _contexts(expected: bytes, actual: bytes) -> tuple[_Context, ...]:
    expected_tokens, actual_tokens = _tokens(expected), _tokens(actual)
    matcher = SequenceMatcher(None, expected_tokens, actual_tokens, autojunk=False)
    return tuple(_contexts_of_opcodes(expected_tokens, actual_tokens, matcher.get_opcodes()))


def _contexts_of_opcodes(
    expected_tokens: Sequence[bytes], actual_tokens: Sequence[bytes], opcodes: Iterable[tuple[str, int, int, int, int]]
) -> Iterator[_Context]:
    for kind, start, end, actual_start, actual_end in opcodes:
        if kind != "equal":
            change = WordChange(b"".join(expected_tokens[start:end]), b"".join(actual_tokens[actual_start:actual_end]))
            yield _Context(change, tuple(reversed(expected_tokens[:start])), tuple(expected_tokens[end:]))
