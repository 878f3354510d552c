"""Mistakes in the deck: a wrong shuffle or generator, wrong values of cards, a wrong order of dealing."""

from __future__ import annotations

from reference.bjm0.rules import VALUES, Rules
from reference.generators import Bsd, Generator, Glibc, Msvc, Musl
from reference.misshuffles import Rand, forward_shuffle, sattolo_cycle, without_parentheses
from reference.variants import Variant

_ALL_STAGES = ("shuffle", "aces", "dealer", "table", "chances")
_DEALING_STAGES = ("aces", "dealer", "table", "chances")


def _shuffle_upward(deck: list[int], rand: Rand) -> None:
    for index in range(1, len(deck)):
        other = rand() % (index + 1)
        deck[index], deck[other] = deck[other], deck[index]


def _shuffle_whole_deck(deck: list[int], rand: Rand) -> None:
    for index in range(len(deck) - 1, 0, -1):
        other = rand() % len(deck)
        deck[index], deck[other] = deck[other], deck[index]


def _shuffle_one_short(deck: list[int], rand: Rand) -> None:
    for index in range(len(deck) - 1, 1, -1):
        other = rand() % (index + 1)
        deck[index], deck[other] = deck[other], deck[index]


def _copy_from_random_index(deck: list[int], rand: Rand) -> None:
    for index in range(len(deck) - 1, 0, -1):
        deck[index] = deck[rand() % (index + 1)]


def _leave_in_order(deck: list[int], rand: Rand) -> None:
    """Does not shuffle."""


def _generator_with_seed_1(seed: int) -> Generator:
    return Glibc(1)


def _value_by_fours(card: int) -> int:
    return VALUES[(card - 1) // 4]


def _value_counting_pictures_up(card: int) -> int:
    return (2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 11)[(card - 1) % 13]


def _value_of_face(card: int) -> int:
    return (card - 1) % 13 + 2


def _value_with_ace_first(card: int) -> int:
    return (11, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10)[(card - 1) % 13]


def _value_with_ace_as_1(card: int) -> int:
    return (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10)[(card - 1) % 13]


def _value_of_next_card(card: int) -> int:
    return VALUES[card % 13]


class _LastCardNeverDealt(Rules):
    def deck(self, seed: int) -> list[int]:
        return super().deck(seed)[:-1]


DECKS = (
    Variant("shuffle-upward", _ALL_STAGES, rules={"shuffle": _shuffle_upward}),
    Variant("shuffle-whole-deck", _ALL_STAGES, rules={"shuffle": _shuffle_whole_deck}),
    Variant("shuffle-never-itself", _ALL_STAGES, rules={"shuffle": sattolo_cycle}),
    Variant("shuffle-forward", _ALL_STAGES, rules={"shuffle": forward_shuffle}),
    Variant("shuffle-without-parentheses", _ALL_STAGES, rules={"shuffle": without_parentheses}),
    Variant("shuffle-one-short", ("shuffle",), rules={"shuffle": _shuffle_one_short}),
    Variant("swap-takes-twice", _ALL_STAGES, rules={"shuffle": _copy_from_random_index}),
    Variant("never-shuffled", _ALL_STAGES, rules={"shuffle": _leave_in_order}),
    Variant("never-seeded", _ALL_STAGES, rules={"generator": _generator_with_seed_1}),
    Variant("musl-rand", _ALL_STAGES, rules={"generator": Musl}),
    Variant("macos-rand", _ALL_STAGES, rules={"generator": Bsd}),
    Variant("windows-rand", _ALL_STAGES, rules={"generator": Msvc}),
    Variant("shuffles-seed-zero", _ALL_STAGES, rules={"shuffles_seed_0": True}),
    Variant("deals-from-the-front", _ALL_STAGES, rules={"deals_from_the_end": False}),
    Variant("deals-from-second", _DEALING_STAGES, rules={"kind": _LastCardNeverDealt}),
    Variant("values-by-fours", _ALL_STAGES, rules={"value": _value_by_fours}),
    Variant("values-one-off", _ALL_STAGES, rules={"value": _value_of_next_card}),
    Variant("values-are-faces", ("shuffle", "aces", "dealer", "table"), rules={"value": _value_of_face}),
    Variant("values-ace-first", _ALL_STAGES, rules={"value": _value_with_ace_first}),
    Variant("values-ace-as-1", _ALL_STAGES, rules={"value": _value_with_ace_as_1}),
    Variant("pictures-count-up", _ALL_STAGES, rules={"value": _value_counting_pictures_up}),
)
