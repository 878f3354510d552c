"""The program: hand after hand from one deck, with the features that its rules name."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from reference.console import Console, InputEnded
from reference.csc101.dialogue import Dialogue
from reference.csc101.rules import HIGHEST, RIGHT, Outcome, Rules, at_random
from reference.reading import Draw

RESHUFFLING = "Reshuffling ...\n\n"
_RESULTS = {Outcome.WIN: "Player wins", Outcome.LOSS: "Dealer wins", Outcome.PUSH: "Push"}


class _DeckIsEmpty(Exception):
    """The 53rd card was needed and there is no reshuffling."""


class _HandQuit(Exception):
    """The player gave up the hand."""


def main(console: Console, draw: Draw | None = None, rules: Rules = RIGHT, **setting: Any) -> int:
    """Run the program under rules changed by a setting, and return its exit code."""
    try:
        _Blackjack(console, draw or at_random(), replace(rules, **setting)).play()
    except (InputEnded, _DeckIsEmpty):
        pass
    return 0


class _Blackjack:
    """One player at the table."""

    def __init__(self, console: Console, draw: Draw, rules: Rules) -> None:
        self._console, self._draw_card, self._rules = console, draw, rules
        self._dialogue = Dialogue(console, rules)
        self._drawn, self._deck = 0, 1
        self._has_to_tell = self._is_at_start = False
        self._half_winnings = 0

    def play(self) -> None:
        """Play hands until the player quits."""
        write = self._console.write
        self._is_at_start = not self._rules.begins_with_blank
        while True:
            bet = 0
            if self._rules.betting:
                write(self._blank())
                bet = self._dialogue.bet()
            hand = _Round(self, bet)
            try:
                won = hand.play()
            except _HandQuit:
                won = hand.lost_all()
            if self._rules.betting:
                self._half_winnings = self._half_winnings + won if self._rules.adds_winnings else won
                write(f"\nWinnings: {money(self._half_winnings, self._rules.halves)}\n")
            write("\n")
            if not self._dialogue.plays_on():
                return

    def draw(self) -> str:
        """The next card."""
        if self._drawn == self._rules.cards_in(self._deck):
            self._deck += 1
            if not self._rules.reshuffle or not self._rules.cards_in(self._deck):
                raise _DeckIsEmpty
            self._drawn, self._has_to_tell = 0, True
        self._drawn += 1
        return self._draw_card()

    def write(self, text: str) -> None:
        """Show a block after an empty line and, if it is due, the message about reshuffling."""
        when = self._rules.reshuffling_told
        told = RESHUFFLING if self._has_to_tell and when != "never" else ""
        self._has_to_tell = self._has_to_tell and when == "always"
        if when == "after" and told:
            self._console.write(f"{self._blank()}{text}\n{told[:-1]}")
        else:
            self._console.write(f"{self._blank()}{told}{text}")

    def _blank(self) -> str:
        """The empty line before a block; none at the start of a program that begins without it."""
        is_at_start, self._is_at_start = self._is_at_start, False
        return "" if is_at_start else "\n"

    @property
    def rules(self) -> Rules:
        """The rules of the game."""
        return self._rules

    @property
    def dialogue(self) -> Dialogue:
        """The dialogue that asks the player."""
        return self._dialogue


class _Round:
    """One hand, or two after a split, against the dealer."""

    def __init__(self, table: _Blackjack, bet: int) -> None:
        self._table, self._rules, self._bet, self._shown_bet = table, table.rules, bet, bet
        self._first_bet = bet
        self._hands: list[list[str]] = [[]]
        self._dealer: list[str] = []
        for receiver in self._rules.deal_order:
            (self._hands[0] if receiver == "p" else self._dealer).append(table.draw())

    def play(self) -> int:
        """Play to the end; return the gain in halves."""
        if self._is_finished(0):
            return self._end()
        self._show()
        self._first_hand()
        if len(self._hands) == 2:
            return self._split_hands()
        return self._end()

    def lost_all(self) -> int:
        """The gain in halves when the player quits the hand: a loss."""
        if self._rules.quit_reveals:
            self._show(reveals=True)
        return self._rules.quit_halves * self._bet * (len(self._hands) if self._rules.quit_loses_both else 1)

    def _is_finished(self, number: int) -> bool:
        """Whether a hand gets no more commands, since it has 21 or more."""
        rules, hand = self._rules, self._hands[number]
        asks = rules.asks_at_21 or (rules.asks_at_21_after_hit and len(hand) > 2 and len(self._hands) == 1)
        total = rules.points(hand)
        return total > HIGHEST or (total == HIGHEST and not asks)

    def _first_hand(self) -> None:
        """Take commands until the hand stands, is finished, or is split."""
        count = doubled = 0
        while True:
            may_split = count == doubled and len(self._hands[0]) == 2 and self._rules.is_pair(self._hands[0])
            command, refused = self._command("Enter command: ", count, doubled, may_split)
            count += 1 + (refused if self._rules.refused_counts else 0)
            if command == "q":
                raise _HandQuit
            if command == "s":
                return
            if command == "d":
                doubled = 1
                self._bet, self._shown_bet = self._bet * self._rules.doubling, self._shown_bet * 2
                self._table.write(f"Bet doubled to {self._shown_bet}\n")
                if self._rules.double_takes_card:
                    self._hands[0].append(self._table.draw())
                    return
                if self._rules.shows_after_double:
                    self._show()
            elif command == "2":
                self._split()
                return
            else:
                self._hands[0].append(self._table.draw())
                if self._is_finished(0):
                    return
                self._show()

    def _command(self, prompt: str, count: int, doubled: int, may_split: bool) -> tuple[str, int]:
        """Ask for a command for the current hand."""
        return self._table.dialogue.command(prompt, count, doubled, may_split, self._show)

    def _split(self) -> None:
        """Make two hands of one pair."""
        cards = self._hands[0]
        keeps = self._rules.first_keeps
        self._hands = [[cards[keeps], self._table.draw()], [cards[1 - keeps], self._table.draw()]]
        if not self._rules.split_keeps_double:
            self._bet = self._first_bet

    def _split_hands(self) -> int:
        """Play the two hands of a split pair."""
        if self._rules.shows_both_21 or not (self._is_finished(0) and self._is_finished(1)):
            self._show()
        for number, name in enumerate(("first", "second")):
            while not self._is_finished(number):
                command, _ = self._command(f"Enter command for {name} hand: ", 2, 0, False)
                if command == "q":
                    raise _HandQuit
                if command == "h":
                    self._hands[number].append(self._table.draw())
                    if self._rules.busts(self._hands[number]):
                        self._show()
                        if self._rules.tells_split_bust:
                            self._table.write("Player busts.\n")
                        if self._rules.first_bust_ends:
                            return self._end()
                        break
                    if number == 1 and self._is_finished(1):
                        break
                if number == 0 and self._is_over(command):
                    break
                if command == "h" or (number == 0 and self._rules.shows_after_first_stands):
                    self._show()
                if command == "s":
                    break
        return self._end()

    def _is_over(self, command: str) -> bool:
        """Whether a command for the first of two hands ends both, and these are not shown once more."""
        is_over = (command == "s" or self._is_finished(0)) and self._is_finished(1)
        shows = self._rules.shows_before_end
        return is_over and (shows == "never" or (shows == "stand" and command != "s"))

    def _end(self) -> int:
        """Let the dealer play, show everything, say who has won; return the gain in halves."""
        rules = self._rules
        is_split = len(self._hands) == 2
        if rules.dealer_plays_after_bust or not all(map(rules.busts, self._hands)):
            while rules.dealer_draws(self._dealer, self._hands):
                self._dealer.append(self._table.draw())
        self._show(reveals=rules.reveals_after_bust or not all(map(rules.busts, self._hands)))
        self._tell(is_split)
        return sum(rules.half_winnings(hand, self._dealer, self._bet, is_split=is_split) for hand in self._hands)

    def _tell(self, is_split: bool) -> None:
        """Say who has won each hand."""
        rules, write = self._rules, self._table.write
        if is_split:
            if rules.tells_all_bust or not all(map(rules.busts, self._hands)):
                outcomes = [rules.outcome(hand, self._dealer, is_split=True) for hand in self._hands]
                names = zip(outcomes, ("first", "second"), strict=True)
                write("".join(f"{_RESULTS[outcome]} {name} hand.\n" for outcome, name in names))
        elif rules.busts(self._hands[0]):
            write("Player busts.\n")
        elif rules.busts(self._dealer):
            write("Dealer busts.\n")
        else:
            write(f"{_RESULTS[rules.outcome(self._hands[0], self._dealer)]}.\n")

    def _show(self, *, reveals: bool = False) -> None:
        """Show all hands, the hole card as an X until it is revealed."""
        names = ("Player's",) if len(self._hands) == 1 else ("Player's First", "Player's Second")
        lines = [f"{name} Hand: {', '.join(hand)}\n" for name, hand in zip(names, self._hands, strict=True)]
        dealer = self._dealer if reveals else [self._dealer[0], "X"]
        self._table.write("".join(lines) + f"Dealer's Hand: {', '.join(dealer)}\n")


def money(halves: int, written: str = "kept") -> str:
    """An amount given in halves as text: +15, -7.5 (-7.50 if it is `written` in "cents"), or 0 without a sign."""
    if halves == 0:
        return "0"
    half = ".50" if written == "cents" else ".5"
    return f"{'+' if halves > 0 else '-'}{abs(halves) // 2}{half if halves % 2 else ''}"
