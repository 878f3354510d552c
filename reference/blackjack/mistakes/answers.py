"""Mistakes in handling input: bets, commands, the answer that quits, and the error messages about them."""

from __future__ import annotations

import re

from reference.blackjack.betting import FIRST_PROMPT
from reference.blackjack.deal import HIT_OR_STAND
from reference.blackjack.errors import LATE_DOUBLE, CarefulDialogue
from reference.blackjack.mistakes.changes import Change, MistakeEntry
from reference.consoles import Wrapper, apply_to_text, replacing
from reference.words import integer_in

_NUMBER = re.compile(r"[+-]?[0-9]+")


class _OtherBounds(CarefulDialogue):
    """Accepts bets from `low` to `high`, which subclasses set, but prints the right bounds."""

    low, high = 0, 1_000_000

    def bet(self) -> int:
        while (bet := integer_in(self._answer("Place your bet: "), self.low, self.high)) is None:
            self._console.write("Bet must be between 1 and 1,000,000\n")
        return bet


class _BetOfZero(_OtherBounds):
    low, high = 0, 1_000_000


class _NegativeBet(_OtherBounds):
    low, high = -1_000_000, 1_000_000


class _BetOverMillion(_OtherBounds):
    low, high = 1, (1 << 31) - 1


class _BetBelowMillion(_OtherBounds):
    low, high = 1, 999_999


class _OtherCommands(CarefulDialogue):
    """Reads commands wrongly: in each subclass one of these fields is true."""

    #: Whether a refused answer counts as the first decision, so that the next prompt does not offer d.
    counts_refused = False
    #: Whether capital letters are accepted.
    lowers = False
    #: Whether no message is shown for an empty answer.
    ignores_empty = False
    #: Whether d is accepted after the first decision.
    allows_late_double = False
    #: Whether only the first letter of an answer is looked at.
    takes_first_letter = False
    #: Whether an unknown command is taken for s.
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


class _RefusedCounts(_OtherCommands):
    counts_refused = True


class _AnyCase(_OtherCommands):
    lowers = True


class _EmptyIgnored(_OtherCommands):
    ignores_empty = True


class _LateDouble(_OtherCommands):
    allows_late_double = True


class _FirstLetter(_OtherCommands):
    takes_first_letter = True


class _OthersStand(_OtherCommands):
    stands_on_others = True


class _QuitsOnCapital(CarefulDialogue):
    def asks_for_another_hand(self) -> bool:
        return self._answer("Enter 'q' to quit, anything else to play another hand: ").lower() != "q"


class _QuitsOnFirstLetter(CarefulDialogue):
    def asks_for_another_hand(self) -> bool:
        return not self._answer("Enter 'q' to quit, anything else to play another hand: ").startswith("q")


class _NumberWithRest(CarefulDialogue):
    """Reads the number at the beginning of a line and ignores the text after the number, as strtol does."""

    def _integer(self, prompt: str, low: int, high: int, refusal: str) -> int:
        while True:
            match = _NUMBER.match(self._answer(prompt))
            number = integer_in(match[0], low, high) if match else None
            if number is not None:
                return number
            self._console.write(refusal)


def _dialogue_mistake(id_: str, dialogue: type) -> MistakeEntry:
    return MistakeEntry(id_, ("errors",), Change(dialogues=(dialogue,)))


def _output_mistake(id_: str, wrapper: Wrapper) -> MistakeEntry:
    return MistakeEntry(id_, ("errors",), Change(consoles=(wrapper,)))


def _without_quotes(text: str) -> str:
    if text.startswith("Command '"):
        return text.replace("Command '", "Command ").replace("' unrecognized", " unrecognized")
    return text


ANSWERS = (
    _dialogue_mistake("bet-zero", _BetOfZero),
    _dialogue_mistake("bet-negative", _NegativeBet),
    _dialogue_mistake("bet-beyond", _BetOverMillion),
    _dialogue_mistake("bet-million-refused", _BetBelowMillion),
    _dialogue_mistake("number-with-rest", _NumberWithRest),
    _dialogue_mistake("refused-counts", _RefusedCounts),
    _dialogue_mistake("any-case", _AnyCase),
    _dialogue_mistake("empty-ignored", _EmptyIgnored),
    _dialogue_mistake("late-double", _LateDouble),
    _dialogue_mistake("first-letter", _FirstLetter),
    _dialogue_mistake("others-stand", _OthersStand),
    _dialogue_mistake("quits-on-capital", _QuitsOnCapital),
    _dialogue_mistake("quits-on-first-letter", _QuitsOnFirstLetter),
    _output_mistake("error-with-period", replacing(" unrecognized\n", " unrecognized.\n")),
    _output_mistake("error-without-quotes", apply_to_text(_without_quotes)),
    _output_mistake("bound-without-commas", replacing("1,000,000", "1000000")),
)
