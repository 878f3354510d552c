"""Players of the five programs; they decide by the total that is shown."""

from __future__ import annotations

import re
from collections.abc import Callable

Player = Callable[[str, tuple[str, ...]], str | None]
MAX_LINES = 200
_TOTAL = re.compile(r"total (-?[0-9]{1,9})\.")


def _player(highest: int, players: int = 3) -> Player:
    """A player that hits below the total `highest`, at a table of so many players."""

    def answer(shown: str, typed: tuple[str, ...]) -> str | None:
        if len(typed) >= MAX_LINES:
            return None
        if shown.endswith("Players: "):
            return str(players)
        totals = _TOTAL.findall(shown)
        if not shown.rstrip().endswith("[h/s]") or not totals:
            return None
        return "h" if int(totals[-1]) < highest else "s"

    return answer


stand_at_once = _player(0, 1)
hit_below_17 = _player(17)
hit_below_19 = _player(19, 2)
hit_until_bust = _player(22, 7)
full_table = _player(15, 7)
