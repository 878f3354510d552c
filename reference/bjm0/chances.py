"""Stage 5: one player against the dealer; the program shows the chance of a bust before each decision.

    Seed: 7
    Blackjack on the deal: 0.0483
    Dealer shows 10.
    Chance of a bust: 0.2857
    Player has 10 2, total 12. Hit or stand? [h/s] s
    Dealer has 10 9, total 19.
    Player does not win.

Cards are dealt player, dealer, player, dealer. The chance of a bust is the probability that the next card makes the
player bust, printed with four decimals. Cards already seen are excluded; the dealer's face-down card is not.
"""

from __future__ import annotations

from reference.bjm0.deal import HIT_OR_STAND, Table, has, run
from reference.bjm0.rules import COUNTS, RULES, Rules
from reference.console import Console
from reference.words import Words

#: The number of two-card hands that are a blackjack (4 aces × 16 tens), and the number of all two-card hands.
BLACKJACKS, PAIRS = 64, 1326


def main(console: Console, cards: object = None, rules: Rules = RULES) -> int:
    """Run the program and return its exit code; `cards` is ignored, since the seed determines the deck."""
    return run(console, _play, rules)


def _play(console: Console, words: Words, deck: list[int], rules: Rules) -> None:
    """Play the game, and show the chance of a bust before each decision."""
    table, counts = Table(deck, rules), list(COUNTS)
    player, dealer = list[int](), list[int]()
    for hand in (player, dealer, player, dealer):
        hand.append(table.card())
    seen = [*player, dealer[0], *([dealer[1]] if rules.counts_hole else [])]
    for value in seen if rules.counts_out else ():
        _count_out(counts, value)
    console.write(f"Blackjack on the deal: {BLACKJACKS / PAIRS:.4f}\nDealer shows {dealer[0]}.\n")
    while not rules.busts(player):
        console.write(f"Chance of a bust: {rules.chance(player, counts):.4f}\n{has('Player', player, rules)}")
        if words.ask_letter(f" {HIT_OR_STAND}", "hs") == "s":
            break
        player.append(table.card())
        if rules.counts_out:
            _count_out(counts, player[-1])
    if rules.busts(player):
        console.write(f"{has('Player', player, rules)} Bust!\n")
    table.dealer_plays(console, dealer, [player])
    console.write(f"Player {'wins' if rules.wins(player, dealer) else 'does not win'}.\n")


def _count_out(counts: list[int], value: int) -> None:
    """Remove one card of this value from the counts; an ace has the value 11 and is counted first."""
    counts[0 if value == 11 else value - 1] -= 1
