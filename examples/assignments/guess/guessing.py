"""Guess the number: the right program, its known mistakes, the reader and the players.

The students' programs draw the number themselves, with any generator and any seed. `read` finds this number in the
session, and `right` is called with the number: the output of `right` is the output that the student's program should
have had.
"""

import random
import re
from functools import partial
from typing import NamedTuple

MOST = 10


class Mistake(NamedTuple):
    """A known mistake: its id, under which mistakes.yaml has the title and hint, and the wrong program by stage."""

    id: str
    mains: dict


class Reading(NamedTuple):
    """The draws of a session, with None for a draw that was never shown; and the line that cannot be read, or None."""

    draws: tuple
    problem: object = None


class Unreadable(NamedTuple):
    """A line that cannot be read: its number on the screen, its text, and the form that it should have."""

    line: int
    found: str
    form: str


def at_random():
    """Draw a number, as a student's program does."""
    return random.randint(1, MOST)


def right(
    console,
    draw=at_random,
    *,
    first_count=0,
    counts_what_is_no_guess=False,
    low="Too low.",
    high="Too high.",
    is_range_checked=True,
    has_a_last_word=True,
    skips_empty_lines=False,
):
    """Play with the number that `draw` returns.

    With all defaults the program is right; each keyword argument can make one thing wrong.
    """
    number, count = int(draw()), first_count
    console.write(f"I think of a number from 1 to {MOST}.\n")
    while True:
        console.write("Your guess: ")
        line = console.read_line()
        while line == "" and skips_empty_lines:
            line = console.read_line()
        if line is None:
            console.write(f"It was {number}.\n" if has_a_last_word else "")
            return 0
        guess = whole_number(line)
        if guess is None or (is_range_checked and not 1 <= guess <= MOST):
            console.write("That is not a number.\n" if guess is None else f"My number is from 1 to {MOST}.\n")
            count += counts_what_is_no_guess
            continue
        count += 1
        if guess == number:
            console.write(f"Right! Guesses: {count}\n")
            return 0
        console.write(f"{low if guess < number else high}\n")


def whole_number(line):
    """Return the whole number that a line consists of; None for any other line."""
    try:
        return int(line)
    except ValueError:
        return None


def read(conversation):
    """Read the number that the program drew: the last guess if it was right, else the number in `It was 7.` at the end.

    If this is no number, or one that cannot be drawn, the line is returned as unreadable and reported to the student.
    """
    end, typed, line = None, "", 1
    for kind, text in conversation:
        if kind == "typed":
            typed = text
            line += 1
            continue
        for screen_line in text.split("\n"):
            if screen_line.startswith("Right!"):
                end = (line, typed, f"{screen_line} The guess was {typed}.")
            elif match := re.search(r"It was (.*?)\.?$", screen_line):
                end = (line, match[1], screen_line)
            line += 1
        line -= 1
    if end is None:
        return Reading((None,))
    line, number, screen_line = end
    if whole_number(number) not in range(1, MOST + 1):
        return Reading((None,), Unreadable(line, screen_line, f"It was 7. (a number from 1 to {MOST})"))
    return Reading((str(int(number)),))


def halving(screen, lines):
    """Guess the middle of the numbers that are still possible."""
    low, high = 1, MOST
    for guess, answer in zip(lines, answers_in(screen), strict=False):
        if answer == "Too low.":
            low = int(guess) + 1
        elif answer == "Too high.":
            high = int(guess) - 1
    return str((low + high) // 2) if low <= high else None


def careless(screen, lines):
    """Type lines that are no valid guess, and then every number from MOST down to 1.

    A program that asks again after all these numbers accepts none of them; the player then ends the input.
    """
    typed = ("0", "11", "", "ten", "-3", "1.5", "1 2", *(str(number) for number in range(MOST, 0, -1)))
    return typed[len(lines)] if len(lines) < len(typed) else None


def answers_in(screen):
    """Return the program's answer to each guess."""
    return [line.removeprefix("Your guess: ").strip() for line in screen.split("\n")[1:]]


WRONG = {
    "counts-from-one": {"first_count": 1},
    "last-guess-not-counted": {"first_count": -1},
    "counts-what-is-no-guess": {"counts_what_is_no_guess": True},
    "low-and-high-swapped": {"low": "Too high.", "high": "Too low."},
    "range-not-checked": {"is_range_checked": False},
    "no-last-word": {"has_a_last_word": False},
    "skips-empty-lines": {"skips_empty_lines": True},
}


def catalogue():
    """Return the known mistakes."""
    return [Mistake(id_, {"guess": partial(right, **change)}) for id_, change in WRONG.items()]
