"""Players for programs with any set of features."""

from __future__ import annotations

import re
import zlib
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
#: The question whether to play another hand; not where it is asked again at once.
_AFTER_HAND = re.compile(r"another hand(?!.*\n\s*.*another hand)")


def _last_cards(shown: str, hand_name: str = "") -> list[str]:
    """The cards on the last line for this hand ("First", "Second", empty without a split); other words are ignored."""
    _, label, text_after = shown.rpartition(f"Player's {hand_name} Hand: " if hand_name else "Player's Hand: ")
    return [card for card in text_after.partition("\n")[0].replace(",", " ").split() if card in CARDS] if label else []


def _cards_dealt(shown: str) -> int:
    """The number of cards dealt in the session so far."""
    return len(read([("shown", shown)]).draws)


def _hands_played(shown: str) -> int:
    """The number of hands after which the program asked whether to play another hand."""
    return len(_AFTER_HAND.findall(shown))


def _is_first_command(shown: str) -> bool:
    """Whether the program asks for the first command of this hand."""
    return shown.rpartition("another hand")[2].count("Enter command") == 1


def _is_after_double(shown: str) -> bool:
    """Whether the program asks for a command right after the bet was doubled."""
    return shown.rstrip().endswith("Enter command:") and "Bet doubled" in shown.rpartition("Hand:")[2]


def _in_any_form(command: str, shown: str, typed: tuple[str, ...], refused: Sequence[str]) -> str:
    """A line for a hand of a split: at its first prompts the lines `refused`, and then the command in an unusual form.

    The form seems random, but depends on the session so far alone: a player may be asked twice for the same line.
    """
    if command not in ("h", "s"):
        return command
    # The question may be asked again on the same line of the text shown, whose last line then has it twice.
    question = re.findall(r"Enter command for \w+ hand", shown)[-1]
    times_asked = shown.rpartition("another hand")[2].count(question)
    if times_asked <= len(refused):
        return refused[times_asked - 1]
    number = zlib.crc32(f"{len(typed)} {shown}".encode("utf-8", "surrogateescape"))
    return (command, f" {command}\t", {"h": "hit", "s": "stand"}[command], f"{command} x")[number % 4]


def _player(
    decide: Decision,
    *,
    hands: int = _DEFAULT_HANDS,
    bets: Sequence[str] = ("10", "6", "20"),
    most_cards: int | None = _MAX_CARDS,
    most_lines: int = MAX_LINES,
    again: Sequence[str] = ("c",),
    leaving: str = "q",
    refused: Sequence[str] = (),
) -> Player:
    """A player that decides with `decide(shown, cards)`, and first types the lines `refused` for each hand of a split.

    The player quits with the line `leaving` after `hands` hands, or at the end of a hand if more than `most_cards`
    cards were dealt (None: no limit), and ends the input after `most_lines` lines. The `bets` are typed in turn, and so
    are the answers `again` to the question whether to play another hand; after an empty line it may be asked again.

    The assignment's text does not say what a program without reshuffling does after 52 cards, so most players quit
    earlier.
    """

    def answer(shown: str, typed: tuple[str, ...]) -> str | None:
        prompt = shown.rpartition("\n")[2]
        if len(typed) >= most_lines or _hands_played(shown) > hands:
            return None
        if "another hand" in prompt:
            leaves = _hands_played(shown) >= hands or (most_cards is not None and _cards_dealt(shown) > most_cards)
            if leaves:
                return leaving
            is_asked_again = typed and not typed[-1].strip()
            return "c" if is_asked_again else again[_hands_played(shown) % len(again)]
        if "bet" in prompt.lower():
            return bets[shown.lower().count("place your bet") % len(bets) - 1]
        if "first hand" in prompt:
            return _in_any_form(decide(shown, _last_cards(shown, "First")), shown, typed, refused)
        if "second hand" in prompt:
            return _in_any_form(decide(shown, _last_cards(shown, "Second")), shown, typed, refused)
        command = decide(shown, _last_cards(shown)) if "command" in prompt else None
        is_refused = command == "2" and typed[-1:] == ("2",)
        return "s" if is_refused else command

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


