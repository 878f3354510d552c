"""Players for programs with any set of features."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from reference.csc101.reading import read
from reference.csc101.rules import CARDS, points, worth

Player = Callable[[str, tuple[str, ...]], str | None]
#: Returns what to type for a hand; the arguments are all text shown so far and the cards of the hand.
Decision = Callable[[str, list[str]], str]
#: A player ends the input after this many lines (the second limit: a player of many hands). No session with a correct
#: program needs as many; a program that never ends a hand would ask for more.
MAX_LINES, MAX_LINES_OF_MANY = 100, 300
_DEFAULT_HANDS = 4
#: A hand that begins when no more than this many cards were dealt needs no card after the last of the deck.
_MAX_CARDS = 30


def _last_cards(shown: str, hand_name: str = "") -> list[str]:
    """The cards on the last line for this hand ("First", "Second", empty without a split); other words are ignored."""
    _, label, text_after = shown.rpartition(f"Player's {hand_name} Hand: " if hand_name else "Player's Hand: ")
    return [card for card in text_after.partition("\n")[0].replace(",", " ").split() if card in CARDS] if label else []


def _cards_dealt(shown: str) -> int:
    """The number of cards dealt in the session so far."""
    return len(read([("shown", shown)]).draws)


def _hands_played(shown: str) -> int:
    """The number of hands after which the program asked whether to play another hand."""
    return shown.count("another hand")


def _is_first_command(shown: str) -> bool:
    """Whether the program asks for the first command of this hand."""
    return shown.rpartition("another hand")[2].count("Enter command") == 1


def _is_after_double(shown: str) -> bool:
    """Whether the program asks for a command right after the bet was doubled."""
    return shown.rstrip().endswith("Enter command:") and "Bet doubled" in shown.rpartition("Hand:")[2]


def _player(
    decide: Decision,
    *,
    hands: int = _DEFAULT_HANDS,
    bets: Sequence[str] = ("10", "6", "20"),
    most_cards: int | None = _MAX_CARDS,
    most_lines: int = MAX_LINES,
    again: Sequence[str] = ("c",),
) -> Player:
    """A player that decides with `decide(shown, cards)`.

    The player quits after `hands` hands, or at the end of a hand if more than `most_cards` cards were dealt (None: no
    limit), and ends the input after `most_lines` lines. The `bets` are typed in turn, and so are the answers `again`
    to the question whether to play another hand.

    The assignment's text does not say what a program without reshuffling does after 52 cards, so most players quit
    earlier.
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
            return decide(shown, _last_cards(shown, "First"))
        if "second hand" in prompt:
            return decide(shown, _last_cards(shown, "Second"))
        return decide(shown, _last_cards(shown)) if "command" in prompt else None

    return answer


def _hit_below(limit: int) -> Decision:
    """Hit with fewer points than the limit, otherwise stand."""
    return lambda shown, cards: "h" if points(cards) < limit else "s"


def _split_pairs(then: Decision) -> Decision:
    """Split every pair, and decide with `then` otherwise."""

    def decide(shown: str, cards: list[str]) -> str:
        is_pair = len(cards) == 2 and worth(cards[0]) == worth(cards[1])
        may_split = _is_first_command(shown) or _is_after_double(shown)
        is_unsplit = shown.rstrip().endswith("Enter command:")
        return "2" if is_pair and may_split and is_unsplit else then(shown, cards)

    return decide


def _double_between(low: int, high: int, then: Decision) -> Decision:
    """Double with `low` to `high` points at the first command of a hand, and decide with `then` otherwise."""

    def decide(shown: str, cards: list[str]) -> str:
        return "d" if _is_first_command(shown) and low <= points(cards) <= high else then(shown, cards)

    return decide


def _quit_on_15_and_16(then: Decision) -> Decision:
    """Quit hands of 15 and 16 points, and decide with `then` otherwise."""
    return lambda shown, cards: "q" if points(cards) in (15, 16) else then(shown, cards)


