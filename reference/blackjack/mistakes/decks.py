"""Mistakes in the deck: another generator, another shuffle, another order of dealing, the deck after a push."""

from __future__ import annotations

from collections.abc import Iterable

from reference.blackjack.mistakes.changes import ALL, DEALT, Change, MistakeEntry
from reference.cards import ACE, FRESH_DECK, Source, face_of, shuffle_down, suit_of
from reference.generators import Bsd, Glibc, Msvc, Musl
from reference.misshuffles import Rand, forward_shuffle, sattolo_cycle, without_parentheses

#: RAND_MAX on the course's machine.
_RAND_MAX = (1 << 31) - 1


def _shuffle_upward(deck: list[int], rand: Rand) -> None:
    for index in range(len(deck)):
        other = rand() % (index + 1)
        deck[index], deck[other] = deck[other], deck[index]


def _shuffle_whole_deck(deck: list[int], rand: Rand) -> None:
    for index in range(len(deck) - 1, -1, -1):
        other = rand() % len(deck)
        deck[index], deck[other] = deck[other], deck[index]


def _shuffle_one_short(deck: list[int], rand: Rand) -> None:
    for index in range(len(deck) - 1, 0, -1):
        other = rand() % (index + 1)
        deck[index], deck[other] = deck[other], deck[index]


def _shuffle_whole_deck_upward(deck: list[int], rand: Rand) -> None:
    for index in range(len(deck)):
        other = rand() % len(deck)
        deck[index], deck[other] = deck[other], deck[index]


def _swap_random_pairs(deck: list[int], rand: Rand) -> None:
    for _ in range(len(deck)):
        one, other = rand() % len(deck), rand() % len(deck)
        deck[one], deck[other] = deck[other], deck[one]


def _shuffle_forward_scaled(deck: list[int], rand: Rand) -> None:
    for index in range(len(deck) - 1):
        other = index + rand() // (_RAND_MAX // (len(deck) - index) + 1)
        deck[index], deck[other] = deck[other], deck[index]


def _shuffle_twice(deck: list[int], rand: Rand) -> None:
    shuffle_down(deck, rand)
    shuffle_down(deck, rand)


def _shuffle_scaled(deck: list[int], rand: Rand) -> None:
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


def _copy_from_random_index(deck: list[int], rand: Rand) -> None:
    for index in range(len(deck) - 1, -1, -1):
        deck[index] = deck[rand() % (index + 1)]


def _copy_to_random_index(deck: list[int], rand: Rand) -> None:
    for index in range(len(deck) - 1, -1, -1):
        deck[rand() % (index + 1)] = deck[index]


class _SourceWrapper:
    """A source of decks that forwards to another source."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._seed = 0
        self._deck_count = 0

    def seed(self, number: int) -> None:
        """Restart with this seed."""
        self._seed = number
        self._source.seed(number)

    def deck(self) -> list[int]:
        """The next deck."""
        self._deck_count += 1
        return self._source.deck()


class _FromTheFront(_SourceWrapper):
    def deck(self) -> list[int]:
        return super().deck()[::-1]


class _SeededAgain(_SourceWrapper):
    def deck(self) -> list[int]:
        self._source.seed(self._seed)
        return super().deck()


class _NotShuffledAgain(_SourceWrapper):
    def deck(self) -> list[int]:
        deck = super().deck()
        return deck if self._deck_count == 1 else list(FRESH_DECK)


class _SameDeck(_SourceWrapper):
    """Deals the next game from the cards that are left; takes a fresh deck only if fewer than 20 are left."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self._used_deck: list[int] | None = None

    def deck(self) -> list[int]:
        if self._used_deck is None or len(self._used_deck) < 20:
            self._used_deck = super().deck()
        return self._used_deck


