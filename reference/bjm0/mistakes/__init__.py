"""The mistakes that students of BJM0 make, each as a program that makes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from reference.bjm0 import aces, chances, dealer, shuffle, table
from reference.bjm0.mistakes.odds import BRIEF, ODDS
from reference.bjm0.rules import HIGHEST, RIGHT, VALUES, Hand
from reference.generators import Bsd, Msvc, Musl
from reference.miscounts import always_1, one_lowered
from reference.mistakes import Mistake
from reference.variants import Programs, Variant

_ALL = ("shuffle", "aces", "dealer", "table", "chances")
_DEALT = ("aces", "dealer", "table", "chances")
_AGAINST = ("table", "chances")
_MAINS = {
    "shuffle": shuffle.main,
    "aces": aces.main,
    "dealer": dealer.main,
    "table": table.main,
    "chances": chances.main,
}


def _upward(deck: list[int], rand: Callable[[], int]) -> None:
    for index in range(1, len(deck)):
        other = rand() % (index + 1)
        deck[index], deck[other] = deck[other], deck[index]


def _whole(deck: list[int], rand: Callable[[], int]) -> None:
    for index in range(len(deck) - 1, 0, -1):
        other = rand() % len(deck)
        deck[index], deck[other] = deck[other], deck[index]


def _never_itself(deck: list[int], rand: Callable[[], int]) -> None:
    for index in range(len(deck) - 1, 0, -1):
        other = rand() % index
        deck[index], deck[other] = deck[other], deck[index]


def _by_fours(card: int) -> int:
    return VALUES[(card - 1) // 4]


def _pictures_count_up(card: int) -> int:
    return (2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 11)[(card - 1) % 13]


def _on_hits_only(values: Hand) -> int:
    total, lowered = sum(values[:2]), 0
    for count, value in enumerate(values[2:], 3):
        total += value
        if total > HIGHEST and values[:count].count(11) - (values[:2] == [11, 11]) > lowered:
            total, lowered = total - 10, lowered + 1
    return total


VARIANTS = (
    Variant(
        "shuffle-upward",
        "the shuffle goes up instead of down",
        "Compare your shuffling loop with the assignment's: its start, its end, the %.",
        "Another order of steps.",
        BRIEF,
        _ALL,
        rules={"shuffle": _upward},
    ),
    Variant(
        "shuffle-whole-deck",
        "each card is swapped with any card of the whole deck",
        "Compare your shuffling loop with the assignment's: its start, its end, the %.",
        "rand() % 52.",
        BRIEF,
        _ALL,
        rules={"shuffle": _whole},
    ),
    Variant(
        "shuffle-never-itself",
        "a card can never stay where it is",
        "Compare your shuffling loop with the assignment's: its start, its end, the %.",
        "rand() % i.",
        BRIEF,
        _ALL,
        rules={"shuffle": _never_itself},
    ),
    Variant(
        "musl-rand",
        "the deck of musl's rand()",
        "Your shuffle is right, but the numbers are another system's: test on the course's machine.",
        "musl.",
        BRIEF,
        _ALL,
        rules={"generator": Musl},
    ),
    Variant(
        "macos-rand",
        "the deck of macOS's rand()",
        "Your shuffle is right, but the numbers are another system's: test on the course's machine.",
        "macOS.",
        BRIEF,
        _ALL,
        rules={"generator": Bsd},
    ),
    Variant(
        "windows-rand",
        "the deck of Windows's rand()",
        "Your shuffle is right, but the numbers are another system's: test on the course's machine.",
        "Windows.",
        BRIEF,
        _ALL,
        rules={"generator": Msvc},
    ),
    Variant(
        "shuffles-seed-zero",
        "the deck is shuffled for seed 0 too",
        "Should the deck be shuffled for seed 0?",
        "No exception.",
        BRIEF,
        _ALL,
        rules={"shuffles_seed_0": True},
    ),
    Variant(
        "deals-from-the-front",
        "cards are dealt from the other end of the deck",
        "Which end of the array is dealt first?",
        "cardValues[0].",
        BRIEF,
        _ALL,
        rules={"deals_from_the_end": False},
    ),
    Variant(
        "values-by-fours",
        "the values do not go with the cards",
        "Which value belongs to which card number?",
        "Four of a value in a row.",
        BRIEF,
        _ALL,
        rules={"value": _by_fours},
    ),
    Variant(
        "pictures-count-up",
        "jack, queen and king count more than ten each",
        "What is a king worth?",
        "11, 12, 13.",
        BRIEF,
        _ALL,
        rules={"value": _pictures_count_up},
    ),
    Variant(
        "ace-always-11",
        "every ace counts 11",
        "Work out on paper what a hand with an ace is worth, card by card.",
        "Never lowered.",
        BRIEF,
        _DEALT,
        rules={"total": sum},
    ),
    Variant(
        "ace-always-1",
        "every ace counts 1",
        "Work out on paper what a hand with an ace is worth, card by card.",
        "Never raised.",
        BRIEF,
        _DEALT,
        rules={"total": always_1},
    ),
    Variant(
        "one-ace-lowered",
        "only one ace is ever lowered",
        "Try a hand with two aces and some more cards.",
        "if instead of while.",
        BRIEF,
        ("aces", "table", "chances"),
        rules={"total": one_lowered},
    ),
    Variant(
        "two-aces-on-the-deal",
        "two aces at the start count 22 together",
        "What is a hand of two aces worth before another card is taken?",
        "The brief's fragment lowers an ace only when a card is taken.",
        BRIEF,
        _DEALT,
        rules={"total": _on_hits_only},
    ),
    Variant(
        "dealer-stands-at-16",
        "the dealer stands too early",
        "From which total on does the dealer stand? Look at the comparison in your loop.",
        "Stands at 16.",
        BRIEF,
        ("dealer", "table", "chances"),
        rules={"dealer_stands_at": 16},
    ),
    Variant(
        "dealer-hits-17",
        "the dealer draws too long",
        "From which total on does the dealer stand? Look at the comparison in your loop.",
        "Draws at 17.",
        BRIEF,
        ("dealer", "table", "chances"),
        rules={"dealer_stands_at": 18},
    ),
    Variant(
        "dealer-hits-soft-17",
        "the dealer draws at 17 if an ace counts 11",
        "What does the dealer do with 17 points when one card is an ace?",
        "The casino rule.",
        BRIEF,
        ("dealer", "table", "chances"),
        rules={"dealer_hits_soft_17": True},
    ),
    Variant(
        "dealer-draws-once",
        "the dealer draws one card at the most",
        "How often may the dealer draw? Is it an if or a loop?",
        "if instead of while.",
        BRIEF,
        ("dealer", "table", "chances"),
        rules={"dealer_draws_once": True},
    ),
    Variant(
        "tie-wins",
        "a tie is taken for a win",
        "What happens when both have the same total?",
        ">=.",
        BRIEF,
        _AGAINST,
        rules={"tie_wins": True},
    ),
    Variant(
        "bust-can-win",
        "a bust player wins when the dealer is bust too",
        "Who wins when both are bust?",
        "The player's bust is forgotten.",
        BRIEF,
        ("table",),
        rules={"bust_can_win": True},
    ),
    Variant(
        "dealer-plays-after-bust",
        "the dealer draws although everybody is bust",
        "What is left for the dealer to do when everybody is bust?",
        "Not looked at.",
        BRIEF,
        _AGAINST,
        rules={"dealer_plays_after_bust": True},
    ),
    *ODDS,
)
PROGRAMS = Programs(_MAINS, dict.fromkeys(_ALL, RIGHT))


def catalogue() -> tuple[Mistake, ...]:
    """All of them."""
    return PROGRAMS.catalogue(VARIANTS)


def together(one: Mistake, other: Mistake) -> Mapping[str, Callable[..., int]]:
    """The programs that make both mistakes, by stage."""
    return PROGRAMS.together(VARIANTS, one, other)
