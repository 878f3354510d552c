from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference.blackjack.play import main
from tests.reference.consoles import PAUSE, decks_with, session, transcript_of

SEED_3 = transcript_of("""
Seed: $
 Player Dealer$
|  8♣  |  9♠  |$
|  7♦  |  **  |$
Hit or stand? [h/s] $
 Player Dealer$
|  8♣  |  9♠  |$
|  7♦  |  **  |$
|  9♥  |      |$
Player busts!$
$
 Player Dealer$
|  8♣  |  9♠  |$
|  7♦  | 10♦  |$
|  9♥  |      |$
~Dealer stands.$
$
Final scores: Player 24, Dealer 19.$
Dealer wins!$
""")

SEED_23 = transcript_of("""
Seed: $
 Player Dealer$
|  8♣  |  A♠  |$
| 10♥  |  **  |$
Hit or stand? [h/s] $
 Player Dealer$
|  8♣  |  A♠  |$
| 10♥  |  2♥  |$
~Dealer hits.$
$
 Player Dealer$
|  8♣  |  A♠  |$
| 10♥  |  2♥  |$
|      | 10♣  |$
~Dealer hits.$
$
 Player Dealer$
|  8♣  |  A♠  |$
| 10♥  |  2♥  |$
|      | 10♣  |$
|      |  5♥  |$
~Dealer stands.$
$
Final scores: Player 18, Dealer 18.$
Push! Play again.$
$
 Player Dealer$
|  A♣  |  8♠  |$
|  K♥  |  **  |$
Hit or stand? [h/s] $
 Player Dealer$
|  A♣  |  8♠  |$
|  K♥  |  5♥  |$
~Dealer hits.$
$
 Player Dealer$
|  A♣  |  8♠  |$
|  K♥  |  5♥  |$
|      |  2♣  |$
~Dealer hits.$
$
 Player Dealer$
|  A♣  |  8♠  |$
|  K♥  |  5♥  |$
|      |  2♣  |$
|      |  J♥  |$
~Dealer busts!$
$
Final scores: Player 21, Dealer 25.$
Player wins!$
""")


def test_seed_3_gives_this_transcript() -> None:
    assert session(main, "3", "h").transcript == SEED_3


@pytest.mark.parametrize(
    "lines", [("23", "s", "s"), ("23 s s",), (" 23", "", "\ts s x")], ids=["lines", "one", "blanks"]
)
def test_seed_23_gives_this_transcript_with_a_push(lines: tuple[str, ...]) -> None:
    console = session(main, *lines)
    assert console.transcript == SEED_23
    assert console.pauses == [2] * 6


@pytest.mark.parametrize(
    ("deck", "answers", "expected"),
    [
        ("10♣ 10♦ 9♣ 8♦", "s", "~Dealer stands.\n\nFinal scores: Player 19, Dealer 18.\nPlayer wins!\n"),
        ("10♣ 10♦ 7♣ 8♦", "s", "~Dealer stands.\n\nFinal scores: Player 17, Dealer 18.\nDealer wins!\n"),
        ("10♣ 10♦ 9♣ 6♦ 6♠", "s", "~Dealer busts!\n\nFinal scores: Player 19, Dealer 22.\nPlayer wins!\n"),
        ("10♣ 10♦ 9♣ 6♦ K♠", "h", "~Dealer stands.\n\nFinal scores: Player 29, Dealer 16.\nDealer wins!\n"),
        ("10♣ A♦ 7♣ 6♦", "s", "~Dealer stands.\n\nFinal scores: Player 17, Dealer 17.\nPush! Play again.\n"),
    ],
    ids=["player higher", "dealer higher", "dealer busts", "player busts", "soft 17"],
)
def test_a_game_ends_with_this_result(deck: str, answers: str, expected: str) -> None:
    transcript = session(main, "1", *answers, cards=decks_with(deck)).transcript
    assert transcript.partition("\n Player Dealer\n|  A♠")[0].endswith("|\n" + expected)


def test_a_dealer_draws_on_16_and_stands_on_17() -> None:
    assert session(main, "1", "s", cards=decks_with("10♣ 10♦ K♣ 6♦ A♠")).transcript.count("~Dealer hits.\n") == 1


def test_the_player_is_asked_even_at_21() -> None:
    output = session(main, "1", cards=decks_with("A♣ 10♦ K♣ 8♦")).text
    assert output.endswith("Hit or stand? [h/s] ")


def test_21_with_two_cards_and_21_with_three_cards_push() -> None:
    assert (
        "Final scores: Player 21, Dealer 21.\nPush! Play again.\n"
        in session(main, "1", "h", "s", cards=decks_with("5♣ A♦ 6♣ K♦ 10♣")).text
    )


@pytest.mark.parametrize("lines", [(), ("23",), ("23", "s")], ids=["seed", "first game", "second game"])
def test_the_program_ends_at_the_prompt_where_the_input_ends(lines: tuple[str, ...]) -> None:
    transcript = session(main, *lines).transcript
    assert SEED_23.startswith(transcript)
    assert transcript.endswith("? [h/s] " if lines else "Seed: ")


def test_the_question_is_repeated_after_an_unknown_answer() -> None:
    question = "Hit or stand? [h/s] "
    assert session(main, "3", "H", "\x00", "\udcff", "h").transcript == SEED_3.replace(question, question * 4)


@given(st.integers(-(1 << 31), (1 << 31) - 1), st.text("hs", max_size=12))
def test_only_lines_about_the_turn_of_the_dealer_follow_a_pause(seed: int, answers: str) -> None:
    transcript = session(main, str(seed), *answers).transcript
    lines = [line for line in transcript.split("\n") if PAUSE in line or line.startswith("Dealer ")]
    allowed = {f"{PAUSE}Dealer hits.", f"{PAUSE}Dealer stands.", f"{PAUSE}Dealer busts!", "Dealer wins!"}
    assert set(lines) <= allowed
