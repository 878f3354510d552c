"""The reference of a small program, and players that type one word each; a fault may be planted in any of them."""

from tests.faults import planted


def main(console):
    planted.fault_point("main")
    console.write("word? ")
    word = console.read_line()
    console.pause(1)
    console.write(f"{word}\n")


def one(shown, typed):
    planted.fault_point("player")
    return "one"


def two(shown, typed):
    planted.fault_point("player")
    return "two"


def three(shown, typed):
    planted.fault_point("player")
    return "three"
