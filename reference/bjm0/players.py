"""Players of the five stages; they decide by the last total in the output."""

from __future__ import annotations

import re
from collections.abc import Callable

#: Returns the next line, given the text shown and the lines typed so far; None ends the input.
Player = Callable[[str, tuple[str, ...]], str | None]
#: A player ends the input after this many lines, because some wrong programs never end.
MAX_LINES = 200
_TOTAL = re.compile(r"total (-?[0-9]{1,9})\.")


def _player(stands_at: int, player_count: int = 3) -> Player:
    """Returns a player that hits below the total `stands_at` and answers `player_count` if asked for the players."""

    def answer(shown: str, typed: tuple[str, ...]) -> str | None:
        if len(typed) >= MAX_LINES:
            return None
        if shown.endswith("Players: "):
            return str(player_count)
        totals = _TOTAL.findall(shown)
        if not shown.rstrip().endswith("[h/s]") or not totals:
            return None
        return "h" if int(totals[-1]) < stands_at else "s"

    return answer


stand_at_once = _player(0, 1)
hit_below_17 = _player(17)
hit_below_19 = _player(19, 2)
hit_until_bust = _player(22, 7)
full_table = _player(15, 7)
