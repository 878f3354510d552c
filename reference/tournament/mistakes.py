"""The mistakes that students of the tournament make, each as a program that makes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal

from reference.consoles import replacing, substituting
from reference.miscounts import all_lowered, always_1, decided_when_drawn, of_hands, one_lowered
from reference.mistakes import Mistake
from reference.tournament import game
from reference.tournament.cards import HIGHEST, aces_as_11, worth
from reference.tournament.rules import ACES, BLACKJACK, MINIMUM, Rules
from reference.variants import Programs, Variant

_BRIEF = "the brief's rules and sample tournaments"
_ALL = ("minimum", "blackjack", "aces")
_BLACKJACK = ("blackjack", "aces")


def _pictures_count_up(hand: Sequence[str]) -> int:
    return aces_as_11(hand) + sum(("Jack", "Queen", "King").index(card) + 1 for card in hand if card in _PICTURES)


_PICTURES = ("Jack", "Queen", "King")


class _JackAlone(Rules):
    def is_blackjack(self, hand: Sequence[str]) -> bool:
        return self.has_blackjack and set(hand) == {"Ace", "Jack"}


class _NoTen(Rules):
    def is_blackjack(self, hand: Sequence[str]) -> bool:
        return super().is_blackjack(hand) and "10" not in hand


class _UntilAhead(Rules):
    def dealer_draws(self, dealer: Sequence[str], player: Sequence[str]) -> bool:
        return self.count(dealer) < self.count(player) and self.count(dealer) < HIGHEST


class _BrokeAtZero(Rules):
    def is_broke(self, money: Decimal) -> bool:
        return money <= 0


class _MoreThanDouble(Rules):
    def is_won(self, money: Decimal) -> bool:
        return money > self.goal


class _NeverWon(Rules):
    def is_won(self, money: Decimal) -> bool:
        return False


VARIANTS = (
    Variant(
        "ace-always-1",
        "every ace counts 1",
        "Work out on paper what a hand with an ace is worth, card by card.",
        "Never 11.",
        _BRIEF,
        _ALL,
        rules={"count": of_hands(worth, always_1)},
    ),
    Variant(
        "ace-never-lowered",
        "an ace always counts 11",
        "Work out on paper what a hand with an ace is worth, card by card.",
        "The minimum requirements, not the rule of the aces.",
        _BRIEF,
        ("aces",),
        rules={"count": aces_as_11},
    ),
    Variant(
        "one-ace-lowered",
        "only one ace is ever lowered",
        "Try a hand with two aces and some more cards: what should each of them count?",
        "if instead of while.",
        _BRIEF,
        ("aces",),
        rules={"count": of_hands(worth, one_lowered)},
    ),
    Variant(
        "all-aces-lowered",
        "all aces are lowered together",
        "Try a hand with two aces: must both count the same?",
        "Two aces are 2.",
        _BRIEF,
        ("aces",),
        rules={"count": of_hands(worth, all_lowered)},
    ),
    Variant(
        "ace-decided-when-drawn",
        "an ace is decided when it is drawn and never again",
        "What becomes of an ace when a later card would make the hand too high?",
        "Fixed in drawing order.",
        _BRIEF,
        ("aces",),
        rules={"count": of_hands(worth, decided_when_drawn)},
    ),
    Variant(
        "pictures-count-up",
        "jack, queen and king count more than ten each",
        "What is a king worth?",
        "11, 12, 13.",
        _BRIEF,
        _ALL,
        rules={"count": _pictures_count_up},
    ),
    Variant(
        "dealer-stops-early",
        "the dealer stops too early",
        "From which total on does the dealer stand? Look at the comparison in your loop.",
        "Stops above 15.",
        _BRIEF,
        _ALL,
        rules={"dealer_draws_to": 15},
    ),
    Variant(
        "dealer-draws-long",
        "the dealer draws too long",
        "From which total on does the dealer stand? Look at the comparison in your loop.",
        "Draws at 17.",
        _BRIEF,
        _ALL,
        rules={"dealer_draws_to": 17},
    ),
    Variant(
        "dealer-until-ahead",
        "the dealer draws until the player is beaten",
        "Does the dealer look at the player's total? Read its rule again.",
        "Plays like a player.",
        _BRIEF,
        _ALL,
        rules={"kind": _UntilAhead},
    ),
    Variant(
        "standoff-paid",
        "a standoff is paid like a win",
        "Work out on paper what this round wins or loses.",
        "Returned twice.",
        _BRIEF,
        _ALL,
        rules={"standoff_returns": Decimal(2)},
    ),
    Variant(
        "standoff-lost",
        "a standoff costs the bet",
        "Work out on paper what this round wins or loses.",
        "Not returned.",
        _BRIEF,
        _ALL,
        rules={"standoff_returns": Decimal(0)},
    ),
    Variant(
        "win-pays-double",
        "a win gains twice the bet",
        "Work out on paper what this round wins or loses.",
        "The bet was not taken before.",
        _BRIEF,
        _ALL,
        rules={"win_returns": Decimal(3)},
    ),
    Variant(
        "lowest-bet-not-held",
        "bets below the lowest are accepted",
        "Which is the lowest bet?",
        "Only the top is tested.",
        _BRIEF,
        _ALL,
        rules={"lowest_bet_taken": 1},
    ),
    Variant(
        "broke-at-zero",
        "the tournament goes on with less than the lowest bet",
        "Is there money for another bet?",
        "Lost at 0 only.",
        _BRIEF,
        _ALL,
        rules={"kind": _BrokeAtZero},
    ),
    Variant(
        "more-than-double",
        "exactly double is not enough to win",
        "When is the tournament won? Look at the comparison.",
        "> instead of >=.",
        _BRIEF,
        _ALL,
        rules={"kind": _MoreThanDouble},
    ),
    Variant(
        "blackjack-pays-once",
        "a blackjack is paid like any other win",
        "Work out on paper what this round wins or loses.",
        "1:1.",
        _BRIEF,
        _BLACKJACK,
        rules={"blackjack_pays": Decimal(1)},
    ),
    Variant(
        "blackjack-pays-double",
        "a blackjack is paid too much",
        "Work out on paper what this round wins or loses.",
        "2:1.",
        _BRIEF,
        _BLACKJACK,
        rules={"blackjack_pays": Decimal(2)},
    ),
    Variant(
        "jack-alone",
        "only a jack makes a blackjack with an ace",
        "Which cards make a blackjack with an ace?",
        "The word is taken literally.",
        _BRIEF,
        _BLACKJACK,
        rules={"kind": _JackAlone},
    ),
    Variant(
        "ten-makes-no-blackjack",
        "a 10 makes no blackjack with an ace",
        "Which cards make a blackjack with an ace?",
        "Pictures only.",
        _BRIEF,
        _BLACKJACK,
        rules={"kind": _NoTen},
    ),
    Variant(
        "no-blackjack",
        "a blackjack is a 21 like any other",
        "What is special about 21 with two cards?",
        "The rule is missing.",
        _BRIEF,
        _BLACKJACK,
        rules={"has_blackjack": False},
    ),
    Variant(
        "dealers-blackjack-ties",
        "the dealer's blackjack does not beat another 21",
        "Who wins when only the dealer's 21 is a blackjack?",
        "Totals alone are compared.",
        _BRIEF,
        _BLACKJACK,
        rules={"dealer_blackjack_beats": False},
    ),
    Variant(
        "no-euro",
        "the euro sign is missing",
        "Compare the line with the assignment's, character by character.",
        "Numbers alone.",
        _BRIEF,
        _ALL,
        consoles=(replacing("€", ""),),
    ),
    Variant(
        "value-without-period",
        "the value is not followed by a period",
        "Compare the line with the assignment's, character by character.",
        "A period short.",
        _BRIEF,
        _ALL,
        consoles=(substituting(r"value is ([0-9]+)\.", r"value is \1"),),
    ),
)
PROGRAMS = Programs(game.main, {"minimum": MINIMUM, "blackjack": BLACKJACK, "aces": ACES})


def catalogue() -> tuple[Mistake, ...]:
    """All of them."""
    return PROGRAMS.catalogue(VARIANTS)


def together(one: Mistake, other: Mistake) -> Mapping[str, Callable[..., int]]:
    """The programs that make both mistakes, by stage."""
    return PROGRAMS.together(VARIANTS, one, other)


def tolerating(one: Mistake, right: Callable[..., int]) -> Callable[..., int] | None:
    """The program that makes a mistake where another program is tolerated as the right one."""
    return PROGRAMS.tolerating(VARIANTS, one, right)
