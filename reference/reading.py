"""Reading a program's draws back from what it showed: the types that every reader of an assignment uses.

A reader is `read(conversation) -> Reading`. The conversation is a chronological sequence of pairs: ("shown", text) for
text that the program showed, and ("typed", line) for a line that was typed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

Conversation = Sequence[tuple[str, str]]
#: Returns the next draw as text. It raises an exception after the last draw: do not catch it.
Draw = Callable[[], str]


class Unreadable(NamedTuple):
    """A line that should show a card, but from which no card could be read."""

    #: The line number on the screen, from 1; a typed Enter also ends a line.
    line: int
    #: The text of the line.
    found: str
    #: An example of a line that can be read.
    form: str


class Reading(NamedTuple):
    """The draws that a reader found in a session."""

    #: In the order in which the reference draws; None for a draw that was never shown.
    draws: tuple[str | None, ...]
    #: The line at which reading stopped; None if the whole session was read.
    problem: Unreadable | None = None
    #: The index of the first draw of each round; empty if it does not matter.
    rounds: tuple[int, ...] = ()


def screen_of(conversation: Conversation) -> str:
    """The whole screen as a person sees it, each typed line ended by a newline."""
    return "".join(text if kind == "shown" else text + "\n" for kind, text in conversation)


def cards_in_deal_order(order: str, cards: Mapping[str, Sequence[str | None]]) -> list[str | None]:
    """The cards of several hands in the order in which they were dealt; None for a card that was never shown.

    `order` has a letter for each card, such as "pdpd"; `cards` maps each letter to the cards shown of that hand.
    """
    remaining = {receiver: iter(hand) for receiver, hand in cards.items()}
    return [next(remaining[receiver], None) for receiver in order]


def in_order_of_appearance(earlier_cards: Sequence[str], shown: Sequence[str]) -> list[str]:
    """The cards of a hand: first the cards `known` from earlier lines, then the cards that a line adds to these.

    >>> in_order_of_appearance(["3S", "JC"], ["3S", "9H", "JC"])
    ['3S', 'JC', '9H']
    """
    if shown[: len(earlier_cards)] == earlier_cards:  # true for every right program; a faster path
        return [*shown]
    unmatched, added = Counter(earlier_cards), []
    for card in shown:
        if unmatched[card]:
            unmatched[card] -= 1
        else:
            added.append(card)
    return [*earlier_cards, *added]
