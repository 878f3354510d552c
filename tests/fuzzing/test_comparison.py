"""What counts as the same under a policy: each session is like itself, likeness goes both ways, and on from one to the next."""

import random

from hypothesis import given
from hypothesis import strategies as st

from pitboss.compare.comparison import difference_between
from pitboss.model.comparison_policy import EXACT
from pitboss.model.transcript import Paused, Shown, canonical
from tests.fuzzing.sessions import events, plain_policies, policies


def is_like(one, other, policy):
    return difference_between(one, other, policy) is None


def varied(session, policy, chance):
    """A session with other things where a policy lets them be other."""
    made = []
    for event in session:
        if policy.pauses == "ignored" and chance.random() < 0.3:
            made.append(Paused(chance.randrange(1, 3000)))
        if isinstance(event, Paused) and policy.pauses == "ignored" and chance.random() < 0.5:
            continue
        if isinstance(event, Shown):
            text = event.text
            if policy.letter_case == "ignored" and chance.random() < 0.5:
                text = text.swapcase()
            if policy.trailing_blanks == "ignored" and chance.random() < 0.5:
                text = text.replace(b"\n", b" \n")
            event = Shown(text)
        made.append(event)
    return canonical(made)


@given(events, policies)
def test_a_session_is_like_itself(session, policy):
    assert is_like(session, session, policy)


@given(events, events, policies)
def test_likeness_goes_both_ways(one, other, policy):
    assert is_like(one, other, policy) == is_like(other, one, policy)


@given(events, plain_policies, st.randoms(use_true_random=False))
def test_likeness_goes_on_from_one_to_the_next(session, policy, chance):
    one, other = varied(session, policy, chance), varied(session, policy, chance)
    assert is_like(session, one, policy) and is_like(session, other, policy)
    assert is_like(one, other, policy) and is_like(other, one, policy)


@given(events, events, plain_policies, st.randoms(use_true_random=False))
def test_what_differs_from_one_differs_from_all_that_are_like_it(session, third, policy, chance):
    other = varied(session, policy, chance)
    assert is_like(session, third, policy) == is_like(other, third, policy)


@given(events, events)
def test_what_is_alike_exactly_is_the_same(one, other):
    assert is_like(one, other, EXACT) == (one == other)


def test_what_is_varied_does_vary():
    chance = random.Random(1)
    session = canonical((Shown(b"Ab\n"), Paused(1)))
    ignoring = type(EXACT)(pauses="ignored", trailing_blanks="ignored", letter_case="ignored")
    assert len({varied(session, ignoring, chance) for _ in range(50)}) > 5
