"""Cards as the program writes them, hands, and the rules as data: a misconception is a change of the rules."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum

from reference.reading import Draw
from reference.words import integer_in

RANKS = ("A", "K", "Q", "J", "10", "9", "8", "7", "6", "5", "4", "3", "2")
CARDS = tuple(rank + suit for suit in "SHDC" for rank in RANKS)
HIGHEST = 21
Hand = Sequence[str]
_WORTH = {card: 1 if card[0] == "A" else int(card[:-1]) if card[:-1].isdigit() else 10 for card in CARDS}
_ACES = frozenset(card for card in CARDS if card[0] == "A")


class Outcome(Enum):
    """How a hand ends, from the player's side."""

    WIN = "win"
    LOSS = "loss"
    PUSH = "push"


def worth(card: str) -> int:
    """The value of a card; an ace is worth 1."""
    return _WORTH[card]


def has_ace(hand: Hand) -> bool:
    """Whether there is an ace among the cards."""
    return not _ACES.isdisjoint(hand)


def points(hand: Hand) -> int:
    """The value of a hand: one ace counts 11 unless that makes more than 21, every other ace 1."""
    low = sum(map(_WORTH.__getitem__, hand))
    return low + 10 if has_ace(hand) and low + 10 <= HIGHEST else low


def at_random() -> Draw:
    """Draws from a shuffled deck of 52 cards, and then from another one."""
    generator, deck = random.SystemRandom(), list[str]()

    def draw() -> str:
        if not deck:
            deck.extend(CARDS)
            generator.shuffle(deck)
        return deck.pop()

    return draw


@dataclass(frozen=True)
class Rules:
    """All rules that a mistake may change."""

    #: The features of program 5.
    reshuffle: bool = False
    split: bool = False
    betting: bool = False
    errors: bool = False
    points: Callable[[Hand], int] = points
    deal_order: str = "pdpd"
    cards_in_deck: int = 52
    #: Whether the dealer takes one more card at 17 with an ace in the hand.
    hits_17_with_ace: bool = True
    dealer_stands_at: int = 17
    #: Whether the dealer draws although the player is bust or has quit the hand.
    dealer_plays_after_bust: bool = False
    #: Whether a player with 21 is still asked.
    asks_at_21: bool = False
    #: Whether a two-card 21 beats a 21 of more cards.
    blackjack_beats_21: bool = True
    #: The gain from a blackjack, in halves of the bet; then from any other win, a push and a loss.
    blackjack_halves: int = 3
    win_halves: int = 2
    push_halves: int = 0
    loss_halves: int = -2
    #: Whether every 21, of any number of cards, pays as a blackjack.
    any_21_is_blackjack: bool = False
    #: What a two-card 21 after a split is: "plain", "blackjack", or a 21 that "pays" as a blackjack or "beats" as one.
    split_21: str = "plain"
    #: Whether all hands are shown with the hole card hidden after a split that makes two hands of 21.
    shows_both_21: bool = True
    #: When they are shown so although the second hand has 21 as the first one ends: "never", after a "stand", "always".
    shows_before_end: str = "never"
    #: What becomes of a half that a blackjack wins: it is "kept", written in "cents" too, or rounded "down" or "up".
    halves: str = "kept"
    #: What comes between an error message and the next question: a "blank" line, "nothing", or the "hands" again.
    after_error: str = "blank"
    #: Whether the hole card is shown at last when all hands are bust, and whether 21 by a hit is asked on.
    reveals_after_bust: bool = True
    asks_at_21_after_hit: bool = False
    #: Whether a hand that doubles gets one card and no more, and whether the hands are shown after doubling.
    double_takes_card: bool = False
    shows_after_double: bool = False
    #: When the message about reshuffling is shown: "before" the next hands, "after" them, "always" from then, "never".
    reshuffling_told: str = "before"
    #: After a split: whether a bust is told, whether that of the first hand ends both, whether the hands are shown
    #: after the first one stands, and whether results are told of two hands that are bust.
    tells_split_bust: bool = True
    first_bust_ends: bool = False
    shows_after_first_stands: bool = True
    tells_all_bust: bool = False
    #: Whether a command that there is not stands after the message.
    unknown_stands: bool = False
    #: Whether the hole card is shown when the player quits the hand.
    quit_reveals: bool = False
    quit_halves: int = -2
    #: Whether quitting one of two split hands loses the bets of both.
    quit_loses_both: bool = True
    #: The factor of a doubled bet.
    doubling: int = 2
    #: How many commands of a hand may come before the one that doubles.
    before_doubling: int = 0
    #: Whether a hand can be split after its bet was doubled, and whether both hands then have the doubled bet.
    splits_after_double: bool = True
    split_keeps_double: bool = True
    #: Whether two cards are a pair by value, or only by rank.
    pairs_by_value: bool = True
    #: Whether a refused command counts as a command.
    refused_counts: bool = False
    adds_winnings: bool = True
    #: The index (0 or 1) of the card that the first hand keeps of a split pair.
    first_keeps: int = 0
    #: Whether the program begins with an empty line.
    begins_with_blank: bool = True
    lowest_bet: int = 1
    highest_bet: int = 1_000_000

    def cards_in(self, deck: int) -> int:
        """How many cards are dealt from a deck; the first one has the number 1."""
        return self.cards_in_deck

    def bet_in(self, answer: str) -> int | None:
        """The bet in an answer; None if there is none."""
        return integer_in(answer, self.lowest_bet, self.highest_bet)

    def command_in(self, answer: str) -> str:
        """The command in an answer; empty if there is none."""
        return answer[:1]

    def busts(self, hand: Hand) -> bool:
        """Whether a hand is over 21."""
        return self.points(hand) > HIGHEST

    def is_blackjack(self, hand: Hand, *, as_split: Sequence[str] | None = None) -> bool:
        """Whether a hand is a two-card 21 as dealt; one of a split pair with `split_21` as in `as_split`."""
        if self.points(hand) != HIGHEST:
            return False
        return self.any_21_is_blackjack or (len(hand) == 2 and (as_split is None or self.split_21 in as_split))

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
        beats = self.is_blackjack(player, as_split=("blackjack", "beats") if is_split else None)
        ours = (self.points(player), self.blackjack_beats_21 and beats)
        theirs = (self.points(dealer), self.blackjack_beats_21 and self.is_blackjack(dealer))
        return Outcome.WIN if ours > theirs else Outcome.LOSS if ours < theirs else Outcome.PUSH

    def half_winnings(self, player: Hand, dealer: Hand, bet: int, *, is_split: bool = False) -> int:
        """The gain of a bet in halves, negative if it is lost."""
        outcome = self.outcome(player, dealer, is_split=is_split)
        if outcome is Outcome.WIN:
            is_blackjack = self.is_blackjack(player, as_split=("blackjack", "pays") if is_split else None)
            return self._rounded(bet * (self.blackjack_halves if is_blackjack else self.win_halves))
        return bet * (self.loss_halves if outcome is Outcome.LOSS else self.push_halves)

    def _rounded(self, halves: int) -> int:
        """A gain in halves, as whole dollars where no halves are kept."""
        return halves if self.halves in ("kept", "cents") else (halves + (self.halves == "up")) // 2 * 2

    def is_pair(self, hand: Hand) -> bool:
        """Whether two cards may be split."""
        one, other = hand
        return worth(one) == worth(other) if self.pairs_by_value else one[:-1] == other[:-1]


RIGHT = Rules()
