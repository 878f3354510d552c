from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference.blackjack.betting import QUIT_PROMPT, main, money
from tests.reference.consoles import decks_with, session, transcript_of

#: Decks with which the player wins, loses, pushes or has a blackjack without taking another card.
WIN, LOSS, PUSH = "10♣ 10♦ 9♣ 8♦", "10♣ 10♦ 7♣ 8♦", "10♣ 10♦ 8♣ 8♦"
BLACKJACK, BOTH_BLACKJACK = "A♣ 10♦ K♣ 8♦", "A♣ A♦ K♣ K♦"

DOUBLED = transcript_of("""
Seed: $
Place your bet: $
 Player Dealer$
|  5♣  | 10♦  |$
|  6♣  |  **  |$
Hit, stand or double down? [h/s/d] Bet doubled to 20$
Hit or stand? [h/s] $
 Player Dealer$
|  5♣  | 10♦  |$
|  6♣  |  **  |$
|  2♣  |      |$
Hit or stand? [h/s] $
 Player Dealer$
|  5♣  | 10♦  |$
|  6♣  |  **  |$
|  2♣  |      |$
|  7♣  |      |$
Hit or stand? [h/s] $
 Player Dealer$
|  5♣  | 10♦  |$
|  6♣  |  8♦  |$
|  2♣  |      |$
|  7♣  |      |$
~Dealer stands.$
$
Final scores: Player 20, Dealer 18.$
Player wins!$
Winnings: +20$
Enter 'q' to quit, anything else to play another hand: 
""")

NATURAL = transcript_of("""
Seed: $
Place your bet: $
 Player Dealer$
|  A♣  | 10♦  |$
|  K♣  |  **  |$
$
 Player Dealer$
|  A♣  | 10♦  |$
|  K♣  |  5♦  |$
~Dealer hits.$
$
 Player Dealer$
|  A♣  | 10♦  |$
|  K♣  |  5♦  |$
|      |  6♠  |$
~Dealer stands.$
$
Final scores: Player 21, Dealer 21.$
Player wins!$
Winnings: +7.5$
Enter 'q' to quit, anything else to play another hand: 
""")


def results(words: str, *decks: str) -> list[str]:
    """The lines with results and winnings of hands dealt from these decks, if these words are typed after a seed."""
    text = session(main, "1", words, cards=decks_with(*decks)).text
    return [line for line in text.splitlines() if line.startswith(("Winnings", "Player w", "Dealer w", "Push"))]


def test_a_doubled_hand_continues_with_hit_or_stand() -> None:
    assert (
        session(main, "1", "10", "d", "h", "h", "s", "q", cards=decks_with("5♣ 10♦ 6♣ 8♦ 2♣ 7♣")).transcript == DOUBLED
    )


def test_a_blackjack_asks_for_no_decision_and_beats_a_drawn_21() -> None:
    assert session(main, "1", "5", "q", cards=decks_with("A♣ 10♦ K♣ 5♦ 6♠")).transcript == NATURAL


@pytest.mark.parametrize(
    ("lines", "deck", "expected"),
    [
        ("15 s q", WIN, ["Player wins!", "Winnings: +15"]),
        ("5 s q", LOSS, ["Dealer wins!", "Winnings: -5"]),
        ("5 s q", PUSH, ["Push!", "Winnings: 0"]),
        ("5 d s q", LOSS, ["Dealer wins!", "Winnings: -10"]),
        ("5 d s q", PUSH, ["Push!", "Winnings: 0"]),
        ("5 h q", "10♣ 10♦ 9♣ 8♦ 5♠", ["Dealer wins!", "Winnings: -5"]),
        ("10 q", BLACKJACK, ["Player wins!", "Winnings: +15"]),
        ("5 q", BLACKJACK, ["Player wins!", "Winnings: +7.5"]),
        ("5 q", BOTH_BLACKJACK, ["Push!", "Winnings: 0"]),
        ("5 h s q", "5♣ A♦ 6♣ K♦ 10♣", ["Dealer wins!", "Winnings: -5"]),
        ("5 h s q", "5♣ 10♦ 6♣ 6♦ 10♣ 5♦", ["Push!", "Winnings: 0"]),
        ("1000000 d s q", WIN, ["Player wins!", "Winnings: +2000000"]),
    ],
    ids=[
        *("win", "loss", "push", "doubled loss", "doubled push", "bust", "blackjack", "halves"),
        *("two blackjacks", "blackjack of the dealer", "drawn 21s", "no thousands separators"),
    ],
)
def test_the_winnings_follow_from_the_hands_and_the_bet(lines: str, deck: str, expected: list[str]) -> None:
    assert results(lines, deck) == expected


def test_winnings_are_a_running_total_from_0() -> None:
    lines = "5 s c 7 s c 2 c 5 s q"
    expected = ["Winnings: -5", "Winnings: +2", "Winnings: +5", "Winnings: 0"]
    assert results(lines, LOSS, WIN, BLACKJACK, LOSS)[1::2] == expected


def test_winnings_with_halves_go_below_0() -> None:
    assert results("3 c 5 s q", BLACKJACK, LOSS)[1::2] == ["Winnings: +4.5", "Winnings: -0.5"]


def test_only_the_first_decision_offers_the_double() -> None:
    text = session(main, "1", "5", "h", "d", "s", "q", cards=decks_with("2♣ 10♦ 3♣ 8♦ 4♣")).text
    assert text.count("[h/s/d] ") == 1
    assert text.count("Hit or stand? [h/s] ") == 2
    assert "doubled" not in text


def test_a_hand_may_be_doubled_once() -> None:
    assert session(main, "1", "5 d d s q", cards=decks_with(WIN)).text.count("Bet doubled to 10\n") == 1


@pytest.mark.parametrize(("answer", "hands"), [("q", 1), ("Q", 2), ("quit", 2), ("c", 2), ("0", 2)])
def test_only_q_quits(answer: str, hands: int) -> None:
    text = session(main, "1", "5 s", answer, cards=decks_with(WIN, WIN)).text
    assert text.count("Place your bet: ") == hands


def test_each_hand_begins_with_an_empty_line() -> None:
    text = session(main, "1", "5 s c", cards=decks_with(WIN)).text
    assert text.startswith("Seed: \nPlace your bet: \n Player Dealer\n")
    assert text.endswith(QUIT_PROMPT + "\nPlace your bet: ")


def test_seed_0_deals_the_same_hand_each_time() -> None:
    first, second = session(main, "0", "5 c 5 q").text.split("\nPlace your bet: ")[1:]
    assert first.replace("+7.5", "+15") == second  # each hand wins 7.5, and winnings are a running total


@pytest.mark.parametrize("count", range(5))
def test_the_program_ends_at_the_prompt_where_the_input_ends(count: int) -> None:
    lines = ("1", "5", "d", "s")
    text = session(main, *lines[:count]).text
    prompts = ["Seed: ", "Place your bet: ", "[h/s/d] ", "Hit or stand? [h/s] ", QUIT_PROMPT]
    assert text.endswith(prompts[count])


@given(st.integers(-(10**12), 10**12))
def test_money_is_shown_exactly_with_its_sign(halves: int) -> None:
    output = money(halves)
    assert Decimal(output) * 2 == halves
    if halves == 0:
        assert output == "0"
    else:
        assert output[0] == ("+" if halves > 0 else "-")
    size_of_fraction = len(".5") if halves % 2 else 0
    assert len(output.lstrip("+-")) == len(str(abs(halves) // 2)) + size_of_fraction
