"""The rules of the tournament as data, so that a mistake is a change of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from reference.reading import Draw
from reference.tournament.cards import HIGHEST, Count, aces_as_11, count_with_low_aces

_HIGHEST = {"int": 2**31 - 1, "long": 2**63 - 1}


@dataclass(frozen=True)
class Rules:
    """All rules that a mistake may change."""

    #: Two functions that count a hand: the first is used if `lowers_aces` is false, the second if it is true.
    counts: tuple[Count, Count] = (aces_as_11, count_with_low_aces)
    #: Whether the program has the feature that an ace may count 1.
    lowers_aces: bool = False
    #: Whether an ace with a card that counts ten beats every other hand.
    has_blackjack: bool = False
    #: The gain from the player's blackjack, as a multiple of the bet. Unlike `win_returns` it does not include the bet.
    blackjack_pays: Decimal = Decimal("1.5")
    #: The highest total at which the dealer draws.
    dealer_draws_to: int = 16
    #: The lowest bet that the prompt names, and that Enter alone bets.
    lowest_bet: int = 10
    #: The lowest bet that is accepted, even if the prompt names another.
    lowest_bet_taken: int = 10
    #: The player's money at the start.
    start: int = 100
    #: The money that wins the tournament.
    goal: int = 200
    #: Whether a player with 21 is asked whether to take another card.
    asks_at_21: bool = False
    #: The effect of an unreadable bet: to ask "again", to bet the "lowest" bet, or to "end" the program.
    bad_bet: str = "again"
    #: The type of the largest number that can be read: "any", "int" or "long". A bet beyond it is unreadable.
    reads_up_to: str = "any"
    #: The effect of a bet that is too low: to ask "again", to bet the "lowest", or to "end" the program.
    low_bet: str = "again"
    #: The effect of a bet that is too high: as above, or to bet the "nearest" that is allowed.
    high_bet: str = "again"
    #: What is ignored in an answer: "capitals", "blanks" around it, "the rest" after its first character, or "nothing".
    ignored_in_answers: str = "capitals and blanks"
    #: Whether blanks around a bet are ignored; otherwise they make it unreadable.
    ignores_blanks_in_bets: bool = True
    #: Whether an answer that is neither yes nor no is asked for again, perhaps "with the hand" before the question;
    #: otherwise it ends the turn.
    asks_again: bool | str = False
    #: Whether a negative bet is treated as unreadable; otherwise as too low.
    negative_is_unreadable: bool = False
    #: Whether the program prints a message when it refuses a bet.
    reports_invalid_bet: bool = True
    #: Whether all money has a decimal place after the first gain from a blackjack, be it .0; before that it has none.
    keeps_digit: bool = True
    #: The multiple of a bet that is paid back when player and dealer have the same value.
    standoff_returns: Decimal = Decimal(1)
    #: The multiple of a bet that is lost to a dealer with a higher hand.
    loss_costs: Decimal = Decimal(1)
    #: The multiple of a bet that is lost when the player busts.
    bust_costs: Decimal = Decimal(1)
    #: The multiple of a bet that is paid back when the player wins, except with a blackjack: 2 is a gain of the bet.
    win_returns: Decimal = Decimal(2)

    def count(self, hand: Sequence[str]) -> int:
        """The value of a hand."""
        return self.counts[self.lowers_aces](hand)

    def is_blackjack(self, hand: Sequence[str]) -> bool:
        """Whether a hand is an ace and a card that counts ten."""
        return self.has_blackjack and len(hand) == 2 and "Ace" in hand and aces_as_11(hand) == HIGHEST

    # The next three methods differ from `is_blackjack` and `busts` only where a mistake overrides them.

    def is_players_blackjack(self, hand: Sequence[str]) -> bool:
        """Whether the player's hand is a blackjack."""
        return self.is_blackjack(hand)

    def is_dealers_blackjack(self, hand: Sequence[str]) -> bool:
        """Whether the dealer's hand is a blackjack."""
        return self.is_blackjack(hand)

    def player_busts(self, hand: Sequence[str]) -> bool:
        """Whether the player's hand is over 21."""
        return self.busts(hand)

    def busts(self, hand: Sequence[str]) -> bool:
        """Whether a hand is over 21."""
        return self.count(hand) > HIGHEST

    def is_asked(self, hand: Sequence[str]) -> bool:
        """Whether the player is asked whether to take another card."""
        total = self.count(hand)
        return total < HIGHEST or (total == HIGHEST and self.asks_at_21)

    def dealer_draws(self, dealer: Sequence[str], player: Sequence[str]) -> bool:
        """Whether the dealer takes another card, given the player's hand."""
        return self.count(dealer) <= self.dealer_draws_to

    def dealers_blackjack_beats(self, player: Sequence[str]) -> bool:
        """Whether the dealer's blackjack beats the player's hand, which is no blackjack."""
        return True

    def gain_of_blackjack(self, bet: int, draw: Draw) -> Decimal:
        """The gain from the player's blackjack.

        `draw` is used by mistakes in which the dealer still takes cards.
        """
        return bet * self.blackjack_pays

    def lead(self, player: Sequence[str], dealer: Sequence[str]) -> int:
        """By how many points the player is ahead of the dealer at the end of a round; negative if behind."""
        return self.count(player) - self.count(dealer)

    def wants_card(self, answer: str) -> bool | None:
        """Whether an answer is a yes; None if it is neither yes nor no."""
        answer = answer.strip() if "blanks" in self.ignored_in_answers else answer
        answer = answer[:1] if "the rest" in self.ignored_in_answers else answer
        return {"y": True, "n": False}.get(answer.lower() if "capitals" in self.ignored_in_answers else answer)

    def is_beyond_reading(self, bet: int) -> bool:
        """Whether a bet is too large a number to be read."""
        return bet > _HIGHEST.get(self.reads_up_to, bet)

    def accepts_bet(self, bet: int, money: Decimal) -> bool:
        """Whether a bet is accepted."""
        return self.lowest_bet_taken <= bet <= money

    def is_broke(self, money: Decimal) -> bool:
        """Whether the money is too little for a bet."""
        return money < self.lowest_bet

    def is_won(self, money: Decimal) -> bool:
        """Whether the money was doubled."""
        return money >= self.goal


def with_setting(rules: Rules, *, aces: bool | None = None, **setting: Any) -> Rules:
    """The rules with the fields in `setting` replaced; the option `aces` is the field `lowers_aces`."""
    if aces is not None:
        setting["lowers_aces"] = aces
    return replace(rules, **setting)


#: The rules of the stages.
MINIMUM = Rules()
BLACKJACK = Rules(has_blackjack=True)
ACES = Rules(has_blackjack=True, lowers_aces=True)
