"""The reference of a small program, and its players; a fault may be planted in each of them."""

from tests.faults import planted


def main(console):
    planted.here("main")
    console.write("word? ")
    word = console.read_line()
    console.pause(1)
    console.write(f"{word}\n")


def one(shown, typed):
    planted.here("player")
    return "one"


def two(shown, typed):
    planted.here("player")
    return "two"


def three(shown, typed):
    planted.here("player")
    return "three"
