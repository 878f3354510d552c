"""The known mistakes of the assignment blackjack, each with the wrong programs that make it."""

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
    """All known mistakes, with their programs."""
    return tuple(changes.mistake_of(entry) for entry in KNOWN)


def together(one: Mistake, other: Mistake) -> Mapping[str, Callable[..., int]]:
    """The programs that make both mistakes, by stage; empty if the two cannot be combined."""
    by_id = {entry.id: entry for entry in KNOWN}
    change = changes.together(by_id[one.id].change, by_id[other.id].change)
    if change is None:
        return {}
    return {stage: changes.program(stage, change) for stage in one.mains if stage in other.mains}
