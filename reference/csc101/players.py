"""Players for programs with any set of features."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from reference.csc101.reading import read
from reference.csc101.rules import CARDS, points, worth

Player = Callable[[str, tuple[str, ...]], str | None]
#: What to type for a hand, given what was shown so far and its cards.
Decision = Callable[[str, list[str]], str]
#: No session needs as many lines, but one that never comes to the end of a hand does; and the same for many hands.
MAX_LINES, MAX_LINES_OF_MANY = 100, 300
_HANDS = 4
#: A hand that begins before this many cards ends before the 52nd card.
_MAX_CARDS = 30


def _cards(shown: str, which: str = "") -> list[str]:
    """The cards of the current hand as last shown; words that are no cards are ignored."""
    _, found, after = shown.rpartition(f"Player's {which} Hand: " if which else "Player's Hand: ")
    return [card for card in after.partition("\n")[0].replace(",", " ").split() if card in CARDS] if found else []


def _cards_dealt(shown: str) -> int:
    return len(read([("shown", shown)]).draws)


def _hands_played(shown: str) -> int:
    return shown.count("another hand")


def _is_first_command(shown: str) -> bool:
    """Whether no command was given for this hand yet."""
    return shown.rpartition("another hand")[2].count("Enter command") == 1


def _is_after_double(shown: str) -> bool:
    return shown.rstrip().endswith("Enter command:") and "Bet doubled" in shown.rpartition("Hand:")[2]


def _player(
    decide: Decision,
    *,
    hands: int = _HANDS,
    bets: Sequence[str] = ("10", "6", "20"),
    most_cards: int | None = _MAX_CARDS,
    most_lines: int = MAX_LINES,
    again: Sequence[str] = ("c",),
) -> Player:
    """A player that decides with `decide(shown, cards)` and leaves after so many hands or cards, of which None is any.

    The brief does not say what a program without reshuffling does after 52 cards, so most players leave before.
    """

    def answer(shown: str, typed: tuple[str, ...]) -> str | None:
        prompt = shown.rpartition("\n")[2]
        if len(typed) >= most_lines or _hands_played(shown) > hands:
            return None
        if "another hand" in prompt:
            leaves = _hands_played(shown) >= hands or (most_cards is not None and _cards_dealt(shown) > most_cards)
            return "q" if leaves else again[_hands_played(shown) % len(again)]
        if "bet" in prompt.lower():
            return bets[shown.lower().count("place your bet") % len(bets) - 1]
        if "first hand" in prompt:
            return decide(shown, _cards(shown, "First"))
        if "second hand" in prompt:
            return decide(shown, _cards(shown, "Second"))
        return decide(shown, _cards(shown)) if "command" in prompt else None

    return answer


def _below(highest: int) -> Decision:
    return lambda shown, cards: "h" if points(cards) < highest else "s"


def _splits(then: Decision) -> Decision:
    """Split every pair, and decide with `then` otherwise."""

    def decide(shown: str, cards: list[str]) -> str:
        is_pair = len(cards) == 2 and worth(cards[0]) == worth(cards[1])
        may = _is_first_command(shown) or _is_after_double(shown)
        is_whole = shown.rstrip().endswith("Enter command:")
        return "2" if is_pair and may and is_whole else then(shown, cards)

    return decide


def _doubles(low: int, high: int, then: Decision) -> Decision:
    """Double with `low` to `high` points on the deal, and decide with `then` otherwise."""

    def decide(shown: str, cards: list[str]) -> str:
        return "d" if _is_first_command(shown) and low <= points(cards) <= high else then(shown, cards)

    return decide


def _gives_up(then: Decision) -> Decision:
    """Quit hands of 15 and 16, and decide with `then` otherwise."""
    return lambda shown, cards: "q" if points(cards) in (15, 16) else then(shown, cards)


#: What is typed in one hand after another, a line for each prompt; then the hand is played to its end.
_ERRORS = (
    ("x", "d", "xyz", "h", "2", "d"),
    ("h", "d", "2", "hello"),
    ("D", "2", "S", "d", "2"),
    ("H", "?", "d", "x", "d", "2"),
    ("2", "2", "d", "Q", "h", "d"),
)


def _errs(shown: str, cards: list[str]) -> str:
    """Make errors of each kind, and then play on."""
    lines = _ERRORS[_hands_played(shown) % len(_ERRORS)]
    asked = shown.rpartition("another hand")[2].count("Enter command") - 1
    return lines[asked] if asked < len(lines) else _below(17)(shown, cards)


def _to_five_cards(shown: str, cards: list[str]) -> str:
    """Take five cards wherever that may be enough for the dealer's, which hardly happens otherwise."""
    return "h" if points(cards) < {2: 22, 3: 22, 4: 20}.get(len(cards), 18) else "s"


def _if_bets(then: Decision, otherwise: Decision) -> Decision:
    """Decide with `then` in a program that asks for bets."""
    return lambda shown, cards: (then if "Place your bet" in shown else otherwise)(shown, cards)


#: The shortest session: the first to be held against a mistake, and it ends soon where nothing else does.
one_hand = _player(_below(17), hands=1, most_lines=20)
five_cards = _player(_to_five_cards, hands=9, most_cards=38)
stand_at_once = _player(lambda shown, cards: "s", hands=9, most_cards=40)
hit_below_17 = _player(_below(17), hands=6)
hit_below_21 = _player(_below(21), hands=6)
hit_until_bust = _player(_below(22))
below_12 = _player(_below(12), hands=8, most_cards=36)
collects_aces = _player(lambda shown, cards: "h" if sum(map(worth, cards)) < 12 else "s", hands=6)
splitter = _player(_splits(_below(17)), hands=7)
splitter_who_busts = _player(_splits(_below(22)), hands=7)
long_splitter = _player(_splits(_below(15)), hands=7)
doubler = _player(_doubles(5, 11, _below(17)), hands=6)
doubles_all = _player(_doubles(4, 20, _below(16)), hands=6)
double_splitter = _player(_if_bets(_doubles(4, 20, _splits(_below(16))), _splits(_below(16))), hands=7)
quits_split_hands = _player(_splits(_gives_up(_below(17))), hands=7)
anything_else = _player(lambda shown, cards: "  " + _below(17)(shown, cards), again=("x", "1", "z"))
plays_on_with_capitals = _player(_below(17), again=("Q",))
bets_one = _player(lambda shown, cards: "s", bets=("1",), hands=9, most_cards=40)
presses_enter = _player(lambda shown, cards: "" if _is_first_command(shown) else _below(17)(shown, cards))
quits_hands = _player(_gives_up(_below(17)), hands=6)
table_limits = _player(_doubles(9, 11, _below(17)), bets=("2", "1000000", "1"), hands=6)
long_player = _player(_below(17), hands=36, most_cards=None, most_lines=MAX_LINES_OF_MANY)
long_hitter = _player(_below(19), hands=11, most_cards=None, most_lines=MAX_LINES_OF_MANY)
every_error = _player(
    _errs, hands=5, bets=("0", "ten", "-5", "1000001", "1000000", "1.5", "1", "10x", "5 x", "20", "1000000000000", "2")
)
