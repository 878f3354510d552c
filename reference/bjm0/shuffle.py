"""Stage 1: print a shuffled deck, a line for each card from the first of the array to the last.

    Seed: 7
    17 5
    40 2
    …

Each line has the card's number in the ordered deck, from 1 to 52, and the card's value. The other stages deal the card
of the last line first.
"""

from __future__ import annotations

from reference.bjm0.deal import run
from reference.bjm0.rules import RULES, Rules
from reference.console import Console
from reference.words import Words


def main(console: Console, cards: object = None, rules: Rules = RULES) -> int:
    """Run the program and return its exit code; `cards` is ignored, since the seed determines the deck."""
    return run(console, _play, rules)


def _play(console: Console, words: Words, deck: list[int], rules: Rules) -> None:
    """Show the shuffled deck: on each line a card's number and its value."""
    console.write("".join(f"{card} {rules.value(card)}\n" for card in deck))
