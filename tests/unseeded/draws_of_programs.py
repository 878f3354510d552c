"""The draws of right and wrong programs: functions from a random generator to the draws of one session.

The generator stands for the time, process id and the like from which a program seeds its own.
"""

import random

from pitboss.assignments.assignment import Draws
from reference.generators import Glibc, Msvc

RANKS = tuple("A23456789TJQK")
#: Each card is drawn anew.
CARDS = Draws(RANKS)
DECK = Draws(tuple(suit + rank for suit in "SHDC" for rank in RANKS), bag=52)
NUMBERS = Draws(tuple(map(str, range(1, 21))))


class JavaRandom:
    """The numbers of `java.util.Random`, where `nextInt(bound)` is the bits of a step modulo the bound."""

    def __init__(self, seed):
        """Start the sequence of a seed."""
        self._state = (seed ^ 0x5DEECE66D) % 2**48

    def rand(self):
        """The next 31 bits."""
        self._state = (self._state * 0x5DEECE66D + 0xB) % 2**48
        return self._state >> 17


class ParkMiller:
    """The linear congruential generator of `minstd_rand0` in C++."""

    def __init__(self, seed):
        """Start the sequence of a seed."""
        self._state = seed % (2**31 - 1) or 1

    def rand(self):
        """The next number."""
        self._state = self._state * 16807 % (2**31 - 1)
        return self._state


class CSharpRandom:
    """The subtractive generator of `new Random(seed)` in C#."""

    def __init__(self, seed):
        """Start the sequence of a seed."""
        most, last, step = 2**31 - 1, 161803398 - seed, 1
        self._state, self._index, self._other = [0] * 56, 0, 21
        self._state[55] = last
        for index in range(1, 55):
            place = 21 * index % 55
            self._state[place] = step
            step = (last - step) % most
            last = self._state[place]
        for _ in range(4):
            for index in range(1, 56):
                self._state[index] = (self._state[index] - self._state[1 + (index + 30) % 55]) % most

    def rand(self):
        """The next number."""
        self._index, self._other = self._index % 55 + 1, self._other % 55 + 1
        number = self._state[self._index] = (self._state[self._index] - self._state[self._other]) % (2**31 - 1)
        return number


def time_of(rng):
    """A time in seconds since 1970."""
    return rng.randrange(1_609_459_200, 1_861_920_000)


def swapped_with_any(generator, deck):
    """The deck with each card swapped with any of 52."""
    for index in range(52):
        other = generator.rand() % 52
        deck[index], deck[other] = deck[other], deck[index]
    return deck


def fisher_yates(generator, deck):
    for index in range(51, 0, -1):
        other = generator.rand() % (index + 1)
        deck[index], deck[other] = deck[other], deck[index]
    return deck


def swaps_of(count):
    """A function that swaps `count` random pairs of cards."""

    def shuffle(generator, deck):
        for _ in range(count):
            one, other = generator.rand() % 52, generator.rand() % 52
            deck[one], deck[other] = deck[other], deck[one]
        return deck

    return shuffle


def two_decks(shuffle, generator_of=Glibc, *, count=2):
    """Programs that deal from shuffled decks, each begun when the one before is used up."""

    def draw(rng):
        generator = generator_of(time_of(rng))
        decks = [card for _ in range(count) for card in shuffle(generator, list(DECK.values))]
        return decks[: rng.randint(8, 52 * count - 14)]

    return draw


def drawn_anew(generator_of, values=RANKS, most=13):
    """Programs that draw each value by `rand() % most`."""

    def draw(rng):
        generator = generator_of(time_of(rng))
        return [values[generator.rand() % most] for _ in range(rng.randint(5, 25))]

    return draw


def ranks_of_decks(*, decks=1, is_new_each_round=False):
    """Programs that deal ranks from one or several real decks, shuffled when used up or before each round."""

    def draw(rng):
        drawn, shoe = [], []
        for _ in range(rng.randint(1, 12)):
            shoe = [] if is_new_each_round else shoe
            for _ in range(rng.randint(3, 9)):
                if not shoe:
                    shoe = rng.sample(RANKS * 4 * decks, 52 * decks)
                drawn.append(shoe.pop())
        return drawn

    return draw


def until_a_picture(rng):
    """A session ends with its first picture: how long it is depends on what is drawn."""
    drawn = []
    while not drawn or drawn[-1] not in "JQK":
        drawn.append(rng.choice(RANKS))
    return drawn


