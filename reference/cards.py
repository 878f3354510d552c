"""Cards as numbers, decks, and the sources from which programs get their decks.

A card is 100 × suit + face. Suits: 1 clubs, 2 diamonds, 3 hearts, 4 spades. Faces: 2 to 10, 11 jack, 12 queen,
13 king, 14 ace.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from reference.generators import Generator, Glibc

JACK, QUEEN, KING, ACE = 11, 12, 13, 14
FRESH_DECK = tuple(100 * suit + face for suit in range(1, 5) for face in range(2, ACE + 1))


def face_of(card: int) -> int:
    """The face of a card, 2 to 14."""
    return card % 100


def suit_of(card: int) -> int:
    """The suit of a card, 1 to 4."""
    return card // 100


class Source(Protocol):
    """The source of a program's decks."""

    def seed(self, number: int) -> None:
        """Restart with the seed that was typed."""

    def deck(self) -> list[int]:
        """The next deck, which the caller may modify; its last card is dealt first."""


#: Shuffles a deck in place with numbers from rand().
Shuffle = Callable[[list[int], Callable[[], int]], None]


def shuffle_down(deck: list[int], rand: Callable[[], int]) -> None:
    """Shuffle in place as the assignment's text says: swap each card, from the last to the first, with a random card.

    The random index is the card's own or a lower index. The first card can only be swapped with itself, but even this
    swap takes a number from rand(), so later decks depend on it.
    """
    for index in range(len(deck) - 1, -1, -1):
        other = rand() % (index + 1)
        deck[index], deck[other] = deck[other], deck[index]


class SeededCards:
    """Fresh decks of 52, all shuffled with one sequence of a C library's rand(); with seed 0 they are not shuffled."""

    def __init__(self, generator: Callable[[int], Generator] = Glibc, shuffle: Shuffle = shuffle_down) -> None:
        """Make the random numbers with this generator, and shuffle decks with this function."""
        self._make_generator, self._shuffle = generator, shuffle
        self._generator: Generator | None = None

    def seed(self, number: int) -> None:
        """Start the sequence; 0 means no shuffling."""
        self._generator = self._make_generator(number) if number else None

    def deck(self) -> list[int]:
        """A fresh deck, shuffled with the next numbers of the sequence."""
        deck = list(FRESH_DECK)
        if self._generator is not None:
            self._shuffle(deck, self._generator.rand)
        return deck


class PredeterminedDecks:
    """A source of predetermined decks, one after the other; the seed has no effect.

    A predetermined deck may consist of the drawn cards only: the other cards of a fresh deck are put below them in
    order, so that a program that draws more cards gets some. After the last predetermined deck, decks are fresh.
    """

    def __init__(self, decks: Iterable[Sequence[int]]) -> None:
        """Return these decks in order; the last card of each deck is dealt first."""
        self._decks = iter(decks)

    def seed(self, number: int) -> None:
        """Ignore the seed: the decks are predetermined."""

    def deck(self) -> list[int]:
        """The next deck."""
        top_cards = next(self._decks, ())
        distinct_top_cards = set(top_cards)
        return [card for card in FRESH_DECK if card not in distinct_top_cards] + list(top_cards)
