from __future__ import annotations

from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from reference.blackjack import betting, play, players
from reference.cards import FRESH_DECK, PredeterminedDecks, SeededCards, shuffle_down
from reference.generators import Glibc
from tests.reference.consoles import session

C_INTS = st.integers(-(1 << 31), (1 << 31) - 1)
FRESH_DECK_LIST = list(FRESH_DECK)


@given(st.lists(st.integers(0, 2147483647), min_size=52, max_size=52))
def test_a_shuffled_deck_has_the_same_cards(numbers: list[int]) -> None:
    deck = list(FRESH_DECK)
    shuffle_down(deck, iter(numbers).__next__)
    assert sorted(deck) == FRESH_DECK_LIST


@given(st.permutations(FRESH_DECK_LIST))
def test_the_shuffle_can_produce_every_order_of_the_deck(target_order: list[int]) -> None:
    deck, numbers = list(FRESH_DECK), []
    for index in range(51, -1, -1):
        numbers.append(deck.index(target_order[index]))
        deck[index], deck[numbers[-1]] = deck[numbers[-1]], deck[index]
    deck = list(FRESH_DECK)
    shuffle_down(deck, iter(numbers).__next__)
    assert deck == target_order


def test_a_shuffle_draws_52_random_numbers() -> None:
    drawn_numbers: list[int] = []

    def rand() -> int:
        drawn_numbers.append(0)
        return 0

    shuffle_down(list(FRESH_DECK), rand)
    assert len(drawn_numbers) == 52


def test_seed_0_leaves_decks_in_order_without_a_generator() -> None:
    def refuse_generator(seed: int) -> Glibc:
        raise AssertionError("nothing random is used")

    cards = SeededCards(refuse_generator)
    cards.seed(0)
    assert [cards.deck(), cards.deck()] == [FRESH_DECK_LIST, FRESH_DECK_LIST]


def test_decks_are_in_order_before_the_first_seed() -> None:
    assert SeededCards().deck() == FRESH_DECK_LIST


def test_the_next_deck_continues_the_random_numbers_of_the_last() -> None:
    cards, generator = SeededCards(), Glibc(23)
    cards.seed(23)
    for _ in range(3):
        expected = list(FRESH_DECK)
        shuffle_down(expected, generator.rand)
        assert cards.deck() == expected


@given(C_INTS)
def test_a_seed_gives_the_same_decks_again(seed: int) -> None:
    first_source, second_source = SeededCards(), SeededCards()
    first_source.seed(seed)
    second_source.seed(99)
    second_source.seed(seed)
    assert [first_source.deck(), first_source.deck()] == [second_source.deck(), second_source.deck()]


def test_a_wrong_shuffle_can_be_plugged_in() -> None:
    def without_last_swap(deck: list[int], rand: Callable[[], int]) -> None:
        for index in range(51, 0, -1):
            swap_index = rand() % (index + 1)
            deck[index], deck[swap_index] = deck[swap_index], deck[index]

    correct_session, wrong_session = (
        session(play.main, "23", "s", "s"),
        session(play.main, "23", "s", "s", cards=SeededCards(shuffle=without_last_swap)),
    )
    first_game = correct_session.transcript.partition("Push!")[0]
    assert wrong_session.transcript.startswith(first_game)
    assert wrong_session.transcript != correct_session.transcript


def test_given_cards_are_dealt_first_and_from_the_end_of_their_list() -> None:
    deck = PredeterminedDecks([[303, 414, 102]]).deck()
    assert [deck.pop(), deck.pop(), deck.pop()] == [102, 414, 303]
    assert deck == [card for card in FRESH_DECK if card not in (102, 414, 303)]


def test_decks_after_the_given_cards_are_fresh() -> None:
    cards = PredeterminedDecks([[102]])
    cards.seed(5)
    assert [cards.deck()[-1], cards.deck()] == [102, FRESH_DECK_LIST]


def test_given_cards_may_contain_a_card_twice() -> None:
    deck = PredeterminedDecks([[114, 114]]).deck()
    assert deck[-2:] == [114, 114]
    assert len(deck) == 53


@given(C_INTS)
def test_replaying_the_decks_of_a_session_gives_the_same_output(seed: int) -> None:
    cards = SeededCards()
    cards.seed(seed)
    decks = [cards.deck()[-11:] for _ in range(8)]
    lines = (str(seed), "10", "h", "s", "again", "25", "s", "again", "5", "d", "s", "q")
    replay = session(betting.main, *lines, cards=PredeterminedDecks(decks))
    assert replay.conversation == session(betting.main, *lines).conversation


def test_a_card_source_of_length_0_is_used_though_it_is_falsy() -> None:
    class FalsyDecks(PredeterminedDecks):
        def __len__(self) -> int:
            return 0

    output = session(play.main, "1", cards=FalsyDecks([[405, 304, 203, 102]])).text
    assert players.player_hand(output) == [102, 304]
