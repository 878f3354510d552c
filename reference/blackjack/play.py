"""Stage 3: a whole game, and another after each push."""

from __future__ import annotations

from reference.blackjack.deal import DEALER_HITS, DEALER_STANDS, Hands, asked, dealt
from reference.blackjack.rules import FOR_FUN, Outcome, Rules
from reference.blackjack.shuffle import seeded
from reference.blackjack.table import table
from reference.cards import SeededCards, Source
from reference.console import Console, InputEnded
from reference.words import Words

PLAYER_BUSTS, DEALER_BUSTS = "Player busts!\n", "Dealer busts!\n"
_RESULTS = {
    Outcome.WIN: "Player wins!\n",
    Outcome.LOSS: "Dealer wins!\n",
    Outcome.PUSH: "Push! Play again.\n",
}


def main(console: Console, cards: Source | None = None, rules: Rules = FOR_FUN) -> int:
    """Run the program; its exit code."""
    cards, words = cards or SeededCards(), Words(console)
    try:
        seeded(console, words, cards)
        while _game(console, words, cards, rules) is Outcome.PUSH:
            pass
    except InputEnded:
        pass
    return 0


def _game(console: Console, words: Words, cards: Source, rules: Rules) -> Outcome:
    hands = dealt(cards.deck())
    console.write(table(hands.player, hands.dealer, hides_hole=True))
    while not is_bust(console, hands, rules) and asked(console, words) == "h":
        hit(console, hands)
    dealer_turn(console, hands, rules)
    outcome = rules.outcome(hands.player, hands.dealer)
    console.write(scores(hands, rules) + _RESULTS[outcome])
    return outcome


def is_bust(console: Console, hands: Hands, rules: Rules) -> bool:
    """Whether the player is over 21; it is said if so."""
    if not rules.busts(hands.player):
        return False
    console.write(PLAYER_BUSTS)
    return True


def hit(console: Console, hands: Hands) -> None:
    """Give the player a card and show the table, the hole card still hidden."""
    hands.player.append(hands.deck.pop())
    console.write(table(hands.player, hands.dealer, hides_hole=True))


def dealer_turn(console: Console, hands: Hands, rules: Rules) -> None:
    """Show the hole card and play the dealer's hand to its end."""
    player, dealer, deck = hands
    console.write(table(player, dealer))
    while True:
        console.pause(rules.pause_s)
        if rules.busts(dealer):
            console.write(DEALER_BUSTS)
            return
        if rules.busts(player) or rules.dealer_stands(dealer):
            console.write(DEALER_STANDS)
            return
        dealer.append(deck.pop())
        console.write(DEALER_HITS + table(player, dealer))


def scores(hands: Hands, rules: Rules) -> str:
    """The final scores, an empty line before them."""
    return f"\nFinal scores: Player {rules.points(hands.player)}, Dealer {rules.points(hands.dealer)}.\n"
