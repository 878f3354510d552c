"""Wrong ways to count aces, for any representation of cards.

Each function gets the values of a hand's cards in the order in which they were drawn. An ace, and nothing else, has
the value 11. (To count every ace as 11, `sum` is enough.)
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
    """Aces are lowered only in hands of three or more cards, so two aces on the deal are 22."""
    total = sum(worths)
    for worth in worths if len(worths) > 2 else ():
        if worth == _ACE and total > _HIGHEST:
            total -= 10
    return total


def one_lowered_a_card(worths: Worths) -> int:
    """Each card drawn lowers at most one ace, as with an `if` after each card in place of a `while`."""
    total = high_aces = 0
    for worth in worths:
        total, high_aces = total + worth, high_aces + (worth == _ACE)
        if total > _HIGHEST and high_aces:
            total, high_aces = total - 10, high_aces - 1
    return total


def only_drawn_aces_lowered(worths: Worths) -> int:
    """Only aces drawn after the deal are ever lowered, and each card drawn lowers at most one ace."""
    total, high_aces = sum(worths[:2]), 0
    for worth in worths[2:]:
        total, high_aces = total + worth, high_aces + (worth == _ACE)
        if total > _HIGHEST and high_aces:
            total, high_aces = total - 10, high_aces - 1
    return total


def soft_21_missed(worths: Worths) -> int:
    """One ace is raised only below 21, so that it never makes 21."""
    low = always_1(worths)
    return low + 10 if _ACE in worths and low + 10 < _HIGHEST else low


def hand_counter(worth_of: Callable[[Card], int], count: Callable[[Worths], int]) -> Callable[[Sequence[Card]], int]:
    """Return a function that counts a hand of cards with `count`; `worth_of` returns a card's value, 11 for an ace."""
    return lambda hand: count([worth_of(card) for card in hand])


def mistakes(worth_of: Callable[[Card], int], stages: tuple[str, ...]) -> tuple[Variant, ...]:
    """The mistakes of counting aces in one of these ways, for an assignment whose rules have the field `points`."""
    counts: Mapping[str, Callable[[Worths], int]] = {
        "ace-always-11": sum,
        "ace-always-1": always_1,
        "one-ace-lowered": one_lowered,
        "all-aces-lowered": all_lowered,
        "ace-decided-when-drawn": decided_when_drawn,
        "soft-21-missed": soft_21_missed,
    }
    return tuple(Variant(id_, stages, rules={"points": hand_counter(worth_of, count)}) for id_, count in counts.items())
