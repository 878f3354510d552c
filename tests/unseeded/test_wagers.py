"""Wagers on draws win nothing on average against fair draws, and much against draws that are wrong in a known way.

Each draw function below returns the draws of one session, from a random generator and the number of the session.
"""

import itertools
import math
import random
import re
from fractions import Fraction

import pytest

from pitboss.assignments.assignment import Draws
from pitboss.sessions.determinism import visible_seeds_of
from pitboss.unseeded.wagers import CONVINCING_WEALTH, Wagers, without_coinciding_seeds

RANKS = tuple("A23456789TJQK")
CARDS = Draws(RANKS)
DECK = Draws(tuple(suit + rank for suit in "SHDC" for rank in RANKS), bag=52)
FIFTY = Draws(tuple(map(str, range(1, 51))))


def wagers_on(source, readings):
    """The wagers after sessions with these draws."""
    wagers = Wagers(source)
    for reading in readings:
        wagers.add(reading)
    return wagers


def expected_wealth(source, lengths, probability_of):
    """The expected final wealth (start: 1) over all possible draws of sessions with these lengths."""
    total = 0.0
    for draws in itertools.product(source.values, repeat=sum(lengths)):
        probability, start, readings = 1.0, 0, []
        for length in lengths:
            readings.append(draws[start : start + length])
            probability *= probability_of(readings[-1])
            start += length
        if probability:
            total += probability * math.exp(wagers_on(source, readings).log_wealth)
    return total


def probability_of_even_draws(draws):
    """The probability of these draws from three equally likely values."""
    return math.pow(1 / 3, len(draws))


def probability_from_a_bag(draws):
    """The probability of these draws from a bag of three values, without replacement."""
    bags = [draws[start : start + 3] for start in range(0, len(draws), 3)]
    if any(len(set(bag)) < len(bag) for bag in bags):
        return 0.0
    return math.prod(1 / remaining for bag in bags for remaining in (3, 2, 1)[: len(bag)])


@pytest.mark.parametrize("lengths", [(6,), (2, 2, 2), (1, 5), (4, 0, 2)])
def test_the_expected_wealth_stays_the_same_with_a_correct_program(lengths):
    assert expected_wealth(Draws(tuple("123")), lengths, probability_of_even_draws) == pytest.approx(1)
    assert expected_wealth(Draws(tuple("123"), bag=3), lengths, probability_from_a_bag) == pytest.approx(1)


@pytest.mark.parametrize("chances", [(0.2, 0.2, 0.6), (0.2, 0.5, 0.3), (1 / 3, 1 / 3, 1 / 3)])
def test_the_expected_wealth_does_not_grow_if_only_the_rarest_value_is_known(chances):
    probabilities = dict(zip("123", chances, strict=True))
    source = Draws(tuple("123"), rarest=Fraction(1, 5))
    assert expected_wealth(source, (3, 3), lambda draws: math.prod(probabilities[draw] for draw in draws)) <= 1 + 1e-9


def shuffled_deck(rng):
    deck = list(DECK.values)
    rng.shuffle(deck)
    return deck


def draw_ranks(rng, _):
    return rng.choices(RANKS, k=rng.randint(5, 25))


def draw_from_two_decks(rng, _):
    return (shuffled_deck(rng) + shuffled_deck(rng))[: rng.randint(8, 90)]


def draw_number(rng, _):
    return [str(rng.randint(1, 50))]


#: Correct draws, by name: the source, the draw function, and the number of sessions.
CORRECT_DRAWS = {
    "cards": (CARDS, draw_ranks, 120),
    "decks": (DECK, draw_from_two_decks, 60),
    "numbers": (FIFTY, draw_number, 500),
}


@pytest.mark.parametrize("name", CORRECT_DRAWS)
@pytest.mark.parametrize("count", [10, pytest.param(1000, marks=pytest.mark.slow)])
def test_a_correct_program_is_never_reported(name, count):
    """At most 2 % of `count` correct programs remain undecided."""
    source, draw, session_count = CORRECT_DRAWS[name]
    undecided_count = 0
    for seed in range(count):
        rng = random.Random(seed)
        wagers = Wagers(source)
        for session in range(session_count):
            wagers.add(draw(rng, session))
        assert not wagers.cannot_be_chance, seed
        undecided_count += wagers.is_undecided
    assert undecided_count <= count / 50


# Wrong draw functions


def half_as_many_aces(rng, _):
    return rng.choices(RANKS, weights=[0.5] + [1] * 12, k=15)


def twice_as_many_aces(rng, _):
    return rng.choices(RANKS, weights=[2] + [1] * 12, k=15)


def barely_swapped(rng, _):
    """Shuffling swaps only twenty pairs of cards."""
    deck = list(DECK.values)
    for _ in range(20):
        first, second = rng.randrange(52), rng.randrange(52)
        deck[first], deck[second] = deck[second], deck[first]
    return deck[:20]


def second_in_order(rng, _):
    """The second deck is not shuffled."""
    return (shuffled_deck(rng) + list(DECK.values))[:70]


def second_as_the_first(rng, _):
    """The second deck has the order of the first."""
    deck = shuffled_deck(rng)
    return (deck + deck)[:70]


def cut_only(rng, _):
    cut = rng.randrange(52)
    return (list(DECK.values[cut:]) + list(DECK.values[:cut]))[:20]


