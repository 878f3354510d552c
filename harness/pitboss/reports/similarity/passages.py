"""The passages that two programs share: runs of equal tokens, extended from a shared fingerprint to both sides."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from itertools import product

from pitboss.reports.similarity.symbols import Tokens
from pitboss.reports.similarity.winnowing import K, covered, fingerprints_between
from pitboss.reports.similarity.works import Lines, Passage

#: The maximum number of occurrences of a fingerprint in one program that are examined.
_MAX_OCCURRENCES = 8

#: The index of a file, and the index of a token in it.
_Position = tuple[int, int]


def passages_of(
    left: Sequence[Tokens],
    right: Sequence[Tokens],
    shared: Collection[bytes],
    given: Collection[bytes],
    common: Collection[bytes],
) -> tuple[Passage, ...]:
    """The passages of two works around these fingerprints, the longest first, without overlaps.

    A passage does not extend into given or common code.
    """
    occurrences = _occurrences(left, shared, given), _occurrences(right, shared, given)
    left_out = {*given, *common}
    masks = (
        [covered(file_tokens.symbols, left_out) for file_tokens in left],
        [covered(file_tokens.symbols, left_out) for file_tokens in right],
    )
    runs: set[tuple[int, _Position, _Position]] = set()
    searched_until: dict[tuple[int, int, int], int] = {}
    for gram in sorted(shared):
        for (left_file, left_start), (right_file, right_start) in product(
            occurrences[0].get(gram, ()), occurrences[1].get(gram, ())
        ):
            diagonal = (left_file, right_file, left_start - right_start)
            if searched_until.get(diagonal, -1) >= left_start:
                continue
            left_symbols, right_symbols = left[left_file].symbols, right[right_file].symbols
            before, after = _extent(
                left_symbols, right_symbols, left_start, right_start, masks[0][left_file], masks[1][right_file]
            )
            runs.add((before + after, (left_file, left_start - before), (right_file, right_start - before)))
            if after >= K:
                searched_until[diagonal] = max(searched_until.get(diagonal, -1), left_start + after - K)
    return _passages_from_runs(left, right, _disjoint_runs(runs, left, right))


def _occurrences(
    files: Sequence[Tokens], wanted: Collection[bytes], given: Collection[bytes]
) -> dict[bytes, list[_Position]]:
    """The positions of the wanted fingerprints in these files."""
    occurrences: dict[bytes, list[_Position]] = defaultdict(list)
    for number, file in enumerate(files):
        for index, gram in fingerprints_between(file.symbols, covered(file.symbols, given)):
            if gram in wanted and len(occurrences[gram]) < _MAX_OCCURRENCES:
                occurrences[gram].append((number, index))
    return occurrences


def _extent(a: bytes, b: bytes, start_a: int, start_b: int, mask_a: bytearray, mask_b: bytearray) -> tuple[int, int]:
    """How many tokens before these positions are equal, and how many from the positions on."""
    before, limit = 0, min(start_a, start_b)
    while before < limit and a[start_a - before - 1] == b[start_b - before - 1]:
        if mask_a[start_a - before - 1] or mask_b[start_b - before - 1]:
            break
        before += 1
    after, limit = K, min(len(a) - start_a, len(b) - start_b)
    while (
        after < limit
        and a[start_a + after] == b[start_b + after]
        and not (mask_a[start_a + after] or mask_b[start_b + after])
    ):
        after += 1
    return before, after


def _disjoint_runs(
    runs: Collection[tuple[int, _Position, _Position]], left: Sequence[Tokens], right: Sequence[Tokens]
) -> list[tuple[int, _Position, _Position]]:
    """Returns the longest runs, shortened so that no two have a token in common."""
    taken = (
        [bytearray(len(file_tokens.symbols)) for file_tokens in left],
        [bytearray(len(file_tokens.symbols)) for file_tokens in right],
    )
    selected: list[tuple[int, _Position, _Position]] = []
    for length, (left_file, left_start), (right_file, right_start) in sorted(
        runs, key=lambda run: (-run[0], run[1], run[2])
    ):
        left_taken, right_taken = taken[0][left_file], taken[1][right_file]
        while length >= K and (left_taken[left_start] or right_taken[right_start]):
            left_start, right_start, length = left_start + 1, right_start + 1, length - 1
        free = next(
            (
                offset
                for offset in range(max(length, 0))
                if left_taken[left_start + offset] or right_taken[right_start + offset]
            ),
            length,
        )
        if free >= K:
            left_taken[left_start : left_start + free] = right_taken[right_start : right_start + free] = b"\1" * free
            selected.append((free, (left_file, left_start), (right_file, right_start)))
    return sorted(selected, key=lambda run: (-run[0], run[1], run[2]))


def _passages_from_runs(
    left: Sequence[Tokens], right: Sequence[Tokens], runs: list[tuple[int, _Position, _Position]]
) -> tuple[Passage, ...]:
    return tuple(
        Passage(
            _passage_lines(left[left_file], left_start, length),
            _passage_lines(right[right_file], right_start, length),
            length,
        )
        for length, (left_file, left_start), (right_file, right_start) in runs
    )


def _passage_lines(file: Tokens, start: int, length: int) -> Lines:
    first, last, text = file.lines(start, start + length - 1)
    return Lines(file.path, first, last, text)
