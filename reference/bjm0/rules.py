"""The deck and the rules as data: a misconception is a change of the rules."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from reference.generators import Generator, Glibc

HIGHEST = 21
#: The values of the cards 1 to 13, and again of 14 to 26 and so on; an ace is 11.
VALUES = (2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10, 11)
SIZE = 52
#: The number of cards of each value from 1 to 10, where an ace is 1.
COUNTS = (4, 4, 4, 4, 4, 4, 4, 4, 4, 16)
Hand = Sequence[int]


def value_of(card: int) -> int:
    """The value of a card from 1 to 52."""
    return VALUES[(card - 1) % 13]


def shuffled(deck: list[int], rand: Callable[[], int]) -> None:
    """The brief's loop: swap each card, from the last down to the second, with one at or below it."""
    for index in range(SIZE - 1, 0, -1):
        other = rand() % (index + 1)
        deck[index], deck[other] = deck[other], deck[index]


def total_of(values: Hand) -> int:
    """The value of a hand: 10 less for each ace while it is over 21."""
    total = sum(values)
    for value in values:
        if value == 11 and total > HIGHEST:
            total -= 10
    return total


def bust_chance(values: Hand, counts: Sequence[int]) -> float:
    """The chance that the next card makes a hand bust; `counts` are the cards not known to be gone, by value."""
    hard = sum(1 if value == 11 else value for value in values)
    bust = sum(count for value, count in enumerate(counts, 1) if hard + value > HIGHEST)
    return bust / sum(counts)


@dataclass(frozen=True)
class Rules:
    """All rules that a mistake may change."""

    generator: Callable[[int], Generator] = Glibc
    shuffle: Callable[[list[int], Callable[[], int]], None] = shuffled
    value: Callable[[int], int] = value_of
    total: Callable[[Hand], int] = total_of
    chance: Callable[[Hand, Sequence[int]], float] = bust_chance
    shuffles_seed_0: bool = False
    deals_from_the_end: bool = True
    dealer_stands_at: int = 17
    dealer_hits_soft_17: bool = False
    dealer_draws_once: bool = False
    #: Whether a tie wins, and whether a bust player wins if the dealer busts too.
    tie_wins: bool = False
    bust_can_win: bool = False
    #: Whether the hole card is excluded from the chance, and whether any card is.
    counts_hole: bool = False
    counts_out: bool = True
    #: Whether the dealer draws although all players are bust.
    dealer_plays_after_bust: bool = False

    def deck(self, seed: int) -> list[int]:
        """The deck of a seed, its last card dealt first."""
        deck = list(range(1, SIZE + 1))
        if seed or self.shuffles_seed_0:
            self.shuffle(deck, self.generator(seed).rand)
        return deck if self.deals_from_the_end else deck[::-1]

    def busts(self, values: Hand) -> bool:
        """Whether a hand is over 21."""
        return self.total(values) > HIGHEST

    def dealer_draws(self, values: Hand) -> bool:
        """Whether the dealer takes another card."""
        if self.dealer_draws_once and len(values) > 2:
            return False
        total = self.total(values)
        is_soft = total != sum(1 if value == 11 else value for value in values)
        return total < self.dealer_stands_at or (total == 17 and is_soft and self.dealer_hits_soft_17)

    def wins(self, player: Hand, dealer: Hand) -> bool:
        """Whether a player wins against the dealer."""
        if self.busts(player):
            return self.bust_can_win and self.busts(dealer)
        if self.busts(dealer):
            return True
        ours, theirs = self.total(player), self.total(dealer)
        return ours > theirs or (ours == theirs and self.tie_wins)


RIGHT = Rules()
