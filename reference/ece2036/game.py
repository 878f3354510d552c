"""The program: rounds against the dealer until the player quits or has no money left."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Any

from reference.console import Console, InputEnded
from reference.ece2036.rules import HIGHEST, RULES, Outcome, Rules, at_random
from reference.reading import Draw
from reference.words import Words

BET_PROMPT = "Enter bet in dollars, 0 to quit: "
PLAIN_PROMPT = "What would you like to do? Enter (h)it or (s)tand: "
DOUBLE_PROMPT = "What would you like to do? Enter (h)it, (s)tand or (d)ouble: "
SPLIT_PROMPT = "What would you like to do? Enter (h)it, (s)tand or s(p)lit: "
BOTH_PROMPT = "What would you like to do? Enter (h)it, (s)tand, (d)ouble or s(p)lit: "
_PROMPTS = {(): PLAIN_PROMPT, ("d",): DOUBLE_PROMPT, ("p",): SPLIT_PROMPT, ("d", "p"): BOTH_PROMPT}
#: The questions for the hands of a split pair.
HAND_PROMPTS = (
    "What would you like to do with this hand? Enter (h)it or (s)tand: ",
    "What would you like to do with the other hand? Enter (h)it or (s)tand: ",
)
#: Printed before each hand of a split pair where both are shown at once.
AT_ONCE_HEADINGS = ("These are the two hands.", "This is the other one.")
#: Printed before each hand of a split pair is played.
SPLIT_HEADINGS = ("This is the first hand.", "This is the second hand.")
#: The messages for a key that is not offered, by the features that are; a student's program may print any text or none.
_NO_SUCH_KEY = {
    (): "There is no such key.",
    ("d",): "There is no such key, only hit, stand and double.",
    ("p",): "There is no such key, only hit, stand and split.",
    ("d", "p"): "There is no such key, only hit, stand, double and split.",
}
NO_MONEY_TO_DOUBLE, TOO_LATE_TO_DOUBLE = "There is not enough money to double.", "It is too late to double."
NO_MONEY_TO_SPLIT, TOO_LATE_TO_SPLIT = "There is not enough money to split.", "It is too late to split."
NO_PAIR = "These cards cannot be split."
#: The messages for keys that are not offered for a hand of a split pair.
NO_SUCH_KEY_FOR_HAND = "There is no such key, only hit and stand."
NO_DOUBLE_FOR_HAND = "A hand of a split cannot be doubled."
NO_SPLIT_FOR_HAND = "A hand of a split cannot be split."
#: Printed before the result of each hand of a split pair.
_RESULT_NAMES = ("First hand: ", "Second hand: ")
_RESULTS = {Outcome.WIN: "Player wins!\n", Outcome.LOSS: "Dealer wins.\n", Outcome.PUSH: "Push.\n"}


def main(console: Console, draw: Draw | None = None, rules: Rules = RULES, **setting: Any) -> int:
    """Run the program and return its exit code; `setting` overrides fields of the rules."""
    with suppress(InputEnded):
        _Game(console, draw or at_random(), replace(rules, **setting)).play()
    return 0


def dollars(amount: float) -> str:
    """An amount as a C++ stream prints a double: with six significant digits.

    >>> dollars(300.0), dollars(337.5), dollars(11718.75)
    ('300', '337.5', '11718.8')
    """
    return f"{amount:.6g}"


class _Game:
    """One run of the program: the player's money, and the hands and bets of the current round."""

    def __init__(self, console: Console, draw: Draw, rules: Rules) -> None:
        self._console, self._draw, self._rules = console, draw, rules
        self._words = Words(console)
        self._money = rules.start
        self._bet = 0.0
        self._hands: list[list[str]] = []
        self._bets: list[float] = []
        self._dealer: list[str] = []

    def play(self) -> None:
        """Play rounds until the player quits or has no money left."""
        write = self._console.write
        write(f"Player starts with {dollars(self._money)} dollars\n")
        round_number = 1
        while self._money > 0:
            write(f"Round {round_number}\n" if round_number == 1 else f"\n\nRound {round_number}\n")
            if not self._ask_bet():
                return
            self._money += self._play_round()
            if self._rules.has_whole_money:
                self._money = float(int(self._money))
            write(f"Player has {dollars(self._money)} dollars\n")
            round_number += 1

    def _ask_bet(self) -> bool:
        """Ask until the player can pay the bet, and store the bet; return False if the player quits."""
        while True:
            word = self._words.ask(BET_PROMPT)
            try:
                self._bet = float(word)
            except ValueError:
                return False
            if not (self._bet > 0 or (self._bet < 0 and self._rules.plays_negative_bets)):
                return False
            most = self._money + self._rules.bet_over
            if self._bet < most or (self._bet == most and self._rules.may_bet_all):
                return True
            self._console.write("You don't have that much money!  Enter a lower bet.\n")

    def _play_round(self) -> float:
        """Play a round; return the gain."""
        rules, write = self._rules, self._console.write
        player: list[str] = []
        self._dealer = []
        for receiver in rules.deal_order:
            (player if receiver == "p" else self._dealer).append(self._draw())
        self._hands, self._bets = [player], [self._bet]
        start, stop = rules.first_shown
        write(f"Dealer's first card is: {' '.join(self._dealer[start:stop])}\n")
        self._show(player)
        if rules.ends_at_blackjack and rules.is_blackjack(player):
            return self._settle_blackjack()
        self._play_hand(0, self._offered_features(player))
        if len(self._hands) == 2:
            self._play_split()
        if rules.dealer_plays_after_bust or not all(map(rules.busts, self._hands)):
            self._play_dealer()
        order = range(len(self._hands) if rules.settles_second else 1)
        return sum(map(self._settle, reversed(order) if rules.results_swapped else order))

    def _play_split(self) -> None:
        """Show and play both hands of a split pair."""
        rules = self._rules
        if rules.shows_split != "in turn":
            for heading, hand in zip(AT_ONCE_HEADINGS, self._hands, strict=True):
                self._console.write(f"{heading}\n")
                self._show(hand)
        for index, heading in enumerate(SPLIT_HEADINGS):
            self._console.write(f"{heading}\n")
            if rules.shows_split in ("in turn", "each again") or (rules.shows_split == "second again" and index == 1):
                self._show(self._hands[index])
            if index == 0 or rules.plays_second:
                self._play_hand(index, ())

    def _offered_features(self, hand: list[str]) -> tuple[str, ...]:
        """The features offered at the first decision: "d" for doubling, "p" for splitting."""
        rules = self._rules
        doubled_bet = 2 * self._bet
        has_money = doubled_bet < self._money or (doubled_bet == self._money and rules.may_bet_twice_all)
        has_money = has_money or rules.features_without_money
        double_keys = ("d",) if rules.has_double and has_money else ()
        may_split = rules.has_split and has_money and rules.is_pair(hand)
        return (*double_keys, *(("p",) if may_split else ()))

    def _settle_blackjack(self) -> float:
        """Settle a round that the player's blackjack ends."""
        rules = self._rules
        shows = rules.shows_dealer_after_blackjack
        if rules.plays_against_blackjack:
            self._play_dealer()
        elif shows == "always" or (shows == "push" and rules.is_blackjack(self._dealer)):
            self._show_dealer()
        if rules.is_blackjack(self._dealer) and not rules.blackjack_beats_blackjack:
            self._console.write("Push of blackjacks.\n")
            return rules.push_pays * self._bet
        self._console.write("Blackjack! Player wins!\n")
        return rules.gain_of_blackjack(self._bet)

    def _play_hand(self, index: int, features: tuple[str, ...]) -> None:
        """Let the player decide about the hand with this index until it stands, is split or can take no more cards."""
        hand, rules = self._hands[index], self._rules
        while rules.points(hand) < HIGHEST or (rules.points(hand) == HIGHEST and rules.asks_at_21):
            answer = self._ask_decision(index, features)
            features = ("d",) if rules.offers_late and "d" in features else ()
            if answer == "s":
                return
            if answer == "p":
                self._hands = [[hand[0], self._draw()], [hand[1], self._draw()]]
                self._bets = [self._bet, rules.second_bet * self._bet]
                return
            if answer != "d" or rules.takes_card_doubled:
                hand.append(self._draw())
            for shown in self._hands if rules.shows_split == "after each card" else (hand,):
                self._show(shown)
            if answer == "d":
                self._bets[index] *= rules.double_pays
                if not rules.goes_on_doubled:
                    return

    def _ask_decision(self, index: int, features: tuple[str, ...]) -> str:
        """Ask what to do with the hand with this index.

        Returns h, s, d (double) or p (split), even if the rules name other keys for d and p.
        """
        double_key, split_key = self._rules.double_key, self._rules.split_key
        prompt = _PROMPTS[features] if len(self._hands) == 1 else HAND_PROMPTS[index]
        prompt = prompt if double_key == "d" else prompt.replace("(d)ouble", f"({double_key}) double")
        prompt = prompt if split_key == "p" else prompt.replace("s(p)lit", f"({split_key}) split")
        decision_by_key = {"h": "h", "s": "s"} | {
            {"d": double_key, "p": split_key}[feature]: feature for feature in features
        }
        if self._rules.doubles_late:
            decision_by_key.setdefault(double_key, "d")
        while True:
            letter = self._words.ask(prompt)[0]
            if letter in decision_by_key or self._rules.other_keys:
                return decision_by_key.get(letter, self._rules.other_keys)
            self._console.write(f"{self._refusal(letter, features, self._hands[index])}\n")

    def _refusal(self, letter: str, features: tuple[str, ...], hand: list[str]) -> str:
        """The message for a key that is not offered."""
        rules = self._rules
        is_late = len(hand) > 2
        is_split = len(self._hands) == 2
        if rules.has_double and letter == rules.double_key:
            return NO_DOUBLE_FOR_HAND if is_split else TOO_LATE_TO_DOUBLE if is_late else NO_MONEY_TO_DOUBLE
        if rules.has_split and letter == rules.split_key:
            if is_late or is_split:
                return NO_SPLIT_FOR_HAND if is_split else TOO_LATE_TO_SPLIT
            return NO_MONEY_TO_SPLIT if rules.is_pair(hand) else NO_PAIR
        return NO_SUCH_KEY_FOR_HAND if is_split else _NO_SUCH_KEY[features]

    def _play_dealer(self) -> None:
        """Play the dealer's turn."""
        rules = self._rules
        self._show_dealer()
        while rules.dealer_draws(self._dealer) and (rules.draws_after_bust or not all(map(rules.busts, self._hands))):
            self._dealer.append(self._draw())
            if rules.shows_each_draw:
                self._show_dealer()
        if not rules.shows_each_draw:
            self._show_dealer()

    def _settle(self, index: int) -> float:
        """Print the result of the hand with this index; return the gain."""
        rules, write = self._rules, self._console.write
        hand, bet, is_split = self._hands[index], self._bets[index], len(self._hands) == 2
        outcome = rules.outcome(hand, self._dealer, is_split=is_split)
        if is_split:
            write(_RESULT_NAMES[index])
        is_bust, dealer_is_bust = rules.busts(hand), rules.busts(self._dealer)
        if is_bust and not (rules.dealers_bust_first and dealer_is_bust):
            write("Player's hand is bust.\n")
            if rules.tells_both_busts and dealer_is_bust:
                write("Dealer's hand is bust.\n")
        elif dealer_is_bust:
            write("Dealer's hand is bust. Player wins!\n")
        else:
            if not is_split and outcome is Outcome.LOSS and rules.is_blackjack(self._dealer):
                write("Dealer has a blackjack.\n")
            write(_RESULTS[outcome])
        if outcome is Outcome.WIN:
            blackjack_factor = rules.split_21_pays if is_split else rules.blackjack_pays
            return (
                bet
                * (blackjack_factor if rules.is_blackjack(hand) else rules.win_pays)
                * (1 if dealer_is_bust else rules.higher_factor)
            )
        return bet * (
            rules.push_pays if outcome is Outcome.PUSH else rules.loss_pays * (1 if is_bust else rules.lower_factor)
        )

    def _show(self, hand: list[str]) -> None:
        """Show the player's hand and its value."""
        self._console.write(f"Player's hand is: {' '.join(hand)}\nPlayer's hand value is {self._rules.points(hand)}\n")

    def _show_dealer(self) -> None:
        """Show the dealer's hand and its value."""
        dealer = self._dealer
        self._console.write(
            f"Dealer's hand is: {' '.join(dealer)}\nDealer's hand value is {self._rules.points(dealer)}\n"
        )
