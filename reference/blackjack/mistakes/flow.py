"""The course of a game as a class with a method for each part. It plays like the reference; mistakes override methods.

A mistake in something that `Rules` decides changes the rules instead.
"""

from __future__ import annotations

from reference.blackjack.betting import Dialogue, PlainDialogue, money
from reference.blackjack.deal import DEALER_HITS, DEALER_STANDS, HIT_OR_STAND, Hands, dealt
from reference.blackjack.play import (
    DEALER_WINS,
    PLAYER_WINS,
    dealer_turn,
    hit,
    player_may_decide,
    scores,
    show_hidden_table,
)
from reference.blackjack.rules import Outcome, Rules
from reference.blackjack.table import NO_HIDDEN_CARD, table
from reference.cards import Source
from reference.console import Console, InputEnded

#: In the stage deal: the dealer's two cards of the deal, and two hits.
_CARDS_OF_DEALER = 4
_RESULTS = {Outcome.WIN: PLAYER_WINS, Outcome.LOSS: DEALER_WINS}
_PUSH_TEXTS = {"play": "Push! Play again.\n", "betting": "Push!\n", "errors": "Push!\n"}


class FunDialogue(PlainDialogue):
    """The program's questions in the stages without money."""

    def command(self, *, is_first: bool) -> str:
        """Ask until the answer is a decision."""
        return self._words.ask_letter(HIT_OR_STAND, "hs")


class Flow:
    """The program of one stage."""

    def __init__(self, stage: str, console: Console, dialogue: Dialogue, cards: Source, rules: Rules) -> None:
        """Play on this console."""
        self.stage, self.console, self.dialogue = stage, console, dialogue
        self.cards, self.rules = cards, rules

    def run(self) -> int:
        """Run the program and return its exit code."""
        try:
            self.begin()
            {"deal": self.deal, "play": self.play_for_fun}.get(self.stage, self.play_for_money)()
        except InputEnded:
            return self.input_ended()
        return 0

    def input_ended(self) -> int:
        """End the program after the end of the input: print what the stage requires and return the exit code."""
        if self.stage == "errors":
            self.console.write("\n")
        return 0

    def begin(self) -> None:
        """Ask for the seed."""
        self.cards.seed(self.dialogue.seed())

    def deal(self) -> None:
        """Play the stage deal."""
        hands = dealt(self.cards.deck(), self.rules)
        self.show_dealt(hands, is_over=False)
        while self.dialogue.command(is_first=False) == "h" and hands.deck:
            hands.player.append(hands.deck.pop())
            self.show_dealt(hands, is_over=False)
        self.show_dealt(hands, is_over=True)
        while self.dealer_hits_blindly(hands.dealer) and hands.deck:
            self.console.pause(self.rules.pause_s)
            hands.dealer.append(hands.deck.pop())
            self.console.write(DEALER_HITS + table(hands.player, hands.dealer))
        self.console.pause(self.rules.pause_s)
        self.console.write(DEALER_STANDS)

    def show_dealt(self, hands: Hands, *, is_over: bool) -> None:
        """Show the table in the stage deal; `is_over` says whether the player's turn is over."""
        self.console.write(table(hands.player, hands.dealer))

    def dealer_hits_blindly(self, dealer: list[int]) -> bool:
        """Whether the dealer takes another card in the stage deal, in which no points are counted."""
        return len(dealer) < _CARDS_OF_DEALER

    def play_for_fun(self) -> None:
        """Play games without money until one does not end in a push."""
        while True:
            hands, _ = self.play_hand(0)
            is_push = self.rules.outcome(hands.player, hands.dealer) is Outcome.PUSH
            if not (is_push and self.rules.plays_push_again):
                return
            self.push()

    def push(self) -> None:
        """Called between a push and the next game without money; does nothing."""

    def play_for_money(self) -> None:
        """Play hand after hand until the player quits."""
        sum_in_halves = bet = 0
        while True:
            placed = bet = self.bet(bet)
            hands, bet = self.play_hand(bet)
            won = self.won(hands, bet, placed)
            sum_in_halves = sum_in_halves + won if self.rules.adds_winnings else won
            self.console.write(f"Winnings: {money(sum_in_halves)}\n")
            if not self.dialogue.asks_for_another_hand():
                return

    def won(self, hands: Hands, bet: int, placed: int) -> int:
        """Twice the gain of a hand; `bet` is the final bet, and `placed` the bet before it may have been doubled."""
        return self.rules.halves_gained(hands.player, hands.dealer, bet)

    def bet(self, last: int) -> int:
        """Ask for a bet; `last` is the final bet of the previous hand, 0 before the first hand."""
        self.console.write("\n")
        return self.dialogue.bet()

    def play_hand(self, bet: int) -> tuple[Hands, int]:
        """Play a hand to its end; return both hands and the bet, which may have been doubled."""
        hands = dealt(self.cards.deck(), self.rules)
        self.show_first(hands)
        bet = self.decide(hands, bet)
        self.dealer_plays(hands)
        result = _RESULTS.get(self.rules.outcome(hands.player, hands.dealer), _PUSH_TEXTS[self.stage])
        self.console.write(scores(hands, self.rules) + result)
        return hands, bet

    def decide(self, hands: Hands, bet: int) -> int:
        """Let the player decide until the turn is over; return the bet."""
        is_first, printed_bet = True, bet
        while self.goes_on(hands):
            command = self.dialogue.command(is_first=is_first)
            is_first = False
            if command == "s":
                break
            if command == "h":
                self.hit(hands)
                continue
            bet, printed_bet = bet * self.rules.doubling, printed_bet * 2
            self.console.write(f"Bet doubled to {printed_bet}\n")
            if self.rules.shows_table_after_double:
                show_hidden_table(self.console, hands, self.rules)
            if not self.goes_on_doubled(hands):
                break
        return bet

    def show_first(self, hands: Hands) -> None:
        """Show the table at the beginning of a hand."""
        show_hidden_table(self.console, hands, self.rules)

    def hit(self, hands: Hands) -> None:
        """Give the player a card and show the table."""
        hit(self.console, hands, self.rules)

    def goes_on(self, hands: Hands) -> bool:
        """Whether the player has a decision to make; shows a message if the hand is bust."""
        return player_may_decide(self.console, hands, self.rules)

    def goes_on_doubled(self, hands: Hands) -> bool:
        """Whether the player's turn continues after the bet was doubled."""
        return True

    def show_to_dealer(self, hands: Hands) -> None:
        """Show the table at the beginning of the dealer's turn."""
        hidden = NO_HIDDEN_CARD if self.rules.reveals_hole else self.rules.hidden_card
        if self.rules.shows_table_before_dealer:
            self.console.write(table(hands.player, hands.dealer, hidden=hidden))

    def dealer_plays(self, hands: Hands) -> None:
        """Show the hole card and play the dealer's hand to its end."""
        dealer_turn(self.console, hands, self.rules)
