import ctypes
import random
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference.cards import SeededCards
from reference.generators import GENERATORS, Bsd, Glibc, Msvc, Musl

C_INTS = st.integers(-(1 << 31), (1 << 31) - 1)
#: Among them 123459876, by which BSD replaces 0, and 127773, the number by which its formula divides.
SEEDS = [0, 1, -1, 2, -2, 42, 2**31 - 2, 2**31 - 1, 2 - 2**31, 1 - 2**31, -(2**31), 123459876, 127773, 65536]
#: The largest number of a generator, where it is not 2147483647.
RAND_MAX = {"Windows (MSVC)": 32767}


def first_numbers(generator, count):
    return [generator.rand() for _ in range(count)]


def test_glibc_agrees_with_the_c_library_on_ten_thousand_seeds():
    libc = ctypes.CDLL("libc.so.6")
    rng = random.Random(1)
    for seed in [*SEEDS, *(rng.randint(-(2**31), 2**31 - 1) for _ in range(10_000))]:
        libc.srand(ctypes.c_uint(seed & 0xFFFFFFFF))
        generator = Glibc(seed)
        assert [libc.rand() for _ in range(8)] == first_numbers(generator, 8), seed


def test_glibc_agrees_with_the_c_library_over_a_long_sequence():
    libc = ctypes.CDLL("libc.so.6")
    libc.srand(7)
    assert [libc.rand() for _ in range(2000)] == first_numbers(Glibc(7), 2000)


MUSL_PROGRAM = """
#include <stdio.h>
#include <stdlib.h>
int main(int count, char **seeds)
{
    for (int i = 1; i < count; i++) {
        srand((unsigned)atol(seeds[i]));
        for (int n = 0; n < 60; n++)
            printf("%d ", rand());
    }
}
"""


@pytest.mark.needs("musl")
def test_musl_agrees_with_the_c_library_musl(tmp_path):
    source, program = tmp_path / "musl.c", tmp_path / "musl"
    source.write_text(MUSL_PROGRAM)
    subprocess.run(["musl-gcc", "-static", "-o", program, source], check=True)
    rng = random.Random(2)
    seeds = [*SEEDS, *(rng.randint(-(2**31), 2**31 - 1) for _ in range(300))]
    output = subprocess.run([program, *map(str, seeds)], capture_output=True, text=True, check=True).stdout
    assert [int(word) for word in output.split()] == [
        number for seed in seeds for number in first_numbers(Musl(seed), 60)
    ]


def test_msvc_gives_the_published_first_numbers():
    assert first_numbers(Msvc(1), 10) == [41, 18467, 6334, 26500, 19169, 15724, 11478, 29358, 26962, 24464]


def test_bsd_gives_the_published_first_numbers():
    """Park and Miller (1988): from seed 1, the 10,000th number of the minimal standard generator is 1043618065."""
    assert first_numbers(Bsd(1), 5) == [16807, 282475249, 1622650073, 984943658, 1144108930]
    assert first_numbers(Bsd(1), 10_000)[-1] == 1043618065


def test_bsd_replaces_seed_0_by_a_fixed_number():
    assert first_numbers(Bsd(0), 3) == first_numbers(Bsd(123459876), 3) == [520932930, 28925691, 822784415]


def test_bsd_continues_as_from_seed_0_after_giving_0():
    assert first_numbers(Bsd(2147483647), 3) == [0, *first_numbers(Bsd(0), 2)]


@given(st.integers(1, 2147483646))
def test_bsd_is_the_minimal_standard_generator(seed):
    assert Bsd(seed).rand() == 16807 * seed % 2147483647


@pytest.mark.parametrize("name", GENERATORS)
@given(seed=C_INTS)
def test_a_seed_is_converted_to_unsigned(name, seed):
    generator_class = GENERATORS[name]
    assert first_numbers(generator_class(seed), 3) == first_numbers(generator_class(seed % (1 << 32)), 3)


@pytest.mark.parametrize("name", GENERATORS)
@given(seed=C_INTS)
def test_numbers_are_between_0_and_rand_max(name, seed):
    rand_max = RAND_MAX.get(name, 2147483647)
    assert all(0 <= number <= rand_max for number in first_numbers(GENERATORS[name](seed), 40))


@pytest.mark.parametrize("name", GENERATORS)
@given(seed=C_INTS)
def test_two_generators_with_the_same_seed_are_independent(name, seed):
    generator_class = GENERATORS[name]
    first, second = generator_class(seed), generator_class(seed)
    pairs = [(first.rand(), second.rand()) for _ in range(8)]
    assert pairs == [(number, number) for number in first_numbers(generator_class(seed), 8)]


def test_glibc_shuffles_decks_as_the_c_library_does():
    libc = ctypes.CDLL("libc.so.6")
    rng = random.Random(52)
    for seed in [*SEEDS[1:], *(rng.randrange(-(1 << 31), 1 << 31) for _ in range(500))]:
        cards = SeededCards()
        cards.seed(seed)
        libc.srand(ctypes.c_uint(seed))
        for _ in range(3):
            deck = [100 * suit + face for suit in (1, 2, 3, 4) for face in range(2, 15)]
            for i in range(51, -1, -1):
                j = libc.rand() % (i + 1)
                deck[i], deck[j] = deck[j], deck[i]
            assert cards.deck() == deck, f"seed {seed}"
