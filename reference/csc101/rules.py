"""Cards as the program writes them, hands, and the rules as data: a misconception is the same program under others."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum

from reference.reading import Draw

RANKS = ("A", "K", "Q", "J", "10", "9", "8", "7", "6", "5", "4", "3", "2")
CARDS = tuple(rank + suit for suit in "SHDC" for rank in RANKS)
HIGHEST = 21
FEATURES = ("reshuffle", "split", "betting", "errors")
Hand = Sequence[str]
_WORTH = {card: 1 if card[0] == "A" else int(card[:-1]) if card[:-1].isdigit() else 10 for card in CARDS}
_ACES = frozenset(card for card in CARDS if card[0] == "A")


class Outcome(Enum):
    """How a hand ends, from the player's side."""

    WIN = "win"
    LOSS = "loss"
    PUSH = "push"


def worth(card: str) -> int:
    """What a card is worth, an ace 1."""
    return _WORTH[card]


def has_ace(hand: Hand) -> bool:
    """Whether there is an ace among the cards."""
    return not _ACES.isdisjoint(hand)


def points(hand: Hand) -> int:
    """What a hand is worth: one ace 11 where that is not over 21, every other ace 1."""
    low = sum(map(_WORTH.__getitem__, hand))
    return low + 10 if has_ace(hand) and low + 10 <= HIGHEST else low


def at_random() -> Draw:
    """A shuffled deck of 52, and when it is used up another."""
    generator, deck = random.SystemRandom(), list[str]()

    def draw() -> str:
        if not deck:
            deck.extend(CARDS)
            generator.shuffle(deck)
        return deck.pop()

    return draw


@dataclass(frozen=True)
class Rules:
    """Everything that could be otherwise."""

    features: frozenset[str] = frozenset()
    points: Callable[[Hand], int] = points
    deal_order: str = "pdpd"
    cards_in_deck: int = 52
    #: Whether the dealer, at 17 with an ace in the hand, takes one more card.
    hits_17_with_ace: bool = True
    dealer_stands_at: int = 17
    #: Whether the dealer draws although the player is bust, or has quit the hand.
    dealer_plays_after_bust: bool = False
    #: Whether a player with 21 is asked all the same.
    asks_at_21: bool = False
    #: Whether a two-card 21 beats one of more cards.
    blackjack_beats_21: bool = True
    #: What a blackjack wins, in halves of the bet; and any other win, a push and a loss.
    blackjack_halves: int = 3
    win_halves: int = 2
    push_halves: int = 0
    loss_halves: int = -2
    #: Whether every 21, of however many cards, pays as a blackjack.
    any_21_is_blackjack: bool = False
    #: Whether a two-card 21 after a split is a blackjack.
    split_blackjack: bool = False
    #: Whether the hole card is shown when the player quits the hand.
    quit_reveals: bool = False
    quit_halves: int = -2
    #: By how much a doubled bet counts.
    doubling: int = 2
    #: Whether pairs are cards of one value, or else of one rank.
    pairs_by_value: bool = True
    #: Whether a refused command counts as one.
    refused_counts: bool = False
    adds_winnings: bool = True
    #: The card of a split pair that the first hand keeps, 0 or 1.
    first_keeps: int = 0
    #: Whether the program begins with an empty line.
    begins_with_blank: bool = True
    lowest_bet: int = 1
    highest_bet: int = 1_000_000

    def has(self, feature: str) -> bool:
        """Whether the program has a feature of program 5."""
        return feature in self.features

    def busts(self, hand: Hand) -> bool:
        """Whether a hand is over 21."""
        return self.points(hand) > HIGHEST

    def is_blackjack(self, hand: Hand, *, is_split: bool = False) -> bool:
        """Whether a hand is a two-card 21 that was dealt."""
        if self.points(hand) != HIGHEST:
            return False
        return self.any_21_is_blackjack or (len(hand) == 2 and (not is_split or self.split_blackjack))

    def dealer_draws(self, dealer: Hand, players: Sequence[Hand]) -> bool:
        """Whether the dealer takes another card."""
        total = self.points(dealer)
        return total < self.dealer_stands_at or (total == 17 and self.hits_17_with_ace and has_ace(dealer))

    def outcome(self, player: Hand, dealer: Hand, *, is_split: bool = False) -> Outcome:
        """Who has won a hand."""
        if self.busts(player):
            return Outcome.LOSS
        if self.busts(dealer):
            return Outcome.WIN
        ours = (self.points(player), self.blackjack_beats_21 and self.is_blackjack(player, is_split=is_split))
        theirs = (self.points(dealer), self.blackjack_beats_21 and self.is_blackjack(dealer))
        return Outcome.WIN if ours > theirs else Outcome.LOSS if ours < theirs else Outcome.PUSH

    def half_winnings(self, player: Hand, dealer: Hand, bet: int, *, is_split: bool = False) -> int:
        """What a bet wins or loses, in halves."""
        outcome = self.outcome(player, dealer, is_split=is_split)
        if outcome is Outcome.WIN:
            is_blackjack = self.is_blackjack(player, is_split=is_split)
            return bet * (self.blackjack_halves if is_blackjack else self.win_halves)
        return bet * (self.loss_halves if outcome is Outcome.LOSS else self.push_halves)

    def is_pair(self, hand: Hand) -> bool:
        """Whether two cards may be split."""
        one, other = hand
        return worth(one) == worth(other) if self.pairs_by_value else one[:-1] == other[:-1]


RIGHT = Rules()
