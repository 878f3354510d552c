"""Reading the screen of a program as a player does."""

from __future__ import annotations

import re

from reference.blackjack.table import HEADER, TEXTS

_CARDS = {text.strip(): card for card, text in TEXTS.items()}
_ROW = re.compile(r"^\|(.{6})\|.{6}\|$", re.MULTILINE)


def player_hand(shown: str) -> list[int]:
    """The player's cards on the last table shown; empty before the first table."""
    table = shown.rpartition(HEADER)[2]
    cells = (row[1].strip() for row in _ROW.finditer(table))
    return [_CARDS[cell] for cell in cells if cell in _CARDS]


def hands_played(shown: str) -> int:
    """The number of finished hands for money."""
    return shown.count("\nWinnings: ")


def is_asked(shown: str, prompt: str) -> bool:
    """Whether this is the prompt that waits for an answer."""
    return shown.endswith(prompt)
