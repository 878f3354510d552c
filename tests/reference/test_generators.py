"""The generators are those of the C libraries: glibc's against the library itself, musl's against a compiled program."""

import ctypes
import random
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference.cards import FRESH_DECK, SeededCards
from reference.generators import Bsd, Glibc, Msvc, Musl

SEEDS = [0, 1, -1, 2, 42, 2**31 - 1, -(2**31), 123456789, -987654321]


def first(generator, count):
    return [generator.rand() for _ in range(count)]


def test_glibc_is_the_c_library_on_ten_thousand_seeds():
    libc = ctypes.CDLL("libc.so.6")
    chance = random.Random(1)
    for seed in [*SEEDS, *(chance.randint(-(2**31), 2**31 - 1) for _ in range(10_000))]:
        libc.srand(ctypes.c_uint(seed & 0xFFFFFFFF))
        generator = Glibc(seed)
        assert [libc.rand() for _ in range(8)] == first(generator, 8), seed


def test_glibc_goes_on_as_the_c_library_does():
    libc = ctypes.CDLL("libc.so.6")
    libc.srand(7)
    assert [libc.rand() for _ in range(2000)] == first(Glibc(7), 2000)


MUSL = """
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
def test_musl_is_the_c_library_musl(tmp_path):
    source, program = tmp_path / "musl.c", tmp_path / "musl"
    source.write_text(MUSL)
    subprocess.run(["musl-gcc", "-static", "-o", program, source], check=True)
    chance = random.Random(2)
    seeds = [*SEEDS, *(chance.randint(-(2**31), 2**31 - 1) for _ in range(300))]
    output = subprocess.run([program, *map(str, seeds)], capture_output=True, text=True, check=True).stdout
    assert [int(word) for word in output.split()] == [number for seed in seeds for number in first(Musl(seed), 60)]


def test_msvc_begins_as_published():
    assert first(Msvc(1), 10) == [41, 18467, 6334, 26500, 19169, 15724, 11478, 29358, 26962, 24464]


def test_bsd_begins_as_published():
    """The minimal standard generator from 1, Park and Miller 1988; after 10,000 steps it is at 1043618065."""
    assert first(Bsd(1), 5) == [16807, 282475249, 1622650073, 984943658, 1144108930]
    assert first(Bsd(1), 10_000)[-1] == 1043618065


@given(st.integers(-(2**31), 2**31 - 1))
def test_a_shuffled_deck_has_every_card_once(seed):
    cards = SeededCards()
    cards.seed(seed)
    assert sorted(cards.deck()) == sorted(cards.deck()) == sorted(FRESH_DECK)


def test_seed_0_leaves_the_deck_in_order():
    cards = SeededCards()
    cards.seed(0)
    assert cards.deck() == list(FRESH_DECK)


@pytest.mark.parametrize("generator", [Musl, Bsd, Msvc])
def test_other_generators_give_other_decks(generator):
    ours, other = SeededCards(), SeededCards(generator)
    ours.seed(1)
    other.seed(1)
    assert ours.deck() != other.deck()
