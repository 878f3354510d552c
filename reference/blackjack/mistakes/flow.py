"""The course of a game in parts: the same as the reference, and a mistake overrides a part.

What the reference decides by its rules is changed there; here is what it always does.
"""

from __future__ import annotations

from reference.blackjack.betting import Dialogue, PlainDialogue, money
from reference.blackjack.deal import DEALER_HITS, DEALER_STANDS, HIT_OR_STAND, Hands, dealt
from reference.blackjack.play import DEALER_WINS, PLAYER_WINS, dealer_turn, goes_on, hit, scores, show_hidden
from reference.blackjack.rules import Outcome, Rules
from reference.blackjack.table import NOTHING, table
from reference.cards import Source
from reference.console import Console, InputEnded

_FULL = 4
_RESULTS = {Outcome.WIN: PLAYER_WINS, Outcome.LOSS: DEALER_WINS}
_PUSHES = {"play": "Push! Play again.\n", "betting": "Push!\n", "errors": "Push!\n"}


class FunDialogue(PlainDialogue):
    """The questions of the stages without money."""

    def command(self, *, is_first: bool) -> str:
        """Ask until the answer is a decision."""
        return self._words.ask_letter(HIT_OR_STAND, "hs")


class Flow:
    """The game of one stage."""

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
        """Do what is done at the end of the input; return the exit code."""
        if self.stage == "errors":
            self.console.write("\n")
        return 0

    def begin(self) -> None:
        """Ask for the seed."""
        self.cards.seed(self.dialogue.seed())

    def deal(self) -> None:
        """Play the stage that only deals."""
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
        """Show the table in the stage that only deals; `is_over` is whether the player's turn is."""
        self.console.write(table(hands.player, hands.dealer))

    def dealer_hits_blindly(self, dealer: list[int]) -> bool:
        """Whether the dealer takes a card in the stage in which nobody counts."""
        return len(dealer) < _FULL

    def play_for_fun(self) -> None:
        """Play until a game is no push."""
        while True:
            hands, _ = self.play_hand(0)
            is_push = self.rules.outcome(hands.player, hands.dealer) is Outcome.PUSH
            if not (is_push and self.rules.plays_push_again):
                return
            self.push()

    def push(self) -> None:
        """Do what comes between a push and the next game without money: nothing."""

    def play_for_money(self) -> None:
        """Play hand after hand until the player quits."""
        half_winnings = bet = 0
        while True:
            placed = bet = self.bet(bet)
            hands, bet = self.play_hand(bet)
            won = self.won(hands, bet, placed)
            half_winnings = half_winnings + won if self.rules.adds_winnings else won
            self.console.write(f"Winnings: {money(half_winnings)}\n")
            if not self.dialogue.plays_on():
                return

    def won(self, hands: Hands, bet: int, placed: int) -> int:
        """What a hand wins in halves; its bet may be twice what was `placed`."""
        return self.rules.half_winnings(hands.player, hands.dealer, bet)

    def bet(self, last: int) -> int:
        """Ask for a bet; `last` is the one of the hand before, 0 if there is none."""
        self.console.write("\n")
        return self.dialogue.bet()

    def play_hand(self, bet: int) -> tuple[Hands, int]:
        """Play a hand to its end; return both hands and the bet, which may have been doubled."""
        hands = dealt(self.cards.deck(), self.rules)
        self.show_first(hands)
        bet = self.decide(hands, bet)
        self.dealer_plays(hands)
        result = _RESULTS.get(self.rules.outcome(hands.player, hands.dealer), _PUSHES[self.stage])
        self.console.write(scores(hands, self.rules) + result)
        return hands, bet

    def decide(self, hands: Hands, bet: int) -> int:
        """Let the player decide until the turn is over; return the bet."""
        is_first, shown = True, bet
        while self.goes_on(hands):
            command = self.dialogue.command(is_first=is_first)
            is_first = False
            if command == "s":
                break
            if command == "h":
                self.hit(hands)
                continue
            bet, shown = bet * self.rules.doubling, shown * 2
            self.console.write(f"Bet doubled to {shown}\n")
            if self.rules.shows_table_after_double:
                show_hidden(self.console, hands, self.rules)
            if not self.goes_on_doubled(hands):
                break
        return bet

    def show_first(self, hands: Hands) -> None:
        """Show the table with which a hand begins."""
        show_hidden(self.console, hands, self.rules)

    def hit(self, hands: Hands) -> None:
        """Give the player a card and show the table."""
        hit(self.console, hands, self.rules)

    def goes_on(self, hands: Hands) -> bool:
        """Whether the player has a decision to make; shows a message if the hand is bust."""
        return goes_on(self.console, hands, self.rules)

    def goes_on_doubled(self, hands: Hands) -> bool:
        """Whether the player's turn goes on after the bet was doubled."""
        return True

    def show_to_dealer(self, hands: Hands) -> None:
        """Show the table with which the dealer's turn begins."""
        hidden = NOTHING if self.rules.reveals_hole else self.rules.hidden_card
        if self.rules.shows_table_again:
            self.console.write(table(hands.player, hands.dealer, hidden=hidden))

    def dealer_plays(self, hands: Hands) -> None:
        """Show the hole card and play the dealer's hand to its end."""
        dealer_turn(self.console, hands, self.rules)
