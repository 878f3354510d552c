"""The rules of the game as data, and what follows from them: points, the dealer's choice, the outcome."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from typing import NamedTuple

from reference.cards import ACE, face_of

HIGHEST = 21


class Outcome(Enum):
    """How a hand ends, from the player's side."""

    WIN = "win"
    LOSS = "loss"
    PUSH = "push"


def points(hand: Sequence[int]) -> int:
    """The points of a hand: the first ace 11 unless that goes over 21, every other ace 1, pictures 10."""
    total, has_ace = 0, False
    for card in hand:
        face = card % 100
        if face == ACE:
            total += 1
            has_ace = True
        else:
            total += min(face, 10)
    return total + 10 if has_ace and total + 10 <= HIGHEST else total


def is_blackjack(hand: Sequence[int]) -> bool:
    """Whether a hand is a two-card 21."""
    return len(hand) == 2 and points(hand) == HIGHEST


def has_ace(hand: Sequence[int]) -> bool:
    """Whether there is an ace in a hand, however it counts."""
    return any(face_of(card) == ACE for card in hand)


class Rules(NamedTuple):
    """Everything about the game that could be otherwise."""

    points: Callable[[Sequence[int]], int] = points
    #: The dealer draws below this.
    dealer_stands_at: int = 17
    #: Before each line of the dealer.
    pause_s: float = 2
    #: Whether a two-card 21 beats one of more cards; without bets it does not.
    blackjack_beats_21: bool = False
    #: What a blackjack wins, in halves of the bet.
    blackjack_pays_halves: int = 3

    def busts(self, hand: Sequence[int]) -> bool:
        """Whether a hand is over 21."""
        return self.points(hand) > HIGHEST

    def dealer_stands(self, dealer: Sequence[int]) -> bool:
        """Whether the dealer has enough."""
        return self.points(dealer) >= self.dealer_stands_at

    def outcome(self, player: Sequence[int], dealer: Sequence[int]) -> Outcome:
        """Who has won."""
        if self.busts(player):
            return Outcome.LOSS
        if self.busts(dealer):
            return Outcome.WIN
        ours, theirs = self._rank(player), self._rank(dealer)
        return Outcome.WIN if ours > theirs else Outcome.LOSS if theirs > ours else Outcome.PUSH

    def _rank(self, hand: Sequence[int]) -> tuple[int, bool]:
        return self.points(hand), self.blackjack_beats_21 and is_blackjack(hand)


FOR_FUN = Rules()
FOR_MONEY = Rules(blackjack_beats_21=True)
