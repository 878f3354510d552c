"""Which lines a program may show instead of the expected lines, and which numbers in a line may differ.

A line is the program's text on one line of the screen, normalized by the policy. `permitted_replacements` returns the
changes that copy permitted lines and numbers of the program into the expected session: any difference left after them
is an error. `line_rule_violation` returns how a differing line breaks a rule.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

import msgspec

from pitboss.model.comparison_policy import Policy, Tolerance
from pitboss.model.transcript import Event, Paused, Shown, Typed, pieces_of

#: A start and an end offset in a session, counted like those of `Replacement`.
Range = tuple[int, int]
#: A number as people write it: it is not part of a word, and digits follow its point, if it has one.
_NUMBER = re.compile(rb"(?<![\w.])[+-]?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?(?!\w)")
#: The maximum length of a number that a tolerance applies to. Longer numbers must be equal as text: nobody reads them
#: as numbers.
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


class LineOutsideBlock(msgspec.Struct, frozen=True, tag="not of the block"):
    """A line that is none of the remaining lines of a block whose lines may come in any order."""


LineRuleViolation = NumberOutOfTolerance | Unmatched | LineOutsideBlock


class LocatedLine:
    """A line of the screen: its text, its offsets, and how it ends."""

    def __init__(self) -> None:
        """Start an empty line."""
        self.text = b""
        #: Where the line's text is in the session, without the newline: several ranges if other events interrupt it.
        self.ranges: list[Range] = []
        #: The ranges of the pauses in the line.
        self.pauses: list[Range] = []
        #: The range of the newline; None if the line does not end with a newline.
        self.newline: Range | None = None
        #: Whether a typed line ends the line.
        self.is_typed = False

    @property
    def line_end(self) -> tuple[bool, bool]:
        """Whether a newline ends the line, and whether a typed line ends the line; both are False for the last line."""
        return self.newline is not None, self.is_typed

    @property
    def may_move(self) -> bool:
        """Whether the line can be moved: it has text that no other event interrupts, and ends with a newline."""
        return self.newline is not None and not self.is_typed and len(self.ranges) == 1

    def ranges_at_end(self, size: int) -> list[Range]:
        """Return the ranges of the last `size` bytes of the line's text; the range at the end comes first."""
        ranges = []
        for start, end in reversed(self.ranges):
            if size > 0:
                ranges.append((max(start, end - size), end))
                size -= end - start
        return ranges

    def matches_any_pattern(self, patterns: Sequence[re.Pattern[str]]) -> bool:
        """Whether the line's text matches one of the patterns."""
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
                text_end = offset - 1 if is_end else offset  # without the newline
                if text_end > start:
                    line.text += text[: text_end - start]
                    line.ranges.append((start, text_end))
                line.newline = (text_end, offset) if is_end else None
            case Typed():
                line.is_typed = True
            case Paused():
                line.pauses.append((start, offset))
        if is_end:
            lines.append(LocatedLine())
    return lines


#: The same session of the program is compared with many sessions of the reference.
_lines_of_actual = functools.lru_cache(maxsize=32)(located_lines)


