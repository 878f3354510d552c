"""The cards as the program prints them, the value of hands, and the rules as data.

A student's misconception is then the same program with other rules.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum

from reference.reading import Draw
from reference.words import integer_in, number_at_start

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
    """Return a function that draws cards at random: from a shuffled deck of 52 cards, then from another deck."""
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

    #: The optional features of the course's program 5 (four fields).
    reshuffle: bool = False
    split: bool = False
    betting: bool = False
    errors: bool = False
    points: Callable[[Hand], int] = points
    #: The receivers of the first cards, in order: the player (p) or the dealer (d).
    deal_order: str = "pdpd"
    #: Whether the dealer's first card is the one that is hidden; otherwise it is the second.
    deals_hidden_first: bool = False
    cards_in_deck: int = 52
    #: Whether the dealer takes another card at 17 with an ace in the hand.
    hits_17_with_ace: bool = True
    dealer_stands_at: int = 17
    #: Whether the dealer draws although the player is bust or has quit the hand.
    dealer_plays_after_bust: bool = False
    #: Whether a player with 21 is still asked for a command.
    asks_at_21: bool = False
    #: Whether a two-card 21 beats a 21 of more cards.
    blackjack_beats_21: bool = True
    #: The gains from a blackjack, any other win, a push and a loss (four fields), in halves of the bet.
    blackjack_halves: int = 3
    win_halves: int = 2
    push_halves: int = 0
    loss_halves: int = -2
    #: Whether every 21, of any number of cards, is a blackjack.
    any_21_is_blackjack: bool = False
    #: A two-card 21 after a split is "plain" (no blackjack) or a "blackjack". Or it only "pays" as a blackjack does, or
    #: only "beats" other hands as a blackjack does.
    split_21: str = "plain"
    #: Whether all hands are shown, with the hole card hidden, after a split that makes two hands of 21.
    shows_both_21: bool = True
    #: Whether all hands are shown, with the hole card hidden, when the first hand of a split ends without a bust and
    #: the second has 21 already: "never", only after a "stand", or "always".
    shows_before_end: str = "never"
    #: How half a dollar won by a blackjack is treated: "kept", kept and printed in "cents", or rounded "down" or "up".
    halves: str = "kept"
    #: Whether text behind the number of a bet is "ignored" without error checking, or makes the bet "refused".
    bet_tail: str = "refused"
    #: Whether any number is taken for a bet without error checking.
    takes_any_bet: bool = False
    #: Whether a bet with a plus sign is a number.
    reads_plus: bool = True
    #: Whether an empty line for a bet is refused with a message where errors are checked, or just asked again.
    refuses_empty_bet: bool = True
    #: Whether an empty line plays another hand; otherwise the program asks again.
    empty_plays_on: bool = True
    #: The output between an error message and the next question: a "blank" line, two "blanks", "nothing", or the
    #: "hands" again.
    after_error: str = "blank"
    #: The same after the refusal of a late double, of a late split and of a bet (three fields); "same" as after others.
    after_late_double: str = "same"
    after_late_split: str = "same"
    after_refused_bet: str = "same"
    #: Whether the hole card is revealed at the end when all hands are bust.
    reveals_after_bust: bool = True
    #: Whether a player who reaches 21 by a hit, without a split, is still asked for a command.
    asks_at_21_after_hit: bool = False
    #: Whether doubling deals one card and ends the player's turn.
    double_takes_card: bool = False
    #: Whether the hands are shown after doubling.
    shows_after_double: bool = False
    #: When the message about reshuffling is shown: "before" or "after" the next block of output, "always" (before each
    #: block from then on), or "never".
    reshuffling_announced: str = "before"
    #: Whether the program reports the bust of a split hand.
    reports_split_bust: bool = True
    #: Whether the bust of the first split hand ends the turns of both hands.
    first_bust_ends: bool = False
    #: Whether the hands are shown after the first hand of a split stands.
    shows_after_first_stands: bool = True
    #: Whether the results are printed when both hands of a split are bust.
    shows_results_if_all_bust: bool = False
    #: Whether an unrecognized command, after its error message, makes the hand stand.
    unknown_stands: bool = False
    #: Whether the hole card is shown when the player quits the hand.
    quit_reveals: bool = False
    #: The gain from quitting a hand, in halves of the bet.
    quit_halves: int = -2
    #: Whether quitting one of two split hands loses the bets of both.
    quit_loses_both: bool = True
    #: The factor by which doubling multiplies the bet.
    doubling: int = 2
    #: How many commands for a hand may precede the command that doubles.
    before_doubling: int = 0
    #: Whether a hand can be split after its bet was doubled.
    splits_after_double: bool = True
    #: Whether both hands of a split after doubling have the doubled bet.
    split_keeps_double: bool = True
    #: Whether two cards of equal value are a pair; otherwise their rank must be equal.
    pairs_by_value: bool = True
    #: Whether a refused command counts as an earlier command, after which a hand cannot be doubled or split.
    refused_counts: bool = False
    #: Whether the winnings that are printed are the sum over all hands; otherwise those of the last hand.
    adds_winnings: bool = True
    #: The index (0 or 1) in a split pair of the card that the first hand keeps.
    first_keeps: int = 0
    #: Whether the program begins with an empty line.
    begins_with_blank: bool = True
    lowest_bet: int = 1
    highest_bet: int = 1_000_000

    def cards_in(self, deck: int) -> int:
        """How many cards are dealt from the deck with this number; the first deck has the number 1."""
        return self.cards_in_deck

    def after(self, refusal: str) -> str:
        """The output between an error message and the next question: see `after_error`."""
        kinds = {"Double": self.after_late_double, "Split": self.after_late_split, "Bet": self.after_refused_bet}
        kind = kinds.get(refusal.partition(" ")[0], "same")
        return self.after_error if kind == "same" else kind

    def bet_in(self, answer: str) -> int | None:
        """The bet in an answer; None if the answer is no valid bet."""
        if self.bet_tail == "ignored" and not self.errors:
            answer = number_at_start(answer)
        if not self.reads_plus and answer.startswith("+"):
            return None
        if self.takes_any_bet and not self.errors:
            return integer_in(number_at_start(answer), -self.highest_bet, self.highest_bet)
        return integer_in(answer, self.lowest_bet, self.highest_bet)

    def command_in(self, answer: str) -> str:
        """The command in an answer, its first character; empty for an empty answer."""
        return answer[:1]

    def busts(self, hand: Hand) -> bool:
        """Whether a hand is over 21."""
        return self.points(hand) > HIGHEST

    def is_blackjack(self, hand: Hand, *, as_split: Sequence[str] | None = None) -> bool:
        """Whether a hand is a blackjack: a two-card 21, or any 21 if `any_21_is_blackjack`.

        For a hand of a split pair, `as_split` names the values of `split_21` with which a two-card 21 is a blackjack.
        """
        if self.points(hand) != HIGHEST:
            return False
        return self.any_21_is_blackjack or (len(hand) == 2 and (as_split is None or self.split_21 in as_split))

    def dealer_draws(self, dealer: Hand, players: Sequence[Hand]) -> bool:
        """Whether the dealer takes another card; only mistakes look at the player's hands."""
        total = self.points(dealer)
        return total < self.dealer_stands_at or (total == 17 and self.hits_17_with_ace and has_ace(dealer))

    def outcome(self, player: Hand, dealer: Hand, *, is_split: bool = False) -> Outcome:
        """The outcome of a player's hand against the dealer's."""
        if self.busts(player):
            return Outcome.LOSS
        if self.busts(dealer):
            return Outcome.WIN
        player_has_blackjack = self.is_blackjack(player, as_split=("blackjack", "beats") if is_split else None)
        player_rank = (self.points(player), self.blackjack_beats_21 and player_has_blackjack)
        dealer_rank = (self.points(dealer), self.blackjack_beats_21 and self.is_blackjack(dealer))
        return Outcome.WIN if player_rank > dealer_rank else Outcome.LOSS if player_rank < dealer_rank else Outcome.PUSH

    def halves_gained(self, player: Hand, dealer: Hand, bet: int, *, is_split: bool = False) -> int:
        """The gain of a bet in halves, negative if it is lost."""
        outcome = self.outcome(player, dealer, is_split=is_split)
        if outcome is Outcome.WIN:
            is_blackjack = self.is_blackjack(player, as_split=("blackjack", "pays") if is_split else None)
            return self._round_gain(bet * (self.blackjack_halves if is_blackjack else self.win_halves))
        return bet * (self.loss_halves if outcome is Outcome.LOSS else self.push_halves)

    def _round_gain(self, halves: int) -> int:
        """A gain in halves of a dollar, rounded to whole dollars if `halves` is "down" or "up"."""
        return halves if self.halves in ("kept", "cents") else (halves + (self.halves == "up")) // 2 * 2

    def is_pair(self, hand: Hand) -> bool:
        """Whether two cards may be split."""
        first, second = hand
        return worth(first) == worth(second) if self.pairs_by_value else first[:-1] == second[:-1]


RULES = Rules()
