"""Which lines a program may show instead of the expected lines, and which numbers in a line may differ.

A line is the program's text on one line of the screen, normalized by the policy. `with_permitted_lines` copies the
permitted lines and numbers of the program into the expected session: any difference left after that is an error.
`line_rule_violation` returns how a differing line breaks a rule. All texts are flat.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

import msgspec

from pitboss.model.comparison_policy import Tolerance
from pitboss.model.equality import (
    Equal,
    Located,
    LocatedLine,
    Replacement,
    compile_patterns,
    lines_in,
    with_changes,
)
from pitboss.model.transcript import decoded

#: A number as people write it: it is not part of a word, and digits follow its point, if it has one.
_NUMBER = re.compile(r"(?<![\w.])[+-]?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?(?!\w)", re.ASCII)
#: The maximum length of a number that a tolerance applies to. Longer numbers must be equal as text: nobody reads them
#: as numbers.
_MAX_NUMBER_LENGTH = 400
#: What bytes.strip strips.
_WHITESPACE = " \t\n\r\v\f"


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


def with_permitted_lines(expected: Located, actual: Located, equal: Equal) -> Located:
    """Returns the expected session with the permitted lines and numbers of the actual session."""
    if not equal.policy.has_line_rules:
        return expected
    expected_lines, actual_lines = list(lines_in(expected.text)), list(lines_in(actual.text))
    sources = _sources_of_moved_lines(expected_lines, actual_lines, equal)
    changes: list[Replacement] = []
    for index, line in enumerate(expected_lines):
        actual_line = actual_lines[index] if index < len(actual_lines) else None
        if index in sources:
            text = expected_lines[sources[index]].text
            if actual_line is not None and actual_line.may_move:
                text = with_changes(text, _permitted_changes(text, actual_line.text, text, equal))
            changes.append(Replacement(*line.ranges[0], text))
        elif actual_line is not None and line.flat != actual_line.flat:
            changes += _line_changes(line, actual_line, equal)
    return expected.changed(changes)


def with_moved_lines(expected: Located, actual: Located, equal: Equal) -> str:
    """Returns the original expected session; lines that may come in any order have the order of the actual session."""
    lines = list(lines_in(expected.text))
    sources = _sources_of_moved_lines(lines, list(lines_in(actual.text)), equal)
    # A line that may move has only one range.
    origins = {index: expected.origin(*lines[index].ranges[0]) for index in sources}
    changes = [
        Replacement(*origins[index], expected.original[slice(*origins[source])]) for index, source in sources.items()
    ]
    return with_changes(expected.original, sorted(changes))


def _sources_of_moved_lines(
    expected_lines: Sequence[LocatedLine], actual_lines: Sequence[LocatedLine], equal: Equal
) -> dict[int, int]:
    """Returns the order of expected lines that may come in any order: for an index, the index of the line to put there.

    Indexes whose line stays are left out. Expected lines that the program does not show get the indexes that the shown
    lines do not need.
    """
    sources = {}
    for block in _blocks_in_any_order(expected_lines, equal) if equal.policy.any_order else ():
        sources.update(_sources_in_block(block, expected_lines, actual_lines, equal))
    return {index: source for index, source in sources.items() if index != source}


def line_rule_violation(expected: str, actual: str, equal: Equal) -> LineRuleViolation | None:
    """Returns how the actual line breaks a rule of the expected line; None if the actual line breaks no rule."""
    if (tolerance := _tolerance_of(expected, equal)) is not None:
        for expected_number, actual_number in zip(_NUMBER.finditer(expected), _NUMBER.finditer(actual), strict=False):
            if _is_within(expected_number[0], actual_number[0], tolerance):
                continue
            before = (expected[: expected_number.start()], actual[: actual_number.start()])
            is_short = len(expected_number[0]) <= _MAX_NUMBER_LENGTH >= len(actual_number[0])
            if is_short and len(set(map(_text_without_numbers, before))) == 1:
                return NumberOutOfTolerance(expected_number[0], actual_number[0], tolerance)
            break  # a number is too long, or words differ before these numbers, so they need not correspond
    for pattern in equal.policy.matches:
        if _matches_any((pattern,), expected, equal) and not _matches_any((pattern,), actual, equal):
            return Unmatched(pattern)
    return LineOutsideBlock() if _matches_any(equal.policy.any_order, expected, equal) else None


def _text_without_numbers(text: str) -> str:
    """Returns the text with 0 for each number."""
    return _NUMBER.sub("0", text)


def _line_changes(expected_line: LocatedLine, actual_line: LocatedLine, equal: Equal) -> Iterator[Replacement]:
    """Yields the permitted changes of a line; each piece between two pauses is compared separately."""
    pieces, actual_pieces = expected_line.ranges, actual_line.ranges
    if expected_line.ending != actual_line.ending or len(pieces) != len(actual_pieces):
        return
    for (start, end), (actual_start, actual_end) in zip(pieces, actual_pieces, strict=True):
        expected = expected_line.flat[start - expected_line.start : end - expected_line.start]
        actual = actual_line.flat[actual_start - actual_line.start : actual_end - actual_line.start]
        for first, last, text in _permitted_changes(expected, actual, expected_line.text, equal):
            yield Replacement(start + first, start + last, text)


def _permitted_changes(expected: str, actual: str, line: str, equal: Equal) -> list[Replacement]:
    """Returns the permitted changes of `expected`, which is the expected `line` or a part of it.

    The offsets of the changes are offsets in `expected`.
    """
    if expected == actual:
        return []
    if expected == line and actual.strip(_WHITESPACE):
        matches = equal.policy.matches
        patterns = tuple(each for each in matches if _matches_any((each,), actual, equal))
        if _matches_any((*equal.policy.free_lines, *patterns), expected, equal):
            return [Replacement(0, len(expected), actual)]
    tolerance = _tolerance_of(line, equal)
    pairs = zip(_NUMBER.finditer(expected), _NUMBER.finditer(actual), strict=False) if tolerance is not None else ()
    return [
        Replacement(*expected_number.span(), actual_number[0])
        for expected_number, actual_number in pairs
        if expected_number[0] != actual_number[0]
        and tolerance is not None
        and _is_within(expected_number[0], actual_number[0], tolerance)
    ]


def _matches_any(patterns: tuple[str, ...], line: str, equal: Equal) -> bool:
    """Whether a pattern matches a normalized line or one of its likely originals: patterns describe original lines."""
    variants = equal.variants(decoded(line)) if patterns else ()
    return any(pattern.search(text) for text in variants for pattern in compile_patterns(patterns))


def _tolerance_of(line: str, equal: Equal) -> Tolerance | None:
    """Returns the first tolerance that applies to an expected line; None if no tolerance applies."""
    tolerances = equal.policy.numbers
    return next((each for each in tolerances if not each.lines or _matches_any(each.lines, line, equal)), None)


def _is_within(expected: str, actual: str, tolerance: Tolerance) -> bool:
    """Whether a number is within the tolerance of the expected number; very long numbers must be equal as text."""
    if max(len(expected), len(actual)) > _MAX_NUMBER_LENGTH:
        return expected == actual
    expected_number = Fraction(expected)
    distance = abs(Fraction(actual) - expected_number)
    return distance <= Fraction(tolerance.within) or distance <= Fraction(tolerance.relative) * abs(expected_number)


def _blocks_in_any_order(lines: Sequence[LocatedLine], equal: Equal) -> Iterator[range]:
    """Yields the indexes of each block of two or more neighbouring lines that may come in any order."""
    first = 0
    for index in range(len(lines) + 1):
        line = lines[index] if index < len(lines) else None
        if line is not None and line.may_move and _matches_any(equal.policy.any_order, line.text, equal):
            continue
        if index - first > 1:
            yield range(first, index)
        first = index + 1


def _sources_in_block(
    block: range, expected_lines: Sequence[LocatedLine], actual_lines: Sequence[LocatedLine], equal: Equal
) -> dict[int, int]:
    """Returns for each index of a block the index of the expected line to put there.

    The expected lines are arranged so that as many as possible match the actual lines. `source` is always the index of
    an expected line.
    """
    # An actual line can be accepted for an expected line only if nothing but numbers and letter case differ, or if a
    # pattern permits other lines in place of the expected line.
    patterns = (*equal.policy.free_lines, *equal.policy.matches)
    pattern_sources = [source for source in block if _matches_any(patterns, expected_lines[source].text, equal)]
    sources_by_text: dict[str, list[int]] = {}
    for source in block:
        sources_by_text.setdefault(_text_without_numbers(expected_lines[source].text.lower()), []).append(source)
    candidates = {}
    for index in block:
        if index >= len(actual_lines) or not actual_lines[index].may_move:
            continue
        text = actual_lines[index].text
        similar_sources = sources_by_text.get(_text_without_numbers(text.lower()), ())
        possible_sources = dict.fromkeys((*similar_sources, *pattern_sources))
        accepted_sources = [
            source for source in possible_sources if _is_accepted_as(expected_lines[source].text, text, equal)
        ]
        # Prefer an equal line, then the line at the same index.
        candidates[index] = sorted(
            accepted_sources, key=lambda source: (expected_lines[source].text != text, source != index)
        )
    sources = _maximum_matching(candidates)
    unused_sources = [source for source in block if source not in sources.values()]
    return sources | dict(zip([index for index in block if index not in sources], unused_sources, strict=True))


def _is_accepted_as(expected: str, actual: str, equal: Equal) -> bool:
    """Whether an actual line differs from the expected line only in permitted ways."""
    text = with_changes(expected, _permitted_changes(expected, actual, expected, equal))
    return equal.fold(text) == equal.fold(actual)


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
