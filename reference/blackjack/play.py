"""Stage 3: a whole game, and another after each push."""

from __future__ import annotations

from contextlib import suppress

from reference.blackjack.deal import DEALER_HITS, DEALER_STANDS, HIT_OR_STAND, Hands, dealt
from reference.blackjack.rules import FOR_FUN, Outcome, Rules
from reference.blackjack.shuffle import SEED_PROMPT
from reference.blackjack.table import NO_HIDDEN_CARD, table
from reference.cards import SeededCards, Source
from reference.console import Console, InputEnded
from reference.words import Words

PLAYER_BUSTS, DEALER_BUSTS = "Player busts!\n", "Dealer busts!\n"
PLAYER_WINS, DEALER_WINS = "Player wins!\n", "Dealer wins!\n"
_RESULTS = {Outcome.WIN: PLAYER_WINS, Outcome.LOSS: DEALER_WINS, Outcome.PUSH: "Push! Play again.\n"}


def main(console: Console, cards: Source | None = None, rules: Rules = FOR_FUN) -> int:
    """Run the program and return its exit code."""
    cards, words = SeededCards() if cards is None else cards, Words(console)
    with suppress(InputEnded):
        cards.seed(words.ask_integer(SEED_PROMPT))
        while _game(console, words, cards, rules) is Outcome.PUSH and rules.plays_push_again:
            pass
    return 0


def _game(console: Console, words: Words, cards: Source, rules: Rules) -> Outcome:
    """Play one game to its end."""
    hands = dealt(cards.deck(), rules)
    show_hidden_table(console, hands, rules)
    while player_may_decide(console, hands, rules) and words.ask_letter(HIT_OR_STAND, "hs") == "h":
        hit(console, hands, rules)
    dealer_turn(console, hands, rules)
    outcome = rules.outcome(hands.player, hands.dealer)
    console.write(scores(hands, rules) + _RESULTS[outcome])
    return outcome


def show_hidden_table(console: Console, hands: Hands, rules: Rules) -> None:
    """Show the table with the hole card hidden."""
    console.write(table(hands.player, hands.dealer, hidden=rules.hidden_card))


def player_may_decide(console: Console, hands: Hands, rules: Rules) -> bool:
    """Return whether the player has a decision to make; if the hand is bust, show the message."""
    if rules.busts(hands.player):
        console.write(PLAYER_BUSTS)
        return False
    return rules.has_player_decision(hands.player)


def hit(console: Console, hands: Hands, rules: Rules) -> None:
    """Give the player a card and show the table with the hole card hidden."""
    hands.player.append(hands.deck.pop())
    show_hidden_table(console, hands, rules)


def dealer_turn(console: Console, hands: Hands, rules: Rules) -> None:
    """Show the hole card, and draw cards until the dealer stands or is bust."""
    player, dealer, deck = hands
    hidden = NO_HIDDEN_CARD if rules.reveals_hole else rules.hidden_card
    if rules.shows_table_before_dealer:
        console.write(table(player, dealer, hidden=hidden))
    while True:
        console.pause(rules.pause_s)
        if rules.busts(dealer):
            console.write(DEALER_BUSTS)
            return
        if rules.dealer_stands(player, dealer):
            console.write(DEALER_STANDS)
            return
        dealer.append(deck.pop())
        console.write(DEALER_HITS + table(player, dealer, hidden=hidden))


def scores(hands: Hands, rules: Rules) -> str:
    """An empty line and the line of the final scores."""
    return f"\nFinal scores: Player {rules.points(hands.player)}, Dealer {rules.points(hands.dealer)}.\n"
