"""Wagers against chance: nothing is won against fair draws, and much against those that go wrong in any way we know."""

import itertools
import math
import random
import re
from fractions import Fraction

import pytest

from pitboss.assignments.assignment import Draws
from pitboss.sessions.determinism import visible_seeds_of
from pitboss.unseeded.wagers import ENOUGH, Wagers, without_explained_draws

RANKS = tuple("A23456789TJQK")
CARDS = Draws(RANKS)
DECK = Draws(tuple(suit + rank for suit in "SHDC" for rank in RANKS), bag=52)
FIFTY = Draws(tuple(map(str, range(1, 51))))


def wagers_on(source, readings):
    wagers = Wagers(source)
    for reading in readings:
        wagers.add(reading)
    return wagers


def expected_wealth(source, lengths, chance_of):
    """The mean of what the players have after all possible draws of sessions of these lengths."""
    total = 0.0
    for draws in itertools.product(source.values, repeat=sum(lengths)):
        chance, place, readings = 1.0, 0, []
        for length in lengths:
            readings.append(draws[place : place + length])
            chance *= chance_of(readings[-1])
            place += length
        if chance:
            total += chance * math.exp(wagers_on(source, readings).log_wealth)
    return total


def even(draws):
    return math.pow(1 / 3, len(draws))


def from_a_bag(draws):
    """The chance of draws from a bag of three."""
    bags = [draws[start : start + 3] for start in range(0, len(draws), 3)]
    if any(len(set(bag)) < len(bag) for bag in bags):
        return 0.0
    return math.prod(1 / left for bag in bags for left, _ in zip((3, 2, 1), bag, strict=False))


@pytest.mark.parametrize("lengths", [(6,), (2, 2, 2), (1, 5), (4, 0, 2)])
def test_nothing_is_expected_to_be_won_against_a_right_program(lengths):
    assert expected_wealth(Draws(tuple("123")), lengths, even) == pytest.approx(1)
    assert expected_wealth(Draws(tuple("123"), bag=3), lengths, from_a_bag) == pytest.approx(1)


@pytest.mark.parametrize("chances", [(0.2, 0.2, 0.6), (0.2, 0.5, 0.3), (1 / 3, 1 / 3, 1 / 3)])
def test_nor_where_only_the_chance_of_the_rarest_is_known(chances):
    of = dict(zip("123", chances, strict=True))
    source = Draws(tuple("123"), rarest=Fraction(1, 5))
    assert expected_wealth(source, (3, 3), lambda draws: math.prod(of[draw] for draw in draws)) <= 1 + 1e-9


def shuffled(rng):
    deck = list(DECK.values)
    rng.shuffle(deck)
    return deck


def cards(rng, _):
    return rng.choices(RANKS, k=rng.randint(5, 25))


def two_decks(rng, _):
    return (shuffled(rng) + shuffled(rng))[: rng.randint(8, 90)]


def one_number(rng, _):
    return [str(rng.randint(1, 50))]


#: How right programs draw, from what, and in how many sessions.
RIGHT = {"cards": (CARDS, cards, 120), "decks": (DECK, two_decks, 60), "numbers": (FIFTY, one_number, 500)}


@pytest.mark.parametrize("name", RIGHT)
@pytest.mark.parametrize("count", [10, pytest.param(1000, marks=pytest.mark.slow)])
def test_no_right_program_is_ever_reported(name, count):
    source, draw, sessions = RIGHT[name]
    doubted = 0
    for number in range(count):
        rng = random.Random(number)
        wagers = Wagers(source)
        for session in range(sessions):
            wagers.add(draw(rng, session))
        assert not wagers.is_no_chance, number
        doubted += wagers.is_undecided
    assert doubted <= count / 50


def half_as_many_aces(rng, _):
    return rng.choices(RANKS, weights=[0.5] + [1] * 12, k=15)


def twice_as_many_aces(rng, _):
    return rng.choices(RANKS, weights=[2] + [1] * 12, k=15)


def barely_swapped(rng, _):
    deck = list(DECK.values)
    for _ in range(20):
        one, other = rng.randrange(52), rng.randrange(52)
        deck[one], deck[other] = deck[other], deck[one]
    return deck[:20]


def second_in_order(rng, _):
    return (shuffled(rng) + list(DECK.values))[:70]


def second_as_the_first(rng, _):
    deck = shuffled(rng)
    return (deck + deck)[:70]


def cut_only(rng, _):
    cut = rng.randrange(52)
    return (list(DECK.values[cut:]) + list(DECK.values[:cut]))[:20]


