"""Mistakes with what is typed: bets, commands and the word that quits, and the messages about them."""

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
    """Commands read otherwise."""

    counts_refused = False
    lowers = False
    ignores_empty = False
    allows_late_double = False
    takes_first_letter = False
    stands_on_others = False

    def command(self, *, is_first: bool) -> str:
        """Ask for a decision until it is one."""
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
    """A number is what a line begins with, as strtol reads it."""

    def _integer(self, prompt: str, low: int, high: int, refusal: str) -> int:
        while True:
            begins = _NUMBER.match(self._answer(prompt))
            number = integer_in(begins[0], low, high) if begins else None
            if number is not None:
                return number
            self._console.write(refusal)


_ERRORS = "the brief's table of errors"


def _asked(id_: str, title: str, hint: str, note: str, dialogue: type) -> Known:
    return Known(id_, title, hint, note, _ERRORS, ("errors",), Change(dialogues=(dialogue,)))


def _written(id_: str, title: str, hint: str, note: str, wrapper: Wrapper) -> Known:
    return Known(id_, title, hint, note, _ERRORS, ("errors",), Change(consoles=(wrapper,)))


def _without_quotes(text: str) -> str:
    if text.startswith("Command '"):
        return text.replace("Command '", "Command ").replace("' unrecognized", " unrecognized")
    return text


ANSWERS = (
    _asked("bet-zero", "a bet of 0 is accepted", "Which is the lowest bet?", "0 passes the test.", _BetOfZero),
    _asked(
        "bet-negative",
        "a negative bet is accepted",
        "Which is the lowest bet?",
        "Only the top is tested.",
        _NegativeBet,
    ),
    _asked(
        "bet-beyond",
        "a bet over the highest is accepted",
        "Which is the highest bet?",
        "The top is not tested.",
        _BetBeyond,
    ),
    _asked(
        "bet-million-refused",
        "the highest bet is refused",
        "Is the highest bet itself allowed?",
        "< instead of <=.",
        _BetBelowMillion,
    ),
    _asked(
        "number-with-rest",
        "an answer such as `10 abc` is accepted as a number",
        "When somebody types a number and then more, is that still a number?",
        "scanf reads what it can.",
        _NumberWithRest,
    ),
    _asked(
        "refused-counts",
        "a refused command counts as the first",
        "Which question is asked after a command was refused?",
        "first = 0 stands outside the branches.",
        _RefusedCounts,
    ),
    _asked(
        "any-case",
        "capital letters are accepted as commands",
        "Is a capital letter one of the commands?",
        "tolower().",
        _AnyCase,
    ),
    _asked(
        "empty-ignored",
        "an empty answer gets no error message",
        "What should an empty answer lead to?",
        "Blank lines are skipped, as scanf does.",
        _EmptyIgnored,
    ),
    _asked(
        "late-double",
        "doubling is allowed after a hit",
        "When may a bet be doubled?",
        "Not tested.",
        _LateDouble,
    ),
    _asked(
        "first-letter",
        "only the first letter of a command is looked at",
        "Is `hello` a command because it begins with h?",
        'scanf(" %c").',
        _FirstLetter,
    ),
    _asked(
        "others-stand",
        "every unknown command counts as stand",
        "What should an unknown command lead to?",
        "else instead of else if.",
        _OthersStand,
    ),
    _asked(
        "quits-on-capital",
        "a capital Q quits too",
        "Which is the only answer that quits?",
        "tolower().",
        _QuitsOnCapital,
    ),
    _asked(
        "quits-on-first-letter",
        "every line that begins with q quits",
        "Which is the only answer that quits?",
        "Only the first letter is looked at.",
        _QuitsOnFirstLetter,
    ),
    _written(
        "error-with-period",
        "an error message ends with a period",
        "Compare the message with the assignment's.",
        "A period too many.",
        replacing(" unrecognized\n", " unrecognized.\n"),
    ),
    _written(
        "error-without-quotes",
        "the quotes around the command are missing",
        "Compare the message with the assignment's.",
        "No quotes.",
        showing(_without_quotes),
    ),
    _written(
        "bound-without-commas",
        "the highest bet is written without commas",
        "Compare the message with the assignment's.",
        "1000000.",
        replacing("1,000,000", "1000000"),
    ),
)
