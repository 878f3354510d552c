"""What a player reads from the text that a program has shown: the cards, the number of hands, the prompt."""

from __future__ import annotations

import re

from reference.blackjack.table import HEADER, TEXT_OF_CARD

#: Each card by its text without blanks.
_CARD_OF_TEXT = {text.strip(): card for card, text in TEXT_OF_CARD.items()}
#: A row of the table; the group is the player's cell.
_ROW = re.compile(r"^\|(.{6})\|.{6}\|$", re.MULTILINE)


def player_hand(shown: str) -> list[int]:
    """The player's cards on the last table shown; empty before the first table."""
    table = shown.rpartition(HEADER)[2]
    cells = (row[1].strip() for row in _ROW.finditer(table))
    return [_CARD_OF_TEXT[cell] for cell in cells if cell in _CARD_OF_TEXT]


def hands_played(shown: str) -> int:
    """The number of finished hands in a game for money; 0 in a game without bets."""
    return shown.count("\nWinnings: ")


def waits_at_prompt(shown: str, prompt: str) -> bool:
    """Whether the program waits for the answer to this prompt."""
    return shown.endswith(prompt)
