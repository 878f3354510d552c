"""Which lines a program may show instead of the expected lines, and which numbers in a line may differ.

A line is the program's text on one line of the screen, normalized by the policy. `fillings` returns the changes that
copy permitted lines and numbers of the program into the expected session: any difference left after them is an error.
`rule_at` returns the rule that a differing line breaks.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

import msgspec

from pitboss.model.comparison_policy import Policy, Tolerance
from pitboss.model.screen_lines import pieces_of
from pitboss.model.transcript import Event, Paused, Shown, Typed

Range = tuple[int, int]
#: A number as people write it: not part of a word, and with digits after the point.
_NUMBER = re.compile(rb"(?<![\w.])[+-]?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?(?!\w)")
#: Longer numbers are compared as text: nobody reads them as numbers.
_MAX_NUMBER_LENGTH = 400


class Replacement(NamedTuple):
    """A range of a session, and the text that replaces it. Offsets count bytes of text, and 1 for each other event."""

    start: int
    end: int
    text: bytes = b""


class NumberOutOfTolerance(msgspec.Struct, frozen=True, tag="number off"):
    """A number that is further from the expected number than allowed."""

    expected: str
    found: str
    tolerance: Tolerance


class Unmatched(msgspec.Struct, frozen=True, tag="unmatched"):
    """A line that does not match the regular expression of the expected line."""

    pattern: str


class NotOfBlock(msgspec.Struct, frozen=True, tag="not of the block"):
    """A line that is none of the remaining lines of a block whose lines may come in any order."""


LineRule = NumberOutOfTolerance | Unmatched | NotOfBlock


class LocatedLine:
    """A line of the screen: its text, its offsets, and how it ends."""

    def __init__(self) -> None:
        """Start an empty line."""
        self.text = b""
        #: The ranges of its text, without the newline.
        self.ranges: list[Range] = []
        self.pauses: list[Range] = []
        self.newline: Range | None = None
        self.is_typed = False

    @property
    def ends_alike(self) -> tuple[bool, bool]:
        """Whether a newline ends it, and whether a typed line does; the last line is ended by neither."""
        return self.newline is not None, self.is_typed

    @property
    def may_move(self) -> bool:
        """Whether it can be moved: it is text without a pause in it, and ends with a newline."""
        return self.newline is not None and not self.is_typed and len(self.ranges) == 1

    def end_of(self, size: int) -> list[Range]:
        """Return the ranges of the last `size` bytes of its text."""
        ranges = []
        for start, end in reversed(self.ranges):
            if size > 0:
                ranges.append((max(start, end - size), end))
                size -= end - start
        return ranges

    def fits(self, patterns: Sequence[re.Pattern[str]]) -> bool:
        """Whether it matches one of the patterns."""
        text = self.text.decode("utf-8", "surrogateescape") if patterns else ""
        return any(pattern.search(text) for pattern in patterns)


def located_lines(events: Iterable[Event]) -> list[LocatedLine]:
    """Returns the lines of the screen; the last, unfinished line may be empty."""
    lines, offset = [LocatedLine()], 0
    for piece, is_end in pieces_of(events):
        line, start = lines[-1], offset
        offset += len(piece.text) if isinstance(piece, Shown) else 1
        match piece:
            case Shown(text):
                stop = offset - is_end
                if stop > start:
                    line.text += text[: stop - start]
                    line.ranges.append((start, stop))
                line.newline = (stop, offset) if is_end else None
            case Typed():
                line.is_typed = True
            case Paused():
                line.pauses.append((start, offset))
        if is_end:
            lines.append(LocatedLine())
    return lines


@functools.cache
def compiled(patterns: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    """Returns the compiled patterns."""
    return tuple(map(re.compile, patterns))


def wordings_of(texts: Iterable[str], policy: Policy) -> set[str]:
    """Returns these texts, and likely other texts that are the same under the policy."""
    wordings = set(texts)
    for group in policy.alternatives:
        for text in tuple(wordings):
            wordings |= {
                text.replace(part, alternative) for part in group if part and part in text for alternative in group
            }
    if "ignored" in (policy.trailing_blanks, policy.blanks):
        wordings |= {text.rstrip(" ") for text in wordings} | {text.rstrip(" ") + " " for text in wordings}
    return wordings


def has_line_rules(policy: Policy) -> bool:
    """Whether the policy accepts a line, or a number in it, that differs from the expected one."""
    return bool(policy.free_lines or policy.matches or policy.numbers or policy.any_order)


def fillings(expected: tuple[Event, ...], actual: tuple[Event, ...], policy: Policy) -> list[Replacement]:
    """Returns the changes that put permitted lines and numbers of the actual session into the expected one, in order.

    Both sessions must be normalized by the policy.
    """
    if not has_line_rules(policy):
        return []
    expected_lines, actual_lines = located_lines(expected), located_lines(actual)
    sources = moved_lines(expected_lines, actual_lines, policy)
    replacements: list[Replacement] = []
    for index, (expected_line, actual_line) in enumerate(zip(expected_lines, actual_lines, strict=False)):
        if index in sources:
            source_text = expected_lines[sources[index]].text
            is_alike = actual_line.may_move
            changes = _permitted_changes(source_text, actual_line.text, policy, source_text) if is_alike else []
            replacements.append(Replacement(*expected_line.ranges[0], _text_with_changes(source_text, changes)))
        elif expected_line.ends_alike == actual_line.ends_alike and len(expected_line.ranges) == len(
            actual_line.ranges
        ):
            replacements += _line_changes(expected_line, actual_line, policy)
    replacements += [
        Replacement(*line.ranges[0], expected_lines[sources[index]].text)
        for index, line in enumerate(expected_lines)
        if index in sources and index >= len(actual_lines)
    ]
    return replacements


def moved_lines(ours: Sequence[LocatedLine], theirs: Sequence[LocatedLine], policy: Policy) -> dict[int, int]:
    """Returns the indexes of lines that may come in any order, each with the index of the expected line to put there.

    Only lines that move are included. Expected lines that the program does not show get the remaining indexes.
    """
    if not policy.any_order:
        return {}
    sources = {}
    for block in _blocks(ours, policy):
        sources.update(_sources_in_block(block, ours, theirs, policy))
    return {index: source for index, source in sources.items() if index != source}


def rule_at(expected: bytes, actual: bytes, policy: Policy) -> LineRule | None:
    """Returns the rule that an actual line breaks where it differs from the expected line; None if it breaks none."""
    if (tolerance := _tolerance_of(expected, policy)) is not None:
        pairs = list(zip(_NUMBER.finditer(expected), _NUMBER.finditer(actual), strict=False))
        wrong_pair = next((pair for pair in pairs if not _is_within(pair[0][0], pair[1][0], tolerance)), None)
        if wrong_pair is not None and _text_without_numbers(expected[: wrong_pair[0].start()]) == _text_without_numbers(
            actual[: wrong_pair[1].start()]
        ):
            return NumberOutOfTolerance(wrong_pair[0][0].decode(), wrong_pair[1][0].decode(), tolerance)
    for pattern in policy.matches:
        if _matches_any((pattern,), expected, policy) and not _matches_any((pattern,), actual, policy):
            return Unmatched(pattern)
    return NotOfBlock() if _matches_any(policy.any_order, expected, policy) else None


def _text_without_numbers(text: bytes) -> bytes:
    return _NUMBER.sub(b"0", text)


def _line_changes(expected_line: LocatedLine, actual_line: LocatedLine, policy: Policy) -> Iterator[Replacement]:
    """Yields the permitted changes of a line; each piece between two pauses is compared separately."""
    expected_done = actual_done = 0
    for (start, end), (actual_start, actual_end) in zip(expected_line.ranges, actual_line.ranges, strict=True):
        expected = expected_line.text[expected_done : expected_done + end - start]
        actual = actual_line.text[actual_done : actual_done + actual_end - actual_start]
        expected_done, actual_done = expected_done + len(expected), actual_done + len(actual)
        for first, last, text in _permitted_changes(expected, actual, policy, expected_line.text):
            yield Replacement(start + first, start + last, text)


def _permitted_changes(expected: bytes, actual: bytes, policy: Policy, line: bytes) -> list[Replacement]:
    """Returns the permitted changes of `expected`, the expected `line` or a part of it, by offsets in `expected`."""
    if expected == actual:
        return []
    if expected == line and actual.strip() and _may_replace(expected, actual, policy):
        return [Replacement(0, len(expected), actual)]
    tolerance = _tolerance_of(line, policy)
    pairs = zip(_NUMBER.finditer(expected), _NUMBER.finditer(actual), strict=False) if tolerance is not None else ()
    return [
        Replacement(*expected_number.span(), actual_number[0])
        for expected_number, actual_number in pairs
        if expected_number[0] != actual_number[0]
        and tolerance is not None
        and _is_within(expected_number[0], actual_number[0], tolerance)
    ]


def _text_with_changes(text: bytes, changes: Sequence[Replacement]) -> bytes:
    for start, end, replacement in reversed(changes):
        text = text[:start] + replacement + text[end:]
    return text


def _may_replace(expected: bytes, actual: bytes, policy: Policy) -> bool:
    """Whether this line is permitted instead of the expected line."""
    return _matches_any(policy.free_lines, expected, policy) or any(
        _matches_any((pattern,), expected, policy) and _matches_any((pattern,), actual, policy)
        for pattern in policy.matches
    )


def _matches_any(patterns: tuple[str, ...], line: bytes, policy: Policy) -> bool:
    """Whether a pattern matches a normalized line or a likely original of it, for which patterns are written."""
    if not patterns:
        return False
    wordings = wordings_of([line.decode("utf-8", "surrogateescape")], policy)
    return any(pattern.search(text) for text in wordings for pattern in compiled(patterns))


def _tolerance_of(line: bytes, policy: Policy) -> Tolerance | None:
    """Returns the first tolerance that applies to an expected line; None if none does."""
    return next(
        (
            tolerance
            for tolerance in policy.numbers
            if not tolerance.lines or _matches_any(tolerance.lines, line, policy)
        ),
        None,
    )


def _is_within(expected: bytes, actual: bytes, tolerance: Tolerance) -> bool:
    """Whether a number is within the tolerance; very long numbers must be equal."""
    if max(len(expected), len(actual)) > _MAX_NUMBER_LENGTH:
        return expected == actual
    expected_number = Fraction(expected.decode())
    distance = abs(Fraction(actual.decode()) - expected_number)
    return distance <= Fraction(tolerance.within) or distance <= Fraction(tolerance.relative) * abs(expected_number)


def _blocks(lines: Sequence[LocatedLine], policy: Policy) -> Iterator[range]:
    """Yields the indexes of each block of two or more neighbouring lines that may come in any order."""
    first = 0
    for index in range(len(lines) + 1):
        if index < len(lines) and lines[index].may_move and _matches_any(policy.any_order, lines[index].text, policy):
            continue
        if index - first > 1:
            yield range(first, index)
        first = index + 1


def _sources_in_block(
    block: range, expected_lines: Sequence[LocatedLine], actual_lines: Sequence[LocatedLine], policy: Policy
) -> dict[int, int]:
    """Returns for each index of a block the expected line to put there, so that as many lines as possible match."""
    actual_texts = {
        index: actual_lines[index].text for index in block if index < len(actual_lines) and actual_lines[index].may_move
    }
    # Lines can match only if they differ just in numbers, or if a pattern permits many lines.
    unrestricted = [
        line for line in block if _matches_any((*policy.free_lines, *policy.matches), expected_lines[line].text, policy)
    ]
    alike: dict[bytes, list[int]] = {}
    for line in block:
        alike.setdefault(_text_without_numbers(expected_lines[line].text.lower()), []).append(line)
    candidates = {}
    for index, text in actual_texts.items():
        lines = dict.fromkeys((*alike.get(_text_without_numbers(text.lower()), ()), *unrestricted))
        fits = [line for line in lines if _is_accepted_as(expected_lines[line].text, text, policy)]
        candidates[index] = sorted(fits, key=lambda line: (expected_lines[line].text != text, line != index))
    sources = _assigned_lines(candidates)
    remaining = [line for line in block if line not in sources.values()]
    return sources | dict(zip([index for index in block if index not in sources], remaining, strict=True))


def _is_accepted_as(expected: bytes, actual: bytes, policy: Policy) -> bool:
    """Whether an actual line differs from the expected line only in permitted ways."""
    text = _text_with_changes(expected, _permitted_changes(expected, actual, policy, expected))
    return text.lower() == actual.lower() if policy.letter_case == "ignored" else text == actual


def _assigned_lines(candidates: Mapping[int, Sequence[int]]) -> dict[int, int]:
    """Returns for as many indexes as possible one of their candidates, each line once. Finds augmenting paths."""
    index_of: dict[int, int] = {}
    for index in candidates:
        reached_from: dict[int, int] = {}  # for each line reached: the index from which it was reached
        waiting, end = [index], None
        while waiting and end is None:
            current = waiting.pop(0)
            for line in candidates[current]:
                if line in reached_from:
                    continue
                reached_from[line] = current
                if line not in index_of:
                    end = line
                    break
                waiting.append(index_of[line])
        line_of = {used_index: line for line, used_index in index_of.items()}
        while end is not None:
            current = reached_from[end]
            index_of[end], end = current, line_of.get(current) if current != index else None
    return {index: line for line, index in index_of.items()}
