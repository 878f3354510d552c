"""Reading the cards of a tournament back from the screen: every line that deals a card names it."""

from __future__ import annotations

import re

from reference.reading import Conversation, Reading, Unreadable, screen_of
from reference.tournament.cards import CARDS

#: A line that deals a card goes on with the hand's value or with "Blackjack"; the money in "You have 100" is no card.
_CARD = re.compile(r"\b(?:You have|Dealer has) ([^,\n]*), (?:hand value|[Bb]lackjack)")
#: An example of a readable line.
_FORM = "You have King, hand value is 15."


def read(conversation: Conversation) -> Reading:
    """Read the cards in the order in which they were dealt, which is the order in which the reference draws."""
    screen = screen_of(conversation)
    draws: list[str] = []
    for match in _CARD.finditer(screen):
        if match[1] not in CARDS:
            line = screen.count("\n", 0, match.start()) + 1
            return Reading(tuple(draws), Unreadable(line, screen.split("\n")[line - 1], _FORM))
        draws.append(match[1])
    return Reading(tuple(draws))
