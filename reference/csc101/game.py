"""The program: hand after hand from one deck, with the features that are switched on in its rules."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from reference.console import Console, InputEnded
from reference.csc101.dialogue import Dialogue
from reference.csc101.rules import HIGHEST, RULES, Outcome, Rules, at_random
from reference.reading import Draw

RESHUFFLING = "Reshuffling ...\n\n"
_RESULTS = {Outcome.WIN: "Player wins", Outcome.LOSS: "Dealer wins", Outcome.PUSH: "Push"}


class _DeckIsEmpty(Exception):
    """A card was needed after the last card of the deck, and the rules have no further deck."""


class _HandQuit(Exception):
    """The player gave up the hand."""


def main(console: Console, draw: Draw | None = None, rules: Rules = RULES, **setting: Any) -> int:
    """Run the program under rules changed by a setting, and return its exit code."""
    try:
        _Blackjack(console, draw or at_random(), replace(rules, **setting)).play()
    except (InputEnded, _DeckIsEmpty):
        pass
    return 0


class _Blackjack:
    """A run of the program: hand after hand, the deck and the winnings so far."""

    def __init__(self, console: Console, draw: Draw, rules: Rules) -> None:
        self._console, self._draw_card, self._rules = console, draw, rules
        self._dialogue = Dialogue(console, rules)
        self._drawn_count, self._deck_number = 0, 1
        # _is_message_due: the message about reshuffling must be shown. _is_at_start: the next block is the first, and
        # the rules have no empty line before it.
        self._is_message_due = self._is_at_start = False
        self._sum_in_halves = 0

    def play(self) -> None:
        """Play hands until the player quits."""
        write = self._console.write
        self._is_at_start = not self._rules.begins_with_blank
        while True:
            bet = 0
            if self._rules.betting:
                write(self._blank())
                bet = self._dialogue.bet()
            round_ = _Round(self, bet)
            try:
                gain_halves = round_.play()
            except _HandQuit:
                gain_halves = round_.give_up()
            if self._rules.betting:
                self._sum_in_halves = self._sum_in_halves + gain_halves if self._rules.adds_winnings else gain_halves
                write(f"\nWinnings: {amount_text(self._sum_in_halves, self._rules.halves)}\n")
            write("\n")
            if not self._dialogue.wants_another_hand():
                return

    def draw(self) -> str:
        """Return the next card, from a further deck if this one is used up."""
        if self._drawn_count == self._rules.cards_in(self._deck_number):
            self._deck_number += 1
            if not self._rules.reshuffle or not self._rules.cards_in(self._deck_number):
                raise _DeckIsEmpty
            self._drawn_count, self._is_message_due = 0, True
        self._drawn_count += 1
        return self._draw_card()

    def write(self, text: str) -> None:
        """Show a block of text after an empty line, with the message about reshuffling if that message is due."""
        message_time = self._rules.reshuffling_announced
        message = RESHUFFLING if self._is_message_due and message_time != "never" else ""
        self._is_message_due = self._is_message_due and message_time == "always"
        if message_time == "after" and message:
            self._console.write(f"{self._blank()}{text}\n{message[:-1]}")
        else:
            self._console.write(f"{self._blank()}{message}{text}")

    def _blank(self) -> str:
        """The empty line before a block; no text before the first block if the rules begin without an empty line."""
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

    def __init__(self, game: _Blackjack, bet: int) -> None:
        # The bet that is won or lost, and the bet in messages. Wrong rules for doubling change only the first.
        self._game, self._rules, self._bet, self._shown_bet = game, game.rules, bet, bet
        self._first_bet = bet
        self._hands: list[list[str]] = [[]]
        self._dealer: list[str] = []
        for receiver in self._rules.deal_order:
            (self._hands[0] if receiver == "p" else self._dealer).append(game.draw())
        if self._rules.deals_hidden_first:
            self._dealer.reverse()

    def play(self) -> int:
        """Play to the end; return the gain in halves."""
        if self._is_finished(0):
            return self._end()
        self._show()
        self._play_first_hand()
        if len(self._hands) == 2:
            return self._play_split_hands()
        return self._end()

    def give_up(self) -> int:
        """Return the gain in halves when the player quits the hand, a loss; show the hole card if the rules do."""
        if self._rules.quit_reveals:
            self._show(reveals=True)
        return self._rules.quit_halves * self._bet * (len(self._hands) if self._rules.quit_loses_both else 1)

    def _is_finished(self, number: int) -> bool:
        """Whether a hand gets no more commands, since it is bust or has 21."""
        rules, hand = self._rules, self._hands[number]
        asks = rules.asks_at_21 or (rules.asks_at_21_after_hit and len(hand) > 2 and len(self._hands) == 1)
        total = rules.points(hand)
        return total > HIGHEST or (total == HIGHEST and not asks)

    def _play_first_hand(self) -> None:
        """Ask for commands until the player stands, the hand is finished, or the hand is split."""
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
                self._game.write(f"Bet doubled to {self._shown_bet}\n")
                if self._rules.double_takes_card:
                    self._hands[0].append(self._game.draw())
                    return
                if self._rules.shows_after_double:
                    self._show()
            elif command == "2":
                self._split()
                return
            else:
                self._hands[0].append(self._game.draw())
                if self._is_finished(0):
                    return
                self._show()

    def _command(self, prompt: str, count: int, doubled: int, may_split: bool) -> tuple[str, int]:
        """Ask for a command for the current hand; return the command and the number of commands refused before it."""
        return self._game.dialogue.command(prompt, count, doubled, may_split, self._show)

    def _split(self) -> None:
        """Make two hands of a pair, each with one of its cards and a new card."""
        cards = self._hands[0]
        first_index = self._rules.first_keeps
        self._hands = [[cards[first_index], self._game.draw()], [cards[1 - first_index], self._game.draw()]]
        if not self._rules.split_keeps_double:
            self._bet = self._first_bet

    def _play_split_hands(self) -> int:
        """Play the two hands of a split pair; return the gain in halves."""
        if self._rules.shows_both_21 or not (self._is_finished(0) and self._is_finished(1)):
            self._show()
        for number, name in enumerate(("first", "second")):
            while not self._is_finished(number):
                # A count of 2 commands: it is too late to double or to split.
                command, _ = self._command(f"Enter command for {name} hand: ", 2, 0, False)
                if command == "q":
                    raise _HandQuit
                if command == "h":
                    self._hands[number].append(self._game.draw())
                    if self._rules.busts(self._hands[number]):
                        self._show()
                        if self._rules.reports_split_bust:
                            self._game.write("Player busts.\n")
                        if self._rules.first_bust_ends:
                            return self._end()
                        break
                    if number == 1 and self._is_finished(1):
                        break
                if number == 0 and self._ends_without_showing(command):
                    break
                if command == "h" or (number == 0 and self._rules.shows_after_first_stands):
                    self._show()
                if command == "s":
                    break
        return self._end()

    def _ends_without_showing(self, command: str) -> bool:
        """Whether both hands are finished after this command for the first one, and are not shown once more."""
        is_over = (command == "s" or self._is_finished(0)) and self._is_finished(1)
        show_rule = self._rules.shows_before_end
        return is_over and (show_rule == "never" or (show_rule == "stand" and command != "s"))

    def _end(self) -> int:
        """Let the dealer play, show all hands and the results; return the gain in halves."""
        rules = self._rules
        is_split = len(self._hands) == 2
        if rules.dealer_plays_after_bust or not all(map(rules.busts, self._hands)):
            while rules.dealer_draws(self._dealer, self._hands):
                self._dealer.append(self._game.draw())
        self._show(reveals=rules.reveals_after_bust or not all(map(rules.busts, self._hands)))
        self._show_results(is_split)
        return sum(rules.halves_gained(hand, self._dealer, self._bet, is_split=is_split) for hand in self._hands)

    def _show_results(self, is_split: bool) -> None:
        """Show who has won each hand; normally nothing if both hands of a split pair are bust."""
        rules, write = self._rules, self._game.write
        if is_split:
            if rules.shows_results_if_all_bust or not all(map(rules.busts, self._hands)):
                outcomes = [rules.outcome(hand, self._dealer, is_split=True) for hand in self._hands]
                named_outcomes = zip(outcomes, ("first", "second"), strict=True)
                write("".join(f"{_RESULTS[outcome]} {name} hand.\n" for outcome, name in named_outcomes))
        elif rules.busts(self._hands[0]):
            write("Player busts.\n")
        elif rules.busts(self._dealer):
            write("Dealer busts.\n")
        else:
            outcome = rules.outcome(self._hands[0], self._dealer)
            # Only a blackjack ties with a blackjack.
            is_push_of_blackjacks = outcome is Outcome.PUSH and rules.is_blackjack(self._dealer)
            write("Push of blackjacks.\n" if is_push_of_blackjacks else f"{_RESULTS[outcome]}.\n")

    def _show(self, *, reveals: bool = False) -> None:
        """Show all hands; with `reveals` all the dealer's cards, otherwise the first and an X."""
        names = ("Player's",) if len(self._hands) == 1 else ("Player's First", "Player's Second")
        lines = [f"{name} Hand: {', '.join(hand)}\n" for name, hand in zip(names, self._hands, strict=True)]
        dealer = self._dealer if reveals else [self._dealer[0], "X"]
        self._game.write("".join(lines) + f"Dealer's Hand: {', '.join(dealer)}\n")


def amount_text(halves: int, written: str = "kept") -> str:
    """An amount in half dollars as text: +15, -7.5 (-7.50 if `written` is "cents"), or 0 without a sign."""
    if halves == 0:
        return "0"
    half = ".50" if written == "cents" else ".5"
    return f"{'+' if halves > 0 else '-'}{abs(halves) // 2}{half if halves % 2 else ''}"
