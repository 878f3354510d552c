"""The passages that two programs share: runs of equal tokens from a shared fingerprint as far as they go."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from itertools import product

from pitboss.reports.similarity.symbols import Tokens
from pitboss.reports.similarity.winnowing import K, covered, fingerprints_between
from pitboss.reports.similarity.works import Lines, Passage

#: Of a fingerprint that comes again and again in one program only the first places are looked at.
_MAX_PLACES = 8

#: The number of a file, and that of a token in it.
_Place = tuple[int, int]


def passages_of(
    left: Sequence[Tokens],
    right: Sequence[Tokens],
    shared: Collection[bytes],
    given: Collection[bytes],
    common: Collection[bytes],
) -> tuple[Passage, ...]:
    """The passages of two works that begin from these fingerprints, the longest first; none overlaps another.

    A passage does not go on into what was given or is common.
    """
    ways = _places(left, shared, given), _places(right, shared, given)
    left_out = {*given, *common}
    masks = [covered(one.symbols, left_out) for one in left], [covered(one.symbols, left_out) for one in right]
    runs: set[tuple[int, _Place, _Place]] = set()
    done: dict[tuple[int, int, int], int] = {}
    for gram in sorted(shared):
        for (one, start), (other, begin) in product(ways[0].get(gram, ()), ways[1].get(gram, ())):
            diagonal = (one, other, start - begin)
            if done.get(diagonal, -1) >= start:
                continue
            a, b = left[one].symbols, right[other].symbols
            before, after = _reach(a, b, start, begin, masks[0][one], masks[1][other])
            runs.add((before + after, (one, start - before), (other, begin - before)))
            if after >= K:
                done[diagonal] = max(done.get(diagonal, -1), start + after - K)
    return _as_passages(left, right, _disjoint(runs, left, right))


def _places(files: Sequence[Tokens], wanted: Collection[bytes], given: Collection[bytes]) -> dict[bytes, list[_Place]]:
    found: dict[bytes, list[_Place]] = defaultdict(list)
    for number, file in enumerate(files):
        for place, gram in fingerprints_between(file.symbols, covered(file.symbols, given)):
            if gram in wanted and len(found[gram]) < _MAX_PLACES:
                found[gram].append((number, place))
    return found


def _reach(a: bytes, b: bytes, start: int, begin: int, mask_a: bytearray, mask_b: bytearray) -> tuple[int, int]:
    """How many tokens before these places are equal, and how many from there on."""
    before, most = 0, min(start, begin)
    while before < most and a[start - before - 1] == b[begin - before - 1]:
        if mask_a[start - before - 1] or mask_b[begin - before - 1]:
            break
        before += 1
    after, most = K, min(len(a) - start, len(b) - begin)
    while (
        after < most and a[start + after] == b[begin + after] and not (mask_a[start + after] or mask_b[begin + after])
    ):
        after += 1
    return before, after


def _disjoint(
    runs: Collection[tuple[int, _Place, _Place]], left: Sequence[Tokens], right: Sequence[Tokens]
) -> list[tuple[int, _Place, _Place]]:
    """Returns the longest runs such that no two have a token in common."""
    covered_places = [bytearray(len(one.symbols)) for one in left], [bytearray(len(one.symbols)) for one in right]
    selected: list[tuple[int, _Place, _Place]] = []
    for length, (one, start), (other, begin) in sorted(runs, key=lambda run: (-run[0], run[1], run[2])):
        a, b = covered_places[0][one], covered_places[1][other]
        while length >= K and (a[start] or b[begin]):
            start, begin, length = start + 1, begin + 1, length - 1
        free = next((n for n in range(max(length, 0)) if a[start + n] or b[begin + n]), length)
        if free >= K:
            a[start : start + free] = b[begin : begin + free] = b"\1" * free
            selected.append((free, (one, start), (other, begin)))
    return sorted(selected, key=lambda run: (-run[0], run[1], run[2]))


def _as_passages(
    left: Sequence[Tokens], right: Sequence[Tokens], runs: list[tuple[int, _Place, _Place]]
) -> tuple[Passage, ...]:
    return tuple(
        Passage(_lines(left[one], start, length), _lines(right[other], begin, length), length)
        for length, (one, start), (other, begin) in runs
    )


def _lines(file: Tokens, start: int, length: int) -> Lines:
    first, last, text = file.lines(start, start + length - 1)
    return Lines(file.path, first, last, text)
