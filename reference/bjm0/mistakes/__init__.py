"""The known mistakes of the assignment bjm0, each with the wrong programs that make it."""

from __future__ import annotations

from reference.bjm0 import aces, chances, dealer, shuffle, table
from reference.bjm0.mistakes.decks import DECKS
from reference.bjm0.mistakes.odds import ODDS
from reference.bjm0.mistakes.tables import TABLES
from reference.bjm0.rules import HIGHEST, RULES, Hand
from reference.miscounts import (
    all_lowered,
    always_1,
    one_lowered,
    one_lowered_a_card,
    only_drawn_aces_lowered,
    soft_21_missed,
    two_aces_as_22,
)
from reference.mistakes import Mistake
from reference.variants import Programs, Variant

_ALL_STAGES = ("shuffle", "aces", "dealer", "table", "chances")
_DEALING_STAGES = ("aces", "dealer", "table", "chances")
_STAGES_AGAINST_DEALER = ("table", "chances")
_MAINS = {
    "shuffle": shuffle.main,
    "aces": aces.main,
    "dealer": dealer.main,
    "table": table.main,
    "chances": chances.main,
}


def _total_lowered_on_hits_only(values: Hand) -> int:
    """Lowers an ace only when a card is taken: two aces on the deal are 22, and one of them is never lowered."""
    total, lowered_aces = sum(values[:2]), 0
    for card_count, value in enumerate(values[2:], 3):
        total += value
        if total > HIGHEST and values[:card_count].count(11) - (values[:2] == [11, 11]) > lowered_aces:
            total, lowered_aces = total - 10, lowered_aces + 1
    return total


VARIANTS = (
    *DECKS,
    Variant("ace-always-11", _DEALING_STAGES, rules={"total": sum}),
    Variant("ace-always-1", _DEALING_STAGES, rules={"total": always_1}),
    Variant("one-ace-lowered", ("aces", "table", "chances"), rules={"total": one_lowered}),
    Variant("all-aces-lowered", _DEALING_STAGES, rules={"total": all_lowered}),
    Variant("soft-21-missed", _DEALING_STAGES, rules={"total": soft_21_missed}),
    Variant("two-aces-as-22", _DEALING_STAGES, rules={"total": two_aces_as_22}),
    Variant("two-aces-on-the-deal", _DEALING_STAGES, rules={"total": _total_lowered_on_hits_only}),
    # Not in the stage dealer: the dealer draws at 16 or less, so no card makes it necessary to lower two aces.
    Variant("one-ace-lowered-a-card", ("aces", "table", "chances"), rules={"total": one_lowered_a_card}),
    Variant("only-drawn-aces-lowered", _DEALING_STAGES, rules={"total": only_drawn_aces_lowered}),
    Variant("dealer-stands-at-16", ("dealer", "table", "chances"), rules={"dealer_stands_at": 16}),
    Variant("dealer-hits-17", ("dealer", "table", "chances"), rules={"dealer_stands_at": 18}),
    Variant("dealer-hits-soft-17", ("dealer", "table", "chances"), rules={"dealer_hits_soft_17": True}),
    Variant("dealer-draws-once", ("dealer", "table", "chances"), rules={"dealer_draws_once": True}),
    Variant("tie-wins", _STAGES_AGAINST_DEALER, rules={"tie_wins": True}),
    Variant("bust-can-win", ("table",), rules={"bust_can_win": True}),
    Variant("dealer-plays-after-bust", _STAGES_AGAINST_DEALER, rules={"dealer_plays_after_bust": True}),
    *TABLES,
    *ODDS,
)
PROGRAMS = Programs(_MAINS, dict.fromkeys(_ALL_STAGES, RULES))


def catalogue() -> tuple[Mistake, ...]:
    """All known mistakes, with their programs."""
    return PROGRAMS.catalogue(VARIANTS)
