"""Mistakes in the deck: another generator, another shuffle, another order of dealing, the deck after a push."""

from __future__ import annotations

from collections.abc import Iterable

from reference.blackjack.mistakes.changes import ALL, DEALT, Change, Known
from reference.cards import ACE, FRESH_DECK, Source, face_of, shuffle_down, suit_of
from reference.generators import Bsd, Glibc, Msvc, Musl
from reference.misshuffles import Rand, forward, never_itself, without_parentheses

#: That of the course's machine.
_RAND_MAX = (1 << 31) - 1


def _upward(deck: list[int], rand: Rand) -> None:
    for index in range(len(deck)):
        other = rand() % (index + 1)
        deck[index], deck[other] = deck[other], deck[index]


def _from_the_whole(deck: list[int], rand: Rand) -> None:
    for index in range(len(deck) - 1, -1, -1):
        other = rand() % len(deck)
        deck[index], deck[other] = deck[other], deck[index]


def _one_short(deck: list[int], rand: Rand) -> None:
    for index in range(len(deck) - 1, 0, -1):
        other = rand() % (index + 1)
        deck[index], deck[other] = deck[other], deck[index]


def _upward_from_the_whole(deck: list[int], rand: Rand) -> None:
    for index in range(len(deck)):
        other = rand() % len(deck)
        deck[index], deck[other] = deck[other], deck[index]


def _random_pairs(deck: list[int], rand: Rand) -> None:
    for _ in range(len(deck)):
        one, other = rand() % len(deck), rand() % len(deck)
        deck[one], deck[other] = deck[other], deck[one]


def _forward_scaled(deck: list[int], rand: Rand) -> None:
    for index in range(len(deck) - 1):
        other = index + rand() // (_RAND_MAX // (len(deck) - index) + 1)
        deck[index], deck[other] = deck[other], deck[index]


def _twice(deck: list[int], rand: Rand) -> None:
    shuffle_down(deck, rand)
    shuffle_down(deck, rand)


def _scaled(deck: list[int], rand: Rand) -> None:
    for index in range(len(deck) - 1, -1, -1):
        other = rand() * (index + 1) // (_RAND_MAX + 1)
        deck[index], deck[other] = deck[other], deck[index]


class _SeededInTheLoop:
    """A generator that is seeded again before each number."""

    def __init__(self, seed: int) -> None:
        self._number = Glibc(seed).rand()

    def rand(self) -> int:
        """The first number of the seed."""
        return self._number


def _taken_twice(deck: list[int], rand: Rand) -> None:
    for index in range(len(deck) - 1, -1, -1):
        deck[index] = deck[rand() % (index + 1)]


def _put_twice(deck: list[int], rand: Rand) -> None:
    for index in range(len(deck) - 1, -1, -1):
        deck[rand() % (index + 1)] = deck[index]


class _Behind:
    """A source that forwards to another."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._seed = 0
        self._decks = 0

    def seed(self, number: int) -> None:
        """Restart with this seed."""
        self._seed = number
        self._source.seed(number)

    def deck(self) -> list[int]:
        """The next deck."""
        self._decks += 1
        return self._source.deck()


class _FromTheFront(_Behind):
    def deck(self) -> list[int]:
        return super().deck()[::-1]


class _SeededAgain(_Behind):
    def deck(self) -> list[int]:
        self._source.seed(self._seed)
        return super().deck()


class _NotShuffledAgain(_Behind):
    def deck(self) -> list[int]:
        deck = super().deck()
        return deck if self._decks == 1 else list(FRESH_DECK)


class _Kept(_Behind):
    """Goes on with the first deck."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self._first: list[int] | None = None

    def deck(self) -> list[int]:
        if self._first is None or len(self._first) < 20:
            self._first = super().deck()
        return self._first


