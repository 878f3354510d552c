"""Wrong ways to count aces, whatever cards are to an assignment.

Each takes what the cards of a hand are worth, in the order in which they were drawn, an ace as 11; nothing else is.
(Every ace as 11 is their plain sum.)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from reference.variants import Variant

Card = TypeVar("Card")
Worths = Sequence[int]
_HIGHEST, _ACE = 21, 11


def always_1(worths: Worths) -> int:
    """Every ace counts 1."""
    return sum(1 if worth == _ACE else worth for worth in worths)


def one_lowered(worths: Worths) -> int:
    """One ace at the most is lowered, however many there are."""
    total = sum(worths)
    return total - 10 if total > _HIGHEST and _ACE in worths else total


def all_lowered(worths: Worths) -> int:
    """All aces are lowered at once."""
    total = sum(worths)
    return always_1(worths) if total > _HIGHEST else total


def decided_when_drawn(worths: Worths) -> int:
    """What an ace counts is decided when it is drawn, and never again."""
    total = 0
    for worth in worths:
        total += 1 if worth == _ACE and total + _ACE > _HIGHEST else worth
    return total


def of_hands(worth_of: Callable[[Card], int], count: Callable[[Worths], int]) -> Callable[[Sequence[Card]], int]:
    """A way to count for hands of cards, where `worth_of` gives what a card is worth, an ace 11."""
    return lambda hand: count([worth_of(card) for card in hand])


def mistakes(worth_of: Callable[[Card], int], stages: tuple[str, ...]) -> tuple[Variant, ...]:
    """These ways as mistakes of an assignment whose rules call them `points`."""
    ways: Mapping[str, Callable[[Worths], int]] = {
        "ace-always-11": sum,
        "ace-always-1": always_1,
        "one-ace-lowered": one_lowered,
        "all-aces-lowered": all_lowered,
        "ace-decided-when-drawn": decided_when_drawn,
    }
    return tuple(Variant(id_, stages, rules={"points": of_hands(worth_of, way)}) for id_, way in ways.items())
