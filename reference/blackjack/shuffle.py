"""Stage 1: ask for a seed, shuffle a deck and print it."""

from __future__ import annotations

from reference.blackjack.table import TEXT_OF_CARD
from reference.cards import SeededCards, Source
from reference.console import Console, InputEnded
from reference.words import Words

SEED_PROMPT = "Seed: "


def main(console: Console, cards: Source | None = None) -> int:
    """Run the program and return its exit code."""
    cards = SeededCards() if cards is None else cards
    try:
        cards.seed(Words(console).ask_integer(SEED_PROMPT))
    except InputEnded:
        return 0
    console.write("".join(f"{TEXT_OF_CARD[card]}\n" for card in cards.deck()))
    return 0
