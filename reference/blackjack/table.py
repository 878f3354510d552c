"""The table as it is shown on the screen."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from reference.cards import ACE, FRESH_DECK, JACK, KING, QUEEN, face_of, suit_of

HEADER = " Player Dealer\n"
_FACES = {JACK: "J", QUEEN: "Q", KING: "K", ACE: "A"}
_SUITS = {1: "♣", 2: "♦", 3: "♥", 4: "♠"}


def _text(card: int) -> str:
    """The text of a card: its face in two columns and its suit."""
    face = face_of(card)
    return f"{_FACES.get(face, face):>2}{_SUITS[suit_of(card)]}"


#: The text of each card by its number.
TEXT_OF_CARD = {card: _text(card) for card in FRESH_DECK}
#: The cell of the table for each card, and for None the empty cell below a shorter hand.
_CELLS = {card: f" {text}  " for card, text in TEXT_OF_CARD.items()} | {None: "      "}


#: The value of `hidden` with which no card of the table is hidden.
NO_HIDDEN_CARD = -1


def table(player: Sequence[int], dealer: Sequence[int], *, hidden: int = NO_HIDDEN_CARD) -> str:
    """An empty line and the table with both hands; `hidden` is the index of the dealer's card that is shown as **."""
    rows = ["\n", HEADER]
    for row, (player_card, dealer_card) in enumerate(zip_longest(player, dealer)):
        dealer_cell = "  **  " if row == hidden else _CELLS[dealer_card]
        rows.append(f"|{_CELLS[player_card]}|{dealer_cell}|\n")
    return "".join(rows)
