"""Mistakes in what a hand wins or loses, and in which bets and commands are accepted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from itertools import cycle

from reference.consoles import replacing, substituting
from reference.csc101.rules import Hand, Rules
from reference.variants import Variant
from reference.words import scanned_int

_NUMBER = re.compile(r"[+-]?[0-9]+")
#: The setting of the option `betting`, for mistakes that change nothing without bets.
_BETTING_ON = {"betting": True}
#: For mistakes that a program cannot make without checking bets.
_CHECKS_BETS = {"betting": True, "takes_any_bet": False}
_SPLITTING_ON = {"split": True}
_STAGES_WITH_BETS = ("betting", "errors")


class _TwoBlackjacksPaid(Rules):
    def halves_gained(self, player: Hand, dealer: Hand, bet: int, *, is_split: bool = False) -> int:
        if not is_split and self.is_blackjack(player) and self.is_blackjack(dealer):
            return bet * self.blackjack_halves
        return super().halves_gained(player, dealer, bet, is_split=is_split)


class _DoubledBet(int):
    """A bet that was doubled."""


class _Doubling:
    """A factor of 2 that makes a bet a `_DoubledBet`."""

    def __rmul__(self, bet: int) -> _DoubledBet:
        return _DoubledBet(2 * bet)


class _LossOfSingleBet:
    """The gain of a bet that is lost, in halves, without the doubling."""

    def __mul__(self, bet: int) -> int:
        return -2 * (bet // 2 if isinstance(bet, _DoubledBet) else bet)


class _DoubleLosesSingle(Rules):
    def halves_gained(self, player: Hand, dealer: Hand, bet: int, *, is_split: bool = False) -> int:
        gain_halves = super().halves_gained(player, dealer, bet, is_split=is_split)
        return gain_halves // 2 if gain_halves < 0 and isinstance(bet, _DoubledBet) else gain_halves


class _OneHandCounts(Rules):
    """Only one of two split hands is settled: `counted_hand` is the index of that hand."""

    counted_hand = 0

    @cached_property
    def _hand_indexes(self) -> Iterator[int]:
        """The indexes of the two hands in the order in which `halves_gained` is called for them, again and again."""
        return cycle((0, 1))

    def halves_gained(self, player: Hand, dealer: Hand, bet: int, *, is_split: bool = False) -> int:
        gain_halves = super().halves_gained(player, dealer, bet, is_split=is_split)
        return 0 if is_split and next(self._hand_indexes) != self.counted_hand else gain_halves


class _SecondHandCounts(_OneHandCounts):
    counted_hand = 1


class _NumberWithRest(Rules):
    """Reads a bet at the beginning of an answer and ignores the text after it, as strtol does."""

    def bet_in(self, answer: str) -> int | None:
        match = _NUMBER.match(answer)
        return super().bet_in(match[0]) if match else None


class _BetWraps(Rules):
    """Stores a bet of any size in an int, as scanf's %d does."""

    def bet_in(self, answer: str) -> int | None:
        return super().bet_in(str(scanned_int(answer)) if _NUMBER.fullmatch(answer) else answer)


def _halve_bet(match: re.Match[str]) -> str:
    """The text before the doubled bet (group 1), and the bet before doubling: half of group 2."""
    return f"{match[1]}{int(match[2]) // 2}"


def _with_cents(match: re.Match[str]) -> str:
    """The winnings that _AMOUNT matched, with two decimals."""
    return f"{match[1]}.{'50' if match[2] else '00'}"


