import random

from hypothesis import given
from hypothesis import strategies as st

from pitboss.compare.comparison import difference_between
from pitboss.model.comparison_policy import EXACT, Policy
from pitboss.model.transcript import Paused, Shown, canonical
from tests.fuzzing.sessions import events, plain_policies, policies


def are_equal(first, second, policy):
    return difference_between(first, second, policy) is None


def vary_session(session, policy, rng):
    """A copy of a session with random changes that the policy ignores."""
    variant = []
    for event in session:
        if policy.pauses == "ignored" and rng.random() < 0.3:
            variant.append(Paused(rng.randrange(1, 3000)))
        if isinstance(event, Paused) and policy.pauses == "ignored" and rng.random() < 0.5:
            continue
        if isinstance(event, Shown):
            text = event.text
            if policy.letter_case == "ignored" and rng.random() < 0.5:
                text = text.swapcase()
            if policy.trailing_blanks == "ignored" and rng.random() < 0.5:
                text = text.replace(b"\n", b" \n")
            event = Shown(text)
        variant.append(event)
    return canonical(variant)


@given(events, policies)
def test_a_session_equals_itself(session, policy):
    assert are_equal(session, session, policy)


@given(events, events, policies)
def test_equality_is_symmetric(first, second, policy):
    assert are_equal(first, second, policy) == are_equal(second, first, policy)


@given(events, plain_policies, st.randoms(use_true_random=False))
def test_two_variants_of_a_session_equal_it_and_each_other(session, policy, rng):
    first, second = vary_session(session, policy, rng), vary_session(session, policy, rng)
    assert are_equal(session, first, policy) and are_equal(session, second, policy)
    assert are_equal(first, second, policy) and are_equal(second, first, policy)


@given(events, events, plain_policies, st.randoms(use_true_random=False))
def test_a_session_and_its_variant_compare_alike_with_a_third_session(session, third, policy, rng):
    variant = vary_session(session, policy, rng)
    assert are_equal(session, third, policy) == are_equal(variant, third, policy)


@given(events, events)
def test_under_the_exact_policy_only_identical_events_are_equal(first, second):
    assert are_equal(first, second, EXACT) == (first == second)


def test_vary_session_returns_different_sessions():
    rng = random.Random(1)
    session = canonical((Shown(b"Ab\n"), Paused(1)))
    lenient = Policy(pauses="ignored", trailing_blanks="ignored", letter_case="ignored")
    assert len({vary_session(session, lenient, rng) for _ in range(50)}) > 5
