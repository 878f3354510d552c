from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference.blackjack.shuffle import main
from reference.blackjack.table import TEXT_OF_CARD
from reference.cards import FRESH_DECK, SeededCards
from reference.generators import GENERATORS
from tests.reference.consoles import session

FRESH_DECK_LINES = "".join(f"{face:>2}{suit}\n" for suit in "♣♦♥♠" for face in [*range(2, 11), *"JQKA"])
START_OF_SEED_1 = "Seed: 10♠\n 7♠\n 9♣\n 7♦\n 8♥\n 9♠\n 5♣\n 4♥\n J♥\n 8♠\n A♠\n 2♦\n K♣\n J♣\n 4♦\n"


def test_seed_0_prints_the_deck_in_order() -> None:
    assert session(main, "0").text == "Seed: " + FRESH_DECK_LINES


def test_seed_1_prints_a_shuffled_deck() -> None:
    assert session(main, "1").text.startswith(START_OF_SEED_1)
    assert session(main, "1").text.endswith(" 7♣\n 3♥\n Q♠\n 2♠\n")


@given(st.integers(-(1 << 31), (1 << 31) - 1))
def test_every_seed_prints_every_card_once_in_318_bytes(seed: int) -> None:
    text = session(main, str(seed)).text
    assert len(text.encode()) == 318  # "Seed: ", and 52 lines of 6 bytes
    prompt, *lines = text.replace("Seed: ", "Seed: \n").removesuffix("\n").split("\n")
    assert prompt == "Seed: "
    assert sorted(lines) == sorted(TEXT_OF_CARD.values())


def test_a_negative_seed_is_converted_to_an_unsigned_int() -> None:
    assert session(main, "-1").text == session(main, "4294967295").text != session(main, "1").text


def test_blanks_and_empty_lines_before_the_seed_are_skipped() -> None:
    assert session(main, "", " \t", "  7 8").text == session(main, "7").text


def test_a_word_that_is_no_integer_makes_the_program_ask_again() -> None:
    assert session(main, "seven", "7").text == "Seed: " + session(main, "7").text


@pytest.mark.parametrize(
    ("lines", "expected"),
    [((), "Seed: "), (("",), "Seed: "), (("x",), "Seed: Seed: ")],
    ids=["nothing", "an empty line", "no integer"],
)
def test_the_program_ends_at_the_end_of_input(lines: tuple[str, ...], expected: str) -> None:
    assert session(main, *lines).text == expected


def test_the_program_makes_no_pauses() -> None:
    assert session(main, "7").pauses == []


def test_each_c_library_shuffles_the_deck_differently() -> None:
    texts = {session(main, "42", cards=SeededCards(generator)).text for generator in GENERATORS.values()}
    assert len(texts) == 4


@pytest.mark.parametrize("card", FRESH_DECK)
def test_a_card_is_printed_as_its_face_in_two_columns_and_its_suit(card: int) -> None:
    face = {11: " J", 12: " Q", 13: " K", 14: " A", 10: "10"}.get(card % 100, f" {card % 100}")
    assert TEXT_OF_CARD[card] == face + "♣♦♥♠"[card // 100 - 1]