#: For one hand after another, the lines typed at its first prompts; then the hand is played to its end.
_LINES_WITH_ERRORS = (
    ("x", "d", "xyz", "h", "2", "d"),
    ("h", "d", "2", "hello"),
    ("D", "2", "S", "d", "2"),
    ("H", "?", "d", "x", "d", "2"),
    ("2", "2", "d", "Q", "h", "d"),
)


def _type_errors(shown: str, cards: list[str]) -> str:
    """Type the invalid commands for this hand, then hit below 17."""
    lines = _LINES_WITH_ERRORS[_hands_played(shown) % len(_LINES_WITH_ERRORS)]
    index = shown.rpartition("another hand")[2].count("Enter command") - 1
    return lines[index] if index < len(lines) else _hit_below(17)(shown, cards)


def _hit_to_five_cards(shown: str, cards: list[str]) -> str:
    """Hit until the hand has five cards (but stand on 20 with four), then below 18; other players seldom draw five."""
    return "h" if points(cards) < {2: 22, 3: 22, 4: 20}.get(len(cards), 18) else "s"


def _if_betting(then: Decision, otherwise: Decision) -> Decision:
    """Decide with `then` in a program that asks for bets, and with `otherwise` in other programs."""
    return lambda shown, cards: (then if "Place your bet" in shown else otherwise)(shown, cards)


#: The shortest session: the first session in which a mistake is looked for. It is short even if a program never ends.
one_hand = _player(_hit_below(17), hands=1, most_lines=20)
five_cards = _player(_hit_to_five_cards, hands=9, most_cards=38)
stand_at_once = _player(lambda shown, cards: "s", hands=9, most_cards=40)
hit_below_17 = _player(_hit_below(17), hands=6)
hit_below_21 = _player(_hit_below(21), hands=6)
hit_until_bust = _player(_hit_below(22))
below_12 = _player(_hit_below(12), hands=8, most_cards=36)
collects_aces = _player(lambda shown, cards: "h" if sum(map(worth, cards)) < 12 else "s", hands=6)
splitter = _player(_split_pairs(_hit_below(17)), hands=7)
splitter_who_busts = _player(_split_pairs(_hit_below(22)), hands=7)
long_splitter = _player(_split_pairs(_hit_below(15)), hands=7)
doubler = _player(_double_between(5, 11, _hit_below(17)), hands=6)
doubles_all = _player(_double_between(4, 20, _hit_below(16)), hands=6)
double_splitter = _player(
    _if_betting(_double_between(4, 20, _split_pairs(_hit_below(16))), _split_pairs(_hit_below(16))), hands=7
)
quits_split_hands = _player(_split_pairs(_quit_on_15_and_16(_hit_below(17))), hands=7)
anything_else = _player(lambda shown, cards: "  " + _hit_below(17)(shown, cards), again=("x", "1", "z"))
plays_on_with_capitals = _player(_hit_below(17), again=("Q",))
bets_one = _player(lambda shown, cards: "s", bets=("1",), hands=9, most_cards=40)
presses_enter = _player(lambda shown, cards: "" if _is_first_command(shown) else _hit_below(17)(shown, cards))
quits_hands = _player(_quit_on_15_and_16(_hit_below(17)), hands=6)
table_limits = _player(_double_between(9, 11, _hit_below(17)), bets=("2", "1000000", "1"), hands=6)
long_player = _player(_hit_below(17), hands=36, most_cards=None, most_lines=MAX_LINES_OF_MANY)
long_hitter = _player(_hit_below(19), hands=11, most_cards=None, most_lines=MAX_LINES_OF_MANY)
every_error = _player(
    _type_errors,
    hands=5,
    bets=("0", "ten", "-5", "1000001", "1000000", "1.5", "1", "10x", "5 x", "20", "1000000000000", "2"),
)
