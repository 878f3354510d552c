"""The rules of the game as data, and what follows from them: points, the dealer's choice, the outcome, the winnings.

Other rules, including wrong ones, are instances with other fields:
`dataclasses.replace(FOR_FUN, dealer_hits_soft_17=True)`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum

from reference.cards import ACE, face_of

#: The highest number of points that is not bust.
MAX_POINTS = 21


class Outcome(Enum):
    """How a hand ends, from the player's side."""

    WIN = "win"
    LOSS = "loss"
    PUSH = "push"


def points(hand: Sequence[int]) -> int:
    """The points of a hand: one ace counts 11 unless that makes more than 21, other aces 1, pictures 10."""
    total, has_ace = 0, False
    for card in hand:
        face = card % 100
        if face == ACE:
            total += 1
            has_ace = True
        else:
            total += min(face, 10)
    return total + 10 if has_ace and total + 10 <= MAX_POINTS else total


def is_soft(hand: Sequence[int]) -> bool:
    """Whether an ace in the hand counts 11.

    >>> is_soft([114, 206]), is_soft([114, 206, 310])
    (True, False)
    """
    return points(hand) > sum(1 if face_of(card) == ACE else min(face_of(card), 10) for card in hand)


@dataclass(frozen=True, slots=True)
class Rules:
    """All rules that a mistake may change."""

    points: Callable[[Sequence[int]], int] = points
    #: Who gets each of the first cards, in order: p the player, d the dealer.
    deal_order: str = "pdpd"
    #: Whether the player's turn ends at 21.
    player_stops_at_21: bool = False
    #: The total below which the dealer draws.
    dealer_stands_at: int = 17
    #: Whether the dealer also draws on a 17 in which an ace counts 11.
    dealer_hits_soft_17: bool = False
    #: Whether the dealer draws although the player is bust.
    dealer_plays_after_bust: bool = False
    #: The pause before each line of the dealer, in seconds.
    pause_s: float = 2
    #: Whether a two-card 21 beats a 21 of more cards and ends the player's turn. False in games without bets.
    has_blackjacks: bool = False
    #: The gain from a blackjack, in halves of the bet.
    blackjack_pays_halves: int = 3
    #: The factor by which doubling multiplies the bet that is won or lost. (The message always shows twice the bet.)
    doubling: int = 2
    #: The index of the dealer's card that is hidden during the player's turn; negative if no card is hidden.
    hidden_card: int = 1
    #: Whether the hidden card is shown during the dealer's turn.
    reveals_hole: bool = True
    #: Whether the table is shown again before the dealer plays.
    shows_table_before_dealer: bool = True
    #: Whether the table is shown again after a bet was doubled.
    shows_table_after_double: bool = False
    #: Whether a push is followed by another game, in games without bets.
    plays_push_again: bool = True
    #: Whether the winnings shown are the sum over all hands, not those of the last hand.
    adds_winnings: bool = True

    def busts(self, hand: Sequence[int]) -> bool:
        """Whether a hand is over 21."""
        return self.points(hand) > MAX_POINTS

    def is_blackjack(self, hand: Sequence[int]) -> bool:
        """Whether a hand is a blackjack, if the rules have blackjacks."""
        return self.has_blackjacks and len(hand) == 2 and self.points(hand) == MAX_POINTS

    def has_player_decision(self, player: Sequence[int]) -> bool:
        """Whether a player who is not bust has a decision to make."""
        if self.is_blackjack(player):
            return False
        return not (self.player_stops_at_21 and self.points(player) == MAX_POINTS)

    def dealer_stands(self, player: Sequence[int], dealer: Sequence[int]) -> bool:
        """Whether a dealer who is not bust takes no more cards."""
        if self.busts(player) and not self.dealer_plays_after_bust:
            return True
        if self.dealer_hits_soft_17 and self.points(dealer) == 17 and is_soft(dealer):
            return False
        return self.points(dealer) >= self.dealer_stands_at

    def outcome(self, player: Sequence[int], dealer: Sequence[int]) -> Outcome:
        """How a hand ends, from the player's side."""
        if self.busts(player):
            return Outcome.LOSS
        if self.busts(dealer):
            return Outcome.WIN
        player_rank = (self.points(player), self.is_blackjack(player))
        dealer_rank = (self.points(dealer), self.is_blackjack(dealer))
        return Outcome.WIN if player_rank > dealer_rank else Outcome.LOSS if player_rank < dealer_rank else Outcome.PUSH

    def halves_gained(self, player: Sequence[int], dealer: Sequence[int], bet: int) -> int:
        """The gain from a bet in half dollars, negative if the bet is lost."""
        outcome = self.outcome(player, dealer)
        if outcome is Outcome.WIN:
            return bet * (self.blackjack_pays_halves if self.is_blackjack(player) else 2)
        return -2 * bet if outcome is Outcome.LOSS else 0


FOR_FUN = Rules()
FOR_MONEY = Rules(has_blackjacks=True)
