"""Wrong ways to count aces, whatever cards are to an assignment.

Each takes what the cards of a hand are worth, in the order in which they were drawn, an ace as 11; nothing else is.
(Every ace as 11 is their plain sum.)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
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


def mistakes(worth_of: Callable[[Card], int], source: str, stages: tuple[str, ...]) -> tuple[Variant, ...]:
    """These ways as mistakes of an assignment whose rules call them `points`."""

    def one(id_: str, title: str, hint: str, note: str, count: Callable[[Worths], int]) -> Variant:
        return Variant(id_, title, hint, note, source, stages, rules={"points": of_hands(worth_of, count)})

    look = "Work out on paper what a hand with an ace is worth, card by card."
    return (
        one("ace-always-11", "every ace counts 11", look, "Never lowered.", sum),
        one("ace-always-1", "every ace counts 1", look, "Never raised.", always_1),
        one(
            "one-ace-lowered",
            "only one ace is ever lowered",
            "Try a hand with two aces and some more cards.",
            "if instead of while.",
            one_lowered,
        ),
        one(
            "all-aces-lowered",
            "all aces are lowered together",
            "Try a hand with two aces: must both count the same?",
            "A A counts 2.",
            all_lowered,
        ),
        one(
            "ace-decided-when-drawn",
            "an ace is decided when it is drawn and never again",
            "What becomes of an ace when a later card would make the hand too high?",
            "Fixed in drawing order.",
            decided_when_drawn,
        ),
    )
