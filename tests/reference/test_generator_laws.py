from __future__ import annotations

import ctypes
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference.cards import SeededCards
from reference.generators import GENERATORS, Bsd, Generator, Glibc

C_INTS = st.integers(-(1 << 31), (1 << 31) - 1)
#: Among them 123459876, by which BSD replaces 0, and 127773, the number by which its formula divides.
EDGE_SEEDS = (1, -1, 2, -2, 2147483646, 2147483647, -2147483646, -2147483647, -2147483648, 123459876, 127773, 65536)
#: The largest number of a generator, where it is not 2147483647.
RAND_MAX = {"Windows (MSVC)": 32767}


def first_numbers(generator: Generator, count: int) -> list[int]:
    return [generator.rand() for _ in range(count)]


def edge_and_random_seeds(count: int) -> list[int]:
    rng = random.Random(52)
    return [*EDGE_SEEDS, *(rng.randrange(-(1 << 31), 1 << 31) for _ in range(count))]


def test_glibc_shuffles_decks_as_the_c_library_does() -> None:
    libc = ctypes.CDLL("libc.so.6")
    for seed in edge_and_random_seeds(500):
        cards = SeededCards()
        cards.seed(seed)
        libc.srand(ctypes.c_uint(seed))
        for _ in range(3):
            deck = [100 * suit + face for suit in (1, 2, 3, 4) for face in range(2, 15)]
            for i in range(51, -1, -1):
                j = libc.rand() % (i + 1)
                deck[i], deck[j] = deck[j], deck[i]
            assert cards.deck() == deck, f"seed {seed}"


def test_glibc_agrees_with_the_c_library_on_edge_seeds() -> None:
    libc = ctypes.CDLL("libc.so.6")
    for seed in EDGE_SEEDS:
        libc.srand(ctypes.c_uint(seed))
        assert [libc.rand() for _ in range(500)] == first_numbers(Glibc(seed), 500), f"seed {seed}"


def test_glibc_treats_seed_0_as_seed_1() -> None:
    assert first_numbers(Glibc(0), 100) == first_numbers(Glibc(1), 100)


def test_bsd_replaces_seed_0_by_a_fixed_number() -> None:
    assert first_numbers(Bsd(0), 3) == first_numbers(Bsd(123459876), 3) == [520932930, 28925691, 822784415]


def test_bsd_continues_as_from_seed_0_after_giving_0() -> None:
    assert first_numbers(Bsd(2147483647), 3) == [0, *first_numbers(Bsd(0), 2)]


@given(st.integers(1, 2147483646))
def test_bsd_is_the_minimal_standard_generator(seed: int) -> None:
    assert Bsd(seed).rand() == 16807 * seed % 2147483647


@pytest.mark.parametrize("name", GENERATORS)
@given(seed=C_INTS)
def test_a_seed_is_converted_to_unsigned(name: str, seed: int) -> None:
    generator_class = GENERATORS[name]
    assert first_numbers(generator_class(seed), 3) == first_numbers(generator_class(seed % (1 << 32)), 3)


@pytest.mark.parametrize("name", GENERATORS)
@given(seed=C_INTS)
def test_numbers_are_between_0_and_rand_max(name: str, seed: int) -> None:
    rand_max = RAND_MAX.get(name, 2147483647)
    assert all(0 <= number <= rand_max for number in first_numbers(GENERATORS[name](seed), 40))


@pytest.mark.parametrize("name", GENERATORS)
@given(seed=C_INTS)
def test_two_generators_with_the_same_seed_are_independent(name: str, seed: int) -> None:
    generator_class = GENERATORS[name]
    first, second = generator_class(seed), generator_class(seed)
    pairs = [(first.rand(), second.rand()) for _ in range(8)]
    assert pairs == [(number, number) for number in first_numbers(generator_class(seed), 8)]
