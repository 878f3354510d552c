"""The mistakes that students of CSC 101 make, each as a program that makes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from reference import miscounts
from reference.consoles import replacing
from reference.csc101 import game
from reference.csc101.features import rules_of
from reference.csc101.mistakes.money import BRIEF, MONEY
from reference.csc101.rules import HIGHEST, Hand, Outcome, Rules, has_ace, points, worth
from reference.mistakes import Mistake
from reference.variants import Programs, Variant

_ALL = ("basic", "reshuffle", "split", "betting", "errors")


def _low(hand: Hand) -> int:
    return sum(map(worth, hand))


def _worth(card: str) -> int:
    return 11 if has_ace((card,)) else worth(card)


def _pictures_count_up(hand: Hand) -> int:
    return points(hand) + sum("JQK".index(card[0]) + 1 for card in hand if card[0] in "JQK")


class _TiesLost(Rules):
    def outcome(self, player: Hand, dealer: Hand, *, is_split: bool = False) -> Outcome:
        right = super().outcome(player, dealer, is_split=is_split)
        return Outcome.LOSS if right is Outcome.PUSH else right


class _TiesWon(Rules):
    def outcome(self, player: Hand, dealer: Hand, *, is_split: bool = False) -> Outcome:
        right = super().outcome(player, dealer, is_split=is_split)
        return Outcome.WIN if right is Outcome.PUSH else right


class _BustAt21(Rules):
    def busts(self, hand: Hand) -> bool:
        return self.points(hand) >= HIGHEST


class _OnlySoft17(Rules):
    def dealer_draws(self, dealer: Hand, players: Sequence[Hand]) -> bool:
        total = self.points(dealer)
        return total < self.dealer_stands_at or (total == 17 and _low(dealer) == 7)


class _OnceAt17(Rules):
    def dealer_draws(self, dealer: Hand, players: Sequence[Hand]) -> bool:
        before = dealer[:-1]
        if len(before) >= 2 and self.points(before) == 17 and has_ace(before):
            return False
        return super().dealer_draws(dealer, players)


class _DrawsAtMostOnce(Rules):
    def dealer_draws(self, dealer: Hand, players: Sequence[Hand]) -> bool:
        return len(dealer) < 3 and super().dealer_draws(dealer, players)


VARIANTS = (
    *miscounts.mistakes(_worth, BRIEF, _ALL),
    Variant(
        "pictures-count-up",
        "jack, queen and king count more than ten each",
        "What is a king worth?",
        "11, 12, 13.",
        BRIEF,
        _ALL,
        rules={"points": _pictures_count_up},
    ),
    Variant(
        "dealer-stands-on-17-with-ace",
        "the dealer stands on 17 with an ace",
        "What does the dealer do with 17 and an ace among the cards?",
        "The rule of the extra card is missing.",
        BRIEF,
        _ALL,
        rules={"hits_17_with_ace": False},
    ),
    Variant(
        "dealer-hits-soft-17-only",
        "the dealer takes the extra card only when the ace counts 11",
        "At 17, does it matter whether the ace counts 1 or 11?",
        "Hard 17 with an ace stands.",
        BRIEF,
        _ALL,
        rules={"kind": _OnlySoft17},
    ),
    Variant(
        "dealer-stands-at-16",
        "the dealer stands too early",
        "From which total on does the dealer stand? Look at the comparison in your loop.",
        "Stands at 16.",
        BRIEF,
        _ALL,
        rules={"dealer_stands_at": 16},
    ),
    Variant(
        "dealer-hits-17",
        "the dealer draws too long",
        "From which total on does the dealer stand? Look at the comparison in your loop.",
        "Draws at 17.",
        BRIEF,
        _ALL,
        rules={"dealer_stands_at": 18},
    ),
    Variant(
        "dealer-hits-once",
        "the dealer draws one card at the most",
        "How often may the dealer draw? Is it an if or a loop?",
        "if instead of while.",
        BRIEF,
        _ALL,
        rules={"kind": _DrawsAtMostOnce},
    ),
    Variant(
        "dealer-plays-after-bust",
        "the dealer draws although the player is bust",
        "What is left for the dealer to do when the player is bust already?",
        "Not looked at.",
        BRIEF,
        _ALL,
        rules={"dealer_plays_after_bust": True},
    ),
    Variant(
        "asks-at-21",
        "a player with 21 is asked all the same",
        "What is there to decide with 21?",
        "The prompt comes.",
        BRIEF,
        _ALL,
        rules={"asks_at_21": True},
    ),
    Variant(
        "blackjack-ties-21",
        "a blackjack and another 21 are a tie",
        "Who wins when one 21 has two cards and the other more?",
        "Totals alone.",
        BRIEF,
        _ALL,
        rules={"blackjack_beats_21": False},
    ),
    Variant(
        "ties-lost",
        "the dealer wins a tie",
        "What happens when both have the same total?",
        ">=.",
        BRIEF,
        _ALL,
        rules={"kind": _TiesLost},
    ),
    Variant(
        "ties-won",
        "the player wins a tie",
        "What happens when both have the same total?",
        ">=.",
        BRIEF,
        _ALL,
        rules={"kind": _TiesWon},
    ),
    Variant(
        "bust-at-21",
        "21 is taken for a bust",
        "Look at the comparison that decides whether a hand is bust.",
        ">= 21.",
        BRIEF,
        _ALL,
        rules={"kind": _BustAt21},
    ),
    Variant(
        "quit-reveals",
        "the hidden card is shown when the hand is quit",
        "What may be seen after quitting a hand?",
        "Revealed.",
        BRIEF,
        ("basic", "reshuffle", "split", "betting"),
        rules={"quit_reveals": True},
    ),
    *MONEY,
    Variant(
        "pairs-by-rank",
        "only cards of one rank may be split",
        "Which two cards may be split?",
        "Rank instead of value.",
        BRIEF,
        ("split",),
        rules={"pairs_by_value": False},
    ),
    Variant(
        "reshuffles-early",
        "the deck is reshuffled too early",
        "When exactly is a new deck needed?",
        "Before the last card.",
        BRIEF,
        ("reshuffle",),
        rules={"cards_in_deck": 51},
    ),
    Variant(
        "errors-with-period",
        "an error message ends with a period",
        "Compare the line with the assignment's, character by character.",
        "A period too many.",
        BRIEF,
        ("errors",),
        consoles=(replacing(" unrecognized\n", " unrecognized.\n"),),
    ),
    Variant(
        "hole-as-stars",
        "the hidden card is written in the wrong way",
        "Compare the line with the assignment's, character by character.",
        "Stars.",
        BRIEF,
        _ALL,
        consoles=(replacing(", X\n", ", **\n"),),
    ),
    Variant(
        "cards-without-blank",
        "the space after a comma is missing",
        "Compare the line with the assignment's, character by character.",
        "Only a comma.",
        BRIEF,
        _ALL,
        consoles=(replacing(", ", ","),),
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
