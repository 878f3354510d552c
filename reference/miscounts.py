"""Wrong ways to count aces, for any representation of cards.

Each function gets the values of a hand's cards in the order in which they were drawn. An ace, and nothing else, has
the value 11. (Counting every ace as 11 is their plain sum.)
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
    """At most one ace is lowered, however many there are."""
    total = sum(worths)
    return total - 10 if total > _HIGHEST and _ACE in worths else total


def all_lowered(worths: Worths) -> int:
    """All aces are lowered at once."""
    total = sum(worths)
    return always_1(worths) if total > _HIGHEST else total


def decided_when_drawn(worths: Worths) -> int:
    """The value of an ace is decided when it is drawn, and never changes."""
    total = 0
    for worth in worths:
        total += 1 if worth == _ACE and total + _ACE > _HIGHEST else worth
    return total


def two_aces_as_22(worths: Worths) -> int:
    """Aces are lowered from the third card on, so two aces on the deal are 22."""
    total = sum(worths)
    for worth in worths if len(worths) > 2 else ():
        if worth == _ACE and total > _HIGHEST:
            total -= 10
    return total


def one_lowered_a_card(worths: Worths) -> int:
    """Each card lowers one ace at the most, as an `if` does where a card is added."""
    total = high = 0
    for worth in worths:
        total, high = total + worth, high + (worth == _ACE)
        if total > _HIGHEST and high:
            total, high = total - 10, high - 1
    return total


def drawn_lowered(worths: Worths) -> int:
    """Only aces that are drawn after the deal are ever lowered, and each card lowers one at the most."""
    total, high = sum(worths[:2]), 0
    for worth in worths[2:]:
        total, high = total + worth, high + (worth == _ACE)
        if total > _HIGHEST and high:
            total, high = total - 10, high - 1
    return total


def below_21(worths: Worths) -> int:
    """One ace is raised only below 21, so that it never makes 21."""
    low = always_1(worths)
    return low + 10 if _ACE in worths and low + 10 < _HIGHEST else low


def of_hands(worth_of: Callable[[Card], int], count: Callable[[Worths], int]) -> Callable[[Sequence[Card]], int]:
    """Apply a way to count to hands of cards; `worth_of` returns the value of a card, 11 for an ace."""
    return lambda hand: count([worth_of(card) for card in hand])


def mistakes(worth_of: Callable[[Card], int], stages: tuple[str, ...]) -> tuple[Variant, ...]:
    """These ways as mistakes of an assignment whose rules have the field `points`."""
    ways: Mapping[str, Callable[[Worths], int]] = {
        "ace-always-11": sum,
        "ace-always-1": always_1,
        "one-ace-lowered": one_lowered,
        "all-aces-lowered": all_lowered,
        "ace-decided-when-drawn": decided_when_drawn,
        "soft-21-missed": below_21,
    }
    return tuple(Variant(id_, stages, rules={"points": of_hands(worth_of, way)}) for id_, way in ways.items())
