"""Players of the extra stage."""

from __future__ import annotations

import re
from collections.abc import Callable

from reference.blackjack.extra import FOLD_OR_PLAY, PLAYERS_PROMPT, QUIT_PROMPT

Player = Callable[[str, tuple[str, ...]], str | None]
MAX_LINES = 400
_POINTS = re.compile(r"\(([0-9]{1,9})\)\n")


def _player(count: int, rounds: int, folds_above: int, highest: int) -> Player:
    """A player for `count` people and some rounds that folds `folds_above` to 16 points, and hits below `highest`."""

    def answer(shown: str, typed: tuple[str, ...]) -> str | None:
        if len(typed) >= MAX_LINES:
            return None
        if shown.endswith(PLAYERS_PROMPT):
            return str(count)
        if shown.endswith(QUIT_PROMPT):
            return "q" if shown.count(QUIT_PROMPT) >= rounds else "c"
        points = int((_POINTS.findall(shown) or ["0"])[-1])
        if shown.endswith(FOLD_OR_PLAY):
            return "f" if folds_above <= points <= 16 else "p"
        return "h" if points < highest else "s"

    return answer


evening_of_three = _player(3, 3, 15, 17)
full_table = _player(7, 20, 30, 16)
one_who_folds = _player(1, 6, 12, 18)
