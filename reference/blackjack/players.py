"""Players of the ladder: each decides its next line from what the screen has shown so far.

A player is called with all the text shown, up to the prompt, and the lines typed so far; the seed is typed for it.
It gives the next line, or None to end the input, and it always comes to an end.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from reference.blackjack.betting import BET_PROMPT, FIRST_PROMPT, QUIT_PROMPT
from reference.blackjack.deal import HIT_OR_STAND
from reference.blackjack.errors import HIGHEST_BET
from reference.blackjack.rules import points
from reference.blackjack.table import TEXTS

Player = Callable[[str, tuple[str, ...]], str | None]

_CARDS = {text.strip(): card for card, text in TEXTS.items()}
_ROW = re.compile(r"^\|(.{6})\|(.{6})\|$", re.MULTILINE)
_HEADER = " Player Dealer\n"


def player_hand(shown: str) -> list[int]:
    """The cards of the player on the last table shown."""
    table = shown.rpartition(_HEADER)[2]
    cells = (row[1].strip() for row in _ROW.finditer(table))
    return [_CARDS[cell] for cell in cells if cell in _CARDS]


def hands_played(shown: str) -> int:
    """How many hands have come to their end."""
    return shown.count("\nWinnings: ")


def _is_asked(shown: str, prompt: str) -> bool:
    return shown.endswith(prompt)


def stand_at_once(shown: str, typed: tuple[str, ...]) -> str | None:
    """Never take a card."""
    return "s"


def hit_below_17(shown: str, typed: tuple[str, ...]) -> str | None:
    """Do as the dealer does."""
    return "h" if points(player_hand(shown)) < 17 else "s"


def hit_below_21(shown: str, typed: tuple[str, ...]) -> str | None:
    """Take cards up to 21 or over it."""
    return "h" if points(player_hand(shown)) < 21 else "s"


def hit_until_bust(shown: str, typed: tuple[str, ...]) -> str | None:
    """Take cards even at 21. The game ends it."""
    return "h"


def _bettor(hands: int, bets: Sequence[int], doubles: Callable[[int], bool]) -> Player:
    """Somebody who plays some hands for these bets in turn and doubles on some points."""

    def player(shown: str, typed: tuple[str, ...]) -> str | None:
        played = hands_played(shown)
        if _is_asked(shown, BET_PROMPT):
            return str(bets[played % len(bets)])
        if _is_asked(shown, QUIT_PROMPT):
            return "q" if played >= hands else "c"
        total = points(player_hand(shown))
        if _is_asked(shown, FIRST_PROMPT) and doubles(total):
            return "d"
        return "h" if total < 17 else "s"

    return player


one_hand = _bettor(1, (10,), lambda total: False)
five_hands = _bettor(5, (10,), lambda total: False)
doubler = _bettor(6, (5, 10, 25), lambda total: 9 <= total <= 11)
odd_bets = _bettor(12, (1, 3, 5, 7, 15), lambda total: total in (10, 11))
always_doubles = _bettor(4, (7,), lambda total: True)
table_limits = _bettor(4, (1, HIGHEST_BET), lambda total: total == 11)

_BAD_BETS = ("0", "-5", "ten", "", "1000001", "2.5", "10 20", "99999999999999999999", "+0", " ")
_BAD_COMMANDS = ("x", "", "H", "hit", "stand", "q", "h s", "'", "ä", "-1", "dd", "\\n", "s" * 300)


def all_errors(shown: str, typed: tuple[str, ...]) -> str | None:
    """Type every wrong thing at every prompt once, then play on; two hands, then quit."""
    if _is_asked(shown, BET_PROMPT):
        refused = shown.count("Bet must be between")
        return _BAD_BETS[refused] if refused < len(_BAD_BETS) else " 10 "
    if _is_asked(shown, QUIT_PROMPT):
        return "q" if hands_played(shown) >= 2 else "Q"
    refused = shown.count("' unrecognized\n")
    if refused < len(_BAD_COMMANDS):
        return _BAD_COMMANDS[refused]
    if _is_asked(shown, FIRST_PROMPT):
        return "\td "
    if "Double down can only be first command" not in shown:
        return "d"
    return hit_below_17(shown, typed)


def late_doubles(shown: str, typed: tuple[str, ...]) -> str | None:
    """Hit first and double then, in each of three hands, and leave at the end of input."""
    if _is_asked(shown, BET_PROMPT):
        return "20" if hands_played(shown) < 3 else None
    if _is_asked(shown, QUIT_PROMPT):
        return "again"
    if _is_asked(shown, HIT_OR_STAND):
        late = shown.count("Double down can only be first command")
        return "d" if late <= hands_played(shown) else hit_below_17(shown, typed)
    return "h"
