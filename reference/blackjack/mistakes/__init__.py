"""The mistakes that students of the ladder make, each as a program that makes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache

from reference.blackjack.mistakes import changes
from reference.blackjack.mistakes.answers import ANSWERS
from reference.blackjack.mistakes.decks import DECKS
from reference.blackjack.mistakes.game import GAME
from reference.blackjack.mistakes.money import MONEY_MISTAKES
from reference.blackjack.mistakes.points import POINTS
from reference.blackjack.mistakes.refusals import REFUSALS
from reference.blackjack.mistakes.screen import SCREEN
from reference.blackjack.mistakes.turns import TURNS
from reference.mistakes import Mistake

KNOWN = (*DECKS, *POINTS, *GAME, *SCREEN, *MONEY_MISTAKES, *ANSWERS, *TURNS, *REFUSALS)


@cache
def catalogue() -> tuple[Mistake, ...]:
    """All mistakes."""
    return tuple(changes.mistake_of(known) for known in KNOWN)


def together(one: Mistake, other: Mistake) -> Mapping[str, Callable[..., int]]:
    """The programs that make both mistakes, by stage; empty if the two cannot be combined."""
    by_id = {known.id: known for known in KNOWN}
    both = changes.together(by_id[one.id].change, by_id[other.id].change)
    if both is None:
        return {}
    return {stage: changes.program(stage, both) for stage in one.mains if stage in other.mains}
