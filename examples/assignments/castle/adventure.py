"""The castle: the right program, a player, and the known mistakes: the same program with one thing wrong."""

from functools import partial
from typing import NamedTuple

YARD, HALL, CELLAR, TOWER = range(4)
ROOMS = {
    YARD: "You stand in the yard. The hall is north.",
    HALL: "You stand in the hall. The yard is south, the tower is up, the cellar is down.",
    CELLAR: "You stand in the cellar. The hall is up.",
}
WAYS = {
    (YARD, "north"): HALL,
    (HALL, "south"): YARD,
    (HALL, "up"): TOWER,
    (HALL, "down"): CELLAR,
    (CELLAR, "up"): HALL,
}


class Mistake(NamedTuple):
    """A known mistake: its id, under which mistakes.yaml has the title and hint, and the wrong program by stage."""

    id: str
    mains: dict


def main(
    console,
    *,
    is_locked=True,
    stays_there=False,
    can_be_taken_anywhere=False,
    counts_every_try=False,
    understands_capitals=True,
    last_words="Good-bye after {moves} moves.\n",
):
    """Play. With all defaults the program is right; each keyword argument can make one thing wrong."""
    console.write("A greeting of your own\n")
    room, has_key, moves = YARD, False, 0

    def look():
        key = " There is a key." if room == CELLAR and (not has_key or stays_there) else ""
        console.write(f"{ROOMS[room]}{key}\n")

    look()
    while True:
        console.write("> ")
        line = console.read_line()
        command = "quit" if line is None else line.lower() if understands_capitals else line
        if command == "quit":
            console.write(last_words.format(moves=moves))
            return
        if command in ("north", "south", "up", "down"):
            there = WAYS.get((room, command))
            moves += counts_every_try
            if there is None:
                console.write("You cannot go there.\n")
            elif there == TOWER and is_locked and not has_key:
                console.write("The door is locked.\n")
            else:
                room = there
                moves += not counts_every_try
                if room == TOWER:
                    console.write(f"You stand in the tower. You have won after {moves} moves!\n")
                    return
                look()
        elif command == "look":
            look()
        elif command == "take key":
            is_here = (room == CELLAR or can_be_taken_anywhere) and (not has_key or stays_there)
            console.write("Taken.\n" if is_here else "There is no key here.\n")
            has_key = has_key or is_here
        else:
            console.write("I do not understand.\n")


def explorer(screen, lines):
    """Try every way out of every room, and win at the end.

    As a player, this function is called with the screen and the lines typed so far, and returns the next line.
    """
    tries = ("north", "north", "up", "SOUTH", "up", "north", "take key", "down", "down", "Take Key", "look", "up", "up")
    return tries[len(lines)] if len(lines) < len(tries) else None


WRONG = {
    "not-locked": {"is_locked": False},
    "key-stays": {"stays_there": True},
    "key-anywhere": {"can_be_taken_anywhere": True},
    "counts-every-try": {"counts_every_try": True},
    "small-letters-only": {"understands_capitals": False},
    "no-last-words": {"last_words": ""},
}


def catalogue():
    """Return the known mistakes."""
    return [Mistake(id_, {"castle": partial(main, **change)}) for id_, change in WRONG.items()]
