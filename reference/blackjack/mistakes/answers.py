"""Mistakes in handling input: bets, commands and the word that quits, and the messages about them."""

from __future__ import annotations

import re

from reference.blackjack.betting import FIRST_PROMPT
from reference.blackjack.deal import HIT_OR_STAND
from reference.blackjack.errors import LATE_DOUBLE, CarefulDialogue
from reference.blackjack.mistakes.changes import Change, Known
from reference.consoles import Wrapper, replacing, showing
from reference.words import integer_in

_NUMBER = re.compile(r"[+-]?[0-9]+")


class _AnyBet(CarefulDialogue):
    low, high = 0, 1_000_000

    def bet(self) -> int:
        while (bet := integer_in(self._answer("Place your bet: "), self.low, self.high)) is None:
            self._console.write("Bet must be between 1 and 1,000,000\n")
        return bet


class _BetOfZero(_AnyBet):
    low, high = 0, 1_000_000


class _NegativeBet(_AnyBet):
    low, high = -1_000_000, 1_000_000


class _BetBeyond(_AnyBet):
    low, high = 1, (1 << 31) - 1


class _BetBelowMillion(_AnyBet):
    low, high = 1, 999_999


class _Commands(CarefulDialogue):
    """Reads commands in another way."""

    counts_refused = False
    lowers = False
    ignores_empty = False
    allows_late_double = False
    takes_first_letter = False
    stands_on_others = False

    def command(self, *, is_first: bool) -> str:
        """Ask until the answer is a decision."""
        while True:
            answer = self._answer(FIRST_PROMPT if is_first else HIT_OR_STAND)
            answer = answer.lower() if self.lowers else answer
            answer = answer[:1] if self.takes_first_letter else answer
            if answer in ("h", "s") or (answer == "d" and (is_first or self.allows_late_double)):
                return answer
            if self.stands_on_others:
                return "s"
            if not (self.ignores_empty and not answer):
                self._console.write(LATE_DOUBLE if answer == "d" else f"Command '{answer}' unrecognized\n")
            is_first = is_first and not self.counts_refused


class _RefusedCounts(_Commands):
    counts_refused = True
    command = _Commands.command


class _AnyCase(_Commands):
    lowers = True
    command = _Commands.command


class _EmptyIgnored(_Commands):
    ignores_empty = True
    command = _Commands.command


class _LateDouble(_Commands):
    allows_late_double = True
    command = _Commands.command


class _FirstLetter(_Commands):
    takes_first_letter = True
    command = _Commands.command


class _OthersStand(_Commands):
    stands_on_others = True
    command = _Commands.command


class _QuitsOnCapital(CarefulDialogue):
    def plays_on(self) -> bool:
        return self._answer("Enter 'q' to quit, anything else to play another hand: ").lower() != "q"


class _QuitsOnFirstLetter(CarefulDialogue):
    def plays_on(self) -> bool:
        return not self._answer("Enter 'q' to quit, anything else to play another hand: ").startswith("q")


class _NumberWithRest(CarefulDialogue):
    """Takes the number at the beginning of a line and ignores the rest, as strtol does."""

    def _integer(self, prompt: str, low: int, high: int, refusal: str) -> int:
        while True:
            begins = _NUMBER.match(self._answer(prompt))
            number = integer_in(begins[0], low, high) if begins else None
            if number is not None:
                return number
            self._console.write(refusal)


def _asked(id_: str, dialogue: type) -> Known:
    return Known(id_, ("errors",), Change(dialogues=(dialogue,)))


def _written(id_: str, wrapper: Wrapper) -> Known:
    return Known(id_, ("errors",), Change(consoles=(wrapper,)))


def _without_quotes(text: str) -> str:
    if text.startswith("Command '"):
        return text.replace("Command '", "Command ").replace("' unrecognized", " unrecognized")
    return text


ANSWERS = (
    _asked("bet-zero", _BetOfZero),
    _asked("bet-negative", _NegativeBet),
    _asked("bet-beyond", _BetBeyond),
    _asked("bet-million-refused", _BetBelowMillion),
    _asked("number-with-rest", _NumberWithRest),
    _asked("refused-counts", _RefusedCounts),
    _asked("any-case", _AnyCase),
    _asked("empty-ignored", _EmptyIgnored),
    _asked("late-double", _LateDouble),
    _asked("first-letter", _FirstLetter),
    _asked("others-stand", _OthersStand),
    _asked("quits-on-capital", _QuitsOnCapital),
    _asked("quits-on-first-letter", _QuitsOnFirstLetter),
    _written("error-with-period", replacing(" unrecognized\n", " unrecognized.\n")),
    _written("error-without-quotes", showing(_without_quotes)),
    _written("bound-without-commas", replacing("1,000,000", "1000000")),
)
