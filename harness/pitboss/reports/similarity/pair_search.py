"""Compares the works of a class. An index finds the pairs that share fingerprints, without comparing all pairs.

The passages that a pair shares are runs of equal tokens, extended from a shared fingerprint to both sides.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from itertools import combinations, product
from operator import or_

from pitboss.reports.similarity.works import (
    SEPARATOR,
    Alike,
    Comparison,
    K,
    Pair,
    Passage,
    Tokens,
    Work,
    coverage_mask,
    fingerprints_outside_mask,
    grams,
    tokens_of,
)

#: Code that more than this many people of a class have is left out, as in Moss: an idiom, or code from the course.
MAX_PEOPLE = 10
#: A work with fewer fingerprints (under a hundred tokens or so) is ranked as if it had this many, since a few
#: fingerprints agree by chance.
LEAST_FINGERPRINTS = 20
#: Two works are alike if the Jaccard index of their sets of fingerprints is at least this.
ALIKE = 0.9
#: The default maximum number of pairs: nobody reads more.
MAX_PAIRS = 50
#: The maximum number of occurrences of a fingerprint in one program that are examined.
_MAX_OCCURRENCES = 8

#: A run of equal tokens: its length, and the index of its first token in the left and the right work.
_Run = tuple[int, int, int]


class _FingerprintIndex:
    """The fingerprints of works, and the works of each fingerprint. A work is identified by its number in `works`."""

    def __init__(self, works: Sequence[Work], given: Iterable[tuple[str, str]], max_people: int) -> None:
        """`given` are the files that everybody got from the course, as in `compare_works`."""
        self.works = works
        self.given_grams = frozenset(gram for file in given for gram in grams(tokens_of([file])[0].symbols[:-1]))
        self.fingerprints_of_works: list[frozenset[bytes]] = []
        self.titles_of_truncated_works: list[str] = []
        #: The number of works that contain code from the course.
        self.count_with_given = 0
        #: The numbers of works that are long enough to be compared.
        self.comparable_works: list[int] = []
        #: The numbers of the works that have each fingerprint. A gram is a run of K tokens; fingerprints are grams.
        self.works_by_gram: dict[bytes, list[int]] = defaultdict(list)
        for number in range(len(works)):
            self._add(number)
        self.common_grams = frozenset(
            gram
            for gram, numbers in self.works_by_gram.items()
            if len(numbers) > max_people and self._people_in_one_class(numbers) > max_people
        )

    def _add(self, number: int) -> None:
        work = self.works[number]
        tokens, is_cut = tokens_of(work.files)
        mask = coverage_mask(tokens.symbols, self.given_grams)
        fingerprints = frozenset(gram for _, gram in fingerprints_outside_mask(tokens.symbols, mask))
        self.titles_of_truncated_works += [work.title] if is_cut else []
        self.count_with_given += 1 in mask
        is_comparable = any(len(symbols) >= K for symbols in tokens.symbols.split(bytes([SEPARATOR])))
        self.comparable_works += [number] if is_comparable else []
        self.fingerprints_of_works.append(fingerprints)
        for gram in fingerprints:
            self.works_by_gram[gram].append(number)

    def _people_in_one_class(self, numbers: Sequence[int]) -> int:
        """Returns how many of these works, and so of people, are in the class that has most of them."""
        return max(Counter(self.works[number].earlier for number in numbers).values())

    def alike_group(self, group: Sequence[int]) -> Alike:
        fingerprints = self.fingerprints_of_works[group[0]]
        people = max(self._people_in_one_class(self.works_by_gram[gram]) for gram in fingerprints)
        return Alike(tuple(self.works[number].title for number in group), people)

    def uncommon_fingerprints(self, number: int) -> frozenset[bytes]:
        """Returns the fingerprints of a work without those that too many people have."""
        return self.fingerprints_of_works[number] - self.common_grams

    def passages(self, first: int, second: int) -> tuple[Passage, ...]:
        """Returns the passages that two works share."""
        left, right = (tokens_of(self.works[number].files)[0] for number in (first, second))
        shared = self.uncommon_fingerprints(first) & self.uncommon_fingerprints(second)
        return passages_of(left, right, shared, self.given_grams, self.common_grams)

    def shared_counts(self) -> Counter[tuple[int, int]]:
        """Returns how many fingerprints each pair of works shares, without those that too many people have.

        At least one work of a pair is from the class that is compared, not from an earlier class.
        """
        counts_by_pair: Counter[tuple[int, int]] = Counter()
        for gram, numbers in self.works_by_gram.items():
            if len(numbers) > 1 and gram not in self.common_grams:
                current_works = [number for number in numbers if not self.works[number].earlier]
                earlier_works = [number for number in numbers if self.works[number].earlier]
                counts_by_pair.update(combinations(current_works, 2))
                counts_by_pair.update(product(current_works, earlier_works))
        return counts_by_pair


def _alike_groups(index: _FingerprintIndex) -> list[list[int]]:
    """Returns groups of alike works that consist almost only of common code, which too many people have.

    Common code is left out of pairs, so no pair shows that these works are alike. Each work of a group is alike with
    the first work of the group.
    """
    groups: list[list[int]] = []
    for number, fingerprints in enumerate(index.fingerprints_of_works):
        if not fingerprints or len(index.uncommon_fingerprints(number)) > (1 - ALIKE) * len(fingerprints):
            continue
        for group in groups:
            first = index.fingerprints_of_works[group[0]]
            if len(first & fingerprints) >= ALIKE * len(first | fingerprints):
                group.append(number)
                break
        else:
            groups.append([number])
    return [group for group in groups if len(group) > 1]


def compare_works(
    works: Sequence[Work],
    given: Iterable[tuple[str, str]] = (),
    *,
    max_people: int = MAX_PEOPLE,
    max_pairs: int = MAX_PAIRS,
) -> Comparison:
    """Compare the works of a class with each other and with the works of earlier classes.

    `given` has the paths and texts of files that everybody got from the course. Code in these files is left out, and
    so is code that more than `max_people` people of one class have. The `max_pairs` most similar pairs are returned
    with their passages. Works of earlier classes are not compared with each other. No text raises an exception.
    """
    index = _FingerprintIndex(works, given, max_people)
    sizes = [len(index.uncommon_fingerprints(number)) for number in range(len(works))]
    counts = index.shared_counts()
    ranked = sorted(counts, key=lambda pair: (-_similarity(pair, counts[pair], sizes), -counts[pair], pair))
    pairs = tuple(
        Pair(works[left], works[right], counts[left, right], sizes[left], sizes[right], index.passages(left, right))
        for left, right in ranked[:max_pairs]
    )
    alike = _alike_groups(index)
    alike_works = {number for group in alike for number in group}
    return Comparison(
        pairs=pairs,
        count=len(ranked),
        works=sum(bool(work.files) and not work.earlier for work in works),
        earlier_works=sum(bool(work.files) and bool(work.earlier) for work in works),
        given=index.count_with_given,
        common=len(index.common_grams),
        max_people=max_people,
        nothing_left=tuple(
            works[number].title for number in index.comparable_works if not sizes[number] and number not in alike_works
        ),
        cut=tuple(index.titles_of_truncated_works),
        alike=tuple(index.alike_group(group) for group in alike),
    )


def _similarity(pair: tuple[int, int], shared: int, sizes: Sequence[int]) -> float:
    """Returns the share of the smaller work's fingerprints that both works have; less if this work is very small.

    The smaller work decides, since a copy with much code added shares only a small part of its own fingerprints.
    """
    return shared / max(min(sizes[pair[0]], sizes[pair[1]]), LEAST_FINGERPRINTS)


def passages_of(
    left: Tokens, right: Tokens, shared: Collection[bytes], given: Collection[bytes], common: Collection[bytes]
) -> tuple[Passage, ...]:
    """Returns the passages that two works share, the longest first, without overlaps.

    Passages are found by the `shared` fingerprints, and do not extend into code that is left out: the runs of tokens
    in `given` and `common`.
    """
    left_occurrences, right_occurrences = (_occurrences(tokens.symbols, shared, given) for tokens in (left, right))
    excluded = {*given, *common}
    masks = (coverage_mask(left.symbols, excluded), coverage_mask(right.symbols, excluded))
    # In the order of positions: a run is found at its first fingerprint, and its other fingerprints can be passed over.
    pairs = sorted(
        pair for gram in shared for pair in product(left_occurrences.get(gram, ()), right_occurrences.get(gram, ()))
    )
    runs: set[_Run] = set()
    # For an offset between the tokens of the works: the last position in the left work at which a fingerprint can
    # begin that is inside a run found already.
    searched_until: dict[int, int] = {}
    for left_start, right_start in pairs:
        if searched_until.get(left_start - right_start, -1) >= left_start:
            continue
        before = _count_equal(left.symbols, right.symbols, masks, (left_start - 1, right_start - 1), -1)
        after = K + _count_equal(left.symbols, right.symbols, masks, (left_start + K, right_start + K), 1)
        runs.add((before + after, left_start - before, right_start - before))
        searched_until[left_start - right_start] = left_start + after - K
    return tuple(
        Passage(
            left.lines(left_start, left_start + length - 1), right.lines(right_start, right_start + length - 1), length
        )
        for length, left_start, right_start in _disjoint_runs(runs, len(left.symbols), len(right.symbols))
    )


def _occurrences(symbols: bytes, wanted: Collection[bytes], given: Collection[bytes]) -> dict[bytes, list[int]]:
    """Returns the positions of the wanted fingerprints in these symbols, at most `_MAX_OCCURRENCES` of each."""
    occurrences: dict[bytes, list[int]] = defaultdict(list)
    for index, gram in fingerprints_outside_mask(symbols, coverage_mask(symbols, given)):
        if gram in wanted and len(occurrences[gram]) < _MAX_OCCURRENCES:
            occurrences[gram].append(index)
    return occurrences


def _count_equal(
    left: bytes, right: bytes, masks: tuple[bytearray, bytearray], starts: tuple[int, int], step: int
) -> int:
    """Returns how many symbols are equal from two positions on, forwards or backwards, up to one that a mask has."""
    (i, j), count = starts, 0
    while 0 <= i < len(left) and 0 <= j < len(right) and left[i] == right[j] and not (masks[0][i] or masks[1][j]):
        i, j, count = i + step, j + step, count + 1
    return count


def _disjoint_runs(runs: Collection[_Run], left_size: int, right_size: int) -> list[_Run]:
    """Returns the longest runs, the longest first, shortened so that no two have a token in common."""
    # A byte for each token: 1 if a selected run has the token, else 0.
    left_used, right_used = bytearray(left_size), bytearray(right_size)
    selected: list[_Run] = []
    for length, left_start, right_start in sorted(runs, key=_rank):
        used = bytes(
            map(or_, left_used[left_start : left_start + length], right_used[right_start : right_start + length])
        )
        # Used tokens at the start of the run are cut off; what remains ends before the next used token.
        start = length - len(used.lstrip(b"\1"))
        free_length = len(used[start:].partition(b"\1")[0])
        if free_length >= K:
            run = (free_length, left_start + start, right_start + start)
            for mask, first in ((left_used, run[1]), (right_used, run[2])):
                mask[first : first + free_length] = b"\1" * free_length
            selected.append(run)
    return sorted(selected, key=_rank)


def _rank(run: _Run) -> _Run:
    return (-run[0], run[1], run[2])
