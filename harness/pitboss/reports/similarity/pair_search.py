"""Compares the works of a class. An index finds the pairs that share fingerprints, without comparing all pairs."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import combinations

import msgspec

from pitboss.reports.similarity.passages import passages_of
from pitboss.reports.similarity.symbols import Tokens, tokens_of
from pitboss.reports.similarity.winnowing import K, coverage_mask, fingerprints_outside_mask, grams
from pitboss.reports.similarity.works import Alike, Comparison, Pair, Passage, Work

#: Code that more than this many people of a class have is left out, as in Moss: an idiom, or code from the course.
MAX_PEOPLE = 10
#: A work with fewer fingerprints (under a hundred tokens or so) is ranked as if it had this many, since a few
#: fingerprints agree by chance.
LEAST_FINGERPRINTS = 20
#: Two works are alike if the Jaccard index of their sets of fingerprints is at least this.
ALIKE = 0.9
#: The default maximum number of pairs: nobody reads more.
MAX_PAIRS = 50


class _FingerprintIndex:
    """The fingerprints of works, and the works of each fingerprint. A work is identified by its number in `works`."""

    def __init__(self, works: Sequence[Work], given: Iterable[tuple[str, str]], max_people: int) -> None:
        """`given` are the files that everybody got from the course, as in `compare_works`."""
        self.works = works
        self.given_grams = frozenset(gram for file_tokens in _all_tokens(given) for gram in grams(file_tokens.symbols))
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
        frequent = {gram: numbers for gram, numbers in self.works_by_gram.items() if len(numbers) > max_people}
        self.common_grams = frozenset(
            gram for gram, numbers in frequent.items() if self._people_in_one_class(numbers) > max_people
        )

    def _add(self, number: int) -> None:
        """Add the fingerprints of the work with this number to the index."""
        work = self.works[number]
        tokens, is_cut = tokens_of(work.files)
        masks = [coverage_mask(file_tokens.symbols, self.given_grams) for file_tokens in tokens]
        selections = (
            fingerprints_outside_mask(file_tokens.symbols, mask)
            for file_tokens, mask in zip(tokens, masks, strict=True)
        )
        fingerprints = frozenset(gram for selection in selections for _, gram in selection)
        self.titles_of_truncated_works += [work.title] if is_cut else []
        self.count_with_given += any(1 in mask for mask in masks)
        self.comparable_works += [number] if any(len(file_tokens.symbols) >= K for file_tokens in tokens) else []
        self.fingerprints_of_works.append(fingerprints)
        for gram in fingerprints:
            self.works_by_gram[gram].append(number)

    def _people_in_one_class(self, numbers: Sequence[int]) -> int:
        """Returns how many of these works, and so of people, are in the class that has most of them."""
        return max(Counter(self.works[number].earlier for number in numbers).values())

    def alike_group(self, group: Sequence[int]) -> Alike:
        """Returns the value that describes a group of alike works."""
        fingerprints = self.fingerprints_of_works[group[0]]
        people = max(self._people_in_one_class(self.works_by_gram[gram]) for gram in fingerprints)
        return Alike(tuple(self.works[number].title for number in group), people)

    def uncommon_fingerprints(self, number: int) -> frozenset[bytes]:
        """Returns the fingerprints of a work without those that too many people have."""
        return self.fingerprints_of_works[number] - self.common_grams

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
                counts_by_pair.update(
                    (current_work, earlier_work) for current_work in current_works for earlier_work in earlier_works
                )
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
        group = next(
            (candidate for candidate in groups if _are_alike(index.fingerprints_of_works[candidate[0]], fingerprints)),
            None,
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

    `given` has the paths and texts of files that everybody got from the course. Code in these files is left out, and
    so is code that more than `max_people` people of one class have. The `max_pairs` most similar pairs are returned
    with their passages. Works of earlier classes are not compared with each other. No text raises an exception.
    """
    index = _FingerprintIndex(works, given, max_people)
    sizes = [len(index.uncommon_fingerprints(number)) for number in range(len(works))]
    counts = index.shared_counts()
    ranked = sorted(counts, key=lambda pair: (-_similarity(pair, counts[pair], sizes), -counts[pair], pair))
    pairs = [
        Pair(works[left], works[right], counts[left, right], sizes[left], sizes[right])
        for left, right in ranked[:max_pairs]
    ]
    passages = [_shared_passages(index, left, right) for left, right in ranked[:max_pairs]]
    alike = _alike_groups(index)
    alike_works = {number for group in alike for number in group}
    return Comparison(
        pairs=tuple(
            msgspec.structs.replace(pair, passages=pair_passages)
            for pair, pair_passages in zip(pairs, passages, strict=True)
        ),
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


def _shared_passages(index: _FingerprintIndex, first: int, second: int) -> tuple[Passage, ...]:
    left, right = (tokens_of(index.works[number].files)[0] for number in (first, second))
    return passages_of(
        left,
        right,
        index.uncommon_fingerprints(first) & index.uncommon_fingerprints(second),
        index.given_grams,
        index.common_grams,
    )
