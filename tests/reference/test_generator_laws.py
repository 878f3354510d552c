"""Laws of the generators, whole decks against the C library, and what their sources say of odd seeds."""

from __future__ import annotations

import ctypes
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference.cards import SeededCards
from reference.generators import GENERATORS, Bsd, Generator, Glibc

C_INTS = st.integers(-(1 << 31), (1 << 31) - 1)
EDGES = (1, -1, 2, -2, 2147483646, 2147483647, -2147483646, -2147483647, -2147483648, 123459876, 127773, 65536)
HIGHEST = {"Windows (MSVC)": 32767}


def first_numbers(generator: Generator, count: int) -> list[int]:
    return [generator.rand() for _ in range(count)]


def random_seeds(count: int) -> list[int]:
    numbers = random.Random(52)
    return [*EDGES, *(numbers.randrange(-(1 << 31), 1 << 31) for _ in range(count))]


def test_glibc_gives_whole_decks_of_the_c_library() -> None:
    libc = ctypes.CDLL("libc.so.6")
    for seed in random_seeds(500):
        cards = SeededCards()
        cards.seed(seed)
        libc.srand(ctypes.c_uint(seed))
        for _ in range(3):
            deck = [100 * suit + face for suit in (1, 2, 3, 4) for face in range(2, 15)]
            for i in range(51, -1, -1):
                j = libc.rand() % (i + 1)
                deck[i], deck[j] = deck[j], deck[i]
            assert cards.deck() == deck, f"seed {seed}"


def test_glibc_gives_long_sequences_of_the_c_library_for_odd_seeds() -> None:
    libc = ctypes.CDLL("libc.so.6")
    for seed in EDGES:
        libc.srand(ctypes.c_uint(seed))
        assert [libc.rand() for _ in range(500)] == first_numbers(Glibc(seed), 500), f"seed {seed}"


def test_glibc_takes_seed_0_for_1() -> None:
    assert first_numbers(Glibc(0), 100) == first_numbers(Glibc(1), 100)


def test_bsd_replaces_0_by_a_fixed_number() -> None:
    assert first_numbers(Bsd(0), 3) == first_numbers(Bsd(123459876), 3) == [520932930, 28925691, 822784415]


def test_bsd_comes_back_from_the_seed_that_leads_to_0() -> None:
    assert first_numbers(Bsd(2147483647), 3) == [0, *first_numbers(Bsd(0), 2)]


@given(st.integers(1, 2147483646))
def test_bsd_is_the_minimal_standard(seed: int) -> None:
    assert Bsd(seed).rand() == 16807 * seed % 2147483647


@pytest.mark.parametrize("name", GENERATORS)
@given(seed=C_INTS)
def test_a_seed_is_taken_as_unsigned(name: str, seed: int) -> None:
    make = GENERATORS[name]
    assert first_numbers(make(seed), 3) == first_numbers(make(seed % (1 << 32)), 3)


@pytest.mark.parametrize("name", GENERATORS)
@given(seed=C_INTS)
def test_numbers_lie_from_0_to_rand_max(name: str, seed: int) -> None:
    highest = HIGHEST.get(name, 2147483647)
    assert all(0 <= number <= highest for number in first_numbers(GENERATORS[name](seed), 40))


@pytest.mark.parametrize("name", GENERATORS)
@given(seed=C_INTS)
def test_two_sequences_of_one_seed_do_not_disturb_each_other(name: str, seed: int) -> None:
    make = GENERATORS[name]
    one, other = make(seed), make(seed)
    pairs = [(one.rand(), other.rand()) for _ in range(8)]
    assert pairs == [(number, number) for number in first_numbers(make(seed), 8)]
