"""Stage 1."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference.blackjack.shuffle import main
from reference.blackjack.table import TEXTS
from reference.cards import FRESH_DECK, SeededCards
from reference.generators import GENERATORS
from tests.reference.consoles import session

ORDERED = "".join(f"{face:>2}{suit}\n" for suit in "♣♦♥♠" for face in [*range(2, 11), *"JQKA"])
FIRST_CARDS_OF_SEED_1 = "Seed: 10♠\n 7♠\n 9♣\n 7♦\n 8♥\n 9♠\n 5♣\n 4♥\n J♥\n 8♠\n A♠\n 2♦\n K♣\n J♣\n 4♦\n"


def test_seed_0_prints_the_deck_in_order() -> None:
    assert session(main, "0").text == "Seed: " + ORDERED


def test_seed_1_prints_a_shuffled_deck_from_its_bottom() -> None:
    assert session(main, "1").text.startswith(FIRST_CARDS_OF_SEED_1)
    assert session(main, "1").text.endswith(" 7♣\n 3♥\n Q♠\n 2♠\n")


@given(st.integers(-(1 << 31), (1 << 31) - 1))
def test_any_seed_prints_every_card_once_in_318_bytes(seed: int) -> None:
    text = session(main, str(seed)).text
    assert len(text.encode()) == 318
    prompt, *lines = text.replace("Seed: ", "Seed: \n").removesuffix("\n").split("\n")
    assert prompt == "Seed: "
    assert sorted(lines) == sorted(TEXTS.values())


def test_negative_seeds_are_taken_as_unsigned() -> None:
    assert session(main, "-1").text == session(main, "4294967295").text != session(main, "1").text


def test_the_seed_may_stand_among_blanks_and_after_empty_lines() -> None:
    assert session(main, "", " \t", "  7 8").text == session(main, "7").text


def test_a_seed_that_is_none_is_asked_for_again() -> None:
    assert session(main, "seven", "7").text == "Seed: " + session(main, "7").text


@pytest.mark.parametrize("lines", [(), ("",), ("x",)], ids=["nothing", "an empty line", "no integer"])
def test_the_end_of_input_ends_it(lines: tuple[str, ...]) -> None:
    assert session(main, *lines).text == "Seed: " * (1 + (lines == ("x",)))


def test_nothing_pauses() -> None:
    assert session(main, "7").pauses == []


def test_each_library_gives_a_deck_of_its_own() -> None:
    texts = {session(main, "42", cards=SeededCards(make)).text for make in GENERATORS.values()}
    assert len(texts) == 4


@pytest.mark.parametrize("card", FRESH_DECK)
def test_a_card_is_its_face_in_two_columns_and_its_suit(card: int) -> None:
    face = {11: " J", 12: " Q", 13: " K", 14: " A", 10: "10"}.get(card % 100, f" {card % 100}")
    assert TEXTS[card] == face + "♣♦♥♠"[card // 100 - 1]
