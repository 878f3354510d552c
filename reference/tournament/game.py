"""The program of all three stages: rounds until the money is doubled or too little for a bet."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

from reference.console import Console, InputEnded
from reference.reading import Draw
from reference.tournament.cards import at_random
from reference.tournament.rules import MINIMUM, Rules, with_setting

WELCOME = "*** WELCOME TO BLACKJACK ***\n\n"
CARD_PROMPT = " Do you want another card? (y/n) "
#: The question after an answer that is neither yes nor no; a student's program may use any words.
AGAIN_PROMPT = "Another card? (y/n) "
_BET = re.compile(r"-?[0-9]+")


class _BadBet(Exception):
    """A bet that is unreadable or out of range, where the rules let such a bet end the program."""


def main(console: Console, draw: Draw | None = None, rules: Rules = MINIMUM, **setting: Any) -> int:
    """Run the program and return its exit code; `setting` overrides rules."""
    try:
        _Tournament(console, draw or at_random(), with_setting(rules, **setting)).play()
    except (InputEnded, _BadBet):
        pass
    return 0


class _Tournament:
    """One player's tournament."""

    def __init__(self, console: Console, draw: Draw, rules: Rules) -> None:
        self._console, self._draw, self._rules = console, draw, rules
        self._money = Decimal(rules.start)
        self._prints_decimal = False

    def play(self) -> None:
        """Play rounds until the tournament is over."""
        write, rules = self._console.write, self._rules
        write(WELCOME)
        write(f"You have {self._money_text()} in your pocket. Try to double it!\n\n")
        write("You will lose if you have no money left\n\n")
        number = 1
        while True:
            write(f"\n*** ROUND {number}, you have {self._money_text()} left.\n\n")
            self._play_round()
            if rules.is_broke(self._money):
                write("You are broke, you lost!\n")
                return
            if rules.is_won(self._money):
                write(f"You have {self._money_text()}, you at least doubled your money!\n")
                return
            number += 1

    def _play_round(self) -> None:
        """Play a round: the first card, the bet, the player's turn and the dealer's."""
        write, rules = self._console.write, self._rules
        hand = [self._draw()]
        write(f"You have {hand[0]}, hand value is {rules.count(hand)}.\n\n")
        bet = self._ask_bet()
        hand.append(self._draw())
        if rules.is_players_blackjack(hand):
            write(f"You have {hand[1]}, Blackjack! You won with Blackjack!\n")
            self._prints_decimal = True
            self._money += rules.gain_of_blackjack(bet, self._draw)
            return
        self._show(hand)
        while rules.is_asked(hand) and self._wants_card(hand):
            hand.append(self._draw())
            self._show(hand)
        if rules.player_busts(hand):
            write(" You busted!\n")
            self._money -= bet * rules.bust_costs
            return
        if not rules.is_asked(hand):
            write("\n")
        self._play_dealer(hand, bet)

    def _wants_card(self, hand: list[str]) -> bool:
        """Ask whether the player wants another card."""
        wants_card = self._rules.wants_card(self._read(CARD_PROMPT))
        while wants_card is None and self._rules.asks_again:
            self._console.write("Answer y or n!\n")
            prompt = AGAIN_PROMPT
            if self._rules.asks_again == "with the hand":
                self._show(hand)
                prompt = CARD_PROMPT
            wants_card = self._rules.wants_card(self._read(prompt))
        return bool(wants_card)

    def _show(self, hand: list[str]) -> None:
        """Show the player's last card and the value of the hand."""
        self._console.write(f"You have {hand[-1]}, hand value is {self._rules.count(hand)}.")

    def _play_dealer(self, player: list[str], bet: int) -> None:
        """Play the dealer's turn and settle the bet."""
        write, rules = self._console.write, self._rules
        write("\nDealer's turn...\n")
        dealer: list[str] = []
        while rules.dealer_draws(dealer, player):
            dealer.append(self._draw())
            if rules.is_dealers_blackjack(dealer):
                write(f"Dealer has {dealer[-1]}, Blackjack!\n")
                if rules.dealers_blackjack_beats(player):
                    write("Dealer won with Blackjack!\n")
                    self._money -= bet
                    return
                break
            write(f"Dealer has {dealer[-1]}, hand value is {rules.count(dealer)}.\n")
        self._money += self._settle(player, dealer, bet)

    def _settle(self, player: list[str], dealer: list[str], bet: int) -> Decimal:
        """Print who has won; return the gain."""
        write, rules = self._console.write, self._rules
        if rules.busts(dealer):
            write("Dealer busted, you won!\n")
            return bet * (rules.win_returns - 1)
        lead = rules.lead(player, dealer)
        if lead == 0:
            write("Standoff, you get your money back!\n")
            return bet * (rules.standoff_returns - 1)
        write("You win!\n" if lead > 0 else "Dealer wins!\n")
        return bet * (rules.win_returns - 1) if lead > 0 else -bet * rules.loss_costs

    def _ask_bet(self) -> int:
        """Ask for a bet; an empty line bets the minimum."""
        rules = self._rules
        prompt = (
            f"How much do you want to bet? Bet must be >= {rules.lowest_bet}€ and <= {self._money_text()}. "
            "Press Enter for minimal bet. "
        )
        while True:
            answer = self._read(prompt)
            answer = answer.strip() if rules.ignores_blanks_in_bets else answer
            if not answer:
                return rules.lowest_bet
            bet = int(answer) if _BET.fullmatch(answer) else None
            if bet is not None and ((bet < 0 and rules.negative_is_unreadable) or rules.is_beyond_reading(bet)):
                bet = None
            if bet is not None and rules.accepts_bet(bet, self._money):
                return bet
            is_low = bet is not None and bet <= rules.lowest_bet
            if rules.reports_invalid_bet:
                too_far = "The bet is too low!\n" if is_low else "The bet is too high!\n"
                self._console.write("That is no bet!\n" if bet is None else too_far)
            consequence = rules.bad_bet if bet is None else rules.low_bet if is_low else rules.high_bet
            if consequence == "nearest":
                return int(self._money)
            if consequence == "lowest":
                return rules.lowest_bet
            if consequence == "end":
                raise _BadBet

    def _read(self, prompt: str) -> str:
        """Ask a question; return the line typed."""
        self._console.write(prompt)
        line = self._console.read_line()
        if line is None:
            raise InputEnded
        return line

    def _money_text(self) -> str:
        """The money as text; after a gain from a blackjack always with a decimal place, as a decimal type prints it."""
        if self._prints_decimal and self._rules.keeps_digit:
            return f"{self._money:.1f}€"
        return f"{self._money.normalize():f}€"
