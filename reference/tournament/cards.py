"""Cards as the program names them, and the value of a hand."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from reference.reading import Draw

#: In the order of the random number from 1 to 13.
CARDS = ("Ace", "2", "3", "4", "5", "6", "7", "8", "9", "10", "Jack", "Queen", "King")
HIGHEST = 21
#: Returns the value of a hand.
Count = Callable[[Sequence[str]], int]


def worth(card: str) -> int:
    """The value of a card; an ace is worth 11."""
    return 11 if card == "Ace" else int(card) if card.isdigit() else 10


def aces_as_11(hand: Sequence[str]) -> int:
    """Every ace counts 11: the minimum requirements."""
    return sum(worth(card) for card in hand)


def aces_as_fits(hand: Sequence[str]) -> int:
    """Aces count 11, but one after the other counts 1 while the hand is over 21: the rule of the aces."""
    total = aces_as_11(hand)
    for card in hand:
        if card == "Ace" and total > HIGHEST:
            total -= 10
    return total


def at_random() -> Draw:
    """Draws from an infinite deck."""
    generator = random.SystemRandom()
    return lambda: generator.choice(CARDS)
