"""Mistakes in the chance of a bust."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from reference.bjm0.rules import COUNTS, HIGHEST, Hand, bust_chance, total_of
from reference.consoles import Wrapper, apply_to_text, replacing
from reference.miscounts import always_1
from reference.variants import Variant

_STAGES = ("chances",)
_ACE = 11
Counts = Sequence[int]


def _chance_of_soft_total(values: Hand, counts: Sequence[int]) -> float:
    total = total_of(values)
    return sum(count for value, count in enumerate(counts, 1) if total + value > HIGHEST) / sum(counts)


def _chance_of_values(values: Hand, counts: Sequence[int]) -> float:
    """Treats the ten values as equally likely."""
    hard = always_1(values)
    return sum(hard + value > HIGHEST for value in range(1, 11)) / 10


def _chance_at_21_too(values: Hand, counts: Sequence[int]) -> float:
    hard = always_1(values)
    return sum(count for value, count in enumerate(counts, 1) if hard + value >= HIGHEST) / sum(counts)


def _chance_of_52(values: Hand, counts: Sequence[int]) -> float:
    """Divides by 52 instead of the number of cards left."""
    return bust_chance(values, counts) * sum(counts) / 52


def _chance_cut(values: Hand, counts: Sequence[int]) -> float:
    return float(int(bust_chance(values, counts)))


def _chance_cut_to_parts(parts: int) -> Callable[[Hand, Counts], float]:
    """Returns a function for the chance rounded down to a multiple of 1 / `parts`, computed with exact integers."""

    def chance(values: Hand, counts: Counts) -> float:
        card_count = sum(counts)
        bust_count = round(bust_chance(values, counts) * card_count)
        return bust_count * parts // card_count / parts

    return chance


def _chance_of_standing(values: Hand, counts: Sequence[int]) -> float:
    return 1 - bust_chance(values, counts)


def _full_deck_without(values: Hand) -> list[int]:
    """The number of cards of each value in a full deck from which cards of these values were taken."""
    counts = list(COUNTS)
    for value in values:
        counts[0 if value == _ACE else value - 1] -= 1
    return counts


def _chance_with_counts(change: Callable[[Hand, Counts], Counts]) -> Callable[[Hand, Counts], float]:
    """Returns a function for the chance with wrong counts; `change` makes them from the hand and the right counts."""
    return lambda values, counts: bust_chance(values, change(values, counts))


def _counts_with_all_aces(values: Hand, counts: Counts) -> Counts:
    """The right counts, but with all four aces."""
    return [COUNTS[0], *counts[1:]]


def _counts_with_hits(values: Hand, counts: Counts) -> Counts:
    """The right counts, but with the cards that the player took after the deal."""
    return _counts_with(values[2:], counts)


def _counts_with_dealers_card(values: Hand, counts: Counts) -> Counts:
    """The right counts, but with the dealer's visible card."""
    return _full_deck_without(values)


def _counts_with_own_cards(values: Hand, counts: Counts) -> Counts:
    """The right counts, but with all cards of the player."""
    return _counts_with(values, counts)


def _counts_with(values: Hand, counts: Counts) -> Counts:
    """The counts after cards of these values are put back."""
    reduced_counts = _full_deck_without(values)
    return [count + full - reduced for count, full, reduced in zip(counts, COUNTS, reduced_counts, strict=True)]


def _counts_with_four_tens(values: Hand, counts: Counts) -> Counts:
    """The right counts without the twelve pictures."""
    return [*counts[:9], counts[9] - 12]


def _chance_in_percent(values: Hand, counts: Counts) -> float:
    return 100 * bust_chance(values, counts)


def _round_to_two_decimals(text: str) -> str:
    return _CHANCE.sub(lambda match: f"{match[1]}{_ROUNDED.get(match[2], match[2])}", text)


_CHANCE = re.compile(r"(Chance of a bust: )([0-9.]+)")
#: The text of each possible chance with four decimals, and its text with two.
_ROUNDED = {f"{bust / cards:.4f}": f"{bust / cards:.2f}" for cards in range(1, 53) for bust in range(cards + 1)}
_BLACKJACK = "Blackjack on the deal: "


def _output_mistake(id_: str, wrapper: Wrapper) -> Variant:
    return Variant(id_, _STAGES, consoles=(wrapper,))


def _counts_mistake(id_: str, change: Callable[[Hand, Counts], Counts]) -> Variant:
    return Variant(id_, _STAGES, rules={"chance": _chance_with_counts(change)})


ODDS = (
    Variant("hole-counted-out", _STAGES, rules={"counts_hole": True}),
    Variant("nothing-counted-out", _STAGES, rules={"counts_out": False}),
    Variant("chance-of-soft-total", _STAGES, rules={"chance": _chance_of_soft_total}),
    Variant("chance-of-values", _STAGES, rules={"chance": _chance_of_values}),
    Variant("chance-at-21-too", _STAGES, rules={"chance": _chance_at_21_too}),
    Variant("chance-of-52", _STAGES, rules={"chance": _chance_of_52}),
    Variant("chance-cut", _STAGES, rules={"chance": _chance_cut}),
    Variant("chance-cut-to-percent", _STAGES, rules={"chance": _chance_cut_to_parts(100)}),
    Variant("chance-rounded-down", _STAGES, rules={"chance": _chance_cut_to_parts(10_000)}),
    Variant("chance-of-standing", _STAGES, rules={"chance": _chance_of_standing}),
    _counts_mistake("aces-not-counted-out", _counts_with_all_aces),
    _counts_mistake("hits-not-counted-out", _counts_with_hits),
    _counts_mistake("dealers-card-not-counted-out", _counts_with_dealers_card),
    _counts_mistake("own-cards-not-counted-out", _counts_with_own_cards),
    _counts_mistake("four-tens", _counts_with_four_tens),
    Variant("chance-in-percent", _STAGES, rules={"chance": _chance_in_percent}),
    _output_mistake("chance-with-two-decimals", apply_to_text(_round_to_two_decimals)),
    _output_mistake("blackjack-in-one-order", replacing(f"{_BLACKJACK}0.0483", f"{_BLACKJACK}0.0241")),
    _output_mistake("blackjack-put-back", replacing(f"{_BLACKJACK}0.0483", f"{_BLACKJACK}0.0237")),
    _output_mistake("blackjack-chance-cut", replacing(f"{_BLACKJACK}0.0483", f"{_BLACKJACK}0.0000")),
)
