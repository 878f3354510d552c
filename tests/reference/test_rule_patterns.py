"""The patterns of rules match where the rules apply, and nowhere else."""

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitboss.assignments.specfile import load_assignment
from reference.tournament.cards import CARDS, HIGHEST, count_with_low_aces
from tests.conftest import ROOT


@pytest.fixture(scope="module")
def becomes_1():
    (option,) = (one for one in load_assignment(ROOT / "specs/tournament").stages[0].options if one.name == "aces")
    return re.compile(option.shown_rule.pattern, re.MULTILINE)


@given(hand=st.lists(st.sampled_from(CARDS), min_size=2, max_size=8), who=st.sampled_from(["You have", "Dealer has"]))
def test_an_ace_of_the_tournament_becomes_1_where_the_value_of_a_hand_does_not_rise(becomes_1, hand, who):
    screen, values = "", [0]
    for count, card in enumerate(hand, 1):
        if values[-1] <= HIGHEST:
            values.append(count_with_low_aces(hand[:count]))
            question = " Do you want another card? (y/n) y" if who == "You have" else ""
            screen += f"{who} {card}, hand value is {values[-1]}.{question}\n"
    falls = [value for before, value in pairwise(values) if value <= before]
    assert bool(becomes_1.search(screen)) == bool(falls), screen
