"""Mistakes with the chance of a bust."""

from __future__ import annotations

from collections.abc import Sequence

from reference.bjm0.rules import HIGHEST, Hand, bust_chance, total_of
from reference.miscounts import always_1
from reference.variants import Variant

BRIEF = "the brief's fragments"
_STAGES = ("chances",)


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


def _of_standing(values: Hand, counts: Sequence[int]) -> float:
    return 1 - bust_chance(values, counts)


ODDS = (
    Variant(
        "hole-counted-out",
        "the hidden card is treated as known",
        "Work out one chance by hand: which cards are still unknown, and which of them are too high?",
        "The player cannot know it.",
        BRIEF,
        _STAGES,
        rules={"counts_hole": True},
    ),
    Variant(
        "nothing-counted-out",
        "cards already dealt are counted as still in the deck",
        "Work out one chance by hand: which cards are still unknown, and which of them are too high?",
        "Always the whole deck.",
        BRIEF,
        _STAGES,
        rules={"counts_out": False},
    ),
    Variant(
        "chance-of-soft-total",
        "the chance is worked out with aces as 11",
        "Work out the chance for an ace and a 7: which card could make this hand bust?",
        "A soft hand cannot bust.",
        BRIEF,
        _STAGES,
        rules={"chance": _of_the_soft_total},
    ),
    Variant(
        "chance-of-values",
        "every value is treated as equally likely",
        "Work out one chance by hand: which cards are still unknown, and which of them are too high?",
        "Ten values instead of the cards.",
        BRIEF,
        _STAGES,
        rules={"chance": _of_values},
    ),
    Variant(
        "chance-at-21-too",
        "21 is counted as a bust in the chance",
        "Work out one chance by hand: which cards are still unknown, and which of them are too high?",
        ">= 21.",
        BRIEF,
        _STAGES,
        rules={"chance": _at_21_too},
    ),
    Variant(
        "chance-of-52",
        "the chance is always divided by 52",
        "Work out one chance by hand: which cards are still unknown, and which of them are too high?",
        "Divided by 52.",
        BRIEF,
        _STAGES,
        rules={"chance": _of_52},
    ),
    Variant(
        "chance-cut",
        "the chance is cut to a whole number",
        "In which type is the division made?",
        "int by int.",
        BRIEF,
        _STAGES,
        rules={"chance": _cut},
    ),
    Variant(
        "chance-of-standing",
        "the chance is that of not being bust",
        "Which of the two chances is asked for?",
        "1 - p.",
        BRIEF,
        _STAGES,
        rules={"chance": _of_standing},
    ),
)
