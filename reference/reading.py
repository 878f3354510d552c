"""Reading back what a program drew from what it showed: the values that every reader of an assignment gives.

A reader is `read(conversation) -> Reading`. The conversation is a sequence of pairs: ("shown", text) for what the
program showed, ("typed", line) for a line typed into it, in the order in which it happened.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

Conversation = Sequence[tuple[str, str]]
#: Gives the next thing drawn, as text. It raises, by itself, when there is none: let that through.
Draw = Callable[[], str]


class Unreadable(NamedTuple):
    """A line from which no card could be read though there should have been one."""

    #: On the screen, from 1; the Enter of a typed line ends a line too.
    line: int
    found: str
    #: What such a line looks like, as an example.
    form: str


class Reading(NamedTuple):
    """What was drawn, in the order in which the reference draws it; None where it was never shown."""

    draws: tuple[str | None, ...]
    #: Where the reading had to stop; None when it came to the end.
    problem: Unreadable | None = None


def screen_of(conversation: Conversation) -> str:
    """The whole screen as a person sees it, every typed line with its Enter."""
    return "".join(text if kind == "shown" else text + "\n" for kind, text in conversation)