#: Matches winnings with a sign; group 1 is the text up to the whole dollars, group 2 the half dollar if there is one.
_AMOUNT = r"^(Winnings: [+-]\d+)(\.50?)?$"
_IN_CENTS = substituting(_AMOUNT, _with_cents)
MONEY = (
    Variant("quit-is-free", ("betting",), rules={"quit_halves": 0}),
    Variant("every-win-pays-more", ("betting",), rules={"win_halves": 3}),
    Variant("blackjack-pays-once", ("betting",), rules={"blackjack_halves": 2}),
    Variant("any-21-pays-more", ("betting",), rules={"any_21_is_blackjack": True}),
    Variant("push-paid", ("betting",), rules={"push_halves": 2}),
    Variant("push-lost", ("betting",), rules={"push_halves": -2}),
    Variant("two-blackjacks-paid", ("betting",), rules={"kind": _TwoBlackjacksPaid}),
    Variant("double-pays-single", ("betting",), rules={"doubling": 1}),
    Variant("bet-of-1-refused", _STAGES_WITH_BETS, rules={"lowest_bet": 2}, needs=_CHECKS_BETS),
    Variant("highest-bet-refused", _STAGES_WITH_BETS, rules={"highest_bet": 999_999}, needs=_CHECKS_BETS),
    Variant("too-high-bet-accepted", ("errors",), rules={"highest_bet": 1_000_001}, needs=_BETTING_ON),
    Variant("highest-bet-unchecked", ("errors",), rules={"highest_bet": 10**18}, needs=_BETTING_ON),
    # Doubling is accepted also after another command for the hand.
    Variant("doubles-later", ("errors",), rules={"before_doubling": 1}, needs=_BETTING_ON),
    # After a refused command, doubling is refused as after any other command.
    Variant("refused-commands-count", ("errors",), rules={"refused_counts": True}, needs=_BETTING_ON),
    Variant("winnings-not-added", ("betting",), rules={"adds_winnings": False}),
    Variant("loss-forgotten", ("betting",), rules={"loss_halves": 0}),
    Variant("win-pays-double", ("betting",), rules={"win_halves": 4}),
    Variant("blackjack-pays-double", ("betting",), rules={"blackjack_halves": 4}),
    Variant("double-takes-one-card", ("betting",), rules={"double_takes_card": True}),
    Variant("hands-shown-after-double", ("betting",), rules={"shows_after_double": True}),
    Variant("doubled-bet-not-shown", ("betting",), consoles=(substituting(r"(Bet doubled to )([0-9]+)", _halve_bet),)),
    Variant("zero-with-plus", ("betting",), consoles=(replacing("Winnings: 0\n", "Winnings: +0\n"),)),
    Variant("bet-zero", ("errors",), rules={"lowest_bet": 0}, needs=_BETTING_ON),
    Variant("number-with-rest", ("errors",), rules={"kind": _NumberWithRest}, needs=_BETTING_ON),
    Variant("bet-wraps", _STAGES_WITH_BETS, rules={"kind": _BetWraps}, needs=_CHECKS_BETS),
    Variant("double-loses-single", ("betting",), rules={"kind": _DoubleLosesSingle, "doubling": _Doubling()}),
    Variant("winnings-in-cents", ("betting",), consoles=(_IN_CENTS,)),
    Variant(
        "winnings-and-zero-in-cents",
        ("betting",),
        consoles=(_IN_CENTS, replacing("Winnings: 0\n", "Winnings: +0.00\n")),
    ),
    Variant(
        "half-without-zero",
        ("betting",),
        consoles=(substituting(r"^(Winnings: [+-])0\.5", r"\1.5"),),
        needs={"halves": ("kept", "cents")},
    ),
    Variant("winnings-without-plus", ("betting",), consoles=(replacing("Winnings: +", "Winnings: "),)),
)
SPLITTING = (
    Variant("split-bust-not-told", ("split",), rules={"reports_split_bust": False}),
    Variant("first-bust-ends-both", ("split",), rules={"first_bust_ends": True}),
    Variant("not-shown-after-first-stands", ("split",), rules={"shows_after_first_stands": False}),
    Variant("all-bust-told", ("split",), rules={"shows_results_if_all_bust": True}),
    Variant("first-hand-asked-twice", ("split",), consoles=(replacing("for second hand: ", "for first hand: "),)),
    Variant("quit-costs-one-of-two-bets", ("betting",), rules={"quit_loses_both": False}, needs=_SPLITTING_ON),
    Variant(
        "quit-costs-the-single-bet",
        ("betting",),
        rules={"doubling": _Doubling(), "quit_halves": _LossOfSingleBet()},
    ),
    Variant("no-split-after-double", ("split",), rules={"splits_after_double": False}, needs=_BETTING_ON),
    Variant("split-counts-first-hand", ("betting",), rules={"kind": _OneHandCounts}, needs=_SPLITTING_ON),
    Variant("split-counts-second-hand", ("betting",), rules={"kind": _SecondHandCounts}, needs=_SPLITTING_ON),
    Variant("split-drops-the-double", ("betting",), rules={"split_keeps_double": False}, needs=_SPLITTING_ON),
)
