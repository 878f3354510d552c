"""The mistakes that students of BJM0 make, each as a program that makes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from reference.bjm0 import aces, chances, dealer, shuffle, table
from reference.bjm0.mistakes.odds import ODDS
from reference.bjm0.rules import HIGHEST, RIGHT, VALUES, Hand
from reference.generators import Bsd, Msvc, Musl
from reference.miscounts import always_1, one_lowered
from reference.mistakes import Mistake
from reference.variants import Programs, Variant

_ALL = ("shuffle", "aces", "dealer", "table", "chances")
_DEALT = ("aces", "dealer", "table", "chances")
_AGAINST = ("table", "chances")
_MAINS = {
    "shuffle": shuffle.main,
    "aces": aces.main,
    "dealer": dealer.main,
    "table": table.main,
    "chances": chances.main,
}


def _upward(deck: list[int], rand: Callable[[], int]) -> None:
    for index in range(1, len(deck)):
        other = rand() % (index + 1)
        deck[index], deck[other] = deck[other], deck[index]


def _whole(deck: list[int], rand: Callable[[], int]) -> None:
    for index in range(len(deck) - 1, 0, -1):
        other = rand() % len(deck)
        deck[index], deck[other] = deck[other], deck[index]


def _never_itself(deck: list[int], rand: Callable[[], int]) -> None:
    for index in range(len(deck) - 1, 0, -1):
        other = rand() % index
        deck[index], deck[other] = deck[other], deck[index]


def _by_fours(card: int) -> int:
    return VALUES[(card - 1) // 4]


def _pictures_count_up(card: int) -> int:
    return (2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 11)[(card - 1) % 13]


def _on_hits_only(values: Hand) -> int:
    total, lowered = sum(values[:2]), 0
    for count, value in enumerate(values[2:], 3):
        total += value
        if total > HIGHEST and values[:count].count(11) - (values[:2] == [11, 11]) > lowered:
            total, lowered = total - 10, lowered + 1
    return total


VARIANTS = (
    Variant("shuffle-upward", _ALL, rules={"shuffle": _upward}),
    Variant("shuffle-whole-deck", _ALL, rules={"shuffle": _whole}),
    Variant("shuffle-never-itself", _ALL, rules={"shuffle": _never_itself}),
    Variant("musl-rand", _ALL, rules={"generator": Musl}),
    Variant("macos-rand", _ALL, rules={"generator": Bsd}),
    Variant("windows-rand", _ALL, rules={"generator": Msvc}),
    Variant("shuffles-seed-zero", _ALL, rules={"shuffles_seed_0": True}),
    Variant("deals-from-the-front", _ALL, rules={"deals_from_the_end": False}),
    Variant("values-by-fours", _ALL, rules={"value": _by_fours}),
    Variant("pictures-count-up", _ALL, rules={"value": _pictures_count_up}),
    Variant("ace-always-11", _DEALT, rules={"total": sum}),
    Variant("ace-always-1", _DEALT, rules={"total": always_1}),
    Variant("one-ace-lowered", ("aces", "table", "chances"), rules={"total": one_lowered}),
    Variant("two-aces-on-the-deal", _DEALT, rules={"total": _on_hits_only}),
    Variant("dealer-stands-at-16", ("dealer", "table", "chances"), rules={"dealer_stands_at": 16}),
    Variant("dealer-hits-17", ("dealer", "table", "chances"), rules={"dealer_stands_at": 18}),
    Variant("dealer-hits-soft-17", ("dealer", "table", "chances"), rules={"dealer_hits_soft_17": True}),
    Variant("dealer-draws-once", ("dealer", "table", "chances"), rules={"dealer_draws_once": True}),
    Variant("tie-wins", _AGAINST, rules={"tie_wins": True}),
    Variant("bust-can-win", ("table",), rules={"bust_can_win": True}),
    Variant("dealer-plays-after-bust", _AGAINST, rules={"dealer_plays_after_bust": True}),
    *ODDS,
)
PROGRAMS = Programs(_MAINS, dict.fromkeys(_ALL, RIGHT))


def catalogue() -> tuple[Mistake, ...]:
    """All mistakes."""
    return PROGRAMS.catalogue(VARIANTS)


def together(one: Mistake, other: Mistake) -> Mapping[str, Callable[..., int]]:
    """The programs that make both mistakes, by stage."""
    return PROGRAMS.together(VARIANTS, one, other)
