"""Three dice are rolled until the player stops: the reference, its mistakes, and the reader of the rolls.

Three sixes win a hundred points, which happens once in 216 rolls.
"""

import random
import re
from functools import partial
from typing import NamedTuple


class Mistake(NamedTuple):
    id: str
    mains: dict


class Reading(NamedTuple):
    draws: tuple
    problem: object = None


def at_random():
    """One roll of a die."""
    return random.choice("123456")


def right(console, draw=at_random, *, bonus=100, six=6, refused=("0",), farewell=""):
    """The correct program, which gets each die from `draw`; its other parameters make variants and mistakes."""
    console.write("Stake? ")
    stake = console.read_line()
    while stake in refused:
        console.write("Nobody stakes that.\nStake? ")
        stake = console.read_line()
    points = 0
    console.write("Roll or stop? [r/s] ")
    while console.read_line() == "r":
        rolled = [draw() for _ in range(3)]
        console.write(f"You rolled {', '.join(rolled)}.\n")
        points += sum(six if die == "6" else int(die) for die in rolled)
        if rolled == ["6"] * 3:
            points += bonus
        console.write(f"You have {points} points.\nRoll or stop? [r/s] ")
    console.write(f"You keep {points} points.\n{farewell}")
    return 0


farewell = partial(right, farewell="Farewell!\n")
WRONG = {
    "sixes-forgotten": {"bonus": 0},
    "six-counts-5": {"six": 5},
}


def catalogue():
    """The known mistakes."""
    return [Mistake(id_, {"sixes": partial(right, **change)}) for id_, change in WRONG.items()]


def tolerating(mistake, other):
    """The program `other` with this mistake in addition; `other` is a variant that the assignment tolerates."""
    return partial(other, **WRONG[mistake.id])


def read(conversation):
    """The dice rolled in a conversation, read back from its output."""
    screen = "".join(text if kind == "shown" else text + "\n" for kind, text in conversation)
    return Reading(tuple(re.findall(r"[1-6]", " ".join(re.findall(r"^You rolled (.*)\.$", screen, re.MULTILINE)))))