def of_one_second(_, session):
    return cards(random.Random(session // 3), session)


def never_the_last(rng, _):
    return [str(rng.randrange(1, 50))]


def like_its_neighbour(rng, _):
    drawn = [rng.randrange(13)]
    while len(drawn) < 15:
        drawn.append((drawn[-1] * 5 + 3) % 13 if rng.random() < 0.4 else rng.randrange(13))
    return [RANKS[one] for one in drawn]


LIKELY = r"All values should be equally likely\."
#: What goes wrong: from what is drawn, after how many sessions it is known at the latest, and how the sentence goes.
WRONG = {
    half_as_many_aces: (
        CARDS,
        250,
        r"In [\d,]+ draws over \d+ sessions A came \d+ times; about \d+ are expected\. " + LIKELY,
    ),
    twice_as_many_aces: (
        CARDS,
        150,
        r"In [\d,]+ draws over \d+ sessions A came \d+ times; about \d+ are expected\. " + LIKELY,
    ),
    never_the_last: (
        FIFTY,
        1200,
        r"In 1,122 draws over 1,122 sessions 50 never came; about 22 are expected\. " + LIKELY,
    ),
    barely_swapped: (
        DECK,
        15,
        r"\d+ times in \d+ a draw was what had come most at its place before, such as \w+ as .*",
    ),
    second_in_order: (DECK, 5, r".* draws? .* followed .*"),
    second_as_the_first: (DECK, 5, r".* had come most at its place before, such as \w+ as number \d+ of 52; .*"),
    cut_only: (DECK, 10, r".* followed .*"),
    of_one_second: (CARDS, 10, r".* draws? .*"),
    like_its_neighbour: (
        CARDS,
        60,
        r"\d+ times in \d+ a draw was followed by what had followed it .*, such as \w by \w; .*",
    ),
}


@pytest.mark.parametrize("draw", WRONG, ids=lambda draw: draw.__name__.replace("_", " "))
@pytest.mark.parametrize("seed", range(4))
def test_what_goes_wrong_is_reported(draw, seed):
    source, most, sentence = WRONG[draw]
    rng, wagers = random.Random(seed), Wagers(source)
    for session in range(most):
        wagers.add(draw(rng, session))
        if wagers.is_no_chance:
            break
    assert re.fullmatch(sentence, wagers.finding()), wagers.finding()
    assert not wagers.is_undecided


def test_a_draw_that_was_not_shown_is_no_draw_and_foretells_nothing():
    output = wagers_on(CARDS, [("A", None, "2", "A", None)] * 2)
    assert output.log_wealth == wagers_on(CARDS, [("A", None, "2", "A", None, None)] * 2).log_wealth
    assert "6 draws over 2 sessions" in output._about_value("A")


def test_what_comes_after_a_card_that_comes_twice_is_left_out():
    assert wagers_on(DECK, [("SA", "SA", "H3")] * 9).log_wealth == wagers_on(DECK, [("SA",)] * 9).log_wealth


def test_where_more_sessions_can_tell_it_is_undecided():
    """All draws alike: at first it may be chance."""
    states = []
    for count in range(1, 20):
        wagers = wagers_on(CARDS, [("A",)] * count)
        states.append("no chance" if wagers.is_no_chance else "undecided" if wagers.is_undecided else "chance")
    assert list(dict.fromkeys(states)) == ["chance", "undecided", "no chance"]
    assert wagers_on(CARDS, [("A",)] * 3).finding() == ""
    assert math.exp(wagers_on(CARDS, [("A",)] * 40).log_wealth) > ENOUGH


#: What a program may seed from that has few values, and how many sessions there are in which two must agree in it.
COARSE_SEEDS = {
    "process": (lambda seen: seen.process, 400),
    "parent": (lambda seen: seen.parent, 400),
    "millisecond": (lambda seen: seen.nanosecond // 1_000_000, 106),
    "clock()": (lambda seen: seen.used_ns // 1_000, 106),
}


def seeded_from(seed_of, count):
    """The draws of a program that seeds from what it sees, in so many worlds."""
    return [(world, tuple(shuffled(random.Random(seed_of(visible_seeds_of(world))))[:20])) for world in range(count)]


@pytest.mark.parametrize("name", COARSE_SEEDS)
def test_seeds_that_two_worlds_share_are_no_wrong_draws(name):
    sessions = seeded_from(*COARSE_SEEDS[name])
    assert wagers_on(DECK, [draws for _, draws in sessions]).is_no_chance
    assert wagers_on(DECK, without_explained_draws(sessions)).log_wealth < math.log(ENOUGH) / 2
    assert len(sessions) * 0.8 < len(without_explained_draws(sessions)) < len(sessions)


@pytest.mark.parametrize("count", [1, 10, 100])
def test_few_seeds_are_found_out_still(count):
    sessions = seeded_from(lambda seen: seen.second % count, 106)
    assert wagers_on(DECK, without_explained_draws(sessions)).is_no_chance


def test_a_session_counts_that_draws_otherwise_in_a_world_that_looks_the_same():
    one, other = 211, 327
    assert visible_seeds_of(one).process == visible_seeds_of(other).process
    assert without_explained_draws([(one, ("A", "2")), (other, ("A", "3"))]) == [("A", "2"), ("A", "3")]
    assert without_explained_draws([(one, ("A", "2")), (other, ("A",)), (other, (None, "2", "K"))]) == [("A", "2")]
    assert without_explained_draws([(one, ()), (other, (None,))]) == [(), (None,)]
