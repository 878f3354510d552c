"""The mistakes that students of ECE 2036 make, each as a program that makes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from reference import miscounts
from reference.consoles import replacing
from reference.ece2036 import game
from reference.ece2036.features import rules_of
from reference.ece2036.rules import HIGHEST, Hand, Outcome, Rules, points, worth
from reference.mistakes import Mistake
from reference.variants import Programs, Variant

_BRIEF = "the brief's rules and sample rounds"
_ALL = ("blackjack", "double", "split")


def _worth(card: str) -> int:
    return 11 if card == "Ace" else worth(card)


def _pictures_count_up(hand: Hand) -> int:
    return points(hand) + sum(("Jack", "Queen", "King").index(card) + 1 for card in hand if card in _PICTURES)


_PICTURES = ("Jack", "Queen", "King")


class _TiesLost(Rules):
    def outcome(self, player: Hand, dealer: Hand, *, is_split: bool = False) -> Outcome:
        right = super().outcome(player, dealer, is_split=is_split)
        return Outcome.LOSS if right is Outcome.PUSH else right


class _DealersBlackjackTies(Rules):
    def outcome(self, player: Hand, dealer: Hand, *, is_split: bool = False) -> Outcome:
        right = super().outcome(player, dealer, is_split=is_split)
        is_21 = self.points(player) == self.points(dealer) == HIGHEST
        return Outcome.PUSH if right is Outcome.LOSS and is_21 else right


class _BustAt21(Rules):
    def busts(self, hand: Hand) -> bool:
        return self.points(hand) >= HIGHEST


VARIANTS = (
    *miscounts.mistakes(_worth, _BRIEF, _ALL),
    Variant(
        "pictures-count-up",
        "jack, queen and king count more than ten each",
        "What is a king worth?",
        "11, 12, 13.",
        _BRIEF,
        _ALL,
        rules={"points": _pictures_count_up},
    ),
    Variant(
        "dealer-stands-at-16",
        "the dealer stands too early",
        "From which total on does the dealer stand? Look at the comparison in your loop.",
        "Stands at 16.",
        _BRIEF,
        _ALL,
        rules={"dealer_stands_at": 16},
    ),
    Variant(
        "dealer-hits-17",
        "the dealer draws too long",
        "From which total on does the dealer stand? Look at the comparison in your loop.",
        "Draws at 17.",
        _BRIEF,
        _ALL,
        rules={"dealer_stands_at": 18},
    ),
    Variant(
        "dealer-hits-soft-17",
        "the dealer draws at 17 if an ace counts 11",
        "What does the dealer do with 17 points when one card is an ace?",
        "The casino rule.",
        _BRIEF,
        _ALL,
        rules={"dealer_hits_soft_17": True},
    ),
    Variant(
        "dealer-hits-once",
        "the dealer draws one card at the most",
        "How often may the dealer draw? Is it an if or a loop?",
        "if instead of while.",
        _BRIEF,
        _ALL,
        rules={"dealer_hits_once": True},
    ),
    Variant(
        "dealer-idle-after-bust",
        "the dealer does not play after the player's bust",
        "Does the dealer play although the player is bust?",
        "The round ends at once.",
        _BRIEF,
        _ALL,
        rules={"dealer_plays_after_bust": False},
    ),
    Variant(
        "both-bust-push",
        "both bust is taken for a push",
        "Who loses when both are bust?",
        "Nobody loses.",
        _BRIEF,
        _ALL,
        rules={"both_bust": Outcome.PUSH},
    ),
    Variant(
        "asks-at-21",
        "a player with 21 is asked all the same",
        "What is there to decide with 21?",
        "The prompt comes.",
        _BRIEF,
        _ALL,
        rules={"asks_at_21": True},
    ),
    Variant(
        "ties-lost",
        "the dealer wins a tie",
        "What happens when both have the same total?",
        ">=.",
        _BRIEF,
        _ALL,
        rules={"kind": _TiesLost},
    ),
    Variant(
        "dealers-blackjack-ties",
        "the dealer's blackjack does not beat another 21",
        "Who wins when only the dealer's 21 is a blackjack?",
        "Totals alone.",
        _BRIEF,
        _ALL,
        rules={"kind": _DealersBlackjackTies},
    ),
    Variant(
        "bust-at-21",
        "21 is taken for a bust",
        "Look at the comparison that decides whether a hand is bust.",
        ">= 21.",
        _BRIEF,
        _ALL,
        rules={"kind": _BustAt21},
    ),
    Variant(
        "blackjack-pays-once",
        "a blackjack is paid like any other win",
        "Work out on paper what this round wins or loses.",
        "1:1.",
        _BRIEF,
        _ALL,
        rules={"blackjack_pays": 1},
    ),
    Variant(
        "every-win-pays-more",
        "every win is paid like a blackjack",
        "Work out on paper what this round wins or loses.",
        "1.5 for all.",
        _BRIEF,
        _ALL,
        rules={"win_pays": 1.5},
    ),
    Variant(
        "push-paid",
        "a push is paid like a win",
        "Work out on paper what this round wins or loses.",
        "Paid.",
        _BRIEF,
        _ALL,
        rules={"push_pays": 1},
    ),
    Variant(
        "push-lost",
        "a push costs the bet",
        "Work out on paper what this round wins or loses.",
        "Lost.",
        _BRIEF,
        _ALL,
        rules={"push_pays": -1},
    ),
    Variant(
        "any-21-is-blackjack",
        "every 21 is taken for a blackjack",
        "How many cards does a blackjack have?",
        "Cards are not counted.",
        _BRIEF,
        _ALL,
        rules={"any_21_is_blackjack": True},
    ),
    Variant(
        "ten-makes-no-blackjack",
        "a ten makes no blackjack with an ace",
        "Which cards make a blackjack with an ace?",
        "Pictures only.",
        _BRIEF,
        _ALL,
        rules={"ten_makes_blackjack": False},
    ),
    Variant(
        "no-blackjack",
        "a blackjack is a 21 like any other",
        "What is special about 21 with two cards?",
        "The rule is missing.",
        _BRIEF,
        _ALL,
        rules={"has_blackjacks": False},
    ),
    Variant(
        "all-money-refused",
        "a bet of all the money is refused",
        "May all the money be bet?",
        "< instead of <=.",
        _BRIEF,
        ("blackjack",),
        rules={"may_bet_all": False},
    ),
    Variant(
        "whole-money",
        "halves of a dollar are lost",
        "In which type do you keep the money?",
        "int instead of double.",
        _BRIEF,
        _ALL,
        rules={"has_whole_money": True},
    ),
    Variant(
        "double-pays-single",
        "a doubled bet is not paid double",
        "Which bet counts after doubling? Follow the variable that holds it.",
        "The card alone.",
        _BRIEF,
        ("double",),
        rules={"double_pays": 1},
    ),
    Variant(
        "dealer-without-s",
        "the line when the dealer wins is wrong",
        "Compare the line with the assignment's, character by character.",
        "`Dealer wins!` for `Dealer wins.`",
        _BRIEF,
        _ALL,
        consoles=(replacing("Dealer wins.", "Dealer wins!"),),
    ),
)
PROGRAMS = Programs(game.main, {stage: rules_of(stage) for stage in _ALL})


def catalogue() -> tuple[Mistake, ...]:
    """All of them."""
    return PROGRAMS.catalogue(VARIANTS)


def together(one: Mistake, other: Mistake) -> Mapping[str, Callable[..., int]]:
    """The programs that make both mistakes, by stage."""
    return PROGRAMS.together(VARIANTS, one, other)


def tolerating(one: Mistake, right: Callable[..., int]) -> Callable[..., int] | None:
    """The program that makes a mistake where another program is tolerated as the right one."""
    return PROGRAMS.tolerating(VARIANTS, one, right)
