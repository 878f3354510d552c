"""Reading a program's draws back from what it showed: the types that every reader of an assignment uses.

A reader is `read(conversation) -> Reading`. The conversation is a chronological sequence of pairs: ("shown", text) for
text that the program showed, and ("typed", line) for a line that was typed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

Conversation = Sequence[tuple[str, str]]
#: Returns the next draw as text. It raises an exception if there is none: do not catch it.
Draw = Callable[[], str]


class Unreadable(NamedTuple):
    """A line from which no card could be read although it should show one."""

    #: The line number on the screen, from 1; a typed Enter also ends a line.
    line: int
    found: str
    #: An example of such a line.
    form: str


class Reading(NamedTuple):
    """The draws, in the order in which the reference draws; None for a draw that was never shown."""

    draws: tuple[str | None, ...]
    #: Where reading had to stop; None if the whole session was read.
    problem: Unreadable | None = None


def screen_of(conversation: Conversation) -> str:
    """The whole screen as a person sees it, each typed line ended by a newline."""
    return "".join(text if kind == "shown" else text + "\n" for kind, text in conversation)


def in_turn(order: str, cards: Mapping[str, Sequence[str]]) -> list[str | None]:
    """The cards that several hands were dealt in an order such as "pdpd"; None for those that were never shown."""
    left = {receiver: iter(hand) for receiver, hand in cards.items()}
    return [next(left[receiver], None) for receiver in order]


def in_order_of_appearance(known: Sequence[str], shown: Sequence[str]) -> list[str]:
    """The cards of a hand that were shown so far, and after them those that a further line of it adds.

    >>> in_order_of_appearance(["3S", "JC"], ["3S", "9H", "JC"])
    ['3S', 'JC', '9H']
    """
    if shown[: len(known)] == known:  # as in every right program, and faster
        return [*shown]
    left, added = Counter(known), []
    for card in shown:
        if left[card]:
            left[card] -= 1
        else:
            added.append(card)
    return [*known, *added]
