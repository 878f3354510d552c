"""The deck and the rules as data: most mistakes are changes of the rules."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from reference.generators import Generator, Glibc

#: The highest total that is not bust.
HIGHEST = 21
#: The values of the cards 1 to 13, an ace as 11. The cards 14 to 26, 27 to 39 and 40 to 52 repeat these values.
VALUES = (2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10, 11)
#: The number of cards in the deck.
SIZE = 52
#: The number of cards of each value from 1 to 10 in the deck, where an ace is 1.
COUNTS = (4, 4, 4, 4, 4, 4, 4, 4, 4, 16)
#: The values of a hand's cards, an ace as 11.
Hand = Sequence[int]


def value_of(card: int) -> int:
    """The value of a card from 1 to 52."""
    return VALUES[(card - 1) % 13]


def shuffled(deck: list[int], rand: Callable[[], int]) -> None:
    """Shuffle in place with the loop of the assignment's brief.

    Each card, from the last down to the second, is swapped with a card at the same or a lower index.
    """
    for index in range(SIZE - 1, 0, -1):
        other = rand() % (index + 1)
        deck[index], deck[other] = deck[other], deck[index]


def total_of(values: Hand) -> int:
    """The total of a hand. Aces, 11 at first, are lowered to 1 one after the other while the total is over 21."""
    total = sum(values)
    for value in values:
        if value == 11 and total > HIGHEST:
            total -= 10
    return total


def bust_chance(values: Hand, counts: Sequence[int]) -> float:
    """The chance that the next card makes a hand bust; `counts` has the number of cards left of each value, 1 to 10."""
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
    #: Whether the deck is also shuffled for seed 0.
    shuffles_seed_0: bool = False
    #: Whether the last card of the deck is dealt first.
    deals_from_the_end: bool = True
    #: The total below which the dealer draws.
    dealer_stands_at: int = 17
    #: Whether the dealer also draws on a 17 in which an ace counts 11.
    dealer_hits_soft_17: bool = False
    #: Whether the dealer draws one card at most.
    dealer_draws_once: bool = False
    #: Whether the player wins a tie.
    tie_wins: bool = False
    #: Whether a bust player wins if the dealer busts too.
    bust_can_win: bool = False
    #: Whether the dealer's face-down card is excluded from the chance of a bust, as if the player had seen it.
    counts_hole: bool = False
    #: Whether cards already seen are excluded from the chance of a bust.
    counts_out: bool = True
    #: Whether the dealer draws although all players are bust.
    dealer_plays_after_bust: bool = False

    def deck(self, seed: int) -> list[int]:
        """The deck for a seed, in such an order that the last card of the list is dealt first."""
        deck = list(range(1, SIZE + 1))
        if seed or self.shuffles_seed_0:
            self.shuffle(deck, self.generator(seed).rand)
        return deck if self.deals_from_the_end else deck[::-1]

    def busts(self, values: Hand) -> bool:
        """Whether a hand is over 21."""
        return self.total(values) > HIGHEST

    def dealer_draws(self, values: Hand) -> bool:
        """Whether a dealer with this hand takes another card."""
        if self.dealer_draws_once and len(values) > 2:
            return False
        total = self.total(values)
        is_soft = total != sum(1 if value == 11 else value for value in values)
        return total < self.dealer_stands_at or (total == 17 and is_soft and self.dealer_hits_soft_17)

    def wins(self, player: Hand, dealer: Hand) -> bool:
        """Whether the player's hand wins against the dealer's."""
        if self.busts(player):
            return self.bust_can_win and self.busts(dealer)
        if self.busts(dealer):
            return True
        ours, theirs = self.total(player), self.total(dealer)
        return ours > theirs or (ours == theirs and self.tie_wins)


RULES = Rules()
