"""The common parts of the programs that deal: the seed, the deck, playing a hand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress

from reference.bjm0.rules import Rules
from reference.console import Console, InputEnded
from reference.words import Words

SEED_PROMPT = "Seed: "
HIT_OR_STAND = "Hit or stand? [h/s] "


def run(console: Console, play: Callable[[Console, Words, list[int], Rules], None], rules: Rules) -> int:
    """Ask for the seed and call `play` with its deck; return the exit code 0, even if the input ends early."""
    words = Words(console)
    with suppress(InputEnded):
        play(console, words, rules.deck(words.ask_integer(SEED_PROMPT)), rules)
    return 0


def has(name: str, values: Sequence[int], rules: Rules) -> str:
    """A hand as printed: its owner, values and total, without a newline."""
    return f"{name} has {' '.join(map(str, values))}, total {rules.total(values)}."


class Table:
    """The deck from which a game is dealt."""

    def __init__(self, deck: list[int], rules: Rules) -> None:
        """Deal from this deck, its last card first, and play by these rules."""
        self._deck, self._rules = deck, rules

    def card(self) -> int:
        """Take the next card from the deck and return its value."""
        return self._rules.value(self._deck.pop())

    def let_play(self, console: Console, words: Words, name: str, hand: list[int]) -> None:
        """Let a player hit until standing or bust; new cards are added to `hand`."""
        rules = self._rules
        while True:
            console.write(has(name, hand, rules))
            if rules.busts(hand):
                console.write(" Bust!\n")
                return
            if words.ask_letter(f" {HIT_OR_STAND}", "hs") == "s":
                return
            hand.append(self.card())

    def dealer_plays(self, console: Console, hand: list[int], players: Sequence[Sequence[int]] = ()) -> None:
        """Show the dealer's hand and draw cards for it by the rules.

        `players` are the players' hands. If all of them are bust, the dealer does not draw.
        """
        console.write(has("Dealer", hand, self._rules) + "\n")
        rules = self._rules
        is_over = bool(players) and all(map(rules.busts, players)) and not rules.dealer_plays_after_bust
        while not is_over and rules.dealer_draws(hand):
            hand.append(self.card())
            console.write(has("Dealer", hand, self._rules) + "\n")
