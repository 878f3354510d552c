"""Stage 4: several players against the dealer.

    Seed: 7
    Players: 2
    Dealer shows 10.
    Player 1 has 5 8, total 13. Hit or stand? [h/s] h
    Player 1 has 5 8 10, total 23. Bust!
    Player 2 has 10 9, total 19. Hit or stand? [h/s] s
    Dealer has 10 2, total 12.
    Dealer has 10 2 6, total 18.
    Player 1 does not win.
    Player 2 wins.

Two rounds of cards are dealt, each first to the players in order and then to the dealer. The dealer's second card is
face down. The dealer does not draw when all players are bust.
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
    """Play the game with all players and the dealer."""
    count = 0
    while not 1 <= count <= 7:
        count = words.ask_integer("Players: ")
    table = Table(deck, rules)
    hands: list[list[int]] = [[] for _ in range(count)]
    dealer: list[int] = []
    for _ in range(2):
        for hand in (*hands, dealer):
            hand.append(table.card())
    console.write(f"Dealer shows {dealer[0]}.\n")
    for number, hand in enumerate(hands, 1):
        table.let_play(console, words, f"Player {number}", hand)
    table.dealer_plays(console, dealer, hands)
    for number, hand in enumerate(hands, 1):
        console.write(f"Player {number} {'wins' if rules.wins(hand, dealer) else 'does not win'}.\n")
