"""Stage 4: the player bets on hand after hand, until quitting."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Protocol

from reference.blackjack.deal import HIT_OR_STAND, Hands, dealt
from reference.blackjack.play import (
    DEALER_WINS,
    PLAYER_WINS,
    dealer_turn,
    hit,
    player_may_decide,
    scores,
    show_hidden_table,
)
from reference.blackjack.rules import FOR_MONEY, Outcome, Rules
from reference.blackjack.shuffle import SEED_PROMPT
from reference.cards import SeededCards, Source
from reference.console import Console, InputEnded
from reference.words import Words

BET_PROMPT = "Place your bet: "
FIRST_PROMPT = "Hit, stand or double down? [h/s/d] "
QUIT_PROMPT = "Enter 'q' to quit, anything else to play another hand: "
_RESULTS = {Outcome.WIN: PLAYER_WINS, Outcome.LOSS: DEALER_WINS, Outcome.PUSH: "Push!\n"}


class Dialogue(Protocol):
    """The program's questions. Every method may raise InputEnded."""

    def seed(self) -> int:
        """Ask for the seed."""

    def bet(self) -> int:
        """Ask for a bet."""

    def command(self, *, is_first: bool) -> str:
        """Ask for a decision: h or s, or d if this is the first decision of the hand."""

    def asks_for_another_hand(self) -> bool:
        """Ask whether to play another hand."""


class PlainDialogue:
    """Reads word by word; asks again, without a message, if a word is no number or none of the letters asked for."""

    def __init__(self, console: Console) -> None:
        """Ask on this console."""
        self._words = Words(console)

    def seed(self) -> int:
        """Ask for the seed."""
        return self._words.ask_integer(SEED_PROMPT)

    def bet(self) -> int:
        """Ask for a bet."""
        return self._words.ask_integer(BET_PROMPT)

    def command(self, *, is_first: bool) -> str:
        """Ask until the answer is a decision."""
        if is_first:
            return self._words.ask_letter(FIRST_PROMPT, "hsd")
        return self._words.ask_letter(HIT_OR_STAND, "hs")

    def asks_for_another_hand(self) -> bool:
        """Ask whether to play another hand; only q means no."""
        return self._words.ask(QUIT_PROMPT) != "q"


def main(
    console: Console,
    cards: Source | None = None,
    rules: Rules = FOR_MONEY,
    dialogue: Callable[[Console], Dialogue] = PlainDialogue,
) -> int:
    """Run the program and return its exit code."""
    with suppress(InputEnded):
        play_for_money(console, dialogue(console), SeededCards() if cards is None else cards, rules)
    return 0


def play_for_money(console: Console, dialogue: Dialogue, cards: Source, rules: Rules) -> None:
    """Play hand after hand until the player quits; raises InputEnded at the end of input."""
    cards.seed(dialogue.seed())
    sum_in_halves = 0
    while True:
        console.write("\n")
        bet = dialogue.bet()
        won = _hand(console, dialogue, dealt(cards.deck(), rules), bet, rules)
        sum_in_halves = sum_in_halves + won if rules.adds_winnings else won
        console.write(f"Winnings: {money(sum_in_halves)}\n")
        if not dialogue.asks_for_another_hand():
            return


def _hand(console: Console, dialogue: Dialogue, hands: Hands, bet: int, rules: Rules) -> int:
    """Play one hand; return twice the gain, since a blackjack pays 1.5 times the bet."""
    show_hidden_table(console, hands, rules)
    bet = _decisions(console, dialogue, hands, bet, rules)
    dealer_turn(console, hands, rules)
    console.write(scores(hands, rules) + _RESULTS[rules.outcome(hands.player, hands.dealer)])
    return rules.halves_gained(hands.player, hands.dealer, bet)


def _decisions(console: Console, dialogue: Dialogue, hands: Hands, bet: int, rules: Rules) -> int:
    """Let the player decide until the turn is over; return the bet, which may have been doubled."""
    # The bet that is printed is always doubled; under wrong rules the bet that is paid may not be.
    is_first, shown = True, bet
    while player_may_decide(console, hands, rules):
        command = dialogue.command(is_first=is_first)
        is_first = False
        if command == "s":
            break
        if command == "h":
            hit(console, hands, rules)
        else:
            bet, shown = bet * rules.doubling, shown * 2
            console.write(f"Bet doubled to {shown}\n")
            if rules.shows_table_after_double:
                show_hidden_table(console, hands, rules)
    return bet


def money(halves: int) -> str:
    """An amount as text: +15, -7.5, or 0 without a sign; `halves` is twice the amount.

    >>> money(30), money(-15), money(0)
    ('+15', '-7.5', '0')
    """
    if halves == 0:
        return "0"
    sign = "+" if halves > 0 else "-"
    return f"{sign}{abs(halves) // 2}{'.5' if halves % 2 else ''}"
