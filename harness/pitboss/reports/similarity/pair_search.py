"""Compares a class: an index from fingerprints to works finds the pairs that share some, without trying all pairs."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import combinations

import msgspec

from pitboss.reports.similarity.passages import passages_of
from pitboss.reports.similarity.symbols import Tokens, tokens_of
from pitboss.reports.similarity.winnowing import K, covered, fingerprints_between, grams
from pitboss.reports.similarity.works import Alike, Comparison, Pair, Passage, Work

#: Passages that more than this many people of a class have are idioms, or were given by the course, as in Moss.
MAX_PEOPLE = 10
#: Works are ranked as if each had at least this many fingerprints, about a hundred tokens, since a few agree by chance.
LEAST_FINGERPRINTS = 20
#: Works are alike if they share this part of all their fingerprints.
ALIKE = 0.9
#: The default maximum number of pairs: nobody reads more.
MAX_PAIRS = 50


class _FingerprintIndex:
    """The fingerprints of works, and the works of each fingerprint."""

    def __init__(self, works: Sequence[Work], given: Iterable[tuple[str, str]], max_people: int) -> None:
        self.works = works
        self.given = frozenset(gram for file_tokens in _all_tokens(given) for gram in grams(file_tokens.symbols))
        self.of_work: list[frozenset[bytes]] = []
        self.cut: list[str] = []
        #: The number of works that contain given code, and the indexes of works that are long enough to be compared.
        self.with_given = 0
        self.with_code: list[int] = []
        self.by_gram: dict[bytes, list[int]] = defaultdict(list)
        for number in range(len(works)):
            self._add(number)
        frequent = {gram: numbers for gram, numbers in self.by_gram.items() if len(numbers) > max_people}
        self.common = frozenset(gram for gram, numbers in frequent.items() if self._max_people(numbers) > max_people)

    def _add(self, number: int) -> None:
        """Add the fingerprints of a work to the index."""
        work = self.works[number]
        tokens, is_cut = tokens_of(work.files)
        masks = [covered(file_tokens.symbols, self.given) for file_tokens in tokens]
        selections = (
            fingerprints_between(file_tokens.symbols, mask) for file_tokens, mask in zip(tokens, masks, strict=True)
        )
        own = frozenset(gram for selection in selections for _, gram in selection)
        self.cut += [work.title] if is_cut else []
        self.with_given += any(1 in mask for mask in masks)
        self.with_code += [number] if any(len(file_tokens.symbols) >= K for file_tokens in tokens) else []
        self.of_work.append(own)
        for gram in own:
            self.by_gram[gram].append(number)

    def _max_people(self, numbers: Sequence[int]) -> int:
        """The largest number of these works, and so of people, in one class."""
        return max(Counter(self.works[number].earlier for number in numbers).values())

    def alike_group(self, group: Sequence[int]) -> Alike:
        """Returns the value that describes a group of alike works."""
        people = max(self._max_people(self.by_gram[gram]) for gram in self.of_work[group[0]])
        return Alike(tuple(self.works[number].title for number in group), people)

    def uncommon_fingerprints(self, number: int) -> frozenset[bytes]:
        """The fingerprints of a work without the common ones."""
        return self.of_work[number] - self.common

    def counts(self) -> Counter[tuple[int, int]]:
        """How many fingerprints each pair shares; at least one work of a pair is from the class that is compared."""
        shared_counts: Counter[tuple[int, int]] = Counter()
        for gram, numbers in self.by_gram.items():
            if len(numbers) > 1 and gram not in self.common:
                new = [number for number in numbers if not self.works[number].earlier]
                old = [number for number in numbers if self.works[number].earlier]
                shared_counts.update(combinations(new, 2))
                shared_counts.update((new_work, old_work) for new_work in new for old_work in old)
        return shared_counts


def _alike_groups(index: _FingerprintIndex) -> list[list[int]]:
    """Returns groups of works that are alike in code that is left out as common, so that no pair shows it.

    Each work of a group shares nine tenths of all fingerprints of both with the first work of the group.
    """
    groups: list[list[int]] = []
    for number, grams_of_work in enumerate(index.of_work):
        if not grams_of_work or len(index.uncommon_fingerprints(number)) > (1 - ALIKE) * len(grams_of_work):
            continue
        group = next(
            (candidate for candidate in groups if _are_alike(index.of_work[candidate[0]], grams_of_work)), None
        )
        if group is None:
            groups.append([number])
        else:
            group.append(number)
    return [group for group in groups if len(group) > 1]


def _are_alike(first: frozenset[bytes], second: frozenset[bytes]) -> bool:
    return len(first & second) >= ALIKE * len(first | second)


def _all_tokens(files: Iterable[tuple[str, str]]) -> list[Tokens]:
    """The tokens of each file; the limit on characters applies to each file separately."""
    return [file_tokens for file in files for file_tokens in tokens_of([file])[0]]


def compare_works(
    works: Sequence[Work],
    given: Iterable[tuple[str, str]] = (),
    *,
    max_people: int = MAX_PEOPLE,
    max_pairs: int = MAX_PAIRS,
) -> Comparison:
    """Compare the works of a class with each other and with the works of earlier classes.

    `given` are paths and texts that everybody had. Code in them is left out, and so is code that more than
    `max_people` people of one class have. The `max_pairs` pairs that share most are returned with their passages.
    Works of earlier classes are not compared with each other. Never raises for any text.
    """
    index = _FingerprintIndex(works, given, max_people)
    sizes = [len(index.uncommon_fingerprints(number)) for number in range(len(works))]
    counts = index.counts()
    ranked = sorted(counts, key=lambda pair: (-_similarity(pair, counts[pair], sizes), -counts[pair], pair))
    pairs = [
        Pair(works[left], works[right], counts[left, right], sizes[left], sizes[right])
        for left, right in ranked[:max_pairs]
    ]
    passages = [_shared_passages(index, left, right) for left, right in ranked[:max_pairs]]
    alike = _alike_groups(index)
    alike_works = {number for group in alike for number in group}
    return Comparison(
        tuple(
            msgspec.structs.replace(pair, passages=pair_passages)
            for pair, pair_passages in zip(pairs, passages, strict=True)
        ),
        len(ranked),
        sum(bool(work.files) and not work.earlier for work in works),
        sum(bool(work.files) and bool(work.earlier) for work in works),
        index.with_given,
        len(index.common),
        max_people,
        tuple(works[number].title for number in index.with_code if not sizes[number] and number not in alike_works),
        tuple(index.cut),
        tuple(index.alike_group(group) for group in alike),
    )


def _similarity(pair: tuple[int, int], shared: int, sizes: Sequence[int]) -> float:
    """Returns the larger of the two shares, since a copy with much added shares little; less for small works."""
    return shared / max(min(sizes[pair[0]], sizes[pair[1]]), LEAST_FINGERPRINTS)


def _shared_passages(index: _FingerprintIndex, first: int, second: int) -> tuple[Passage, ...]:
    left, right = (tokens_of(index.works[number].files)[0] for number in (first, second))
    return passages_of(
        left, right, index.uncommon_fingerprints(first) & index.uncommon_fingerprints(second), index.given, index.common
    )