def _in_turn(
    form: Callable[[str], str] = str, *, refused: Sequence[str] = (), first: Sequence[str] = ("h", "s", "q")
) -> Decision:
    """Type the lines `refused` at the first prompts of each hand, and then commands in the form `form(command)`.

    The commands `first` are in turn the first command of a hand; then hit below 17.
    """

    def decide(shown: str, cards: list[str]) -> str:
        prompts = shown.rpartition("another hand")[2].count("Enter command")
        if 0 < prompts <= len(refused):
            return refused[prompts - 1]
        is_first = prompts == len(refused) + 1
        return form(first[_hands_played(shown) % len(first)] if is_first else _hit_below(17)(shown, cards))

    return decide


def _if_betting(then: Decision, otherwise: Decision) -> Decision:
    """Decide with `then` in a program that asks for bets, and with `otherwise` in other programs."""
    return lambda shown, cards: (then if "Place your bet" in shown else otherwise)(shown, cards)


def _while_refused(player: Player) -> Player:
    """The player, who leaves if the program takes the first bet: then it may not check bets at all."""

    def answer(shown: str, typed: tuple[str, ...]) -> str | None:
        is_taken = "Hand:" in shown.partition("Place your bet")[2].partition("Place your bet")[0]
        return "q" if is_taken and len(typed) < 3 else player(shown, typed)

    return answer


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
# Stands at once, so that the cards last for many hands: without a pair it would type nothing that is refused.
refused_in_split_hands = _player(
    _split_pairs(lambda shown, cards: "s"), hands=9, most_cards=40, refused=("", " ", "x", "S")
)
splitter_who_busts = _player(_split_pairs(_hit_below(22)), hands=7)
long_splitter = _player(_split_pairs(_hit_below(15)), hands=7)
doubler = _player(_double_between(5, 11, _hit_below(17)), hands=6)
doubles_all = _player(_double_between(4, 20, _hit_below(16)), hands=6)
double_splitter = _player(
    _if_betting(_double_between(4, 20, _split_pairs(_hit_below(16))), _split_pairs(_hit_below(16))), hands=7
)
quits_split_hands = _player(_split_pairs(_quit_on_15_and_16(_hit_below(17))), hands=7)
# Its other lines are usual ones, so that a slip here is not taken for one in checking errors.
plays_on_with_capitals = _player(_hit_below(17), again=("Q",))
bets_one = _player(lambda shown, cards: "s", bets=("1",), hands=9, most_cards=40)
quits_hands = _player(_quit_on_15_and_16(_hit_below(17)), hands=6)
quits_doubled_hands = _player(_double_between(4, 14, _quit_on_15_and_16(_hit_below(17))), hands=6)
table_limits = _player(_double_between(9, 11, _hit_below(17)), bets=("2", "1000000", "1"), hands=6)
long_player = _player(_hit_below(17), hands=36, most_cards=None, most_lines=MAX_LINES_OF_MANY)
long_hitter = _player(_hit_below(19), hands=11, most_cards=None, most_lines=MAX_LINES_OF_MANY)
every_error = _player(
    _type_errors,
    hands=5,
    bets=("0", "ten", "-5", "1000001", "1000000", "1.5", "1", "10x", "5 x", "20", "1000000000000", "2"),
)
# Lines that careless programs misread; see `prompts` in assignment.yaml.
blanks_before = _player(_in_turn(" {}".format), hands=6, again=(" c", "\t1"), leaving=" q")
blanks_after = _player(_in_turn("{} ".format), hands=6, again=("c ", "z\t"), leaving="q ")
whole_words = _player(_in_turn({"h": "hit", "s": "stand", "q": "q"}.__getitem__), hands=6, again=("yes", "no"))
several_words = _player(_in_turn({"h": "h s", "s": "s h", "q": "q"}.__getitem__), hands=6, again=("c h", "x q"))
capitals = _player(_in_turn(refused=("H", "S", "Q")), hands=6, again=("Q", "C"))
empty_lines = _player(_in_turn(refused=("", " ", "x", "1")), hands=6, again=("", " "))
bets_in_other_forms = _player(
    _in_turn(first=(" d", "d ", "double", "d h")), hands=6, bets=(" 10", "6 ", "+5", "05", "\t+020 ")
)
refused_bets = _while_refused(
    _player(
        _in_turn(),
        hands=6,
        bets=(
            *("-5", "", " ", "5.0", "5 5", "10x", "five", "4294967301", "99999999999", "18446744073709551621", "10"),
            *("2147483648", "0x10", "1e1", "1,000", "1_0", "20"),
        ),
    )
)
