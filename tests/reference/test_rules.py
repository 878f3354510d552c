from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference.blackjack import betting, play
from reference.blackjack.rules import FOR_FUN, FOR_MONEY, Outcome, Rules, points
from reference.cards import FRESH_DECK
from tests.reference.consoles import decks_with, session


def lowest_points(hand: Sequence[int]) -> int:
    """The points of a hand if every ace is worth 1."""
    return sum(1 if card % 100 == 14 else min(card % 100, 10) for card in hand)


HANDS = st.lists(st.sampled_from(FRESH_DECK), min_size=2, max_size=8)


@given(HANDS, HANDS)
def test_swapping_the_hands_mirrors_the_outcome(player: list[int], dealer: list[int]) -> None:
    mirrored = {Outcome.WIN: Outcome.LOSS, Outcome.LOSS: Outcome.WIN, Outcome.PUSH: Outcome.PUSH}
    if points(player) <= 21 or points(dealer) <= 21:
        for rules in (FOR_FUN, FOR_MONEY):
            assert rules.outcome(dealer, player) is mirrored[rules.outcome(player, dealer)]


@given(HANDS)
def test_a_bust_player_loses_even_if_the_dealer_is_bust_too(dealer: list[int]) -> None:
    assert FOR_FUN.outcome([110, 111, 112], dealer) is Outcome.LOSS


@given(HANDS, HANDS, st.integers(1, 1_000_000))
def test_winnings_depend_on_the_outcome(player: list[int], dealer: list[int], bet: int) -> None:
    sum_in_halves = FOR_MONEY.halves_gained(player, dealer, bet)
    outcome = FOR_MONEY.outcome(player, dealer)
    is_blackjack = len(player) == 2 and points(player) == 21
    expected = {Outcome.WIN: 3 * bet if is_blackjack else 2 * bet, Outcome.LOSS: -2 * bet, Outcome.PUSH: 0}
    assert sum_in_halves == expected[outcome]


@pytest.mark.parametrize(
    ("rules", "deck", "answers", "expected"),
    [
        (Rules(dealer_hits_soft_17=True), "10♣ A♦ 8♣ 6♦ 2♠", "s", "Player 18, Dealer 19."),
        (Rules(dealer_stands_at=16), "10♣ 10♦ 8♣ 6♦ 2♠", "s", "Player 18, Dealer 16."),
        (Rules(dealer_plays_after_bust=True), "10♣ 10♦ 8♣ 6♦ 4♠ 2♠", "h", "Player 22, Dealer 18."),
        (Rules(player_stops_at_21=True), "10♣ 10♦ 5♣ 8♦ 6♠", "h", "Player 21, Dealer 18."),
        (Rules(deal_order="ppdd"), "10♣ 9♣ 8♦ 10♦", "s", "Player 19, Dealer 18."),
        (Rules(points=lowest_points), "A♣ 10♦ 9♣ 8♦", "s", "Player 10, Dealer 18."),
    ],
    ids=[*("soft 17", "stands at 16", "plays after bust", "stops at 21", "deals in pairs"), "aces count 1"],
)
def test_changed_rules_change_the_final_scores(rules: Rules, deck: str, answers: str, expected: str) -> None:
    assert (
        f"\nFinal scores: {expected}\n" in session(play.main, "1", *answers, cards=decks_with(deck), rules=rules).text
    )
    assert f"\nFinal scores: {expected}\n" not in session(play.main, "1", *answers, cards=decks_with(deck)).text


def test_a_dealer_who_hits_soft_17_stands_on_hard_17() -> None:
    rules = Rules(dealer_hits_soft_17=True)
    text = session(play.main, "1", "s", cards=decks_with("10♣ 10♦ 8♣ 6♦ A♠"), rules=rules).text
    assert "\nFinal scores: Player 18, Dealer 17.\n" in text


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        (replace(FOR_MONEY, blackjack_pays_halves=4), "+10"),
        (replace(FOR_MONEY, has_blackjacks=False), "+5"),
        (replace(FOR_MONEY, points=lowest_points), "-5"),
    ],
    ids=["2 to 1", "nothing special", "aces count 1"],
)
def test_changed_rules_change_the_winnings(rules: Rules, expected: str) -> None:
    lines = ("1", "5 s q q")  # a blackjack needs no “s”: there “s” begins another hand, in which the input ends
    assert (
        f"\nWinnings: {expected}\n" in session(betting.main, *lines, cards=decks_with("A♣ 10♦ K♣ 8♦"), rules=rules).text
    )


def test_a_subclass_can_replace_a_rule() -> None:
    class WholeBets(Rules):
        """Rounds the winnings of a blackjack down to an integer, as a program that uses ints does."""

        def halves_gained(self, player: Sequence[int], dealer: Sequence[int], bet: int) -> int:
            return Rules.halves_gained(self, player, dealer, bet) // 2 * 2

    rules = WholeBets(has_blackjacks=True)
    assert "\nWinnings: +7\n" in session(betting.main, "1", "5 q", cards=decks_with("A♣ 10♦ K♣ 8♦"), rules=rules).text
