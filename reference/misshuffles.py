"""Wrong ways to shuffle that are the same for any deck and any rule about where the shuffle ends."""

from __future__ import annotations

from collections.abc import Callable

Rand = Callable[[], int]


def never_itself(deck: list[int], rand: Rand) -> None:
    """No card may stay where it is: Sattolo's cycle instead of a shuffle."""
    for index in range(len(deck) - 1, 0, -1):
        other = rand() % index
        deck[index], deck[other] = deck[other], deck[index]


def forward(deck: list[int], rand: Rand) -> None:
    """From the first card up, each with one at or above it."""
    for index in range(len(deck)):
        other = index + rand() % (len(deck) - index)
        deck[index], deck[other] = deck[other], deck[index]


def without_parentheses(deck: list[int], rand: Rand) -> None:
    """`rand() % i + 1` for `rand() % (i + 1)`."""
    for index in range(len(deck) - 1, 0, -1):
        other = rand() % index + 1
        deck[index], deck[other] = deck[other], deck[index]
