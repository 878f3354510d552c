"""Players of the tournament: each bets high enough to win or lose it soon, since only that ends it."""

from __future__ import annotations

import re
from collections.abc import Callable

from reference.tournament.cards import CARDS, aces_as_fits

Player = Callable[[str, tuple[str, ...]], str | None]
#: A player leaves after this many lines, since some wrong programs never end.
MAX_LINES = 300
_MONEY = re.compile(r"<= *([0-9]{1,9})")
_CARD = re.compile(r"You have (\w+), hand value")


def is_bet(shown: str) -> bool:
    """Whether the program asks for a bet."""
    return shown.rstrip().lower().endswith("bet.")


def is_question(shown: str) -> bool:
    """Whether the program asks if the player wants another card."""
    return shown.rstrip().endswith("(y/n)")


def money(shown: str) -> int:
    """The highest bet allowed."""
    found = _MONEY.findall(shown)
    return int(found[-1]) if found else 10


def points(shown: str) -> int:
    """The value of the player's hand, computed from its cards; words that are no cards are ignored."""
    return aces_as_fits([card for card in _CARD.findall(shown.rpartition("ROUND")[2]) if card in CARDS])


def _player(bet: Callable[[int, int], str], highest: int) -> Player:
    """A player that bets `bet(bets so far, money)` and takes another card up to `highest` points."""

    def decide(shown: str, typed: tuple[str, ...]) -> str | None:
        if len(typed) >= MAX_LINES:
            return None
        if is_bet(shown):
            return bet(sum(line not in ("y", "n") for line in typed), money(shown))
        if is_question(shown):
            return "y" if points(shown) <= highest else "n"
        return None

    return decide


def _half(_: int, most: int) -> str:
    return str(max(10, most // 2))


def _errors(count: int, most: int) -> str:
    wrong = ("ten", "5", "9", "100000", "-20", "20 20", "0")
    return wrong[count] if count < len(wrong) else str(most)


def _boundaries(count: int, most: int) -> str:
    typed = (most + 1, 9, 10, most + 1, 0, max(10, most // 2), most + 1)
    return str(typed[count] if count < len(typed) else most)


all_in_below_17 = _player(lambda _, most: str(most), 16)
all_in_stands = _player(lambda _, most: str(most), 0)
all_in_until_bust = _player(lambda _, most: str(most), 21)
half_below_17 = _player(_half, 16)
half_below_12 = _player(_half, 11)
forty_below_15 = _player(lambda _, most: str(min(40, most)), 14)
Enter_three_times_then_all = _player(lambda count, most: "" if count < 3 else str(most), 16)
#: By turns with Enter alone, which bets 10 whatever was bet before.
odd_bets = _player(lambda count, most: "" if count % 2 else str(min(35, most)), 16)
every_error = _player(_errors, 16)
unreadable_once = _player(lambda count, most: "abc" if count == 1 else str(max(10, most // 2)), 16)
boundaries = _player(_boundaries, 16)
#: With 100€ left, a bet that leads to 190€ or to 10€, the least with which the tournament goes on.
all_but_ten = _player(lambda _, most: str(max(10, most - 10)), 16)
#: With 100€ left, a bet that leads to 199€, one less than the goal.
all_but_one = _player(lambda _, most: str(max(10, most - 1)), 16)
#: Many rounds in one session, so that what comes up rarely needs few of them.
lowest_bets_below_17 = _player(lambda count, most: "" if count < 40 else str(most), 16)
lowest_bets_below_15 = _player(lambda count, most: "10" if count < 40 else str(most), 14)
