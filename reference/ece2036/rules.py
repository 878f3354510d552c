"""The names of the cards, the value of hands, and the rules as data.

A student's misconception is then the same program with other rules.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum

from reference.reading import Draw

#: In the order of the random numbers from 1 to 13 that select the cards.
CARDS = ("Ace", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten", "Jack", "Queen", "King")
HIGHEST = 21
Hand = Sequence[str]
_WORTH = {card: min(number, 10) for number, card in enumerate(CARDS, 1)}


class Outcome(Enum):
    """How a hand ends, from the player's side."""

    WIN = "win"
    LOSS = "loss"
    PUSH = "push"


def worth(card: str) -> int:
    """The value of a card; an ace is worth 1."""
    return _WORTH[card]


def points(hand: Hand) -> int:
    """The value of a hand: one ace counts 11 unless that makes more than 21, every other ace 1."""
    low = sum(map(_WORTH.__getitem__, hand))
    return low + 10 if "Ace" in hand and low + 10 <= HIGHEST else low


def at_random() -> Draw:
    """Return a function that draws cards at random from an infinite deck."""
    generator = random.SystemRandom()
    return lambda: generator.choice(CARDS)


@dataclass(frozen=True)
class Rules:
    """All rules that a mistake may change."""

    has_double: bool = False
    has_split: bool = False
    points: Callable[[Hand], int] = points
    #: The receivers of the first cards, in order: the player (p) or the dealer (d).
    deal_order: str = "pdpd"
    #: The player's money at the start.
    start: float = 300
    dealer_stands_at: int = 17
    dealer_hits_soft_17: bool = False
    #: Whether the dealer has a turn, which shows the dealer's hand, although the player is bust.
    dealer_plays_after_bust: bool = True
    #: Whether the dealer takes one card at most.
    dealer_hits_once: bool = False
    #: Whether a player with 21 is still asked for a decision.
    asks_at_21: bool = False
    has_blackjacks: bool = True
    #: Whether every 21, of any number of cards, is a blackjack.
    any_21_is_blackjack: bool = False
    #: Whether the card Ten with an ace is a blackjack.
    ten_makes_blackjack: bool = True
    #: Whether the player's blackjack wins against the dealer's.
    blackjack_beats_blackjack: bool = False
    #: The gains from a blackjack, any other win, a push and a loss (four fields), as multiples of the bet.
    blackjack_pays: float = 1.5
    win_pays: float = 1
    push_pays: float = 0
    loss_pays: float = -1
    #: The outcome when player and dealer are both bust.
    both_bust: Outcome = Outcome.LOSS
    #: Whether the program checks the dealer's bust first, and reports only that bust when both are bust.
    dealers_bust_first: bool = False
    #: Whether the dealer's bust is reported after the player's when both are bust.
    tells_both_busts: bool = False
    #: The factor of the gain when the player wins and the dealer is not bust.
    higher_factor: float = 1
    #: The factor of the loss when the player loses and is not bust.
    lower_factor: float = 1
    #: Whether the player's blackjack ends the round at once.
    ends_at_blackjack: bool = True
    #: Whether the dealer still has a turn when the player's blackjack ends the round.
    plays_against_blackjack: bool = False
    #: Whether the dealer takes cards although the player is bust. The dealer's hand is shown in either case.
    draws_after_bust: bool = True
    #: Whether the dealer's hand is shown after each card taken; otherwise only at the start and the end of the turn.
    shows_each_draw: bool = True
    #: The slice (start, stop) of the dealer's first two cards that is shown at the start of a round.
    first_shown: tuple[int, int] = (0, 1)
    #: When the dealer's hand is shown after the player's blackjack: "always", only in a "push", or "never".
    shows_dealer_after_blackjack: str = "always"
    #: Whether all the money may be bet.
    may_bet_all: bool = True
    #: Whether the money loses its fraction of a dollar after each round.
    has_whole_money: bool = False
    #: How many dollars more than all the money may be bet.
    bet_over: float = 0
    #: Whether a round is played with a negative bet; otherwise the program quits.
    plays_negative_bets: bool = False
    #: The decision that any key not offered means, "h" or "s"; empty if the program asks again.
    other_keys: str = ""
    #: The factor by which doubling multiplies the bet.
    double_pays: int = 2
    #: Whether doubling and splitting are offered without the money for twice the bet.
    features_without_money: bool = False
    #: Whether doubling and splitting are offered when the money is exactly twice the bet.
    may_bet_twice_all: bool = True
    #: Whether the key that doubles works at every decision, even where doubling is not offered.
    doubles_late: bool = False
    #: Whether doubling is still offered after the first decision.
    offers_late: bool = False
    #: Whether the player's turn continues after doubling.
    goes_on_doubled: bool = False
    #: Whether doubling takes a card.
    takes_card_doubled: bool = True
    #: The gain from a blackjack in a hand of a split pair, as a multiple of the bet.
    split_21_pays: float = 1
    #: The bet of the second hand of a split pair, as a multiple of the first hand's bet.
    second_bet: float = 1
    #: Whether the player is asked about the second hand of a split pair.
    plays_second: bool = True
    #: When the hands of a split pair are shown before they are played: each "in turn", both "at once", both at once and
    #: the "second again" when its turn comes, both at once and "each again" when its turn comes, or both at once and
    #: "after each card".
    shows_split: str = "in turn"
    #: Whether the second hand of a split pair is settled.
    settles_second: bool = True
    #: Whether the result of the second hand is printed first.
    results_swapped: bool = False
    #: The keys that double and split.
    double_key: str = "d"
    split_key: str = "p"

    def busts(self, hand: Hand) -> bool:
        """Whether a hand is over 21."""
        return self.points(hand) > HIGHEST

    def is_pair(self, hand: Hand) -> bool:
        """Whether two cards may be split."""
        first, second = hand
        return worth(first) == worth(second)

    def is_blackjack(self, hand: Hand) -> bool:
        """Whether a hand is a blackjack."""
        if not self.has_blackjacks or self.points(hand) != HIGHEST:
            return False
        if self.any_21_is_blackjack:
            return True
        return len(hand) == 2 and (self.ten_makes_blackjack or "Ten" not in hand)

    def dealer_draws(self, dealer: Hand) -> bool:
        """Whether the dealer takes another card."""
        if self.dealer_hits_once and len(dealer) > 2:
            return False
        total = self.points(dealer)
        is_soft = total != sum(map(_WORTH.__getitem__, dealer))
        return total < self.dealer_stands_at or (total == 17 and is_soft and self.dealer_hits_soft_17)

    def gain_of_blackjack(self, bet: float) -> float:
        """The gain from the player's blackjack."""
        return self.blackjack_pays * bet

    def outcome(self, player: Hand, dealer: Hand, *, is_split: bool = False) -> Outcome:
        """The outcome of the player's hand against the dealer's; a hand of a split pair has no blackjack."""
        if self.busts(player):
            return self.both_bust if self.busts(dealer) else Outcome.LOSS
        if self.busts(dealer):
            return Outcome.WIN
        ours = (self.points(player), not is_split and self.is_blackjack(player))
        theirs = (self.points(dealer), self.is_blackjack(dealer))
        return Outcome.WIN if ours > theirs else Outcome.LOSS if ours < theirs else Outcome.PUSH


RULES = Rules()
