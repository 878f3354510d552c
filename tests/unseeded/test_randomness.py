import random
from fractions import Fraction

import pytest

from pitboss.assignments.assignment import Draws
from pitboss.compare.findings import DrawnTwice, OddDraws, Oddity
from pitboss.unseeded.randomness import is_undecided, odd_draws, takes_new_bag_each_round, twice_in_a_bag
from pitboss.unseeded.reader import Reading
from tests.unseeded.draws_of_programs import CARDS, DECK, RIGHT, WRONG

DICE = Draws(tuple("123456"))
EIGHT = Draws(tuple("abcdefgh"), bag=8)


def sessions_of(draw, count, seed):
    rng = random.Random(seed)
    return [tuple(draw(rng)) for _ in range(count)]


@pytest.mark.parametrize("name", RIGHT)
@pytest.mark.parametrize("count", [1, pytest.param(50, marks=pytest.mark.slow)])
def test_a_right_program_is_never_reported_and_seldom_needs_more_sessions(name, count):
    source, draw, session_count = RIGHT[name]
    undecided_count = 0
    for seed in range(count):
        sessions = sessions_of(draw, session_count, seed)
        assert odd_draws(source, sessions) is None, seed
        undecided_count += is_undecided(source, sessions)
    assert undecided_count <= count / 50


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.parametrize("seed", range(2))
def test_a_wrong_program_is_reported(name, seed):
    source, draw, session_count, kind = WRONG[name]
    found = odd_draws(source, sessions_of(draw, session_count, seed))
    assert found is not None and found.kind is Oddity(kind)


@pytest.mark.parametrize("name", ["twenty random swaps", "twice as many aces", "half as many aces", "rand() % 12"])
def test_draws_are_undecided_until_they_are_reported(name):
    source, draw, _, _ = WRONG[name]
    sessions = sessions_of(draw, 400, 1)
    reported_at = next(count for count in range(8, 400, 8) if odd_draws(source, sessions[:count]))
    assert is_undecided(source, sessions[: reported_at - 8])


def probabilities_of(probability, count):
    """The distribution of how often an event with this probability comes in `count` tries."""
    distribution = [1.0]
    for _ in range(count):
        pairs = zip([*distribution, 0.0], [0.0, *distribution], strict=True)
        distribution = [stays * (1 - probability) + comes * probability for stays, comes in pairs]
    return distribution


@pytest.mark.parametrize("count", [300, 1300])
def test_the_exact_probability_to_report_the_share_of_a_correct_program_is_small(count):
    """For one number of draws; with all numbers of draws together it is at most 1e-8 for each kind of event."""
    distribution = probabilities_of(1 / 13, count)
    for number in (came for came, probability in enumerate(distribution) if probability > 1e-9):
        others = [CARDS.values[1 + index % 12] for index in range(count - number)]
        assert odd_draws(CARDS, [(draw,) for draw in ["A"] * number + others]) is None, number


def test_a_share_is_reported_only_beyond_its_limits():
    def sessions(aces, others):
        return [("A",)] * aces + [(value,) for value in CARDS.values[1:] for _ in range(others)]

    assert odd_draws(CARDS, sessions(1400, 1000)) is None
    assert odd_draws(CARDS, sessions(700, 1000)) is None
    found = odd_draws(CARDS, sessions(1700, 1000))
    assert (found.kind, found.values, found.count, found.of) == (Oddity.SHARE, ("A",), 1700, 13700)
    assert odd_draws(CARDS, sessions(600, 1000)).kind is Oddity.SHARE


@pytest.mark.parametrize(
    ("source", "draws", "is_missing"),
    [
        (DICE, 179, False),
        (DICE, 180, True),
        (Draws(DICE.values, rarest=Fraction(1, 100)), 2999, False),
        (Draws(DICE.values, rarest=Fraction(1, 100)), 3000, True),
    ],
)
def test_a_value_is_missing_if_it_should_have_come_thirty_times(source, draws, is_missing):
    sessions = [(source.values[number % 5],) for number in range(draws)]
    expected = OddDraws(Oddity.MISSING, ("6",), 0, draws, draws) if is_missing else None
    assert odd_draws(source, sessions) == expected
    assert is_undecided(source, sessions) != is_missing
    assert not is_undecided(source, sessions[: draws // 30], times=20)


def test_a_value_is_drawn_twice_from_a_bag():
    assert twice_in_a_bag(EIGHT, tuple("abcda")) == DrawnTwice("a", first=1, second=5, among=8)
    assert twice_in_a_bag(EIGHT, (*"abcdefgh", *"abc")) is None


@pytest.mark.parametrize(
    ("readings", "values"),
    [
        ([tuple("1234"), tuple("12")] * 12, tuple("1234")),
        ([("1", "2", None, "4")] * 12, ("1", "2")),
        ([("1", "2", None), ("1", None, "3")] * 12, tuple("123")),
        ([(None, "2", "3", "4")] * 12, ()),
    ],
)
def test_all_sessions_are_the_same_where_draws_were_shown(readings, values):
    found = odd_draws(DICE, readings)
    assert (found.kind, found.values) == (Oddity.SAME, values)


@pytest.mark.parametrize(
    "readings",
    [
        [],
        [tuple("1234")] * 4,
        [tuple("1234")] * 20 + [tuple("1235")],
        [(None,) * 4] * 100,
        [("1", "2", None), ("1", "3", None)] * 12,
        [(None, None, "3"), ("1", "2", None)],
    ],
)
def test_few_sessions_or_hidden_draws_are_no_evidence_that_all_are_the_same(readings):
    assert odd_draws(DICE, readings) is None


def test_sessions_are_the_same_only_if_the_rarest_value_allows_no_other_explanation():
    """Five values come with at least 1 %, so the sixth with at most 95 %: 0.95 ** 404 is just above 1e-9."""
    rare = Draws(DICE.values, rarest=Fraction(1, 100))
    assert odd_draws(rare, [tuple("1111")] * 202) is None
    assert odd_draws(rare, [tuple("1111")] * 204).kind is Oddity.SAME


#: The first draws of rounds in a session, as a deck of eight deals them.
ROUNDS = {
    "one deck": (["abc", "def", "ghb"], False),
    "a new deck each round": (["abc", "bd", "da"], True),
    "a card twice in a round": (["abb", "bd", "da"], False),
    "a new deck after two rounds": (["abc", "def", "fab"], False),
    "a deck that is used up": (["abcd", "efgh", "abcd"], False),
}


@pytest.mark.parametrize("name", ROUNDS)
def test_a_new_deck_for_each_round_is_recognized(name):
    rounds, is_new = ROUNDS[name]
    starts = tuple(sum(map(len, rounds[:index])) for index in range(len(rounds)))
    reading = Reading(tuple("".join(rounds)), rounds=starts)
    assert takes_new_bag_each_round(EIGHT, [reading]) is is_new
    assert not takes_new_bag_each_round(Draws(EIGHT.values), [reading])
    assert not takes_new_bag_each_round(EIGHT, [Reading(reading.draws)])


def test_hidden_draws_are_not_counted():
    shown = sessions_of(WRONG["seeded at each draw"][1], 6, 0)
    hidden = [tuple(draw for card in session for draw in (card, None)) for session in shown]
    assert odd_draws(CARDS, shown).kind is Oddity.REPEATED
    assert odd_draws(CARDS, hidden) is None
    assert odd_draws(DECK, [(None,) * 60] * 100) is None
