"""The program with each set of features, and with tolerated deviations.

`reference.ece2036.features:double_split__hidden` has both features, and does not show the dealer's hand after a
blackjack of the player. Functions are created on access.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from reference.ece2036 import game
from reference.ece2036.rules import RIGHT, Rules

_SETS = {"blackjack": (), "double": ("double",), "split": ("split",), "double_split": ("double", "split")}


def rules_of(name: str) -> Rules:
    """The rules of a name; raises KeyError for an unknown one."""
    base, _, hidden = name.partition("__")
    features = _SETS[base]
    if hidden not in ("", "hidden"):
        raise KeyError(name)
    return replace(
        RIGHT,
        has_double="double" in features,
        has_split="split" in features,
        shows_dealer_after_blackjack=not hidden,
    )


def __getattr__(name: str) -> Callable[..., int]:
    try:
        return partial(game.main, rules=rules_of(name))
    except KeyError:
        raise AttributeError(name) from None
