"""Stage 2: deal two hands, let the player hit, and have the dealer hit twice."""

from __future__ import annotations

from typing import NamedTuple

from reference.blackjack.rules import FOR_FUN, Rules
from reference.blackjack.shuffle import SEED_PROMPT
from reference.blackjack.table import table
from reference.cards import SeededCards, Source
from reference.console import Console, InputEnded
from reference.words import Words

HIT_OR_STAND = "Hit or stand? [h/s] "
DEALER_HITS, DEALER_STANDS = "Dealer hits.\n", "Dealer stands.\n"
_DEALER_HIT_COUNT = 2


class Hands(NamedTuple):
    """Two hands, and the rest of the deck from which they were dealt; the last card of the deck is dealt next."""

    player: list[int]
    dealer: list[int]
    deck: list[int]


def dealt(deck: list[int], rules: Rules) -> Hands:
    """Deal two hands of two cards, which are removed from the deck."""
    hands = Hands([], [], deck)
    for receiver in rules.deal_order:
        (hands.player if receiver == "p" else hands.dealer).append(deck.pop())
    return hands


def main(console: Console, cards: Source | None = None, rules: Rules = FOR_FUN) -> int:
    """Run the program and return its exit code."""
    cards, words = SeededCards() if cards is None else cards, Words(console)
    try:
        cards.seed(words.ask_integer(SEED_PROMPT))
        player, dealer, deck = dealt(cards.deck(), rules)
        console.write(table(player, dealer))
        while words.ask_letter(HIT_OR_STAND, "hs") == "h" and deck:
            player.append(deck.pop())
            console.write(table(player, dealer))
    except InputEnded:
        return 0
    console.write(table(player, dealer))
    # The player may have hit until the deck was empty or almost empty; then the dealer hits less than twice.
    for _ in range(min(_DEALER_HIT_COUNT, len(deck))):
        console.pause(rules.pause_s)
        dealer.append(deck.pop())
        console.write(DEALER_HITS + table(player, dealer))
    console.pause(rules.pause_s)
    console.write(DEALER_STANDS)
    return 0
