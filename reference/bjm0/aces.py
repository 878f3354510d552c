"""Stage 2: one hand, in which aces count 11 or 1.

    Seed: 7
    You have 11 11, total 12. Hit or stand? [h/s] h
    You have 11 11 10, total 12. Hit or stand? [h/s] s
    Final total: 12

For a hand over 21 the program prints `Bust!` instead of asking.
"""

from __future__ import annotations

from reference.bjm0.deal import HIT_OR_STAND, Table, run
from reference.bjm0.rules import RULES, Rules
from reference.console import Console
from reference.words import Words


def main(console: Console, cards: object = None, rules: Rules = RULES) -> int:
    """Run the program and return its exit code; `cards` is ignored, since the seed determines the deck."""
    return run(console, _play, rules)


def _play(console: Console, words: Words, deck: list[int], rules: Rules) -> None:
    """Deal one hand, and let the player hit until standing or bust."""
    table = Table(deck, rules)
    hand = [table.card(), table.card()]
    while True:
        console.write(f"You have {' '.join(map(str, hand))}, total {rules.total(hand)}.")
        if rules.busts(hand):
            console.write(" Bust!\n")
            break
        if words.ask_letter(f" {HIT_OR_STAND}", "hs") == "s":
            break
        hand.append(table.card())
    console.write(f"Final total: {rules.total(hand)}\n")
