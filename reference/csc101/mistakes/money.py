"""Mistakes in what a hand wins or loses."""

from __future__ import annotations

from reference.consoles import replacing
from reference.variants import Variant

MONEY = (
    Variant("quit-is-free", ("betting",), rules={"quit_halves": 0}),
    Variant("every-win-pays-more", ("betting",), rules={"win_halves": 3}),
    Variant("blackjack-pays-once", ("betting",), rules={"blackjack_halves": 2}),
    Variant("any-21-pays-more", ("betting",), rules={"any_21_is_blackjack": True}),
    Variant("push-paid", ("betting",), rules={"push_halves": 2}),
    Variant("push-lost", ("betting",), rules={"push_halves": -2}),
    Variant("double-pays-single", ("betting",), rules={"doubling": 1}),
    Variant("bet-of-1-refused", ("betting",), rules={"lowest_bet": 2}),
    Variant("highest-bet-refused", ("betting",), rules={"highest_bet": 999_999}),
    Variant("winnings-not-added", ("betting",), rules={"adds_winnings": False}),
    Variant("winnings-without-plus", ("betting",), consoles=(replacing("Winnings: +", "Winnings: "),)),
)
