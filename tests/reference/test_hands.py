from __future__ import annotations

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from reference.blackjack.rules import is_soft, points
from reference.cards import ACE, FRESH_DECK, face_of, suit_of

HANDS = st.lists(st.sampled_from(FRESH_DECK), max_size=12)


def test_a_fresh_deck_is_the_52_cards_in_the_order_of_their_numbers() -> None:
    expected = [*range(102, 115), *range(202, 215), *range(302, 315), *range(402, 415)]
    assert list(FRESH_DECK) == expected
    assert [100 * suit_of(card) + face_of(card) for card in FRESH_DECK] == expected


@given(HANDS)
def test_points_are_the_best_total_with_each_ace_as_1_or_11(hand: list[int]) -> None:
    values = [(1, 11) if face_of(card) == ACE else (min(face_of(card), 10),) for card in hand]
    totals = {sum(choice) for choice in product(*values)}
    assert points(hand) == max((total for total in totals if total <= 21), default=min(totals))


@given(HANDS)
def test_a_soft_hand_counts_one_ace_as_11(hand: list[int]) -> None:
    lowest = sum(1 if face_of(card) == ACE else min(face_of(card), 10) for card in hand)
    assert points(hand) == lowest + (10 if is_soft(hand) else 0)
    assert not is_soft(hand) or (points(hand) <= 21 and any(face_of(card) == ACE for card in hand))
