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
_DEALER_HITS = 2


class Hands(NamedTuple):
    """Two hands and the deck from which they are dealt; its last card is the next."""

    player: list[int]
    dealer: list[int]
    deck: list[int]


def dealt(deck: list[int], rules: Rules) -> Hands:
    """Two hands with the first four cards, which are removed from the deck."""
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
    # The player may hit until the deck is empty, so the dealer hits with the cards that are left.
    for _ in range(min(_DEALER_HITS, len(deck))):
        console.pause(rules.pause_s)
        dealer.append(deck.pop())
        console.write(DEALER_HITS + table(player, dealer))
    console.pause(rules.pause_s)
    console.write(DEALER_STANDS)
    return 0
