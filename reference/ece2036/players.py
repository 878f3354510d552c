"""Players for programs with any set of extra features; they end the game with a bet of 0."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from reference.ece2036.reading import HAND
from reference.ece2036.rules import CARDS, RIGHT, points, worth

Player = Callable[..., str | None]
#: No session needs as many lines, but one that never comes to the end of a round does; and the same for many rounds.
MAX_LINES, MAX_LINES_OF_MANY = 100, 500
_QUESTION = "What would you like to do?"
_VALUE, _ROUND_BEGINS = "hand value is", "first card is"
#: The features by their usual keys, and the word by which a question may offer them.
_FEATURES = (("d", "doubl"), ("p", "split"))
#: Letters that are no usual key, and the 0 that quits at the other question; their number is prime.
_OTHER_KEYS = "abcefgijklmnoqrtuvwxyz0"
_MONEY = re.compile(r"Player (?:starts with|has) ([0-9.e+]+)")


def _cards(shown: str) -> list[str]:
    """The cards of the hand that was shown last; words that are no cards are ignored."""
    lines = shown[max(0, shown.rfind(_ROUND_BEGINS)) :].split("\n")
    found = (HAND.search(line) for line in reversed(lines) if " is:" in line)
    cards = next((hand[3] for hand in found if hand and hand[1].lower() == "player"), "")
    return [card for card in cards.split() if card in CARDS]


def _prompt(shown: str) -> str:
    """What the program asks: the question what to do, which may go on for a line, or else the last line."""
    _, question, rest = shown.rpartition(_QUESTION)
    if question and rest.strip().count("\n") < 2 and " hand " not in rest:
        return question + rest
    return shown.rstrip().rpartition("\n")[2]


def _offers(prompt: str, key: str, word: str) -> bool:
    """Whether a question offers a key; its words are free."""
    return re.search(rf"\b{key}\b|{word}", prompt, re.IGNORECASE) is not None


def _rounds(shown: str) -> int:
    """The number of rounds that are over."""
    return len(_MONEY.findall(shown)) - 1


def _money(shown: str) -> float:
    found = _MONEY.findall(shown)
    try:
        return float(found[-1]) if found else 0.0
    except ValueError:
        return 0.0


def _player(
    decide: Callable[[str, list[str]], str],
    *,
    rounds: int = 8,
    bets: Sequence[str] = ("20", "30", "15"),
    leaving: str = "0",
    most_lines: int = MAX_LINES,
) -> Player:
    """A player that decides with `decide(prompt, cards)` and leaves after so many rounds."""

    def answer(
        shown: str, typed: tuple[str, ...], double_key: str = RIGHT.double_key, split_key: str = RIGHT.split_key
    ) -> str | None:
        prompt = _prompt(shown)
        if len(typed) >= most_lines or _rounds(shown) > rounds:
            return None
        if "bet" in prompt and _QUESTION not in prompt and "tand" not in prompt:
            if _rounds(shown) >= rounds:
                return "0" if leaving in typed else leaving
            asked = shown.count("Enter bet in dollars")
            bet = _bet(bets[asked % len(bets) - 1], _money(shown))
            # What is shown of the money may be rounded up, and then it is no good bet.
            return "1" if typed[-1:] == (bet,) else bet
        if "tand" not in prompt and _QUESTION not in prompt:
            return None
        offered = prompt.replace(f"({double_key})", "(d)").replace(f"({split_key})", "(p)")
        key = decide(offered, _cards(shown))
        key = {"d": double_key, "p": split_key}.get(key, key)
        # A program asks again after a key that it does not offer, or without enough money for it.
        return _below(17)(prompt, _cards(shown)) if key not in ("h", "s") and typed[-1:] == (key,) else key

    return answer


def _bet(bet: str, money: float) -> str:
    """A bet, or one that depends on the money; halves are exact, since a double holds them as they are written."""
    half = money / 2 if (2 * money).is_integer() else money // 2
    more = min(half + 1, money)
    amounts = {"all": money, "all but one": money - 1, "one more": money + 1, "half": half, "more than half": more}
    return f"{amounts[bet]:.10g}" if bet in amounts else bet


def _below(highest: int) -> Callable[[str, list[str]], str]:
    return lambda prompt, cards: "h" if points(cards) < highest else "s"


def _doubles(low: int, high: int) -> Callable[[str, list[str]], str]:
    def decide(prompt: str, cards: list[str]) -> str:
        if _offers(prompt, "d", "doubl") and low <= points(cards) <= high:
            return "d"
        return _below(17)(prompt, cards)

    return decide


def _doubles_unasked(prompt: str, cards: list[str]) -> str:
    """Doubles with two cards even if that is not offered, as it is not without the money for it."""
    return "d" if len(cards) == 2 else _below(17)(prompt, cards)


def _doubles_late(prompt: str, cards: list[str]) -> str:
    """Doubles with three cards, when that is never offered."""
    if len(cards) == 2:
        return "h" if points(cards) < 15 else "s"
    return "d" if len(cards) == 3 else _below(17)(prompt, cards)


def _splits_unasked(prompt: str, cards: list[str]) -> str:
    """Splits whatever two or three cards there are."""
    return "p" if len(cards) <= 3 else _below(17)(prompt, cards)


def _splits(prompt: str, cards: list[str]) -> str:
    if _offers(prompt, "p", "split") and len(cards) == 2 and worth(cards[0]) == worth(cards[1]):
        return "p"
    return _below(17)(prompt, cards)


def _other_keys(prompt: str, cards: list[str]) -> str:
    """Sometimes a key that is not offered."""
    return "x" if points(cards) % 3 == 0 else _below(17)(prompt, cards)


def _types_all(bets: Sequence[str], *, has_money: bool) -> Player:
    """A player who types at each decision the keys of both features, where they are not offered, and another letter.

    With money for the features their keys are left out at the first decision of every second round: a program may take
    them there without a word of them in its question, and then nothing else is asked about that hand.
    """

    def answer(shown: str, typed: tuple[str, ...], **keys: str) -> str | None:
        times_asked = shown[shown.rfind(_VALUE) :].count(_QUESTION)
        is_left_out = has_money and _rounds(shown) % 2 == 1 and shown[shown.rfind(_ROUND_BEGINS) :].count(_VALUE) == 1
        other = _OTHER_KEYS[shown.count(_VALUE) % len(_OTHER_KEYS)]

        def decide(prompt: str, cards: list[str]) -> str:
            not_offered = [key for key, word in _FEATURES if not _offers(prompt, key, word)]
            tried = [*([] if is_left_out else not_offered), other]
            return tried[times_asked - 1] if times_asked <= len(tried) else _splits(prompt, cards)

        player = _player(decide, rounds=25, bets=bets, most_lines=MAX_LINES_OF_MANY)
        return player(shown, typed, **keys)

    return answer


hit_below_17 = _player(_below(17))
#: Some deals come once in some hundred, and five times as many rounds take less than three times as long.
long_player = _player(_below(17), rounds=40, bets=("2", "3", "1"), most_lines=300)
stand_at_once = _player(_below(0))
hit_until_bust = _player(_below(22))
hit_below_12 = _player(_below(12))
all_in = _player(_below(17), bets=("all",))
too_much = _player(_below(17), bets=("1000", "50", "one more", "all but one", "300.5", "25"))
odd_bets = _player(_below(17), bets=("25", "7", "101"))
#: Halves and sixteenths of a dollar, which show as six digits that are rounded.
small_bets = _player(_below(17), bets=("1", "0.5", "0.0625"), rounds=4)
one_round = _player(_below(17), rounds=1)
leaves_at_once = _player(_below(17), rounds=0)
other_keys = _player(_other_keys)
leaves_with_a_negative_bet = _player(_below(17), rounds=2, leaving="-20")
leaves_with_a_word = _player(_below(17), rounds=1, leaving="nothing")
doubler = _player(_doubles(9, 11))
doubles_all = _player(_doubles(4, 20))
doubles_unasked = _player(_doubles_unasked, bets=("half", "more than half", "20", "all"))
doubles_late = _player(_doubles_late)
types_all_keys = _types_all(("2", "3", "1"), has_money=True)
types_all_keys_without_money = _types_all(("more than half",), has_money=False)
splits_unasked = _player(_splits_unasked, bets=("half", "20", "more than half"))
splitter = _player(_splits, rounds=14)
#: A 21 of two cards after a split against another 21 comes once in 450 rounds.
long_splitter = _player(_splits, bets=("2",), rounds=80, most_lines=MAX_LINES_OF_MANY)
