"""Wrong shuffles that fit any deck, and any index at which an assignment's right shuffle ends."""

from __future__ import annotations

from collections.abc import Callable

Rand = Callable[[], int]


def sattolo_cycle(deck: list[int], rand: Rand) -> None:
    """Sattolo's algorithm in place of a shuffle: no card can stay in its position."""
    for index in range(len(deck) - 1, 0, -1):
        other = rand() % index
        deck[index], deck[other] = deck[other], deck[index]


def forward_shuffle(deck: list[int], rand: Rand) -> None:
    """Swaps each card, from the first to the last, with a random card at its index or a higher one."""
    for index in range(len(deck)):
        other = index + rand() % (len(deck) - index)
        deck[index], deck[other] = deck[other], deck[index]


def without_parentheses(deck: list[int], rand: Rand) -> None:
    """Draws an index with `rand() % i + 1` in place of `rand() % (i + 1)`."""
    for index in range(len(deck) - 1, 0, -1):
        other = rand() % index + 1
        deck[index], deck[other] = deck[other], deck[index]
