"""The program with each deviation that the brief leaves open.

`reference.tournament.tolerated:aces__asks_at_21__no_digit` is the program under the rules of `aces` that asks at 21
and omits the decimal place. Functions are created on access.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from reference.tournament import game
from reference.tournament.rules import ACES, BLACKJACK, MINIMUM, Rules

_RULES = {"minimum": MINIMUM, "blackjack": BLACKJACK, "aces": ACES}
_CHANGES: Mapping[str, Mapping[str, Any]] = {
    "asks_at_21": {"asks_at_21": True},
    "no_digit": {"keeps_digit": False},
    "bad_bet_is_lowest": {"bad_bet": "lowest"},
    "bad_bet_ends": {"bad_bet": "end"},
}


def rules_of(name: str) -> Rules:
    """The rules of a name; raises KeyError for an unknown one."""
    base, *changes = name.split("__")
    rules = _RULES[base]
    for change in changes:
        rules = replace(rules, **_CHANGES[change])
    return rules


def __getattr__(name: str) -> Callable[..., int]:
    try:
        return partial(game.main, rules=rules_of(name))
    except KeyError:
        raise AttributeError(name) from None
