"""Reads the rolls of a game of pig back from its output."""

import re
from typing import NamedTuple


class Unreadable(NamedTuple):
    """A line without a possible roll; `form` is an example of a right line, None if the line has the right form."""

    line: int
    found: str
    form: str | None


class Reading(NamedTuple):
    draws: tuple
    problem: object = None


def rolls(conversation):
    """The rolls of a conversation, up to the first that cannot be read or is none of a die."""
    screen = "".join(text if kind == "shown" else text + "\n" for kind, text in conversation)
    draws = []
    for number, line in enumerate(screen.split("\n"), 1):
        if line.startswith("You rolled"):
            roll = re.match(r"You rolled (\d+)\b", line)
            if not roll or roll[1] not in set("123456"):
                return Reading(tuple(draws), Unreadable(number, line, None if roll else "You rolled 5: 12 points."))
            draws.append(roll[1])
    return Reading(tuple(draws))
