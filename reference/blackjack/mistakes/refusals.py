"""Mistakes in what is refused and accepted, beyond those of a single answer: blanks, signs, words, the end of input."""

from __future__ import annotations

import re

from reference.blackjack.betting import BET_PROMPT, FIRST_PROMPT
from reference.blackjack.deal import HIT_OR_STAND
from reference.blackjack.errors import LATE_DOUBLE, CarefulDialogue
from reference.blackjack.mistakes.changes import MONEY, Change, Known, Leaves
from reference.blackjack.mistakes.flow import Flow
from reference.blackjack.shuffle import SEED_PROMPT
from reference.blackjack.table import HEADER
from reference.console import InputEnded
from reference.consoles import Wrapper, repeating, replacing
from reference.words import BLANKS, Words, integer_in, scanned_int

_NUMBER = re.compile(r"[+-]?[0-9]+")
_LOWEST_LONG, _HIGHEST_LONG = -(1 << 63), (1 << 63) - 1
_BET_REFUSED = "Bet must be between 1 and 1,000,000\n"
_SEED_REFUSED = "Seed must be an integer\n"


def _begun(answer: str) -> int:
    """The number at the beginning of an answer as atoi reads it, 0 if there is none."""
    begins = _NUMBER.match(answer)
    return scanned_int(begins[0]) if begins else 0


class _AlwaysFirst:
    def command(self, *, is_first: bool) -> str:
        return super().command(is_first=True)  # type: ignore[misc, no-any-return]


class _NeverFirst:
    def command(self, *, is_first: bool) -> str:
        return super().command(is_first=False)  # type: ignore[misc, no-any-return]


class _FirstOfAll:
    """The first decision of the first hand alone is taken for a first one."""

    _is_fresh = True

    def command(self, *, is_first: bool) -> str:
        is_first, self._is_fresh = is_first and self._is_fresh, False
        return super().command(is_first=is_first)  # type: ignore[misc, no-any-return]


class _BetUnchecked(CarefulDialogue):
    def bet(self) -> int:
        return _begun(self._answer(BET_PROMPT))


class _SeedUnchecked(CarefulDialogue):
    def seed(self) -> int:
        return _begun(self._answer(SEED_PROMPT))


class _AnySeed(CarefulDialogue):
    def seed(self) -> int:
        return self._integer(SEED_PROMPT, _LOWEST_LONG, _HIGHEST_LONG, _SEED_REFUSED)


class _BadSeedEnds(CarefulDialogue):
    def seed(self) -> int:
        seed = integer_in(self._answer(SEED_PROMPT), -(1 << 31), (1 << 31) - 1)
        if seed is None:
            self._console.write(_SEED_REFUSED)
            raise Leaves
        return seed


class _LateDoubleUnknown(CarefulDialogue):
    def command(self, *, is_first: bool) -> str:
        while True:
            answer = self._answer(FIRST_PROMPT if is_first else HIT_OR_STAND)
            if answer in ("h", "s") or (answer == "d" and is_first):
                return answer
            self._console.write(f"Command '{answer}' unrecognized\n")


class _WithoutSigns(CarefulDialogue):
    """Refuses numbers with a sign."""

    refused = "+-"

    def _integer(self, prompt: str, low: int, high: int, refusal: str) -> int:
        while True:
            answer = self._answer(prompt)
            number = integer_in(answer, low, high)
            if number is not None and answer[0] not in self.refused:
                return number
            self._console.write(refusal)


class _PlusRefused(_WithoutSigns):
    refused = "+"
    _integer = _WithoutSigns._integer


class _SignsRefused(_WithoutSigns):
    refused = "+-"
    _integer = _WithoutSigns._integer


class _Lines(CarefulDialogue):
    """Reads lines and strips them in another way."""

    def _answer(self, prompt: str) -> str:
        self._console.write(prompt)
        line = self._console.read_line()
        if line is None:
            raise InputEnded
        return self.stripped(line)

    def stripped(self, line: str) -> str:
        return line


class _BlanksKept(_Lines):
    _answer = _Lines._answer


class _BlanksBeforeKept(_Lines):
    _answer = _Lines._answer

    def stripped(self, line: str) -> str:
        return line.rstrip(BLANKS)


class _BlanksAfterKept(_Lines):
    _answer = _Lines._answer

    def stripped(self, line: str) -> str:
        return line.lstrip(BLANKS)


class _WordByWord(CarefulDialogue):
    """Reads words, which need not stand on lines of their own."""

    _words: Words | None = None

    def _answer(self, prompt: str) -> str:
        self._words = self._words or Words(self._console)
        return self._words.ask(prompt)


class _NoLineAtTheEnd(Flow):
    def input_ended(self) -> int:
        return 0


def _asked(id_: str, dialogue: type, stages: tuple[str, ...] = ("errors",)) -> Known:
    return Known(id_, stages, Change(dialogues=(dialogue,)))


def _shown(id_: str, wrapper: Wrapper) -> Known:
    return Known(id_, ("errors",), Change(consoles=(wrapper,)))


REFUSALS = (
    _asked("double-offered-always", _AlwaysFirst, MONEY),
    _asked("double-never-offered", _NeverFirst, MONEY),
    _asked("double-first-hand-only", _FirstOfAll, MONEY),
    _asked("bet-unchecked", _BetUnchecked),
    _asked("seed-unchecked", _SeedUnchecked),
    _asked("seed-range-unchecked", _AnySeed),
    _asked("bad-seed-ends", _BadSeedEnds),
    _asked("late-double-unrecognized", _LateDoubleUnknown),
    _asked("plus-refused", _PlusRefused),
    _asked("signs-refused", _SignsRefused),
    _asked("blanks-kept", _BlanksKept),
    _asked("blanks-before-kept", _BlanksBeforeKept),
    _asked("blanks-after-kept", _BlanksAfterKept),
    _asked("words-not-lines", _WordByWord),
    Known("no-line-at-the-end", ("errors",), Change(flows=(_NoLineAtTheEnd,))),
    _shown("table-after-refusal", repeating(f"\n{HEADER}", (" unrecognized\n", LATE_DOUBLE))),
    _shown("line-after-refused-bet", replacing(_BET_REFUSED, f"{_BET_REFUSED}\n")),
)
