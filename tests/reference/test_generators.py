import ctypes
import random
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference.cards import FRESH_DECK, SeededCards
from reference.generators import Bsd, Glibc, Msvc, Musl

SEEDS = [0, 1, -1, 2, 42, 2**31 - 1, -(2**31), 123456789, -987654321]


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


@given(st.integers(-(2**31), 2**31 - 1))
def test_a_shuffled_deck_has_every_card_once(seed):
    cards = SeededCards()
    cards.seed(seed)
    assert sorted(cards.deck()) == sorted(cards.deck()) == sorted(FRESH_DECK)


def test_seed_0_gives_the_deck_in_its_fresh_order():
    cards = SeededCards()
    cards.seed(0)
    assert cards.deck() == list(FRESH_DECK)


@pytest.mark.parametrize("generator", [Musl, Bsd, Msvc])
def test_other_generators_give_other_decks_than_glibc(generator):
    glibc_cards, other_cards = SeededCards(), SeededCards(generator)
    glibc_cards.seed(1)
    other_cards.seed(1)
    assert glibc_cards.deck() != other_cards.deck()
