"""Mistakes in the chance of a bust."""

from __future__ import annotations

from collections.abc import Sequence

from reference.bjm0.rules import HIGHEST, Hand, bust_chance, total_of
from reference.miscounts import always_1
from reference.variants import Variant

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
    Variant("hole-counted-out", _STAGES, rules={"counts_hole": True}),
    Variant("nothing-counted-out", _STAGES, rules={"counts_out": False}),
    Variant("chance-of-soft-total", _STAGES, rules={"chance": _of_the_soft_total}),
    Variant("chance-of-values", _STAGES, rules={"chance": _of_values}),
    Variant("chance-at-21-too", _STAGES, rules={"chance": _at_21_too}),
    Variant("chance-of-52", _STAGES, rules={"chance": _of_52}),
    Variant("chance-cut", _STAGES, rules={"chance": _cut}),
    Variant("chance-of-standing", _STAGES, rules={"chance": _of_standing}),
)
