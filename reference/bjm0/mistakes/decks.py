"""Mistakes in the deck: another shuffle, arrays that do not go together, another order of dealing."""

from __future__ import annotations

from reference.bjm0.rules import VALUES, Rules
from reference.generators import Bsd, Generator, Glibc, Msvc, Musl
from reference.misshuffles import Rand, forward, never_itself, without_parentheses
from reference.variants import Variant

_ALL = ("shuffle", "aces", "dealer", "table", "chances")
_DEALT = ("aces", "dealer", "table", "chances")


def _upward(deck: list[int], rand: Rand) -> None:
    for index in range(1, len(deck)):
        other = rand() % (index + 1)
        deck[index], deck[other] = deck[other], deck[index]


def _whole(deck: list[int], rand: Rand) -> None:
    for index in range(len(deck) - 1, 0, -1):
        other = rand() % len(deck)
        deck[index], deck[other] = deck[other], deck[index]


def _one_short(deck: list[int], rand: Rand) -> None:
    for index in range(len(deck) - 1, 1, -1):
        other = rand() % (index + 1)
        deck[index], deck[other] = deck[other], deck[index]


def _taken_twice(deck: list[int], rand: Rand) -> None:
    for index in range(len(deck) - 1, 0, -1):
        deck[index] = deck[rand() % (index + 1)]


def _never(deck: list[int], rand: Rand) -> None:
    """Leaves the deck in order."""


def _of_seed_1(seed: int) -> Generator:
    return Glibc(1)


def _by_fours(card: int) -> int:
    return VALUES[(card - 1) // 4]


def _pictures_count_up(card: int) -> int:
    return (2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 11)[(card - 1) % 13]


def _faces(card: int) -> int:
    return (card - 1) % 13 + 2


def _ace_first(card: int) -> int:
    return (11, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10)[(card - 1) % 13]


def _ace_as_1(card: int) -> int:
    return (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10)[(card - 1) % 13]


def _numbered_from_0(card: int) -> int:
    return VALUES[card % 13]


class _OneCardBelow(Rules):
    def deck(self, seed: int) -> list[int]:
        return super().deck(seed)[:-1]


DECKS = (
    Variant("shuffle-upward", _ALL, rules={"shuffle": _upward}),
    Variant("shuffle-whole-deck", _ALL, rules={"shuffle": _whole}),
    Variant("shuffle-never-itself", _ALL, rules={"shuffle": never_itself}),
    Variant("shuffle-forward", _ALL, rules={"shuffle": forward}),
    Variant("shuffle-without-parentheses", _ALL, rules={"shuffle": without_parentheses}),
    Variant("shuffle-one-short", ("shuffle",), rules={"shuffle": _one_short}),
    Variant("swap-takes-twice", _ALL, rules={"shuffle": _taken_twice}),
    Variant("never-shuffled", _ALL, rules={"shuffle": _never}),
    Variant("never-seeded", _ALL, rules={"generator": _of_seed_1}),
    Variant("musl-rand", _ALL, rules={"generator": Musl}),
    Variant("macos-rand", _ALL, rules={"generator": Bsd}),
    Variant("windows-rand", _ALL, rules={"generator": Msvc}),
    Variant("shuffles-seed-zero", _ALL, rules={"shuffles_seed_0": True}),
    Variant("deals-from-the-front", _ALL, rules={"deals_from_the_end": False}),
    Variant("deals-from-second", _DEALT, rules={"kind": _OneCardBelow}),
    Variant("values-by-fours", _ALL, rules={"value": _by_fours}),
    Variant("values-one-off", _ALL, rules={"value": _numbered_from_0}),
    Variant("values-are-faces", ("shuffle", "aces", "dealer", "table"), rules={"value": _faces}),
    Variant("values-ace-first", _ALL, rules={"value": _ace_first}),
    Variant("values-ace-as-1", _ALL, rules={"value": _ace_as_1}),
    Variant("pictures-count-up", _ALL, rules={"value": _pictures_count_up}),
)
