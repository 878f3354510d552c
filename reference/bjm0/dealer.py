"""Stage 3: the dealer plays alone.

    Seed: 7
    Dealer has 10 2, total 12.
    Dealer has 10 2 6, total 18.
    Dealer stands.

The last line is `Dealer busts.` if the total is over 21.
"""

from __future__ import annotations

from reference.bjm0.deal import Table, run
from reference.bjm0.rules import RULES, Rules
from reference.console import Console
from reference.words import Words


def main(console: Console, cards: object = None, rules: Rules = RULES) -> int:
    """Run the program and return its exit code; `cards` is ignored, since the seed determines the deck."""
    return run(console, _play, rules)


def _play(console: Console, words: Words, deck: list[int], rules: Rules) -> None:
    """Deal the dealer's hand and play it to its end."""
    table = Table(deck, rules)
    hand = [table.card(), table.card()]
    table.dealer_plays(console, hand)
    console.write("Dealer busts.\n" if rules.busts(hand) else "Dealer stands.\n")
