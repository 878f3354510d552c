"""Cards by name, hands, and the rules as data: a misconception is a change of the rules."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum

from reference.reading import Draw

#: In the order of the random number from 1 to 13.
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
    """Draws from an infinite deck."""
    generator = random.SystemRandom()
    return lambda: generator.choice(CARDS)


@dataclass(frozen=True)
class Rules:
    """All rules that a mistake may change."""

    has_double: bool = False
    has_split: bool = False
    points: Callable[[Hand], int] = points
    deal_order: str = "pdpd"
    start: float = 300
    dealer_stands_at: int = 17
    dealer_hits_soft_17: bool = False
    dealer_plays_after_bust: bool = True
    dealer_hits_once: bool = False
    asks_at_21: bool = False
    has_blackjacks: bool = True
    #: Whether every 21 counts as a blackjack, and whether a ten with an ace does.
    any_21_is_blackjack: bool = False
    ten_makes_blackjack: bool = True
    #: Whether the player's blackjack wins against the dealer's.
    blackjack_beats_blackjack: bool = False
    #: The gain from a blackjack, another win, a push and a loss, in bets.
    blackjack_pays: float = 1.5
    win_pays: float = 1
    push_pays: float = 0
    loss_pays: float = -1
    both_bust: Outcome = Outcome.LOSS
    #: Whether the dealer's bust is looked at before the player's, and whether both are told.
    dealers_bust_first: bool = False
    tells_both_busts: bool = False
    #: By what the gain from a higher hand, and the loss with a lower one, are multiplied.
    higher_factor: float = 1
    lower_factor: float = 1
    #: Whether the player's blackjack ends the round, and whether the dealer plays against it.
    ends_at_blackjack: bool = True
    plays_against_blackjack: bool = False
    #: Whether the dealer, whose hand is shown anyway, takes cards although the player is bust.
    draws_after_bust: bool = True
    #: Whether the dealer's hand is shown after each card, and not only at the end too.
    shows_each_draw: bool = True
    #: Which of the dealer's cards are shown first: from this one to that one.
    first_shown: tuple[int, int] = (0, 1)
    #: When the dealer's hand is shown after the player's blackjack: "always", in a "push", or "never".
    shows_dealer_after_blackjack: str = "always"
    #: Whether all the money may be bet.
    may_bet_all: bool = True
    has_whole_money: bool = False
    #: How much more than all the money may be bet, and whether a negative bet is played.
    bet_over: float = 0
    plays_negative_bets: bool = False
    #: The letter that a key stands for that is not offered; empty if the program asks again.
    other_keys: str = ""
    double_pays: int = 2
    #: Whether doubling and splitting are possible without the money for it, and with exactly twice the bet.
    features_without_money: bool = False
    may_bet_twice_all: bool = True
    #: Whether doubling is possible after the first decision, and whether it is offered there.
    doubles_late: bool = False
    offers_late: bool = False
    #: Whether the turn goes on after doubling, and whether doubling takes a card.
    goes_on_doubled: bool = False
    takes_card_doubled: bool = True
    #: Whether two cards are split only if they have the same name.
    splits_by_name: bool = False
    #: What a 21 of two cards after a split wins, and whether the second hand has a bet of its own.
    split_21_pays: float = 1
    second_bet: float = 1
    #: Whether the second hand is played, and whether it is settled.
    plays_second: bool = True
    settles_second: bool = True
    #: Whether the result of the second hand is printed first.
    results_swapped: bool = False
    #: Whether the result lines after a split name the hand.
    names_split_results: bool = False
    #: The keys that ask for the features.
    double_key: str = "d"
    split_key: str = "p"

    def busts(self, hand: Hand) -> bool:
        """Whether a hand is over 21."""
        return self.points(hand) > HIGHEST

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
        """What the player's blackjack gains."""
        return self.blackjack_pays * bet

    def outcome(self, player: Hand, dealer: Hand, *, is_split: bool = False) -> Outcome:
        """Who has won a hand."""
        if self.busts(player):
            return self.both_bust if self.busts(dealer) else Outcome.LOSS
        if self.busts(dealer):
            return Outcome.WIN
        ours = (self.points(player), not is_split and self.is_blackjack(player))
        theirs = (self.points(dealer), self.is_blackjack(dealer))
        return Outcome.WIN if ours > theirs else Outcome.LOSS if ours < theirs else Outcome.PUSH


RIGHT = Rules()
