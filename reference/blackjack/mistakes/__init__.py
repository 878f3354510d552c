"""The known mistakes of the assignment blackjack, each with the wrong programs that make it."""

from __future__ import annotations

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
