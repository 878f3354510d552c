"""A game with six independent switches, for the tests that find the setting of a submission.

Numbers are drawn like cards from a bag of five: each comes once before any comes again. A reader that takes the draws
in the wrong order of players therefore soon reads a number twice from one bag.
"""

import re
from types import SimpleNamespace

FACES = ("1", "2", "3", "4", "5")


def main(console, draw, *, greets=True, numbered=False, order="ab", signed=False, fives="twice", ends="silent"):
    """Players A and B draw against each other, one round for each line `y`."""
    console.write("Welcome. " if greets else "")
    total, number = 0, 0
    while True:
        number += 1
        console.write(f"Round {number}. " if numbered else "")
        console.write("Roll? ")
        line = console.read_line()
        if line != "y":
            console.write("" if ends == "silent" else f"{ends}!\n")
            return 0
        rolled = {player: int(draw()) for player in order}
        gain = rolled["a"] - rolled["b"]
        if rolled["a"] == 5 and fives == "twice":
            gain *= 2
        total += gain
        console.write(f"A {rolled['a']}, B {rolled['b']}: {f'{total:+d}' if signed else total}\n")


def read(conversation, order="ab"):
    """The reading of a conversation: the numbers of both players, in the order in which the players draw."""
    output = "".join(text for kind, text in conversation if kind == "shown")
    rounds = [{"a": a, "b": b} for a, b in re.findall(r"A ([1-5]), B ([1-5])", output)]
    return SimpleNamespace(draws=[rolled[player] for rolled in rounds for player in order], problem=None)
