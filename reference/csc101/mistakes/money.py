"""Mistakes in what a hand wins or loses, and in which bets and commands are accepted."""

from __future__ import annotations

from reference.consoles import replacing
from reference.csc101.rules import Hand, Rules
from reference.variants import Variant

_BETTING = {"betting": True}
_BETS = ("betting", "errors")


class _TwoBlackjacksPaid(Rules):
    def half_winnings(self, player: Hand, dealer: Hand, bet: int, *, is_split: bool = False) -> int:
        if not is_split and self.is_blackjack(player) and self.is_blackjack(dealer):
            return bet * self.blackjack_halves
        return super().half_winnings(player, dealer, bet, is_split=is_split)


MONEY = (
    Variant("quit-is-free", ("betting",), rules={"quit_halves": 0}),
    Variant("every-win-pays-more", ("betting",), rules={"win_halves": 3}),
    Variant("blackjack-pays-once", ("betting",), rules={"blackjack_halves": 2}),
    Variant("any-21-pays-more", ("betting",), rules={"any_21_is_blackjack": True}),
    Variant("push-paid", ("betting",), rules={"push_halves": 2}),
    Variant("push-lost", ("betting",), rules={"push_halves": -2}),
    Variant("two-blackjacks-paid", ("betting",), rules={"kind": _TwoBlackjacksPaid}),
    Variant("double-pays-single", ("betting",), rules={"doubling": 1}),
    Variant("bet-of-1-refused", _BETS, rules={"lowest_bet": 2}, needs=_BETTING),
    Variant("highest-bet-refused", _BETS, rules={"highest_bet": 999_999}, needs=_BETTING),
    Variant("too-high-bet-accepted", ("errors",), rules={"highest_bet": 1_000_001}, needs=_BETTING),
    Variant("doubles-later", ("errors",), rules={"before_doubling": 1}, needs=_BETTING),
    Variant("refused-commands-count", ("errors",), rules={"refused_counts": True}, needs=_BETTING),
    Variant("winnings-not-added", ("betting",), rules={"adds_winnings": False}),
    Variant("winnings-without-plus", ("betting",), consoles=(replacing("Winnings: +", "Winnings: "),)),
)
SPLITTING = (
    Variant("quit-costs-one-of-two-bets", ("split",), rules={"quit_loses_both": False}, needs=_BETTING),
    Variant("no-split-after-double", ("split",), rules={"splits_after_double": False}, needs=_BETTING),
    Variant("split-drops-the-double", ("split",), rules={"split_keeps_double": False}, needs=_BETTING),
)
