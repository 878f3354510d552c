"""Mistakes with the deck: another generator, another shuffle, another order of dealing, the deck after a push."""

from __future__ import annotations

from collections.abc import Callable

from reference.blackjack.mistakes.changes import ALL, DEALT, Change, Known
from reference.cards import FRESH_DECK, Source
from reference.generators import Bsd, Glibc, Msvc, Musl

Rand = Callable[[], int]


def _upward(deck: list[int], rand: Rand) -> None:
    for index in range(len(deck)):
        other = rand() % (index + 1)
        deck[index], deck[other] = deck[other], deck[index]


def _from_the_whole(deck: list[int], rand: Rand) -> None:
    for index in range(len(deck) - 1, -1, -1):
        other = rand() % len(deck)
        deck[index], deck[other] = deck[other], deck[index]


def _never_itself(deck: list[int], rand: Rand) -> None:
    for index in range(len(deck) - 1, 0, -1):
        other = rand() % index
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


class _Behind:
    """A source that hands on."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._seed = 0
        self._decks = 0

    def seed(self, number: int) -> None:
        """Begin anew."""
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
    """The first deck is gone on with."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self._first: list[int] | None = None

    def deck(self) -> list[int]:
        if self._first is None or len(self._first) < 20:
            self._first = super().deck()
        return self._first


class _ShuffledOn(_Behind):
    """The deck of the game before is shuffled again as it lies, not a fresh one in order."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self._lies: list[int] = []

    def deck(self) -> list[int]:
        places = {card: place for place, card in enumerate(FRESH_DECK)}
        moved = super().deck()
        self._lies = [self._lies[places[card]] for card in moved] if self._lies else moved
        return list(self._lies)


class _SeededWithZero(_Behind):
    def seed(self, number: int) -> None:
        super().seed(number or 1)


_PORT = "The deck belongs to the generator of the course's machine; on another machine the same seed gives another."
_DRAWN = "The brief's shuffle goes down from the last card; other loops are found in every textbook."


def _by_generator(id_: str, name: str, generator: type) -> Known:
    return Known(
        id_, f"rand() of another system ({name})",
        "Your shuffle is right, but your numbers are those of another system: check on the machine of the course.",
        f"rand() of {name} gives other numbers for the same seed. {_PORT}", "portability of rand(3)",
        ALL, Change(cards={"generator": generator}),
    )  # fmt: skip


def _by_shuffle(id_: str, title: str, hint: str, note: str, shuffle: object) -> Known:
    return Known(id_, title, hint, note, _DRAWN, ALL, Change(cards={"shuffle": shuffle}))


def _by_source(id_: str, title: str, hint: str, note: str, source: type, stages: tuple[str, ...]) -> Known:
    return Known(id_, title, hint, note, "the brief's paragraph on the push", stages, Change(sources=(source,)))


DECKS = (
    _by_generator("musl-rand", "musl", Musl),
    _by_generator("macos-rand", "macOS", Bsd),
    _by_generator("windows-rand", "Windows", Msvc),
    _by_shuffle(
        "shuffle-upward",
        "the shuffle goes up instead of down",
        "Look at the direction in which your shuffling loop walks through the deck.",
        "for (i = 0; i < 52; i++) with rand() % (i+1): fair, but another deck.",
        _upward,
    ),
    _by_shuffle(
        "shuffle-whole-deck",
        "each card is swapped with any card of the whole deck",
        "Look at the number after rand() %: which cards may still be chosen?",
        "rand() % 52 in every step: not fair, and another deck.",
        _from_the_whole,
    ),
    _by_shuffle(
        "shuffle-whole-deck-upward",
        "the shuffle goes up and takes any card of the whole deck",
        "Look at the direction of your loop, and at the number after rand() %.",
        "The naive shuffle: for i up, rand() % 52.",
        _upward_from_the_whole,
    ),
    _by_shuffle(
        "shuffle-never-itself",
        "a card can never stay where it is",
        "May a card be swapped with itself? Look at the number after rand() %.",
        "rand() % i, Sattolo's algorithm.",
        _never_itself,
    ),
    Known(
        "shuffle-one-short",
        "the shuffling loop stops one step early",
        "The first deck is right, the next is not: count how often rand() is called for one deck.",
        "Stops at i = 1: the last call of rand() changes nothing in this deck, and all of the next.",
        _DRAWN,
        DEALT[1:],
        Change(cards={"shuffle": _one_short}),
    ),
    _by_shuffle(
        "shuffle-random-pairs",
        "random pairs of cards are swapped",
        "Each place in the deck has its turn once, in order: compare your loop with the assignment's.",
        "52 swaps of two random places.",
        _random_pairs,
    ),
    _by_source(
        "deals-from-the-front",
        "cards are dealt from the other end of the deck",
        "Look at which end of the deck array the first card is taken from.",
        "deck[0] is dealt first.",
        _FromTheFront,
        DEALT,
    ),
    Known(
        "deal-ppdd",
        "both cards go to the player first, then both to the dealer",
        "Look at the order in which the first four cards are dealt.",
        "P P D D instead of P D P D.",
        "most people deal so at home",
        DEALT,
        Change(rules={"deal_order": "ppdd"}),
    ),
    Known(
        "deal-dealer-first",
        "the dealer gets the first card",
        "Look at who gets the very first card.",
        "D P D P.",
        "seen often",
        DEALT,
        Change(rules={"deal_order": "dpdp"}),
    ),
    _by_source(
        "seeded-again",
        "the generator is seeded again for every game",
        "What happens to the sequence of random numbers when the next game begins?",
        "srand() inside the game loop: every game has the same deck.",
        _SeededAgain,
        DEALT[1:],
    ),
    _by_source(
        "not-shuffled-again",
        "the next game's deck is not shuffled",
        "What has to happen to the deck before the next game begins?",
        "A fresh deck, but no shuffle after the first game.",
        _NotShuffledAgain,
        DEALT[1:],
    ),
    _by_source(
        "deck-kept",
        "the next game goes on with the same deck",
        "What has to happen to the deck before the next game begins?",
        "No fresh deck after the first game.",
        _Kept,
        DEALT[1:],
    ),
    _by_source(
        "shuffled-on",
        "the next game shuffles the used deck instead of a fresh one",
        "In which order do the cards lie before you shuffle for the next game?",
        "The array is shuffled again as it lies.",
        _ShuffledOn,
        DEALT[1:],
    ),
    Known(
        "shuffles-seed-zero",
        "the deck is shuffled for seed 0 too",
        "Read again what seed 0 stands for.",
        "No exception for seed 0; glibc's srand(0) is srand(1).",
        "the brief's rule on seed 0",
        ALL,
        Change(sources=(_SeededWithZero,)),
    ),
    Known(
        "srand-zero",
        "srand(0) is called for seed 0",
        "No output changes, but the assignment wants no srand() for seed 0.",
        "Calls srand(0) and does not shuffle.",
        "the brief's rule on seed 0",
        ALL,
        Change(cards={"generator": Glibc}),
        invisible="with seed 0 nothing is drawn from the generator, so no session can tell how it was seeded",
    ),
)
