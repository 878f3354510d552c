"""Players of the stage extra. Each types the answers of all people at the table."""

from __future__ import annotations

import re
from collections.abc import Callable

from reference.blackjack.extra import FOLD_OR_PLAY, PLAYERS_PROMPT, QUIT_PROMPT

#: Returns the next line, given the text shown and the lines typed so far; None ends the input.
Player = Callable[[str, tuple[str, ...]], str | None]
#: A player ends the input after this many lines, because some wrong programs never end.
MAX_LINES = 400
#: Above these points no player folds.
_FOLDS_TO = 16
_POINTS = re.compile(r"\(([0-9]{1,9})\)\n")


def _player(player_count: int, rounds: int, folds_from: int, stands_at: int) -> Player:
    """Returns a player who types for `player_count` people and quits after so many rounds.

    Each of them folds at any number of points from `folds_from` to 16, and hits below `stands_at`.
    """

    def answer(shown: str, typed: tuple[str, ...]) -> str | None:
        if len(typed) >= MAX_LINES:
            return None
        if shown.endswith(PLAYERS_PROMPT):
            return str(player_count)
        if shown.endswith(QUIT_PROMPT):
            return "q" if shown.count(QUIT_PROMPT) >= rounds else "c"
        points = int((_POINTS.findall(shown) or ["0"])[-1])
        if shown.endswith(FOLD_OR_PLAY):
            return "f" if folds_from <= points <= _FOLDS_TO else "p"
        return "h" if points < stands_at else "s"

    return answer


evening_of_three = _player(player_count=3, rounds=3, folds_from=15, stands_at=17)
# With folds_from above 16 nobody folds.
full_table = _player(player_count=7, rounds=20, folds_from=30, stands_at=16)
one_who_folds = _player(player_count=1, rounds=6, folds_from=12, stands_at=18)
