"""Players of the tournament: each bets enough to win or lose the tournament soon, since nothing else ends it."""

from __future__ import annotations

import re
from collections.abc import Callable

from reference.tournament.cards import CARDS, count_with_low_aces

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
    """The highest bet that the last prompt allows; 10, the lowest bet, if no prompt names any."""
    amounts = _MONEY.findall(shown)
    return int(amounts[-1]) if amounts else 10


def points(shown: str) -> int:
    """The value of the player's hand, computed from its cards; words that are no cards are ignored."""
    return count_with_low_aces([card for card in _CARD.findall(shown.rpartition("ROUND")[2]) if card in CARDS])


def _player(bet: Callable[[int, int], str], highest: int) -> Player:
    """A player that bets `bet(bets so far, highest bet allowed)` and takes another card up to `highest` points."""

    def decide(shown: str, typed: tuple[str, ...]) -> str | None:
        if len(typed) >= MAX_LINES:
            return None
        if is_bet(shown):
            return bet(sum(line not in ("y", "n") for line in typed), money(shown))
        if is_question(shown):
            return "y" if points(shown) <= highest else "n"
        return None

    return decide


def _half_of_money(_: int, limit: int) -> str:
    return str(max(10, limit // 2))


def _bad_bets_first(count: int, limit: int) -> str:
    bad_bets = ("ten", "5", "9", "100000", "-20", "20 20", "0")
    return bad_bets[count] if count < len(bad_bets) else str(limit)


def _boundaries_first(count: int, limit: int) -> str:
    first_bets = (limit + 1, 9, 10, limit + 1, 0, max(10, limit // 2), limit + 1)
    return str(first_bets[count] if count < len(first_bets) else limit)


all_in_below_17 = _player(lambda _, limit: str(limit), 16)
all_in_stands = _player(lambda _, limit: str(limit), 0)
all_in_until_bust = _player(lambda _, limit: str(limit), 21)
half_below_17 = _player(_half_of_money, 16)
half_below_12 = _player(_half_of_money, 11)
forty_below_15 = _player(lambda _, limit: str(min(40, limit)), 14)
Enter_three_times_then_all = _player(lambda count, limit: "" if count < 3 else str(limit), 16)
#: Every second bet is Enter alone, which bets 10 regardless of the bet before.
odd_bets = _player(lambda count, limit: "" if count % 2 else str(min(35, limit)), 16)
every_error = _player(_bad_bets_first, 16)
unreadable_once = _player(lambda count, limit: "abc" if count == 1 else str(max(10, limit // 2)), 16)
boundaries = _player(_boundaries_first, 16)
#: With 100€ left, a bet that leads to 190€ or to 10€, the smallest amount with which the tournament continues.
all_but_ten = _player(lambda _, limit: str(max(10, limit - 10)), 16)
#: With 100€ left, a bet that leads to 199€, one less than the goal.
all_but_one = _player(lambda _, limit: str(max(10, limit - 1)), 16)
#: Many rounds in one session, so that rare hands need few sessions.
lowest_bets_below_17 = _player(lambda count, limit: "" if count < 40 else str(limit), 16)
lowest_bets_below_15 = _player(lambda count, limit: "10" if count < 40 else str(limit), 14)
