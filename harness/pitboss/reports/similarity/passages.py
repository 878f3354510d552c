"""The passages that two programs share: runs of equal tokens, extended from a shared fingerprint to both sides."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from itertools import product

from pitboss.reports.similarity.symbols import Tokens
from pitboss.reports.similarity.winnowing import K, coverage_mask, fingerprints_outside_mask
from pitboss.reports.similarity.works import Lines, Passage

#: The maximum number of occurrences of a fingerprint in one program that are examined.
_MAX_OCCURRENCES = 8

#: The index of a file, and the index of a token in this file.
_Position = tuple[int, int]
#: A run of equal tokens: its length, and its positions in the left and the right work.
_Run = tuple[int, _Position, _Position]


def passages_of(
    left: Sequence[Tokens],
    right: Sequence[Tokens],
    shared: Collection[bytes],
    given: Collection[bytes],
    common: Collection[bytes],
) -> tuple[Passage, ...]:
    """Returns the passages that two works share, the longest first, without overlaps.

    `left` and `right` have the tokens of each file of the works. Passages are found by the `shared` fingerprints, and
    do not extend into code that is left out: the runs of tokens in `given` and `common`.
    """
    left_occurrences, right_occurrences = (_occurrences(files, shared, given) for files in (left, right))
    excluded = {*given, *common}
    left_masks, right_masks = (
        [coverage_mask(file_tokens.symbols, excluded) for file_tokens in files] for files in (left, right)
    )
    # In the order of positions: a run is found at its first fingerprint, and its other fingerprints can be passed over.
    pairs = sorted(
        pair for gram in shared for pair in product(left_occurrences.get(gram, ()), right_occurrences.get(gram, ()))
    )
    runs: set[_Run] = set()
    # For two files and an offset between their tokens: the last position in the left file at which a fingerprint can
    # begin that is inside a run found already.
    searched_until: dict[tuple[int, int, int], int] = {}
    for (left_file, left_start), (right_file, right_start) in pairs:
        diagonal = (left_file, right_file, left_start - right_start)
        if searched_until.get(diagonal, -1) >= left_start:
            continue
        left_symbols, right_symbols = left[left_file].symbols, right[right_file].symbols
        before, after = _extent(
            left_symbols, right_symbols, left_start, right_start, left_masks[left_file], right_masks[right_file]
        )
        runs.add((before + after, (left_file, left_start - before), (right_file, right_start - before)))
        searched_until[diagonal] = left_start + after - K
    return _passages_from_runs(left, right, _disjoint_runs(runs, left, right))


def _occurrences(
    files: Sequence[Tokens], wanted: Collection[bytes], given: Collection[bytes]
) -> dict[bytes, list[_Position]]:
    """Returns the positions of the wanted fingerprints in these files, at most `_MAX_OCCURRENCES` of each."""
    occurrences: dict[bytes, list[_Position]] = defaultdict(list)
    for file_index, file in enumerate(files):
        for token_index, gram in fingerprints_outside_mask(file.symbols, coverage_mask(file.symbols, given)):
            if gram in wanted and len(occurrences[gram]) < _MAX_OCCURRENCES:
                occurrences[gram].append((file_index, token_index))
    return occurrences


def _extent(a: bytes, b: bytes, start_a: int, start_b: int, mask_a: bytearray, mask_b: bytearray) -> tuple[int, int]:
    """Returns how many tokens before two positions are equal, and how many from the positions on.

    Both counts end at a token that a mask leaves out. The first K tokens from the positions on are known to be equal.
    """
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


def _disjoint_runs(runs: Collection[_Run], left: Sequence[Tokens], right: Sequence[Tokens]) -> list[_Run]:
    """Returns the longest runs, shortened so that no two have a token in common."""
    # For each file, a byte for each token: 1 if a selected run has the token, else 0.
    used_in_left, used_in_right = (
        [bytearray(len(file_tokens.symbols)) for file_tokens in files] for files in (left, right)
    )
    selected: list[_Run] = []
    for length, (left_file, left_start), (right_file, right_start) in sorted(
        runs, key=lambda run: (-run[0], run[1], run[2])
    ):
        left_used, right_used = used_in_left[left_file], used_in_right[right_file]
        # Used tokens at the start of the run are cut off; what remains ends before the next used token.
        while length >= K and (left_used[left_start] or right_used[right_start]):
            left_start, right_start, length = left_start + 1, right_start + 1, length - 1
        free_length = next(
            (
                offset
                for offset in range(max(length, 0))
                if left_used[left_start + offset] or right_used[right_start + offset]
            ),
            length,
        )
        if free_length >= K:
            left_used[left_start : left_start + free_length] = right_used[right_start : right_start + free_length] = (
                b"\1" * free_length
            )
            selected.append((free_length, (left_file, left_start), (right_file, right_start)))
    return sorted(selected, key=lambda run: (-run[0], run[1], run[2]))


def _passages_from_runs(left: Sequence[Tokens], right: Sequence[Tokens], runs: list[_Run]) -> tuple[Passage, ...]:
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
