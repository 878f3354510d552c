from __future__ import annotations

import pytest

from reference.blackjack.deal import main
from reference.blackjack.table import table
from tests.reference.consoles import decks_with, session, transcript_of

SEED_1 = transcript_of("""
Seed: $
 Player Dealer$
|  2♠  |  Q♠  |$
|  3♥  |  7♣  |$
Hit or stand? [h/s] $
 Player Dealer$
|  2♠  |  Q♠  |$
|  3♥  |  7♣  |$
|  6♦  |      |$
Hit or stand? [h/s] $
 Player Dealer$
|  2♠  |  Q♠  |$
|  3♥  |  7♣  |$
|  6♦  |      |$
~Dealer hits.$
$
 Player Dealer$
|  2♠  |  Q♠  |$
|  3♥  |  7♣  |$
|  6♦  |  2♥  |$
~Dealer hits.$
$
 Player Dealer$
|  2♠  |  Q♠  |$
|  3♥  |  7♣  |$
|  6♦  |  2♥  |$
|      |  3♦  |$
~Dealer stands.$
""")


@pytest.mark.parametrize(
    "lines",
    [("1", "h", "s"), ("1 h s",), ("1 h", "", "s"), ("", "1", " h\ts")],
    ids=["lines", "one line", "two", "blanks"],
)
def test_seed_1_gives_this_transcript_however_the_words_are_typed(lines: tuple[str, ...]) -> None:
    console = session(main, *lines)
    assert console.transcript == SEED_1
    assert console.pauses == [2, 2, 2]


def test_cards_are_dealt_alternately_to_player_and_dealer() -> None:
    text = session(main, "1", cards=decks_with("2♣ 3♣ 4♣ 5♣")).text
    assert text == "Seed: " + table([102, 104], [103, 105]) + "Hit or stand? [h/s] "


def test_no_hand_is_scored_and_the_player_may_hit_far_over_21() -> None:
    console = session(main, "1", *["h"] * 8, "s")
    assert console.text.count("Hit or stand? [h/s] ") == 9
    assert "bust" not in console.text.lower()
    assert console.text.endswith("Dealer stands.\n")


def test_forty_hits_leave_the_dealer_two_cards() -> None:
    assert session(main, "1", *["h"] * 40, "s").text.count("Dealer hits.") == 2


def test_hits_end_when_the_deck_is_empty() -> None:
    console = session(main, "1", *["h"] * 100)
    assert console.reads == 1 + 48 + 1  # the seed, a hit for each of the 48 cards left, and a hit without a card
    assert console.transcript.endswith("|\n~Dealer stands.\n")


def test_the_question_is_repeated_after_an_unknown_answer() -> None:
    question = "Hit or stand? [h/s] "
    assert session(main, "1", "x", "H", "h", "s").transcript == SEED_1.replace(question, question * 3, 1)


def test_seed_0_deals_from_the_end_of_the_ordered_deck() -> None:
    assert session(main, "0").text.startswith("Seed: \n Player Dealer\n|  A♠  |  K♠  |\n|  Q♠  |  J♠  |\n")


@pytest.mark.parametrize("lines", [(), ("1",), ("1", "h")], ids=["seed", "first", "second"])
def test_the_program_ends_at_the_prompt_where_the_input_ends(lines: tuple[str, ...]) -> None:
    console = session(main, *lines)
    assert SEED_1.startswith(console.transcript)
    assert console.transcript.endswith("? [h/s] " if lines else "Seed: ")


@pytest.mark.parametrize(
    ("player", "dealer", "expected"),
    [
        ([102], [], "|  2♣  |      |\n"),
        ([110, 214], [311, 412], "| 10♣  |  J♥  |\n|  A♦  |  **  |\n"),
        ([102, 103, 104], [413], "|  2♣  |  K♠  |\n|  3♣  |  **  |\n|  4♣  |      |\n"),
    ],
    ids=["one card", "wide face", "hole card"],
)
def test_a_table_has_a_row_for_each_card_of_the_longer_hand(
    player: list[int], dealer: list[int], expected: str
) -> None:
    assert table(player, dealer, hidden=1) == "\n Player Dealer\n" + expected
