"""Reading the cards of a tournament back from the screen: every line that hands out a card names it."""

from __future__ import annotations

import re

from reference.reading import Conversation, Reading, Unreadable, screen_of
from reference.tournament.cards import CARDS

#: A card is handed out with its value, or with the word that it makes a blackjack; money is no card.
_CARD = re.compile(r"\b(?:You have|Dealer has) ([^,\n]*), (?:hand value|[Bb]lackjack)")
_FORM = "You have King, hand value is 15."


def read(conversation: Conversation) -> Reading:
    """The cards in the order in which they were handed out, which is that of the reference."""
    screen = screen_of(conversation)
    draws: list[str] = []
    for match in _CARD.finditer(screen):
        if match[1] not in CARDS:
            line = screen.count("\n", 0, match.start()) + 1
            return Reading(tuple(draws), Unreadable(line, screen.split("\n")[line - 1], _FORM))
        draws.append(match[1])
    return Reading(tuple(draws))
