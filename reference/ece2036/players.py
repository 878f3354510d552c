"""Players for programs with any set of extra features; each quits with the bet 0 unless its name says otherwise."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from reference.ece2036.reading import HAND
from reference.ece2036.rules import CARDS, RULES, points, worth

Player = Callable[..., str | None]
#: A player leaves after this many lines: no session needs as many unless a round never ends. The second limit is for
#: players of many rounds.
MAX_LINES, MAX_LINES_OF_MANY = 100, 500
_QUESTION = "What would you like to do"
_VALUE, _ROUND_BEGINS = "hand value is", "first card is"
#: For each feature its usual key, and the word with which a question may offer the feature.
_FEATURES = (("d", "doubl"), ("p", "split"))
#: Letters that are no usual key, and the 0 that quits when typed as a bet. There are 23, a prime number, so that no
#: short cycle of hands leaves one untyped.
_OTHER_KEYS = "abcefgijklmnoqrtuvwxyz0"
_MONEY = re.compile(r"Player (?:starts with|has) ([0-9.e+]+)")


def _cards(shown: str) -> list[str]:
    """The cards of the hand that was shown last; words that are no cards are ignored."""
    lines = shown[max(0, shown.rfind(_ROUND_BEGINS)) :].split("\n")
    matches = (HAND.search(line) for line in reversed(lines) if " is:" in line)
    cards = next((match["cards"] for match in matches if match and match["owner"].lower() == "player"), "")
    return [card for card in cards.split() if card in CARDS]


def _prompt(shown: str) -> str:
    """The current prompt: the question what to do, which may continue on one more line, or else the last line shown."""
    _, question, tail = shown.rpartition(_QUESTION)
    if question and tail.strip().count("\n") < 2 and " hand " not in tail:
        return question + tail
    return shown.rstrip().rpartition("\n")[2]


def _offers(prompt: str, key: str, word: str) -> bool:
    """Whether a prompt of any wording offers a feature: by its key, or by a word that contains `word`."""
    return re.search(rf"\b{key}\b|{word}", prompt, re.IGNORECASE) is not None


def _rounds(shown: str) -> int:
    """The number of finished rounds."""
    return len(_MONEY.findall(shown)) - 1


def _money(shown: str) -> float:
    """The amount of money that was shown last; 0 if no amount can be read."""
    amounts = _MONEY.findall(shown)
    try:
        return float(amounts[-1]) if amounts else 0.0
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
    """A player that decides with `decide(prompt, cards)` and quits after `rounds` rounds: it bets `leaving`, then 0."""

    def answer(
        shown: str, typed: tuple[str, ...], double_key: str = RULES.double_key, split_key: str = RULES.split_key
    ) -> str | None:
        prompt = _prompt(shown)
        if len(typed) >= most_lines or _rounds(shown) > rounds:
            return None
        if "bet" in prompt and _QUESTION not in prompt and "tand" not in prompt:
            if _rounds(shown) >= rounds:
                return "0" if leaving in typed else leaving
            prompt_count = shown.count("Enter bet in dollars")
            bet = _bet(bets[prompt_count % len(bets) - 1], _money(shown))
            # The money shown may be rounded up; a bet of all of it is then refused. If the bet was just typed, bet 1.
            return "1" if typed[-1:] == (bet,) else bet
        if "tand" not in prompt and _QUESTION not in prompt:
            return None
        usual_prompt = prompt.replace(f"({double_key})", "(d)").replace(f"({split_key})", "(p)")
        key = decide(usual_prompt, _cards(shown))
        key = {"d": double_key, "p": split_key}.get(key, key)
        # A program asks again after a key that it does not offer or that the money does not allow: then hit or stand.
        return _hits_below(17)(prompt, _cards(shown)) if key not in ("h", "s") and typed[-1:] == (key,) else key

    return answer


def _bet(bet: str, money: float) -> str:
    """The bet to type: an amount is typed unchanged; a name such as "half" becomes an amount computed from the money.

    Half of the money is exact if it is a multiple of 0.25, which a double holds exactly; otherwise it is rounded down.
    """
    half = money / 2 if (2 * money).is_integer() else money // 2
    over_half = min(half + 1, money)
    amounts = {"all": money, "all but one": money - 1, "one more": money + 1, "half": half, "more than half": over_half}
    return f"{amounts[bet]:.10g}" if bet in amounts else bet


def _hits_below(limit: int) -> Callable[[str, list[str]], str]:
    """Decides to hit below this value, and to stand from it on."""
    return lambda prompt, cards: "h" if points(cards) < limit else "s"


def _doubles_between(low: int, high: int) -> Callable[[str, list[str]], str]:
    """Decides to double from `low` to `high` points where doubling is offered; otherwise hits below 17."""

    def decide(prompt: str, cards: list[str]) -> str:
        if _offers(prompt, "d", "doubl") and low <= points(cards) <= high:
            return "d"
        return _hits_below(17)(prompt, cards)

    return decide


def _doubles_unasked(prompt: str, cards: list[str]) -> str:
    """Doubles with two cards even if doubling is not offered, such as without the money for it."""
    return "d" if len(cards) == 2 else _hits_below(17)(prompt, cards)


def _doubles_late(prompt: str, cards: list[str]) -> str:
    """Doubles with three cards, when doubling is never offered."""
    if len(cards) == 2:
        return "h" if points(cards) < 15 else "s"
    return "d" if len(cards) == 3 else _hits_below(17)(prompt, cards)


def _splits_unasked(prompt: str, cards: list[str]) -> str:
    """Types the key that splits with any two or three cards."""
    return "p" if len(cards) <= 3 else _hits_below(17)(prompt, cards)


def _splits(prompt: str, cards: list[str]) -> str:
    """Splits every pair if splitting is offered; otherwise hits below 17."""
    if _offers(prompt, "p", "split") and len(cards) == 2 and worth(cards[0]) == worth(cards[1]):
        return "p"
    return _hits_below(17)(prompt, cards)


def _other_keys(prompt: str, cards: list[str]) -> str:
    """Types x, a key that is not offered, when the value of the hand is divisible by 3."""
    return "x" if points(cards) % 3 == 0 else _hits_below(17)(prompt, cards)


def _types_all(bets: Sequence[str], *, has_money: bool) -> Player:
    """A player that tries at each decision the keys of all features that are not offered, and one other key.

    With `has_money` the player does not try the keys of features at the first decision of every second round. There a
    program may accept the keys although its question does not offer them, and then asks nothing more about that hand.
    """

    def answer(shown: str, typed: tuple[str, ...], **keys: str) -> str | None:
        times_asked = shown[shown.rfind(_VALUE) :].count(_QUESTION)
        is_first_decision = shown[shown.rfind(_ROUND_BEGINS) :].count(_VALUE) == 1
        skips_features = has_money and _rounds(shown) % 2 == 1 and is_first_decision
        other_key = _OTHER_KEYS[shown.count(_VALUE) % len(_OTHER_KEYS)]

        def decide(prompt: str, cards: list[str]) -> str:
            not_offered = [key for key, word in _FEATURES if not _offers(prompt, key, word)]
            keys = [*([] if skips_features else not_offered), other_key]
            return keys[times_asked - 1] if times_asked <= len(keys) else _splits(prompt, cards)

        player = _player(decide, rounds=25, bets=bets, most_lines=MAX_LINES_OF_MANY)
        return player(shown, typed, **keys)

    return answer


hit_below_17 = _player(_hits_below(17))
#: Some deals occur once in several hundred rounds. Five times as many rounds take less than three times as long.
long_player = _player(_hits_below(17), rounds=40, bets=("2", "3", "1"), most_lines=300)
stand_at_once = _player(_hits_below(0))
hit_until_bust = _player(_hits_below(22))
hit_below_12 = _player(_hits_below(12))
all_in = _player(_hits_below(17), bets=("all",))
too_much = _player(_hits_below(17), bets=("1000", "50", "one more", "all but one", "300.5", "25"))
odd_bets = _player(_hits_below(17), bets=("25", "7", "101"))
#: Bets of halves and sixteenths of a dollar: the money is then shown rounded to six digits.
small_bets = _player(_hits_below(17), bets=("1", "0.5", "0.0625"), rounds=4)
one_round = _player(_hits_below(17), rounds=1)
leaves_at_once = _player(_hits_below(17), rounds=0)
other_keys = _player(_other_keys)
leaves_with_a_negative_bet = _player(_hits_below(17), rounds=2, leaving="-20")
# Lines that careless programs misread; see `prompts` in assignment.yaml.
bets_in_other_forms = _player(
    _hits_below(17),
    rounds=16,
    bets=(" 20", "10 ", "+20", "05", "5.0", "4294967301", "10.25", "18446744073709551621", "99999999999", "007"),
)
leaves_with_a_word = _player(_hits_below(17), rounds=1, leaving="nothing")
doubler = _player(_doubles_between(9, 11))
doubles_all = _player(_doubles_between(4, 20))
doubles_unasked = _player(_doubles_unasked, bets=("half", "more than half", "20", "all"))
doubles_late = _player(_doubles_late)
types_all_keys = _types_all(("2", "3", "1"), has_money=True)
types_all_keys_without_money = _types_all(("more than half",), has_money=False)
splits_unasked = _player(_splits_unasked, bets=("half", "20", "more than half"))
splitter = _player(_splits, rounds=14)
#: A 21 of two cards after a split, against another 21, occurs once in 450 rounds.
long_splitter = _player(_splits, bets=("2",), rounds=80, most_lines=MAX_LINES_OF_MANY)