class _UsedDeckShuffled(_SourceWrapper):
    """Shuffles the deck of the previous game again, as that deck was before its cards were dealt, not a fresh deck."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self._previous: list[int] = []

    def deck(self) -> list[int]:
        # The shuffle moves the cards of a fresh deck; the same moves are applied to the previous deck.
        fresh_indexes = {card: index for index, card in enumerate(FRESH_DECK)}
        shuffled_deck = super().deck()
        if self._previous:
            self._previous = [self._previous[fresh_indexes[card]] for card in shuffled_deck]
        else:
            self._previous = shuffled_deck
        return list(self._previous)


class _NeverSeeded(_SourceWrapper):
    def seed(self, number: int) -> None:
        super().seed(1 if number else 0)


class _NeverShuffled(_SourceWrapper):
    def seed(self, number: int) -> None:
        super().seed(0)


class _LastCardNeverDealt(_SourceWrapper):
    def deck(self) -> list[int]:
        return super().deck()[:-1]


def _fresh_decks_in_order(cards: Iterable[int]) -> type[_SourceWrapper]:
    """A class of sources whose decks, before they are shuffled, have the cards in this order."""
    replacements = dict(zip(FRESH_DECK, cards, strict=True))

    class Filled(_SourceWrapper):
        def deck(self) -> list[int]:
            return [replacements[card] for card in super().deck()]

    return Filled


class _ShufflesSeedZero(_SourceWrapper):
    """Shuffles for seed 0 too; glibc's rand() gives the same numbers after srand(0) and srand(1)."""

    def seed(self, number: int) -> None:
        super().seed(number or 1)


def _generator_mistake(id_: str, generator: type) -> MistakeEntry:
    return MistakeEntry(id_, ALL, Change(cards={"generator": generator}))


def _shuffle_mistake(id_: str, shuffle: object) -> MistakeEntry:
    return MistakeEntry(id_, ALL, Change(cards={"shuffle": shuffle}))


def _source_mistake(id_: str, source: type, stages: tuple[str, ...]) -> MistakeEntry:
    return MistakeEntry(id_, stages, Change(sources=(source,)))


DECKS = (
    _generator_mistake("musl-rand", Musl),
    _generator_mistake("macos-rand", Bsd),
    _generator_mistake("windows-rand", Msvc),
    _shuffle_mistake("shuffle-upward", _shuffle_upward),
    _shuffle_mistake("shuffle-whole-deck", _shuffle_whole_deck),
    _shuffle_mistake("shuffle-whole-deck-upward", _shuffle_whole_deck_upward),
    _shuffle_mistake("shuffle-never-itself", sattolo_cycle),
    MistakeEntry("shuffle-one-short", DEALT[1:], Change(cards={"shuffle": _shuffle_one_short})),
    _shuffle_mistake("shuffle-random-pairs", _swap_random_pairs),
    _source_mistake("deals-from-the-front", _FromTheFront, DEALT),
    MistakeEntry("deal-ppdd", DEALT, Change(rules={"deal_order": "ppdd"})),
    MistakeEntry("deal-dealer-first", DEALT, Change(rules={"deal_order": "dpdp"})),
    _source_mistake("seeded-again", _SeededAgain, DEALT[1:]),
    _source_mistake("not-shuffled-again", _NotShuffledAgain, DEALT[1:]),
    _source_mistake("deck-kept", _SameDeck, DEALT[1:]),
    _source_mistake("shuffled-on", _UsedDeckShuffled, DEALT[1:]),
    MistakeEntry("shuffles-seed-zero", ALL, Change(sources=(_ShufflesSeedZero,))),
    # The right generator: a call of srand(0) without a shuffle does not change the output.
    MistakeEntry("srand-zero", ALL, Change(cards={"generator": Glibc})),
    _source_mistake("never-seeded", _NeverSeeded, ALL),
    _source_mistake("never-shuffled", _NeverShuffled, ALL),
    _source_mistake("deck-by-faces", _fresh_decks_in_order(sorted(FRESH_DECK, key=face_of)), ALL),
    # The face of an ace, 14, modulo ACE is 0, so aces come first in their suits.
    _source_mistake(
        "deck-ace-low",
        _fresh_decks_in_order(sorted(FRESH_DECK, key=lambda card: (suit_of(card), card % 100 % ACE))),
        ALL,
    ),
    _source_mistake(
        "deck-suits-reversed", _fresh_decks_in_order(sorted(FRESH_DECK, key=lambda card: -suit_of(card))), ALL
    ),
    _shuffle_mistake("shuffle-forward", forward_shuffle),
    _shuffle_mistake("shuffle-forward-scaled", _shuffle_forward_scaled),
    _shuffle_mistake("shuffle-twice", _shuffle_twice),
    _shuffle_mistake("shuffle-scaled", _shuffle_scaled),
    _generator_mistake("seeded-in-the-loop", _SeededInTheLoop),
    _shuffle_mistake("shuffle-without-parentheses", without_parentheses),
    _shuffle_mistake("swap-takes-twice", _copy_from_random_index),
    _shuffle_mistake("swap-puts-twice", _copy_to_random_index),
    _source_mistake("printed-backwards", _FromTheFront, ("shuffle",)),
    _source_mistake("deals-from-second", _LastCardNeverDealt, DEALT),
)
