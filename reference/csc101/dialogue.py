"""The program's questions: which answers it accepts and refuses, and its messages."""

from __future__ import annotations

from collections.abc import Callable

from reference.console import Console, InputEnded
from reference.csc101.rules import Rules
from reference.words import BLANKS

BET_PROMPT = "Place your bet: "
QUIT_PROMPT = "Enter 'q' to quit, anything else to play another hand: "


class Dialogue:
    """Asks until an answer is valid; with the feature `errors`, each refusal comes with its reason."""

    def __init__(self, console: Console, rules: Rules) -> None:
        """Ask on this console."""
        self._console, self._rules = console, rules

    def bet(self) -> int:
        """Ask for a bet."""
        while (bet := self._rules.bet_in(answer := self._answer(BET_PROMPT))) is None:
            is_refused = answer or self._rules.refuses_empty_bet
            self._console.write(self._show_refusal("Bet must be between 1 and 1,000,000") if is_refused else "\n")
        return bet

    def command(
        self, prompt: str, count: int, doubled: int, may_split: bool, show: Callable[[], None]
    ) -> tuple[str, int]:
        """Ask for a command; return the command and the number of commands refused before it.

        `count` commands were accepted for this hand so far (or refused, if the rules count refused commands);
        `doubled` is 1 if the first of them doubled the bet, otherwise 0. `show` shows the hands.
        """
        refused, before_prompt = 0, "\n"
        while True:
            command = self._rules.command_in(self._answer(f"{before_prompt}{prompt}"))
            before_prompt = "\n"
            if not command:
                continue
            refusal = self._refusal_message(
                command, count + (refused if self._rules.refused_counts else 0), doubled, may_split
            )
            if not refusal:
                return command, refused
            refused += 1
            before_prompt = self._show_refusal(refusal)
            if self._rules.unknown_stands and refusal.startswith("Command"):
                return "s", refused
            if self._rules.errors and self._rules.after(refusal) == "hands":
                show()

    def _refusal_message(self, command: str, count: int, doubled: int, may_split: bool) -> str:
        """The message about a command that is refused; empty if the command is accepted."""
        unrecognized = f"Command '{command}' unrecognized"
        if command in "hsq":
            return ""
        if command == "d" and self._rules.betting:
            return "" if count <= self._rules.before_doubling else "Double down can only be first command"
        if command == "2" and self._rules.split:
            if count > (doubled if self._rules.splits_after_double else 0):
                return "Split can only be first or second command"
            return "" if may_split else unrecognized
        return unrecognized

    def wants_another_hand(self) -> bool:
        """Ask whether to play another hand."""
        answer = self._answer(QUIT_PROMPT)
        while not answer and not self._rules.empty_plays_on:
            answer = self._answer(f"\n{QUIT_PROMPT}")
        return answer[:1] != "q"

    def _show_refusal(self, reason: str) -> str:
        """Show why an answer is refused, if the rules have `errors`; return the text before the next prompt."""
        if not self._rules.errors:
            return "\n"
        self._console.write(f"\n{reason}\n")
        return {"nothing": "", "blanks": "\n\n"}.get(self._rules.after(reason), "\n")

    def _answer(self, prompt: str) -> str:
        """Show a prompt; return the line typed without the blanks around it. Raises InputEnded at the end of input."""
        self._console.write(prompt)
        line = self._console.read_line()
        if line is None:
            raise InputEnded
        return line.strip(BLANKS)
