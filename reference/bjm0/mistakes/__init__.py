"""The mistakes that students of BJM0 make, each as a program that makes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from reference.bjm0 import aces, chances, dealer, shuffle, table
from reference.bjm0.mistakes.decks import DECKS
from reference.bjm0.mistakes.odds import ODDS
from reference.bjm0.mistakes.tables import TABLES
from reference.bjm0.rules import HIGHEST, RIGHT, Hand
from reference.miscounts import (
    all_lowered,
    always_1,
    below_21,
    drawn_lowered,
    one_lowered,
    one_lowered_a_card,
    two_aces_as_22,
)
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


def _on_hits_only(values: Hand) -> int:
    total, lowered = sum(values[:2]), 0
    for count, value in enumerate(values[2:], 3):
        total += value
        if total > HIGHEST and values[:count].count(11) - (values[:2] == [11, 11]) > lowered:
            total, lowered = total - 10, lowered + 1
    return total


VARIANTS = (
    *DECKS,
    Variant("ace-always-11", _DEALT, rules={"total": sum}),
    Variant("ace-always-1", _DEALT, rules={"total": always_1}),
    Variant("one-ace-lowered", ("aces", "table", "chances"), rules={"total": one_lowered}),
    Variant("all-aces-lowered", _DEALT, rules={"total": all_lowered}),
    Variant("soft-21-missed", _DEALT, rules={"total": below_21}),
    Variant("two-aces-as-22", _DEALT, rules={"total": two_aces_as_22}),
    Variant("two-aces-on-the-deal", _DEALT, rules={"total": _on_hits_only}),
    # A dealer who draws has 16 at the most: with the next card one ace at the most is one too many.
    Variant("one-ace-lowered-a-card", ("aces", "table", "chances"), rules={"total": one_lowered_a_card}),
    Variant("only-drawn-aces-lowered", _DEALT, rules={"total": drawn_lowered}),
    Variant("dealer-stands-at-16", ("dealer", "table", "chances"), rules={"dealer_stands_at": 16}),
    Variant("dealer-hits-17", ("dealer", "table", "chances"), rules={"dealer_stands_at": 18}),
    Variant("dealer-hits-soft-17", ("dealer", "table", "chances"), rules={"dealer_hits_soft_17": True}),
    Variant("dealer-draws-once", ("dealer", "table", "chances"), rules={"dealer_draws_once": True}),
    Variant("tie-wins", _AGAINST, rules={"tie_wins": True}),
    Variant("bust-can-win", ("table",), rules={"bust_can_win": True}),
    Variant("dealer-plays-after-bust", _AGAINST, rules={"dealer_plays_after_bust": True}),
    *TABLES,
    *ODDS,
)
PROGRAMS = Programs(_MAINS, dict.fromkeys(_ALL, RIGHT))


def catalogue() -> tuple[Mistake, ...]:
    """All mistakes."""
    return PROGRAMS.catalogue(VARIANTS)


def together(one: Mistake, other: Mistake) -> Mapping[str, Callable[..., int]]:
    """The programs that make both mistakes, by stage."""
    return PROGRAMS.together(VARIANTS, one, other)