def deck_until_an_ace(rng):
    """Dealt from a deck until an ace comes, which so comes more often than other cards."""
    deck = rng.sample(DECK.values, 52)
    return deck[: next(index for index, card in enumerate(deck, 1) if card[1] == "A")]


def seeded_by_millisecond(rng):
    return fisher_yates(Glibc(rng.randrange(1000)), list(DECK.values))[:20]


#: By name, the source, the function and how many sessions a check has.
RIGHT = {
    "rand() % 13 of glibc": (CARDS, drawn_anew(Glibc), 300),
    "rand() % 13 of Microsoft": (CARDS, drawn_anew(Msvc), 300),
    "a linear congruential generator": (CARDS, drawn_anew(ParkMiller), 300),
    "Random of Java": (CARDS, drawn_anew(JavaRandom), 300),
    "Random of C#": (CARDS, drawn_anew(CSharpRandom), 300),
    "one of twenty": (NUMBERS, drawn_anew(Glibc, NUMBERS.values, 20), 300),
    "a session ends with a picture": (CARDS, until_a_picture, 600),
    "a real deck": (CARDS, ranks_of_decks(), 300),
    "a real deck for each round": (CARDS, ranks_of_decks(is_new_each_round=True), 300),
    "six decks": (CARDS, ranks_of_decks(decks=6), 300),
    "Fisher-Yates": (DECK, two_decks(fisher_yates), 150),
    "Fisher-Yates with Random of Java": (DECK, two_decks(fisher_yates, JavaRandom), 150),
    "Fisher-Yates with Random of C#": (DECK, two_decks(fisher_yates, CSharpRandom), 150),
    "each card swapped with any": (DECK, two_decks(swapped_with_any), 150),
    "each card swapped with any, linear congruential": (DECK, two_decks(swapped_with_any, ParkMiller), 150),
    "52 random swaps": (DECK, two_decks(swaps_of(52)), 150),
    "100 random swaps": (DECK, two_decks(swaps_of(100)), 150),
    "a deck until an ace": (DECK, deck_until_an_ace, 600),
    "seeded by the millisecond": (DECK, seeded_by_millisecond, 300),
}


def twice_as_many_aces(rng):
    return rng.choices(RANKS, weights=[2] + [1] * 12, k=15)


def half_as_many_aces(rng):
    return rng.choices(RANKS, weights=[1] + [2] * 12, k=15)


def all_but_the_first_swapped(generator, deck):
    """A loop that begins at 1: the top card stays unless another card is swapped with it, in 37 of 100 games."""
    for index in range(1, 52):
        other = generator.rand() % 52
        deck[index], deck[other] = deck[other], deck[index]
    return deck


def last_card_never_dealt(rng):
    return rng.sample(DECK.values[:-1], 51)[: rng.randint(8, 30)]


def second_deck_in_order(rng):
    return [*rng.sample(DECK.values, 52), *DECK.values][: rng.randint(60, 80)]


def second_deck_as_the_first(rng):
    return (rng.sample(DECK.values, 52) * 2)[: rng.randint(60, 80)]


def seeded_at_each_draw(rng):
    return [rng.choice(RANKS)] * rng.randint(5, 25)


def always_the_same(_):
    return random.Random(5).choices(RANKS, k=20)


#: By name, the source, the function, the most sessions until it is found, and the finding's kind.
WRONG = {
    "eight random swaps, so that decks have nearly the same order": (DECK, two_decks(swaps_of(8)), 90, "place"),
    "twenty random swaps": (DECK, two_decks(swaps_of(20)), 250, "place"),
    "26 random swaps": (DECK, two_decks(swaps_of(26)), 400, "place"),
    "the top card stays in 37 of 100 games": (DECK, two_decks(all_but_the_first_swapped), 400, "place"),
    "the second deck is not shuffled": (DECK, second_deck_in_order, 50, "place"),
    "the second deck is as the first": (DECK, second_deck_as_the_first, 10, "same order"),
    "the last card never comes": (DECK, last_card_never_dealt, 120, "missing"),
    "rand() % 12": (CARDS, drawn_anew(Glibc, most=12), 60, "missing"),
    "twice as many aces": (CARDS, twice_as_many_aces, 250, "share"),
    "half as many aces": (CARDS, half_as_many_aces, 350, "share"),
    "seeded at each draw": (CARDS, seeded_at_each_draw, 6, "repeated"),
    "always the same": (CARDS, always_the_same, 24, "same"),
}
