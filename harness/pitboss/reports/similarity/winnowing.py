"""Winnowing selects a few fingerprints of a sequence. Sequences with a long common run share at least one fingerprint.

The algorithm and its guarantee: S. Schleimer, D. S. Wilkerson, A. Aiken, Winnowing: Local Algorithms for Document
Fingerprinting, SIGMOD 2003.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Collection, Iterator
from zlib import crc32

from pitboss.reports.similarity.symbols import SEPARATOR

#: The length of a fingerprint in tokens. Shorter common runs are considered idioms, and never reported.
K = 24
#: At least one of every W consecutive runs of K tokens is a fingerprint.
W = 9
#: A run of this many tokens that two programs share is always found.
ALWAYS_FOUND = W + K - 1
_UNMASKED = re.compile(rb"\0+")
#: The mask of each symbol if nothing is left out.
_MASK = bytes(2 * (symbol == SEPARATOR) for symbol in range(256))


def grams(symbols: bytes, k: int = K) -> Iterator[bytes]:
    """All runs of `k` symbols, in order."""
    return (symbols[start : start + k] for start in range(len(symbols) - k + 1))


def fingerprints(symbols: bytes, k: int = K, w: int = W) -> list[tuple[int, bytes]]:
    """Returns the selected runs of `k` symbols with their indexes: the minimum of each window of `w` runs.

    Among equal minima the run already selected is preferred, else the rightmost (robust winnowing). If there are fewer
    than `w` runs, the minimum of all is selected. The runs themselves are the fingerprints, so there are no hash
    collisions. They are ordered by CRC-32, which is equal on all machines.
    """
    selected_runs: list[tuple[int, bytes]] = []
    window: deque[tuple[tuple[int, bytes], int]] = deque()
    total = len(symbols) - k + 1
    for index, gram in enumerate(grams(symbols, k)):
        value = (crc32(gram), gram)
        while window and window[-1][0] >= value:
            window.pop()
        window.append((value, index))
        if window[0][1] <= index - w:
            window.popleft()
        (_, minimum), minimum_index = window[0]
        is_selected = bool(selected_runs) and selected_runs[-1][0] > index - w and selected_runs[-1][1] == minimum
        if index >= min(w, total) - 1 and not is_selected:
            selected_runs.append((minimum_index, minimum))
    return selected_runs


def coverage_mask(symbols: bytes, left_out: Collection[bytes]) -> bytearray:
    """Returns a mask of the symbols: 1 for a symbol in a run of K that is in `left_out`, 2 for a separator, else 0."""
    mask = bytearray(symbols.translate(_MASK))
    if left_out:
        for index, gram in enumerate(grams(symbols)):
            if gram in left_out:
                mask[index : index + K] = b"\1" * K
    return mask


def fingerprints_outside_mask(symbols: bytes, mask: bytearray) -> list[tuple[int, bytes]]:
    """Returns the fingerprints in the stretches of symbols whose `mask` is 0, with their indexes.

    Each stretch is winnowed separately.
    """
    selected_runs: list[tuple[int, bytes]] = []
    for stretch in _UNMASKED.finditer(mask):
        start, end = stretch.span()
        selected_runs += [(start + index, gram) for index, gram in fingerprints(symbols[start:end])]
    return selected_runs
