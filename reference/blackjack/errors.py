"""Stage 5: betting that handles every bad input. Input is read line by line; blanks around an answer are ignored."""

from __future__ import annotations

from collections.abc import Callable

from reference.blackjack.betting import BET_PROMPT, FIRST_PROMPT, QUIT_PROMPT, Dialogue, play_for_money
from reference.blackjack.deal import HIT_OR_STAND
from reference.blackjack.rules import FOR_MONEY, Rules
from reference.blackjack.shuffle import SEED_PROMPT
from reference.cards import SeededCards, Source
from reference.console import Console, InputEnded
from reference.words import BLANKS, integer_in

#: The bounds of a C int.
LOWEST_SEED, HIGHEST_SEED = -(1 << 31), (1 << 31) - 1
LOWEST_BET, HIGHEST_BET = 1, 1_000_000
LATE_DOUBLE = "Double down can only be first command\n"


class CarefulDialogue:
    """Asks again, with a message, until an answer is valid."""

    def __init__(self, console: Console) -> None:
        """Ask on this console."""
        self._console = console

    def seed(self) -> int:
        """Ask for a seed that is a C int."""
        return self._integer(SEED_PROMPT, LOWEST_SEED, HIGHEST_SEED, "Seed must be an integer\n")

    def bet(self) -> int:
        """Ask for a bet of 1 to 1,000,000."""
        return self._integer(
            BET_PROMPT, LOWEST_BET, HIGHEST_BET, f"Bet must be between {LOWEST_BET} and {HIGHEST_BET:,}\n"
        )

    def command(self, *, is_first: bool) -> str:
        """Ask until the answer is a decision: h or s, or d if this is the first decision of the hand.

        After a refused answer the decision is still the first, so the prompt that offers d is repeated.
        """
        while True:
            answer = self._answer(FIRST_PROMPT if is_first else HIT_OR_STAND)
            if answer in ("h", "s") or (answer == "d" and is_first):
                return answer
            self._console.write(LATE_DOUBLE if answer == "d" else f"Command '{answer}' unrecognized\n")

    def asks_for_another_hand(self) -> bool:
        """Ask whether to play another hand; only q means no."""
        return self._answer(QUIT_PROMPT) != "q"

    def _answer(self, prompt: str) -> str:
        """Ask a question; return the answer without blanks around it."""
        self._console.write(prompt)
        line = self._console.read_line()
        if line is None:
            raise InputEnded
        return line.strip(BLANKS)

    def _integer(self, prompt: str, low: int, high: int, refusal: str) -> int:
        """Ask until the answer is an integer within the bounds."""
        while (number := integer_in(self._answer(prompt), low, high)) is None:
            self._console.write(refusal)
        return number


def main(
    console: Console,
    cards: Source | None = None,
    rules: Rules = FOR_MONEY,
    dialogue: Callable[[Console], Dialogue] = CarefulDialogue,
) -> int:
    """Run the program and return its exit code."""
    try:
        play_for_money(console, dialogue(console), SeededCards() if cards is None else cards, rules)
    except InputEnded:
        console.write("\n")
    return 0
