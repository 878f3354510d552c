"""The program with each subset of its features: `reference.csc101.features:split_betting`, or `basic` with none.

With the suffix `__no_first_line`, as in `basic__no_first_line`, it does not begin with an empty line.

Functions are created on access; features are named in the order of the brief.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from reference.csc101 import game
from reference.csc101.rules import FEATURES, RIGHT, Rules


def rules_of(name: str) -> Rules:
    """The rules of a subset; raises KeyError for an unknown name."""
    subset, _, rest = name.partition("__")
    features = [] if subset == "basic" else subset.split("_")
    if any(feature not in FEATURES for feature in features) or rest not in ("", "no_first_line"):
        raise KeyError(name)
    return replace(RIGHT, features=frozenset(features), begins_with_blank=not rest)


def __getattr__(name: str) -> Callable[..., int]:
    try:
        return partial(game.main, rules=rules_of(name))
    except KeyError:
        raise AttributeError(name) from None
