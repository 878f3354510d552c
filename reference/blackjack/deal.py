"""Stage 2: deal two hands, let the player hit, and have the dealer hit twice."""

from __future__ import annotations

from typing import NamedTuple

from reference.blackjack.rules import FOR_FUN, Rules
from reference.blackjack.shuffle import seeded
from reference.blackjack.table import table
from reference.cards import SeededCards, Source
from reference.console import Console, InputEnded
from reference.words import Words

HIT_OR_STAND = "Hit or stand? [h/s] "
DEALER_HITS, DEALER_STANDS = "Dealer hits.\n", "Dealer stands.\n"
_DEALER_HITS = 2


class Hands(NamedTuple):
    """Two hands and the deck they are dealt from, whose last card is the next."""

    player: list[int]
    dealer: list[int]
    deck: list[int]


def dealt(deck: list[int]) -> Hands:
    """The first four cards: player, dealer, player, dealer."""
    hands = Hands([], [], deck)
    for hand in (hands.player, hands.dealer) * 2:
        hand.append(deck.pop())
    return hands


def asked(console: Console, words: Words) -> str:
    """Ask until the answer begins with h or s; that letter."""
    while True:
        console.write(HIT_OR_STAND)
        answer = words.next()[0]
        if answer in "hs":
            return answer


def main(console: Console, cards: Source | None = None, rules: Rules = FOR_FUN) -> int:
    """Run the program; its exit code."""
    cards, words = cards or SeededCards(), Words(console)
    try:
        seeded(console, words, cards)
        player, dealer, deck = dealt(cards.deck())
        console.write(table(player, dealer))
        while asked(console, words) == "h" and deck:
            player.append(deck.pop())
            console.write(table(player, dealer))
    except InputEnded:
        return 0
    console.write(table(player, dealer))
    for _ in range(min(_DEALER_HITS, len(deck))):
        console.pause(rules.pause_s)
        dealer.append(deck.pop())
        console.write(DEALER_HITS + table(player, dealer))
    console.pause(rules.pause_s)
    console.write(DEALER_STANDS)
    return 0