class _ShuffledOn(_Behind):
    """Shuffles the deck of the game before again as it lies, instead of a fresh one in order."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self._lies: list[int] = []

    def deck(self) -> list[int]:
        places = {card: place for place, card in enumerate(FRESH_DECK)}
        moved = super().deck()
        self._lies = [self._lies[places[card]] for card in moved] if self._lies else moved
        return list(self._lies)


class _NeverSeeded(_Behind):
    def seed(self, number: int) -> None:
        super().seed(1 if number else 0)


class _NeverShuffled(_Behind):
    def seed(self, number: int) -> None:
        super().seed(0)


class _OneCardBelow(_Behind):
    def deck(self) -> list[int]:
        return super().deck()[:-1]


def _filled_with(cards: Iterable[int]) -> type[_Behind]:
    """A source whose fresh deck has these cards in order."""
    other = dict(zip(FRESH_DECK, cards, strict=True))

    class Filled(_Behind):
        def deck(self) -> list[int]:
            return [other[card] for card in super().deck()]

    return Filled


class _SeededWithZero(_Behind):
    def seed(self, number: int) -> None:
        super().seed(number or 1)


def _by_generator(id_: str, generator: type) -> Known:
    return Known(id_, ALL, Change(cards={"generator": generator}))


def _by_shuffle(id_: str, shuffle: object) -> Known:
    return Known(id_, ALL, Change(cards={"shuffle": shuffle}))


def _by_source(id_: str, source: type, stages: tuple[str, ...]) -> Known:
    return Known(id_, stages, Change(sources=(source,)))


DECKS = (
    _by_generator("musl-rand", Musl),
    _by_generator("macos-rand", Bsd),
    _by_generator("windows-rand", Msvc),
    _by_shuffle("shuffle-upward", _upward),
    _by_shuffle("shuffle-whole-deck", _from_the_whole),
    _by_shuffle("shuffle-whole-deck-upward", _upward_from_the_whole),
    _by_shuffle("shuffle-never-itself", never_itself),
    Known("shuffle-one-short", DEALT[1:], Change(cards={"shuffle": _one_short})),
    _by_shuffle("shuffle-random-pairs", _random_pairs),
    _by_source("deals-from-the-front", _FromTheFront, DEALT),
    Known("deal-ppdd", DEALT, Change(rules={"deal_order": "ppdd"})),
    Known("deal-dealer-first", DEALT, Change(rules={"deal_order": "dpdp"})),
    _by_source("seeded-again", _SeededAgain, DEALT[1:]),
    _by_source("not-shuffled-again", _NotShuffledAgain, DEALT[1:]),
    _by_source("deck-kept", _Kept, DEALT[1:]),
    _by_source("shuffled-on", _ShuffledOn, DEALT[1:]),
    Known("shuffles-seed-zero", ALL, Change(sources=(_SeededWithZero,))),
    Known("srand-zero", ALL, Change(cards={"generator": Glibc})),
    _by_source("never-seeded", _NeverSeeded, ALL),
    _by_source("never-shuffled", _NeverShuffled, ALL),
    _by_source("deck-by-faces", _filled_with(sorted(FRESH_DECK, key=face_of)), ALL),
    _by_source(
        "deck-ace-low", _filled_with(sorted(FRESH_DECK, key=lambda card: (suit_of(card), card % 100 % ACE))), ALL
    ),
    _by_source("deck-suits-reversed", _filled_with(sorted(FRESH_DECK, key=lambda card: -suit_of(card))), ALL),
    _by_shuffle("shuffle-forward", forward),
    _by_shuffle("shuffle-forward-scaled", _forward_scaled),
    _by_shuffle("shuffle-twice", _twice),
    _by_shuffle("shuffle-scaled", _scaled),
    _by_generator("seeded-in-the-loop", _SeededInTheLoop),
    _by_shuffle("shuffle-without-parentheses", without_parentheses),
    _by_shuffle("swap-takes-twice", _taken_twice),
    _by_shuffle("swap-puts-twice", _put_twice),
    _by_source("printed-backwards", _FromTheFront, ("shuffle",)),
    _by_source("deals-from-second", _OneCardBelow, DEALT),
)
