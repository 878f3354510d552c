"""Winnowing: a few fingerprints of a sequence, such that sequences with a long common run share at least one.

The algorithm and its guarantee: S. Schleimer, D. S. Wilkerson, A. Aiken, Winnowing: Local Algorithms for Document
Fingerprinting, SIGMOD 2003.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Collection, Iterator
from zlib import crc32

#: Common runs shorter than k tokens are considered idioms, and never reported.
K = 24
#: At least one of every W consecutive k-token runs is a fingerprint.
W = 9
#: A run of this many tokens that two programs share is always found.
ALWAYS_FOUND = W + K - 1
_FREE = re.compile(rb"\0+")


def grams(symbols: bytes, k: int = K) -> Iterator[bytes]:
    """All runs of `k` symbols, in order."""
    return (symbols[start : start + k] for start in range(len(symbols) - k + 1))


def fingerprints(symbols: bytes, k: int = K, w: int = W) -> list[tuple[int, bytes]]:
    """Returns the selected runs of `k` symbols with their indexes: the minimum of each window of `w` runs.

    Ties go to the run already selected, else to the rightmost (robust winnowing); with fewer than `w` runs, the minimum
    of all is selected. The runs themselves are the fingerprints, so there are no hash collisions; they are ordered by
    CRC-32, which is the same on all machines.
    """
    picked: list[tuple[int, bytes]] = []
    window: deque[tuple[tuple[int, bytes], int]] = deque()
    total = len(symbols) - k + 1
    for index, gram in enumerate(grams(symbols, k)):
        value = (crc32(gram), gram)
        while window and window[-1][0] >= value:
            window.pop()
        window.append((value, index))
        if window[0][1] <= index - w:
            window.popleft()
        (_, least), least_index = window[0]
        is_picked = bool(picked) and picked[-1][0] > index - w and picked[-1][1] == least
        if index >= min(w, total) - 1 and not is_picked:
            picked.append((least_index, least))
    return picked


def covered(symbols: bytes, left_out: Collection[bytes]) -> bytearray:
    """A mask with 1 for each symbol in a left-out run, else 0."""
    mask = bytearray(len(symbols))
    if left_out:
        for index, gram in enumerate(grams(symbols)):
            if gram in left_out:
                mask[index : index + K] = b"\1" * K
    return mask


def fingerprints_between(symbols: bytes, mask: bytearray) -> list[tuple[int, bytes]]:
    """The fingerprints of the stretches that `mask` leaves uncovered, each winnowed separately."""
    picked: list[tuple[int, bytes]] = []
    for stretch in _FREE.finditer(mask):
        start, end = stretch.span()
        picked += [(start + index, gram) for index, gram in fingerprints(symbols[start:end])]
    return picked