@functools.cache
def compile_patterns(patterns: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    """Returns the regular expressions, compiled."""
    return tuple(map(re.compile, patterns))


def likely_variants_of(texts: Iterable[str], policy: Policy) -> set[str]:
    """Returns these texts and likely variants, which the policy treats as equal: other alternatives, other blanks."""
    variants = set(texts)
    for group in policy.alternatives:
        for text in tuple(variants):
            variants |= {
                text.replace(part, alternative) for part in group if part and part in text for alternative in group
            }
    if "ignored" in (policy.trailing_blanks, policy.blanks):
        variants |= {text.rstrip(" ") for text in variants} | {text.rstrip(" ") + " " for text in variants}
    return variants


def has_line_rules(policy: Policy) -> bool:
    """Whether the policy accepts a line, or a number in it, that differs from the expected one."""
    return bool(policy.free_lines or policy.matches or policy.numbers or policy.any_order)


def permitted_replacements(expected: tuple[Event, ...], actual: tuple[Event, ...], policy: Policy) -> list[Replacement]:
    """Returns the changes, in order, that put permitted lines and numbers of the actual into the expected session.

    Both sessions must be normalized by the policy.
    """
    if not has_line_rules(policy):
        return []
    expected_lines, actual_lines = located_lines(expected), _lines_of_actual(actual)
    sources = sources_of_moved_lines(expected_lines, actual_lines, policy)
    replacements: list[Replacement] = []
    for index, (expected_line, actual_line) in enumerate(zip(expected_lines, actual_lines, strict=False)):
        if index in sources:
            source_text = expected_lines[sources[index]].text
            changes: list[Replacement] = []
            if actual_line.may_move:
                changes = _permitted_changes(source_text, actual_line.text, policy, source_text)
            replacements.append(Replacement(*expected_line.ranges[0], _text_with_changes(source_text, changes)))
        elif expected_line.line_end == actual_line.line_end and len(expected_line.ranges) == len(actual_line.ranges):
            replacements += _line_changes(expected_line, actual_line, policy)
    # Expected lines after the program's last line are only put in their new order: no actual line can replace them.
    replacements += [
        Replacement(*line.ranges[0], expected_lines[sources[index]].text)
        for index, line in enumerate(expected_lines)
        if index in sources and index >= len(actual_lines)
    ]
    return replacements


def sources_of_moved_lines(
    expected_lines: Sequence[LocatedLine], actual_lines: Sequence[LocatedLine], policy: Policy
) -> dict[int, int]:
    """Returns the order of expected lines that may come in any order: for an index, the index of the line to put there.

    Indexes whose line stays are left out. Expected lines that the program does not show get the indexes that the shown
    lines do not need.
    """
    if not policy.any_order:
        return {}
    sources = {}
    for block in _blocks_in_any_order(expected_lines, policy):
        sources.update(_sources_in_block(block, expected_lines, actual_lines, policy))
    return {index: source for index, source in sources.items() if index != source}


def line_rule_violation(expected: bytes, actual: bytes, policy: Policy) -> LineRuleViolation | None:
    """Returns how the actual line breaks a rule of the expected line; None if the actual line breaks no rule."""
    if (tolerance := _tolerance_of(expected, policy)) is not None:
        for expected_number, actual_number in zip(_NUMBER.finditer(expected), _NUMBER.finditer(actual), strict=False):
            if _is_within(expected_number[0], actual_number[0], tolerance):
                continue
            text_before_expected = expected[: expected_number.start()]
            text_before_actual = actual[: actual_number.start()]
            is_short = len(expected_number[0]) <= _MAX_NUMBER_LENGTH >= len(actual_number[0])
            if is_short and _text_without_numbers(text_before_expected) == _text_without_numbers(text_before_actual):
                return NumberOutOfTolerance(expected_number[0].decode(), actual_number[0].decode(), tolerance)
            break  # a number is too long, or words differ before these numbers, so they need not correspond
    for pattern in policy.matches:
        if _matches_any((pattern,), expected, policy) and not _matches_any((pattern,), actual, policy):
            return Unmatched(pattern)
    return LineOutsideBlock() if _matches_any(policy.any_order, expected, policy) else None


def _text_without_numbers(text: bytes) -> bytes:
    """Returns the text with 0 for each number."""
    return _NUMBER.sub(b"0", text)


def _line_changes(expected_line: LocatedLine, actual_line: LocatedLine, policy: Policy) -> Iterator[Replacement]:
    """Yields the permitted changes of a line; each piece between two pauses is compared separately."""
    expected_offset = actual_offset = 0
    for (start, end), (actual_start, actual_end) in zip(expected_line.ranges, actual_line.ranges, strict=True):
        expected = expected_line.text[expected_offset : expected_offset + end - start]
        actual = actual_line.text[actual_offset : actual_offset + actual_end - actual_start]
        expected_offset, actual_offset = expected_offset + len(expected), actual_offset + len(actual)
        for first, last, text in _permitted_changes(expected, actual, policy, expected_line.text):
            yield Replacement(start + first, start + last, text)


def _permitted_changes(expected: bytes, actual: bytes, policy: Policy, line: bytes) -> list[Replacement]:
    """Returns the permitted changes of `expected`, which is the expected `line` or a part of it.

    The offsets of the changes are offsets in `expected`.
    """
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
    """Whether the policy permits the complete actual line instead of the expected line."""
    return _matches_any(policy.free_lines, expected, policy) or any(
        _matches_any((pattern,), expected, policy) and _matches_any((pattern,), actual, policy)
        for pattern in policy.matches
    )


def _matches_any(patterns: tuple[str, ...], line: bytes, policy: Policy) -> bool:
    """Whether a pattern matches a normalized line or one of its likely originals: patterns describe original lines."""
    if not patterns:
        return False
    variants = likely_variants_of([line.decode("utf-8", "surrogateescape")], policy)
    return any(pattern.search(text) for text in variants for pattern in compile_patterns(patterns))


def _tolerance_of(line: bytes, policy: Policy) -> Tolerance | None:
    """Returns the first tolerance that applies to an expected line; None if no tolerance applies."""
    return next(
        (
            tolerance
            for tolerance in policy.numbers
            if not tolerance.lines or _matches_any(tolerance.lines, line, policy)
        ),
        None,
    )


def _is_within(expected: bytes, actual: bytes, tolerance: Tolerance) -> bool:
    """Whether a number is within the tolerance of the expected number; very long numbers must be equal as text."""
    if max(len(expected), len(actual)) > _MAX_NUMBER_LENGTH:
        return expected == actual
    expected_number = Fraction(expected.decode())
    distance = abs(Fraction(actual.decode()) - expected_number)
    return distance <= Fraction(tolerance.within) or distance <= Fraction(tolerance.relative) * abs(expected_number)


def _blocks_in_any_order(lines: Sequence[LocatedLine], policy: Policy) -> Iterator[range]:
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
    """Returns for each index of a block the index of the expected line to put there.

    The expected lines are arranged so that as many as possible match the actual lines. `source` is always the index of
    an expected line.
    """
    actual_texts = {
        index: actual_lines[index].text for index in block if index < len(actual_lines) and actual_lines[index].may_move
    }
    # An actual line can be accepted for an expected line only if nothing but numbers and letter case differ, or if a
    # pattern permits other lines in place of the expected line.
    pattern_sources = [
        source
        for source in block
        if _matches_any((*policy.free_lines, *policy.matches), expected_lines[source].text, policy)
    ]
    sources_by_text: dict[bytes, list[int]] = {}
    for source in block:
        sources_by_text.setdefault(_text_without_numbers(expected_lines[source].text.lower()), []).append(source)
    candidates = {}
    for index, text in actual_texts.items():
        similar_sources = sources_by_text.get(_text_without_numbers(text.lower()), ())
        possible_sources = dict.fromkeys((*similar_sources, *pattern_sources))
        accepted_sources = [
            source for source in possible_sources if _is_accepted_as(expected_lines[source].text, text, policy)
        ]
        # Prefer an equal line, then the line at the same index.
        candidates[index] = sorted(
            accepted_sources, key=lambda source: (expected_lines[source].text != text, source != index)
        )
    sources = _maximum_matching(candidates)
    unused_sources = [source for source in block if source not in sources.values()]
    return sources | dict(zip([index for index in block if index not in sources], unused_sources, strict=True))


def _is_accepted_as(expected: bytes, actual: bytes, policy: Policy) -> bool:
    """Whether an actual line differs from the expected line only in permitted ways."""
    text = _text_with_changes(expected, _permitted_changes(expected, actual, policy, expected))
    return text.lower() == actual.lower() if policy.letter_case == "ignored" else text == actual


def _maximum_matching(candidates: Mapping[int, Sequence[int]]) -> dict[int, int]:
    """Returns a maximum matching: as many indexes as possible, each with one of its candidate lines, no line twice.

    `candidates` has the candidate lines of each index. The algorithm searches for augmenting paths.
    """
    index_of: dict[int, int] = {}
    for index in candidates:
        reached_from: dict[int, int] = {}  # for each line reached: the index from which it was reached
        queue, unmatched_line = [index], None
        while queue and unmatched_line is None:
            current = queue.pop(0)
            for line in candidates[current]:
                if line in reached_from:
                    continue
                reached_from[line] = current
                if line not in index_of:
                    unmatched_line = line
                    break
                queue.append(index_of[line])
        line_of = {used_index: line for line, used_index in index_of.items()}
        # Back along the path to `index`: each index gets the unmatched line, and its former line becomes unmatched.
        while unmatched_line is not None:
            current = reached_from[unmatched_line]
            former_line = line_of.get(current) if current != index else None
            index_of[unmatched_line], unmatched_line = current, former_line
    return {index: line for line, index in index_of.items()}
