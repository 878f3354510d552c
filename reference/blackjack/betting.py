"""Stage 4: hand after hand, for money."""

from __future__ import annotations

from typing import Protocol

from reference.blackjack.deal import HIT_OR_STAND, Hands, dealt
from reference.blackjack.play import dealer_turn, hit, is_bust, scores
from reference.blackjack.rules import FOR_MONEY, Outcome, Rules, is_blackjack
from reference.blackjack.shuffle import seeded
from reference.blackjack.table import table
from reference.cards import SeededCards, Source
from reference.console import Console, InputEnded
from reference.words import Words

BET_PROMPT = "Place your bet: "
FIRST_PROMPT = "Hit, stand or double down? [h/s/d] "
QUIT_PROMPT = "Enter 'q' to quit, anything else to play another hand: "
_RESULTS = {Outcome.WIN: "Player wins!\n", Outcome.LOSS: "Dealer wins!\n", Outcome.PUSH: "Push!\n"}


class Dialogue(Protocol):
    """How the program asks. Every answer may raise InputEnded."""

    def seed(self, cards: Source) -> None:
        """Ask for the seed and begin with it."""

    def bet(self) -> int:
        """Ask for a bet."""

    def command(self, *, is_first: bool) -> str:
        """Ask for a decision: h, s, or as the first one d."""

    def plays_on(self) -> bool:
        """Ask whether there shall be another hand."""


class PlainDialogue:
    """Takes every answer to be a right one, word by word."""

    def __init__(self, console: Console) -> None:
        """Ask on this console."""
        self._console, self._words = console, Words(console)

    def seed(self, cards: Source) -> None:
        """Ask for the seed and begin with it."""
        seeded(self._console, self._words, cards)

    def bet(self) -> int:
        """Ask for a bet."""
        self._console.write(BET_PROMPT)
        return self._words.next_integer()

    def command(self, *, is_first: bool) -> str:
        """Ask for a decision until it is one."""
        while True:
            self._console.write(FIRST_PROMPT if is_first else HIT_OR_STAND)
            answer = self._words.next()[0]
            if answer in ("hsd" if is_first else "hs"):
                return answer

    def plays_on(self) -> bool:
        """Ask whether there shall be another hand; q alone means no."""
        self._console.write(QUIT_PROMPT)
        return self._words.next() != "q"


def main(console: Console, cards: Source | None = None, rules: Rules = FOR_MONEY) -> int:
    """Run the program; its exit code."""
    try:
        play_for_money(console, PlainDialogue(console), cards or SeededCards(), rules)
    except InputEnded:
        pass
    return 0


def play_for_money(console: Console, dialogue: Dialogue, cards: Source, rules: Rules) -> None:
    """Hand after hand until the player quits; InputEnded where the input does."""
    dialogue.seed(cards)
    half_winnings = 0
    while True:
        deck = cards.deck()
        console.write("\n")
        half_winnings += _hand(console, dialogue, dealt(deck), dialogue.bet(), rules)
        console.write(f"Winnings: {money(half_winnings)}\n")
        if not dialogue.plays_on():
            return


def _hand(console: Console, dialogue: Dialogue, hands: Hands, bet: int, rules: Rules) -> int:
    """Play one hand; what it wins, in halves."""
    has_blackjack = is_blackjack(hands.player)
    console.write(table(hands.player, hands.dealer, hides_hole=True))
    if not has_blackjack:
        bet = _decisions(console, dialogue, hands, bet, rules)
    dealer_turn(console, hands, rules)
    outcome = rules.outcome(hands.player, hands.dealer)
    console.write(scores(hands, rules) + _RESULTS[outcome])
    if outcome is Outcome.WIN:
        return bet * (rules.blackjack_pays_halves if has_blackjack else 2)
    return -2 * bet if outcome is Outcome.LOSS else 0


def _decisions(console: Console, dialogue: Dialogue, hands: Hands, bet: int, rules: Rules) -> int:
    """Let the player decide until the hand is over; the bet, doubled where it was."""
    is_first = True
    while not is_bust(console, hands, rules):
        command = dialogue.command(is_first=is_first)
        is_first = False
        if command == "s":
            break
        if command == "h":
            hit(console, hands)
        else:
            bet *= 2
            console.write(f"Bet doubled to {bet}\n")
    return bet


def money(halves: int) -> str:
    """An amount given in halves: +15, -7.5, a bare 0.

    >>> money(30), money(-15), money(0)
    ('+15', '-7.5', '0')
    """
    if halves == 0:
        return "0"
    sign = "+" if halves > 0 else "-"
    return f"{sign}{abs(halves) // 2}{'.5' if halves % 2 else ''}"
