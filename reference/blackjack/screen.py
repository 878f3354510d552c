"""Reading the screen of a program, as somebody does who plays it."""

from __future__ import annotations

import re

from reference.blackjack.table import HEADER, TEXTS

_CARDS = {text.strip(): card for card, text in TEXTS.items()}
_ROW = re.compile(r"^\|(.{6})\|.{6}\|$", re.MULTILINE)


def player_hand(shown: str) -> list[int]:
    """The cards of the player on the last table shown; none before the first table."""
    table = shown.rpartition(HEADER)[2]
    cells = (row[1].strip() for row in _ROW.finditer(table))
    return [_CARDS[cell] for cell in cells if cell in _CARDS]


def hands_played(shown: str) -> int:
    """How many hands for money have come to their end."""
    return shown.count("\nWinnings: ")


def is_asked(shown: str, prompt: str) -> bool:
    """Whether this is the prompt that waits for an answer."""
    return shown.endswith(prompt)
