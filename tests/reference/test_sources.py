"""Where decks come from: seeded ones, wrong shuffles and other generators, and draws that are replayed."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from reference.blackjack import betting, play, players
from reference.cards import FRESH_DECK, GivenDecks, SeededCards, shuffle_down
from reference.generators import Glibc, Msvc
from tests.reference.consoles import session

C_INTS = st.integers(-(1 << 31), (1 << 31) - 1)
DECK = list(FRESH_DECK)


@given(st.lists(st.integers(0, 2147483647), min_size=52, max_size=52))
def test_a_shuffled_deck_has_the_same_cards(numbers: list[int]) -> None:
    deck = list(FRESH_DECK)
    shuffle_down(deck, iter(numbers).__next__)
    assert sorted(deck) == DECK


@given(st.permutations(DECK))
def test_every_order_of_the_deck_can_come_out_of_the_shuffle(wanted: list[int]) -> None:
    deck, numbers = list(FRESH_DECK), []
    for index in range(51, -1, -1):
        numbers.append(deck.index(wanted[index]))
        deck[index], deck[numbers[-1]] = deck[numbers[-1]], deck[index]
    deck = list(FRESH_DECK)
    shuffle_down(deck, iter(numbers).__next__)
    assert deck == wanted


def test_a_shuffle_takes_52_numbers() -> None:
    taken: list[int] = []

    def rand() -> int:
        taken.append(0)
        return 0

    shuffle_down(list(FRESH_DECK), rand)
    assert len(taken) == 52


def test_seed_0_leaves_every_deck_in_order_and_makes_no_generator() -> None:
    def never(seed: int) -> Glibc:
        raise AssertionError("nothing random is used")

    cards = SeededCards(never)
    cards.seed(0)
    assert [cards.deck(), cards.deck()] == [DECK, DECK]


def test_before_any_seed_decks_are_in_order() -> None:
    assert SeededCards().deck() == DECK


def test_the_second_deck_goes_on_where_the_first_stopped() -> None:
    cards, generator = SeededCards(), Glibc(23)
    cards.seed(23)
    for _ in range(3):
        expected = list(FRESH_DECK)
        shuffle_down(expected, generator.rand)
        assert cards.deck() == expected


@given(C_INTS)
def test_a_seed_gives_the_same_decks_again(seed: int) -> None:
    one, other = SeededCards(), SeededCards()
    one.seed(seed)
    other.seed(99)
    other.seed(seed)
    assert [one.deck(), one.deck()] == [other.deck(), other.deck()]


def test_another_generator_gives_other_decks() -> None:
    glibc, msvc = SeededCards(), SeededCards(Msvc)
    glibc.seed(7)
    msvc.seed(7)
    assert glibc.deck() != msvc.deck()


def test_a_wrong_shuffle_can_be_plugged_in() -> None:
    def without_last_swap(deck: list[int], rand: Callable[[], int]) -> None:
        for index in range(51, 0, -1):
            other = rand() % (index + 1)
            deck[index], deck[other] = deck[other], deck[index]

    right, wrong = (
        session(play.main, "23", "s", "s"),
        session(play.main, "23", "s", "s", cards=SeededCards(shuffle=without_last_swap)),
    )
    first_game = right.transcript.partition("Push!")[0]
    assert wrong.transcript.startswith(first_game)
    assert wrong.transcript != right.transcript


def test_given_cards_come_first_in_the_order_of_dealing() -> None:
    deck = GivenDecks([[303, 414, 102]]).deck()
    assert [deck.pop(), deck.pop(), deck.pop()] == [102, 414, 303]
    assert deck == [card for card in FRESH_DECK if card not in (102, 414, 303)]


def test_after_the_given_cards_decks_are_fresh() -> None:
    cards = GivenDecks([[102]])
    cards.seed(5)
    assert [cards.deck()[-1], cards.deck()] == [102, DECK]


def test_given_cards_may_repeat_a_card() -> None:
    deck = GivenDecks([[114, 114]]).deck()
    assert deck[-2:] == [114, 114]
    assert len(deck) == 53


@given(C_INTS)
def test_replaying_the_draws_of_a_session_replays_the_session(seed: int) -> None:
    cards = SeededCards()
    cards.seed(seed)
    decks = [cards.deck()[-11:] for _ in range(8)]
    lines = (str(seed), "10", "h", "s", "again", "25", "s", "again", "5", "d", "s", "q")
    replayed = session(betting.main, *lines, cards=GivenDecks(decks))
    assert replayed.conversation == session(betting.main, *lines).conversation


def test_a_source_that_has_a_length_of_0_is_used_all_the_same() -> None:
    class Counted(GivenDecks):
        def __len__(self) -> int:
            return 0

    output = session(play.main, "1", cards=Counted([[405, 304, 203, 102]])).text
    assert players.player_hand(output) == [102, 304]