def of_one_second(_, session):
    """The seed is the time in seconds, and three sessions start in each second."""
    return draw_ranks(random.Random(session // 3), session)


def never_the_last(rng, _):
    return [str(rng.randrange(1, 50))]


def like_its_neighbour(rng, _):
    """Four draws in ten follow from the draw before."""
    indices = [rng.randrange(13)]
    while len(indices) < 15:
        indices.append((indices[-1] * 5 + 3) % 13 if rng.random() < 0.4 else rng.randrange(13))
    return [RANKS[index] for index in indices]


EQUALLY_LIKELY = r"All values should be equally likely\."
#: For each wrong draw function: the source, the most sessions until it is reported, and the pattern of the report.
WRONG_DRAWS = {
    half_as_many_aces: (
        CARDS,
        250,
        r"In [\d,]+ draws over \d+ sessions A came \d+ times; about \d+ are expected\. " + EQUALLY_LIKELY,
    ),
    twice_as_many_aces: (
        CARDS,
        150,
        r"In [\d,]+ draws over \d+ sessions A came \d+ times; about \d+ are expected\. " + EQUALLY_LIKELY,
    ),
    never_the_last: (
        FIFTY,
        1200,
        r"In 1,122 draws over 1,122 sessions 50 never came; about 22 are expected\. " + EQUALLY_LIKELY,
    ),
    barely_swapped: (
        DECK,
        15,
        r"\d+ times in \d+ a draw was the most frequent value at its place before, such as \w+ as .*",
    ),
    second_in_order: (DECK, 5, r".* draws? .* followed .*"),
    second_as_the_first: (
        DECK,
        5,
        r".* the most frequent value at its place before, such as \w+ as number \d+ of 52; .*",
    ),
    cut_only: (DECK, 10, r".* followed .*"),
    of_one_second: (CARDS, 10, r".* draws? .*"),
    like_its_neighbour: (
        CARDS,
        60,
        r"\d+ times in \d+ a draw was followed by the value that had followed it .*, such as \w by \w; .*",
    ),
}


@pytest.mark.parametrize("draw", WRONG_DRAWS, ids=lambda draw: draw.__name__.replace("_", " "))
@pytest.mark.parametrize("seed", range(4))
def test_wrong_draws_are_reported(draw, seed):
    source, max_sessions, pattern = WRONG_DRAWS[draw]
    rng, wagers = random.Random(seed), Wagers(source)
    for session in range(max_sessions):
        wagers.add(draw(rng, session))
        if wagers.cannot_be_chance:
            break
    assert re.fullmatch(pattern, wagers.finding()), wagers.finding()
    assert not wagers.is_undecided


def test_a_draw_that_was_not_shown_is_not_counted_and_predicts_nothing():
    wagers = wagers_on(CARDS, [("A", None, "2", "A", None)] * 2)
    assert wagers.log_wealth == wagers_on(CARDS, [("A", None, "2", "A", None, None)] * 2).log_wealth
    assert "6 draws over 2 sessions" in wagers._sentence_on_value("A")


def test_draws_after_a_repeated_card_are_ignored():
    assert wagers_on(DECK, [("SA", "SA", "H3")] * 9).log_wealth == wagers_on(DECK, [("SA",)] * 9).log_wealth


def test_wagers_are_undecided_while_more_sessions_can_decide():
    """All draws are the same, which may be chance in the first sessions."""
    states = []
    for count in range(1, 20):
        wagers = wagers_on(CARDS, [("A",)] * count)
        states.append(
            "not chance" if wagers.cannot_be_chance else "undecided" if wagers.is_undecided else "may be chance"
        )
    assert list(dict.fromkeys(states)) == ["may be chance", "undecided", "not chance"]
    assert wagers_on(CARDS, [("A",)] * 3).finding() == ""
    assert math.exp(wagers_on(CARDS, [("A",)] * 40).log_wealth) > CONVINCING_WEALTH


#: Seeds with few possible values: how to get the seed, and a number of sessions so high that some share a seed.
COARSE_SEEDS = {
    "process": (lambda seeds: seeds.process, 400),
    "parent": (lambda seeds: seeds.parent, 400),
    "millisecond": (lambda seeds: seeds.nanosecond // 1_000_000, 106),
    "clock()": (lambda seeds: seeds.used_ns // 1_000, 106),
}


def seeded_sessions(seed_of, count):
    """`count` sessions of a program, as pairs: the number of the environment (time, process id …), and the draws.

    The program seeds its generator with what `seed_of` returns for the visible seeds of the environment.
    """
    sessions = []
    for environment_number in range(count):
        seed = seed_of(visible_seeds_of(environment_number))
        draws = shuffled_deck(random.Random(seed))[:20]
        sessions.append((environment_number, tuple(draws)))
    return sessions


@pytest.mark.parametrize("name", COARSE_SEEDS)
def test_draws_that_agree_because_two_sessions_share_a_seed_are_not_wrong(name):
    sessions = seeded_sessions(*COARSE_SEEDS[name])
    assert wagers_on(DECK, [draws for _, draws in sessions]).cannot_be_chance
    assert wagers_on(DECK, without_coinciding_seeds(sessions)).log_wealth < math.log(CONVINCING_WEALTH) / 2
    assert len(sessions) * 0.8 < len(without_coinciding_seeds(sessions)) < len(sessions)


@pytest.mark.parametrize("count", [1, 10, 100])
def test_programs_with_few_seeds_are_still_reported(count):
    sessions = seeded_sessions(lambda seeds: seeds.second % count, 106)
    assert wagers_on(DECK, without_coinciding_seeds(sessions)).cannot_be_chance


def test_a_session_with_a_shared_seed_counts_if_its_draws_differ():
    first, second = 211, 327  # the numbers of two environments
    assert visible_seeds_of(first).process == visible_seeds_of(second).process
    assert without_coinciding_seeds([(first, ("A", "2")), (second, ("A", "3"))]) == [("A", "2"), ("A", "3")]
    assert without_coinciding_seeds([(first, ("A", "2")), (second, ("A",)), (second, (None, "2", "K"))]) == [("A", "2")]
    assert without_coinciding_seeds([(first, ()), (second, (None,))]) == [(), (None,)]
