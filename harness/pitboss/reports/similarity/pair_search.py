"""Comparing a class: an index from fingerprints to works tells which pairs share any, without looking at each pair."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import combinations

import msgspec

from pitboss.reports.similarity.passages import passages_of
from pitboss.reports.similarity.symbols import Tokens, tokens_of
from pitboss.reports.similarity.winnowing import K, covered, fingerprints_between, grams
from pitboss.reports.similarity.works import Alike, Comparison, Pair, Passage, Work

#: Passages of more people of a class are idioms, or were given by the course: as with Moss, ten.
MAX_PEOPLE = 10
#: Works are ranked as if each had at least this many fingerprints, about a hundred tokens: a few agree by chance.
LEAST_FINGERPRINTS = 20
#: Works are alike if they have this share of all their fingerprints in common.
ALIKE = 0.9
#: The default number of pairs: nobody looks at more.
MAX_PAIRS = 50


class _FingerprintIndex:
    """The fingerprints of works, and the works of each fingerprint."""

    def __init__(self, works: Sequence[Work], given: Iterable[tuple[str, str]], most_people: int) -> None:
        self.works = works
        self.given = frozenset(gram for one in _all_tokens(given) for gram in grams(one.symbols))
        self.of_work: list[frozenset[bytes]] = []
        self.cut: list[str] = []
        #: How many works have something that was given, and the numbers of those that are long enough to be compared.
        self.with_given = 0
        self.with_code: list[int] = []
        self.by_gram: dict[bytes, list[int]] = defaultdict(list)
        for number in range(len(works)):
            self._add(number)
        often = {gram: numbers for gram, numbers in self.by_gram.items() if len(numbers) > most_people}
        self.common = frozenset(gram for gram, numbers in often.items() if self._people(numbers) > most_people)

    def _add(self, number: int) -> None:
        work = self.works[number]
        tokens, is_cut = tokens_of(work.files)
        masks = [covered(one.symbols, self.given) for one in tokens]
        found = (fingerprints_between(one.symbols, mask) for one, mask in zip(tokens, masks, strict=True))
        own = frozenset(gram for chosen in found for _, gram in chosen)
        self.cut += [work.title] if is_cut else []
        self.with_given += any(1 in mask for mask in masks)
        self.with_code += [number] if any(len(one.symbols) >= K for one in tokens) else []
        self.of_work.append(own)
        for gram in own:
            self.by_gram[gram].append(number)

    def _people(self, numbers: Sequence[int]) -> int:
        """How many people of one class these works are of, in the class that has most of them."""
        return max(Counter(self.works[number].earlier for number in numbers).values())

    def alike(self, group: Sequence[int]) -> Alike:
        """A group of works that are alike."""
        people = max(self._people(self.by_gram[gram]) for gram in self.of_work[group[0]])
        return Alike(tuple(self.works[number].title for number in group), people)

    def own(self, number: int) -> frozenset[bytes]:
        """The fingerprints of a work that count."""
        return self.of_work[number] - self.common

    def counts(self) -> Counter[tuple[int, int]]:
        """How many fingerprints the works of each pair share, of pairs with one of the class that is looked at."""
        found: Counter[tuple[int, int]] = Counter()
        for gram, numbers in self.by_gram.items():
            if len(numbers) > 1 and gram not in self.common:
                new = [number for number in numbers if not self.works[number].earlier]
                old = [number for number in numbers if self.works[number].earlier]
                found.update(combinations(new, 2))
                found.update((one, other) for one in new for other in old)
        return found


def _alike(index: _FingerprintIndex) -> list[list[int]]:
    """Returns groups of works that are alike in what is left out as common, so that no pair shows it.

    Each work of a group has nine tenths of all fingerprints, its own and the first one's, in common with the first.
    """
    groups: list[list[int]] = []
    for number, grams_of_work in enumerate(index.of_work):
        if not grams_of_work or len(index.own(number)) > (1 - ALIKE) * len(grams_of_work):
            continue
        group = next((one for one in groups if _are_alike(index.of_work[one[0]], grams_of_work)), None)
        if group is None:
            groups.append([number])
        else:
            group.append(number)
    return [group for group in groups if len(group) > 1]


def _are_alike(one: frozenset[bytes], other: frozenset[bytes]) -> bool:
    return len(one & other) >= ALIKE * len(one | other)


def _all_tokens(files: Iterable[tuple[str, str]]) -> list[Tokens]:
    """The tokens of each file, none of them cut for the sake of the others."""
    return [one for file in files for one in tokens_of([file])[0]]


def compared(
    works: Sequence[Work],
    given: Iterable[tuple[str, str]] = (),
    *,
    most_people: int = MAX_PEOPLE,
    most_pairs: int = MAX_PAIRS,
) -> Comparison:
    """Compare the works of a class with each other and with those of earlier classes.

    `given` are paths and texts that everybody had; what is in them is left out, and so is what more than `most_people`
    people of one class have. Of the pairs that share most, `most_pairs` come with their passages. Works of earlier
    classes are not compared with each other. No text raises anything.
    """
    index = _FingerprintIndex(works, given, most_people)
    sizes = [len(index.own(number)) for number in range(len(works))]
    counts = index.counts()
    ranked = sorted(counts, key=lambda pair: (-_rank(pair, counts[pair], sizes), -counts[pair], pair))
    pairs = [
        Pair(works[one], works[other], counts[one, other], sizes[one], sizes[other])
        for one, other in ranked[:most_pairs]
    ]
    passages = [_passages(index, one, other) for one, other in ranked[:most_pairs]]
    alike = _alike(index)
    are_alike = {number for group in alike for number in group}
    return Comparison(
        tuple(msgspec.structs.replace(pair, passages=found) for pair, found in zip(pairs, passages, strict=True)),
        len(ranked),
        sum(bool(work.files) and not work.earlier for work in works),
        sum(bool(work.files) and bool(work.earlier) for work in works),
        index.with_given,
        len(index.common),
        most_people,
        tuple(works[number].title for number in index.with_code if not sizes[number] and number not in are_alike),
        tuple(index.cut),
        tuple(index.alike(group) for group in alike),
    )


def _rank(pair: tuple[int, int], shared: int, sizes: Sequence[int]) -> float:
    """Returns the larger of the two shares, since a copy with much added shares little; small works count less."""
    return shared / max(min(sizes[pair[0]], sizes[pair[1]]), LEAST_FINGERPRINTS)


def _passages(index: _FingerprintIndex, one: int, other: int) -> tuple[Passage, ...]:
    left, right = (tokens_of(index.works[number].files)[0] for number in (one, other))
    return passages_of(left, right, index.own(one) & index.own(other), index.given, index.common)
