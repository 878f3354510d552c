"""Reading the cards of a tournament back from the screen: every line that deals a card names it."""

from __future__ import annotations

import re

from reference.reading import Conversation, Reading, Unreadable, screen_of
from reference.tournament.cards import CARDS

#: A line that deals a card goes on with the hand's value or with "Blackjack"; the money in "You have 100" is no card.
_CARD = re.compile(r"\b(You have|Dealer has) ([^,\n]*), (?:hand value(?: is (\d+))?|[Bb]lackjack)")
#: An example of a readable line.
_FORM = "You have King, hand value is 15."


def read(conversation: Conversation) -> Reading:
    """Read the cards in the order in which they were dealt, which is the order in which the reference draws."""
    screen = screen_of(conversation)
    draws: list[str] = []
    before: tuple[str | None, ...] = ()
    for match in _CARD.finditer(screen):
        # A program may repeat the hand when it asks again. Only 21 can stay the same with a further card.
        is_repeated, before = match.groups() == before and match[1] == "You have" and match[3] != "21", match.groups()
        if is_repeated:
            continue
        if match[2] not in CARDS:
            line = screen.count("\n", 0, match.start()) + 1
            return Reading(tuple(draws), Unreadable(line, screen.split("\n")[line - 1], _FORM))
        draws.append(match[2])
    return Reading(tuple(draws))
