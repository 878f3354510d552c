"""Players of the tournament: each bets enough to win or lose the tournament soon, since nothing else ends it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise

from reference.tournament.cards import CARDS, count_with_low_aces

Player = Callable[[str, tuple[str, ...]], str | None]
#: A player bets all after the first number of lines, so that the tournament ends before the second: one in 6,000 with
#: odd bets lasts longer. The player leaves then, since some wrong programs never end.
_PATIENT_LINES, MAX_LINES = 150, 300
_MONEY = re.compile(r"<= *([0-9]{1,9})")
_CARD = re.compile(r"You have (\w+), hand value is (\d+)")
#: What the program shows when the player's turn goes on or ends.
_GOES_ON = re.compile("you have|dealer|round|bet", re.IGNORECASE)


def is_bet(shown: str) -> bool:
    """Whether the program asks for a bet."""
    return shown.rstrip().lower().endswith("bet.")


def is_question(shown: str) -> bool:
    """Whether the program asks if the player wants another card."""
    return shown.rstrip().endswith("(y/n)") or _is_asked_in_other_words(shown)


def _is_asked_in_other_words(shown: str) -> bool:
    """Whether the question whether the player wants another card is followed by another question and nothing else."""
    _, question, rest = shown.rpartition("(y/n)")
    return bool(question and rest.rpartition("\n")[2].strip()) and _GOES_ON.search(rest) is None


def money(shown: str) -> int:
    """The highest bet that the last prompt allows; 10, the lowest bet, if no prompt names any."""
    amounts = _MONEY.findall(shown)
    return int(amounts[-1]) if amounts else 10


def points(shown: str) -> int:
    """The value of the player's hand, computed from its cards; words that are no cards are ignored."""
    shown_hands = _CARD.findall(shown.rpartition("ROUND")[2])
    new_hands = [hand for before, hand in pairwise([None, *shown_hands]) if hand != before]  # not asked again with it
    return count_with_low_aces([card for card, _ in new_hands if card in CARDS])


def _is_asked_again(shown: str) -> bool:
    """Whether the last answer was neither yes nor no: the question comes again, perhaps with the hand before it."""
    if _is_asked_in_other_words(shown):
        return True
    last_hands = [hand + hand_value for hand, hand_value in _CARD.findall(shown)[-2:]]
    return shown.rpartition("hand value")[2].count("(y/n)") > 1 or len(last_hands) > len(set(last_hands))


def _player(
    bet: Callable[[int, int], str], highest: int, *, yes: Sequence[str] = ("y",), no: Sequence[str] = ("n",)
) -> Player:
    """A player that bets `bet(bets so far, highest bet allowed)` and takes another card up to `highest` points.

    To take a card it types the lines `yes` in turn, and otherwise the lines `no`; where it is asked again, y or n.
    """

    def decide(shown: str, typed: tuple[str, ...]) -> str | None:
        if len(typed) >= MAX_LINES:
            return None
        if is_bet(shown):
            if len(typed) >= _PATIENT_LINES:
                return str(money(shown))
            return bet(shown.lower().count("minimal bet.") - 1, money(shown))
        if is_question(shown):
            answers = yes if points(shown) <= highest else no
            if _is_asked_again(shown):
                return "y" if answers is yes else "n"
            return answers[shown.count("(y/n)") % len(answers) - 1]
        return None

    return decide


def _half_of_money(_: int, limit: int) -> str:
    return str(max(10, limit // 2))


def _bad_bets_first(count: int, limit: int) -> str:
    """Bets that are refused, and Enter alone at the question that follows the last of them."""
    bad_bets = ("ten", "5", "9", "100000", "-20", "0", "20x", "")
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
# Lines that careless programs misread; see `prompts` in assignment.yaml.
capital_answers = _player(_half_of_money, 14, yes=("Y",), no=("N",))
blanks_around = _player(
    lambda count, limit: (" {}", "0{}", "  00{}", "{}")[count % 4].format(max(10, limit // 4) if count < 12 else limit),
    14,
    yes=(" y", "y ", "  y "),
    no=("n ", " n", " n  "),
)
other_answers = _player(lambda count, limit: "" if count < 12 else str(limit), 11, no=("", "x", " "))
#: After bets that are too low and too high, whose texts are known then, bets whose lowest 32 or 64 bits are good ones.
_HUGE_BETS = ("5", "201", str((1 << 32) + 20), str((1 << 64) + 20), "99999999999")
huge_bets = _player(lambda count, limit: _HUGE_BETS[count] if count < len(_HUGE_BETS) else str(max(10, limit // 2)), 16)
