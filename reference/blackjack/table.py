"""What the table looks like on the screen."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

_FACES = {11: "J", 12: "Q", 13: "K", 14: "A"}
_SUITS = {1: "♣", 2: "♦", 3: "♥", 4: "♠"}


def _text(card: int) -> str:
    face = card % 100
    return f"{_FACES.get(face, face):>2}{_SUITS[card // 100]}"


#: Each card as its face in two columns and its suit.
TEXTS = {card: _text(card) for suit in _SUITS for card in range(100 * suit + 2, 100 * suit + 15)}


def table(player: Sequence[int], dealer: Sequence[int], *, hides_hole: bool = False) -> str:
    """The table with both hands, an empty line before it; the dealer's second card may be hidden."""
    rows = ["\n Player Dealer\n"]
    for row, (ours, theirs) in enumerate(zip_longest(player, dealer)):
        left = f" {TEXTS[ours]}  " if ours is not None else "      "
        right = f" {TEXTS[theirs]}  " if theirs is not None else "      "
        if hides_hole and row == 1:
            right = "  **  "
        rows.append(f"|{left}|{right}|\n")
    return "".join(rows)
