"""The cards by their names in the program, and the value of a hand."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from reference.reading import Draw

#: In the order of the random numbers from 1 to 13 that select the cards.
CARDS = ("Ace", "2", "3", "4", "5", "6", "7", "8", "9", "10", "Jack", "Queen", "King")
HIGHEST = 21
#: Returns the value of a hand.
Count = Callable[[Sequence[str]], int]


def worth(card: str) -> int:
    """The value of a card; an ace is worth 11."""
    return 11 if card == "Ace" else int(card) if card.isdigit() else 10


def aces_as_11(hand: Sequence[str]) -> int:
    """The value of a hand in which every ace counts 11: the rule of the minimum requirements."""
    return sum(worth(card) for card in hand)


def count_with_low_aces(hand: Sequence[str]) -> int:
    """The value of a hand in which aces count 11, but 1 each while the hand is over 21: the rule of stage 3."""
    total = aces_as_11(hand)
    for card in hand:
        if card == "Ace" and total > HIGHEST:
            total -= 10
    return total


def at_random() -> Draw:
    """Return a function that draws cards at random from an infinite deck."""
    generator = random.SystemRandom()
    return lambda: generator.choice(CARDS)
