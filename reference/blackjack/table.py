"""The table as it is shown on the screen."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from reference.cards import ACE, FRESH_DECK, JACK, KING, QUEEN, face_of, suit_of

HEADER = " Player Dealer\n"
_FACES = {JACK: "J", QUEEN: "Q", KING: "K", ACE: "A"}
_SUITS = {1: "♣", 2: "♦", 3: "♥", 4: "♠"}


def _text(card: int) -> str:
    face = face_of(card)
    return f"{_FACES.get(face, face):>2}{_SUITS[suit_of(card)]}"


#: The text of each card: its face in two columns and its suit.
TEXTS = {card: _text(card) for card in FRESH_DECK}
_CELLS = {card: f" {text}  " for card, text in TEXTS.items()} | {None: "      "}


#: No card is hidden.
NOTHING = -1


def table(player: Sequence[int], dealer: Sequence[int], *, hidden: int = NOTHING) -> str:
    """The table with both hands after an empty line; `hidden` is the row in which the dealer's card is hidden."""
    rows = ["\n", HEADER]
    for row, (ours, theirs) in enumerate(zip_longest(player, dealer)):
        right = "  **  " if row == hidden else _CELLS[theirs]
        rows.append(f"|{_CELLS[ours]}|{right}|\n")
    return "".join(rows)
