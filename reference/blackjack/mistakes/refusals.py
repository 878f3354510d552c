"""Mistakes in which input is refused or accepted: doubling, seeds, signs, blanks, words, the end of input.

Each dialogue class here overrides methods of the stage's dialogue (see `Change.dialogues`).
"""

from __future__ import annotations

import re

from reference.blackjack.betting import BET_PROMPT, FIRST_PROMPT
from reference.blackjack.deal import HIT_OR_STAND
from reference.blackjack.errors import HIGHEST_SEED, LATE_DOUBLE, LOWEST_SEED, CarefulDialogue
from reference.blackjack.mistakes.changes import MONEY, Change, MistakeEntry, ProgramAborted
from reference.blackjack.mistakes.flow import Flow
from reference.blackjack.shuffle import SEED_PROMPT
from reference.blackjack.table import HEADER
from reference.console import InputEnded
from reference.consoles import Wrapper, repeating, replacing
from reference.words import BLANKS, Words, integer_in, scanned_int

_NUMBER = re.compile(r"[+-]?[0-9]+")
#: The bounds of a C long.
_LOWEST_LONG, _HIGHEST_LONG = -(1 << 63), (1 << 63) - 1
_BET_REFUSAL = "Bet must be between 1 and 1,000,000\n"
_SEED_REFUSAL = "Seed must be an integer\n"


def _leading_integer(answer: str) -> int:
    """The integer at the beginning of an answer, as atoi returns it; 0 if the answer begins with no integer."""
    match = _NUMBER.match(answer)
    return scanned_int(match[0]) if match else 0


class _DoubleAlwaysOffered:
    def command(self, *, is_first: bool) -> str:
        return super().command(is_first=True)  # type: ignore[misc, no-any-return]


class _DoubleNeverOffered:
    def command(self, *, is_first: bool) -> str:
        return super().command(is_first=False)  # type: ignore[misc, no-any-return]


class _DoubleOfferedOnce:
    """Offers doubling only at the first decision of the session, not at the first decision of each hand."""

    _is_first_of_session = True

    def command(self, *, is_first: bool) -> str:
        is_first, self._is_first_of_session = is_first and self._is_first_of_session, False
        return super().command(is_first=is_first)  # type: ignore[misc, no-any-return]


class _BetUnchecked(CarefulDialogue):
    def bet(self) -> int:
        return _leading_integer(self._answer(BET_PROMPT))


class _SeedUnchecked(CarefulDialogue):
    def seed(self) -> int:
        return _leading_integer(self._answer(SEED_PROMPT))


class _AnySeed(CarefulDialogue):
    """Accepts any C long as a seed, not only a C int."""

    def seed(self) -> int:
        return self._integer(SEED_PROMPT, _LOWEST_LONG, _HIGHEST_LONG, _SEED_REFUSAL)


class _BadSeedEnds(CarefulDialogue):
    def seed(self) -> int:
        seed = integer_in(self._answer(SEED_PROMPT), LOWEST_SEED, HIGHEST_SEED)
        if seed is None:
            self._console.write(_SEED_REFUSAL)
            raise ProgramAborted
        return seed


class _LateDoubleUnrecognized(CarefulDialogue):
    def command(self, *, is_first: bool) -> str:
        while True:
            answer = self._answer(FIRST_PROMPT if is_first else HIT_OR_STAND)
            if answer in ("h", "s") or (answer == "d" and is_first):
                return answer
            self._console.write(f"Command '{answer}' unrecognized\n")


class _WithoutSigns(CarefulDialogue):
    """Refuses numbers that begin with one of `refused_signs`."""

    refused_signs = "+-"

    def _integer(self, prompt: str, low: int, high: int, refusal: str) -> int:
        while True:
            answer = self._answer(prompt)
            number = integer_in(answer, low, high)
            if number is not None and answer[0] not in self.refused_signs:
                return number
            self._console.write(refusal)


class _PlusRefused(_WithoutSigns):
    refused_signs = "+"


class _SignsRefused(_WithoutSigns):
    refused_signs = "+-"


class _LinesNotStripped(CarefulDialogue):
    """Reads lines without stripping blanks; subclasses strip one end."""

    def _answer(self, prompt: str) -> str:
        self._console.write(prompt)
        line = self._console.read_line()
        if line is None:
            raise InputEnded
        return self.strip_line(line)

    def strip_line(self, line: str) -> str:
        return line


class _LeadingBlanksNotStripped(_LinesNotStripped):
    def strip_line(self, line: str) -> str:
        return line.rstrip(BLANKS)


class _TrailingBlanksNotStripped(_LinesNotStripped):
    def strip_line(self, line: str) -> str:
        return line.lstrip(BLANKS)


class _WordByWord(CarefulDialogue):
    """Reads every word as an answer, even if a line has several words."""

    _words: Words | None = None

    def _answer(self, prompt: str) -> str:
        self._words = self._words or Words(self._console)
        return self._words.ask(prompt)


class _NoNewlineAtEndOfInput(Flow):
    def input_ended(self) -> int:
        return 0


def _dialogue_mistake(id_: str, dialogue: type, stages: tuple[str, ...] = ("errors",)) -> MistakeEntry:
    """A mistake that overrides methods of the stage's dialogue by those of this class."""
    return MistakeEntry(id_, stages, Change(dialogues=(dialogue,)))


def _console_mistake(id_: str, wrapper: Wrapper) -> MistakeEntry:
    """A mistake that changes the output of the stage `errors`."""
    return MistakeEntry(id_, ("errors",), Change(consoles=(wrapper,)))


REFUSALS = (
    _dialogue_mistake("double-offered-always", _DoubleAlwaysOffered, MONEY),
    _dialogue_mistake("double-never-offered", _DoubleNeverOffered, MONEY),
    _dialogue_mistake("double-first-hand-only", _DoubleOfferedOnce, MONEY),
    _dialogue_mistake("bet-unchecked", _BetUnchecked),
    _dialogue_mistake("seed-unchecked", _SeedUnchecked),
    _dialogue_mistake("seed-range-unchecked", _AnySeed),
    _dialogue_mistake("bad-seed-ends", _BadSeedEnds),
    _dialogue_mistake("late-double-unrecognized", _LateDoubleUnrecognized),
    _dialogue_mistake("plus-refused", _PlusRefused),
    _dialogue_mistake("signs-refused", _SignsRefused),
    _dialogue_mistake("blanks-kept", _LinesNotStripped),
    _dialogue_mistake("blanks-before-kept", _LeadingBlanksNotStripped),
    _dialogue_mistake("blanks-after-kept", _TrailingBlanksNotStripped),
    _dialogue_mistake("words-not-lines", _WordByWord),
    MistakeEntry("no-line-at-the-end", ("errors",), Change(flows=(_NoNewlineAtEndOfInput,))),
    _console_mistake("table-after-refusal", repeating(f"\n{HEADER}", (" unrecognized\n", LATE_DOUBLE))),
    _console_mistake("line-after-refused-bet", replacing(_BET_REFUSAL, f"{_BET_REFUSAL}\n")),
)
