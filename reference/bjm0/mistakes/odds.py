"""Mistakes in the chance of a bust."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from reference.bjm0.rules import COUNTS, HIGHEST, Hand, bust_chance, total_of
from reference.consoles import Wrapper, replacing, showing
from reference.miscounts import always_1
from reference.variants import Variant

_STAGES = ("chances",)
_ACE = 11
Counts = Sequence[int]


def _of_the_soft_total(values: Hand, counts: Sequence[int]) -> float:
    total = total_of(values)
    return sum(count for value, count in enumerate(counts, 1) if total + value > HIGHEST) / sum(counts)


def _of_values(values: Hand, counts: Sequence[int]) -> float:
    hard = always_1(values)
    return sum(hard + value > HIGHEST for value in range(1, 11)) / 10


def _at_21_too(values: Hand, counts: Sequence[int]) -> float:
    hard = always_1(values)
    return sum(count for value, count in enumerate(counts, 1) if hard + value >= HIGHEST) / sum(counts)


def _of_52(values: Hand, counts: Sequence[int]) -> float:
    return bust_chance(values, counts) * sum(counts) / 52


def _cut(values: Hand, counts: Sequence[int]) -> float:
    return float(int(bust_chance(values, counts)))


def _cut_after(parts: int) -> Callable[[Hand, Counts], float]:
    """The chance cut to a whole number of so many parts, with the exact number of cards that bust."""

    def chance(values: Hand, counts: Counts) -> float:
        left = sum(counts)
        bust = round(bust_chance(values, counts) * left)
        return bust * parts // left / parts

    return chance


def _of_standing(values: Hand, counts: Sequence[int]) -> float:
    return 1 - bust_chance(values, counts)


def _without(seen: Hand) -> list[int]:
    """The cards left of a deck from which these are taken."""
    counts = list(COUNTS)
    for value in seen:
        counts[0 if value == _ACE else value - 1] -= 1
    return counts


def _of_counts(change: Callable[[Hand, Counts], Counts]) -> Callable[[Hand, Counts], float]:
    """The chance for other counts than the right ones."""
    return lambda values, counts: bust_chance(values, change(values, counts))


def _aces_left(values: Hand, counts: Counts) -> Counts:
    return [COUNTS[0], *counts[1:]]


def _hits_left(values: Hand, counts: Counts) -> Counts:
    return [left + whole - other for left, whole, other in zip(counts, COUNTS, _without(values[2:]), strict=True)]


def _dealers_left(values: Hand, counts: Counts) -> Counts:
    return _without(values)


def _own_left(values: Hand, counts: Counts) -> Counts:
    return [left + whole - other for left, whole, other in zip(counts, COUNTS, _without(values), strict=True)]


def _four_tens(values: Hand, counts: Counts) -> Counts:
    return [*counts[:9], counts[9] - 12]


def _in_percent(values: Hand, counts: Counts) -> float:
    return 100 * bust_chance(values, counts)


def _two_decimals(text: str) -> str:
    return _CHANCE.sub(lambda found: f"{found[1]}{_ROUNDED.get(found[2], found[2])}", text)


_CHANCE = re.compile(r"(Chance of a bust: )([0-9.]+)")
#: Each chance with four decimals, and with two.
_ROUNDED = {f"{bust / left:.4f}": f"{bust / left:.2f}" for left in range(1, 53) for bust in range(left + 1)}
_BLACKJACK = "Blackjack on the deal: "


def _shown(id_: str, wrapper: Wrapper) -> Variant:
    return Variant(id_, _STAGES, consoles=(wrapper,))


def _counted(id_: str, change: Callable[[Hand, Counts], Counts]) -> Variant:
    return Variant(id_, _STAGES, rules={"chance": _of_counts(change)})


ODDS = (
    Variant("hole-counted-out", _STAGES, rules={"counts_hole": True}),
    Variant("nothing-counted-out", _STAGES, rules={"counts_out": False}),
    Variant("chance-of-soft-total", _STAGES, rules={"chance": _of_the_soft_total}),
    Variant("chance-of-values", _STAGES, rules={"chance": _of_values}),
    Variant("chance-at-21-too", _STAGES, rules={"chance": _at_21_too}),
    Variant("chance-of-52", _STAGES, rules={"chance": _of_52}),
    Variant("chance-cut", _STAGES, rules={"chance": _cut}),
    Variant("chance-cut-to-percent", _STAGES, rules={"chance": _cut_after(100)}),
    Variant("chance-rounded-down", _STAGES, rules={"chance": _cut_after(10_000)}),
    Variant("chance-of-standing", _STAGES, rules={"chance": _of_standing}),
    _counted("aces-not-counted-out", _aces_left),
    _counted("hits-not-counted-out", _hits_left),
    _counted("dealers-card-not-counted-out", _dealers_left),
    _counted("own-cards-not-counted-out", _own_left),
    _counted("four-tens", _four_tens),
    Variant("chance-in-percent", _STAGES, rules={"chance": _in_percent}),
    _shown("chance-with-two-decimals", showing(_two_decimals)),
    _shown("blackjack-in-one-order", replacing(f"{_BLACKJACK}0.0483", f"{_BLACKJACK}0.0241")),
    _shown("blackjack-put-back", replacing(f"{_BLACKJACK}0.0483", f"{_BLACKJACK}0.0237")),
    _shown("blackjack-chance-cut", replacing(f"{_BLACKJACK}0.0483", f"{_BLACKJACK}0.0000")),
)
