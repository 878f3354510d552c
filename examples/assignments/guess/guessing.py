"""Guess the number: the right program with the number that a submission drew, its known mistakes, reader and players.

The students' programs draw the number themselves, with any generator and any seed. `read` finds it in what they showed,
and `right` is called with it: what it shows then is what they had to show.
"""

import random
import re
from functools import partial
from typing import NamedTuple

MOST = 10


class Mistake(NamedTuple):
    """An id, under which mistakes.yaml has the words, and the wrong program of each stage."""

    id: str
    mains: dict


class Reading(NamedTuple):
    """What was drawn, with None for what was never shown, and what could not be read."""

    draws: tuple
    problem: object = None


class Unreadable(NamedTuple):
    """A line that is not as it should be."""

    line: int
    found: str
    form: str


def at_random():
    """A number as a student's program draws it."""
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
    """Play with the number of `draw`; each keyword is one thing that a wrong program does otherwise."""
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
    """The number that a line is; None for any other line."""
    try:
        return int(line)
    except ValueError:
        return None


def read(conversation):
    """Read the number back: it is the last guess if that was right, or what is said at the end of the input.

    A number that cannot be drawn, or none, is a line that cannot be read, which is told to the student.
    """
    found, typed, line = None, "", 1
    for kind, text in conversation:
        if kind == "typed":
            typed = text
            line += 1
            continue
        for shown in text.split("\n"):
            if shown.startswith("Right!"):
                found = (line, typed, f"{shown} The guess was {typed}.")
            elif told := re.search(r"It was (.*?)\.?$", shown):
                found = (line, told[1], shown)
            line += 1
        line -= 1
    if found is None:
        return Reading((None,))
    line, number, shown = found
    if whole_number(number) not in range(1, MOST + 1):
        return Reading((None,), Unreadable(line, shown, f"It was 7. (a number from 1 to {MOST})"))
    return Reading((str(int(number)),))


def halving(screen, lines):
    """Guess the middle of what is still possible."""
    low, high = 1, MOST
    for guess, answer in zip(lines, answers_in(screen), strict=False):
        if answer == "Too low.":
            low = int(guess) + 1
        elif answer == "Too high.":
            high = int(guess) - 1
    return str((low + high) // 2) if low <= high else None


def careless(screen, lines):
    """Type what is no guess first, and then every number from above; whoever then still asks has no number to find."""
    typed = ("0", "11", "", "ten", "-3", "1.5", "1 2", *(str(number) for number in range(MOST, 0, -1)))
    return typed[len(lines)] if len(lines) < len(typed) else None


def answers_in(screen):
    """What the program said to each guess."""
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
    """The known mistakes."""
    return [Mistake(id_, {"guess": partial(right, **change)}) for id_, change in WRONG.items()]
