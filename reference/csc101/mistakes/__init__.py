"""The mistakes that students of CSC 101 make, each as a program that makes it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from reference import miscounts
from reference.consoles import (
    changing,
    reading_characters,
    reading_pieces,
    reading_words,
    replacing,
    skipping_empty_lines,
)
from reference.csc101 import game
from reference.csc101.dialogue import QUIT_PROMPT
from reference.csc101.mistakes.money import MONEY, SPLITTING
from reference.csc101.rules import HIGHEST, RULES, Hand, Outcome, Rules, has_ace, worth
from reference.mistakes import Mistake
from reference.variants import Programs, Variant

_FIVE_CARDS = 5
#: The number of characters that fgets reads at most into an array of ten.
_PIECE_LENGTH = 9
_COMMAND_PROMPTS = ("Enter command: ", "Enter command for first hand: ", "Enter command for second hand: ")
_ALL_BUT_ERRORS = ("basic", "reshuffle", "split", "betting")
_ALL = ("basic", "reshuffle", "split", "betting", "errors")


def _features(stage: str) -> dict[str, Any]:
    """The field of the rules that switches on the feature of a stage; empty for `basic`."""
    return {} if stage == "basic" else {stage: True}


def _low_total(hand: Hand) -> int:
    """The value of a hand with every ace as 1."""
    return sum(map(worth, hand))


def _card_value(card: str) -> int:
    """The value of a card, 11 for an ace."""
    return 11 if has_ace((card,)) else worth(card)


def _pictures_count_up(hand: Hand) -> int:
    """Jack, queen and king count 11, 12 and 13; aces count as in the right rules."""
    total = sum(11 + "JQK".index(card[0]) if card[0] in "JQK" else _card_value(card) for card in hand)
    for _ in range(sum(has_ace((card,)) for card in hand)):
        total -= 10 if total > HIGHEST else 0
    return total


class _TiesLost(Rules):
    def outcome(self, player: Hand, dealer: Hand, *, is_split: bool = False) -> Outcome:
        right_outcome = super().outcome(player, dealer, is_split=is_split)
        return Outcome.LOSS if right_outcome is Outcome.PUSH else right_outcome


class _TiesWon(Rules):
    def outcome(self, player: Hand, dealer: Hand, *, is_split: bool = False) -> Outcome:
        right_outcome = super().outcome(player, dealer, is_split=is_split)
        return Outcome.WIN if right_outcome is Outcome.PUSH else right_outcome


class _BlackjackBeatsBlackjack(Rules):
    def outcome(self, player: Hand, dealer: Hand, *, is_split: bool = False) -> Outcome:
        if self.is_blackjack(player, as_split=("blackjack", "beats") if is_split else None) and self.is_blackjack(
            dealer
        ):
            return Outcome.WIN
        return super().outcome(player, dealer, is_split=is_split)


class _DealerBlackjackTies21(Rules):
    def outcome(self, player: Hand, dealer: Hand, *, is_split: bool = False) -> Outcome:
        right_outcome = super().outcome(player, dealer, is_split=is_split)
        is_tie = right_outcome is Outcome.LOSS and self.points(player) == self.points(dealer)
        return Outcome.PUSH if is_tie else right_outcome


class _FiveCardsWin(Rules):
    def outcome(self, player: Hand, dealer: Hand, *, is_split: bool = False) -> Outcome:
        right_outcome = super().outcome(player, dealer, is_split=is_split)
        return Outcome.WIN if len(player) >= _FIVE_CARDS and not self.busts(player) else right_outcome


class _FiveCardsLose(Rules):
    def outcome(self, player: Hand, dealer: Hand, *, is_split: bool = False) -> Outcome:
        right_outcome = super().outcome(player, dealer, is_split=is_split)
        loses = right_outcome is Outcome.WIN and len(player) >= _FIVE_CARDS and self.points(player) < HIGHEST
        return Outcome.LOSS if loses and not self.busts(dealer) else right_outcome


class _TwoDecks(Rules):
    """There is no third deck."""

    def cards_in(self, deck: int) -> int:
        return 0 if deck > 2 else super().cards_in(deck)


class _ThirdDeckShort(Rules):
    """The third deck and later decks have one card fewer."""

    def cards_in(self, deck: int) -> int:
        return super().cards_in(deck) - (deck > 2)


class _BustAt21(Rules):
    def busts(self, hand: Hand) -> bool:
        return self.points(hand) >= HIGHEST


class _OnlySoft17(Rules):
    """The dealer draws at 17 only if an ace counts 11, not whenever there is an ace."""

    def dealer_draws(self, dealer: Hand, players: Sequence[Hand]) -> bool:
        total = self.points(dealer)
        return total < self.dealer_stands_at or (total == 17 and _low_total(dealer) == 7)


class _OnceAt17(Rules):
    """The dealer draws no further card after one drawn at 17 with an ace."""

    def dealer_draws(self, dealer: Hand, players: Sequence[Hand]) -> bool:
        earlier_cards = dealer[:-1]
        if len(earlier_cards) >= 2 and self.points(earlier_cards) == 17 and has_ace(earlier_cards):
            return False
        return super().dealer_draws(dealer, players)


class _AcesAreNoPair(Rules):
    """Two aces cannot be split: the hand counts 12."""

    def is_pair(self, hand: Hand) -> bool:
        return super().is_pair(hand) and not has_ace(hand)


class _DrawsAtMostOnce(Rules):
    def dealer_draws(self, dealer: Hand, players: Sequence[Hand]) -> bool:
        return len(dealer) < 3 and super().dealer_draws(dealer, players)


class _AnyCase(Rules):
    def command_in(self, answer: str) -> str:
        return super().command_in(answer).lower()


class _IdleAgainstBlackjack(Rules):
    def dealer_draws(self, dealer: Hand, players: Sequence[Hand]) -> bool:
        is_idle = len(players) == 1 and self.is_blackjack(players[0])
        return not is_idle and super().dealer_draws(dealer, players)


def _stand_for_quit(line: str) -> str:
    """Replace a typed command to quit by `s`."""
    return "s" if line.lstrip().startswith("q") else line


def _hit_if_unknown(line: str) -> str:
    """Replace a typed command that no program has by `h`."""
    return "h" if line.strip() and line.strip()[0] not in "hsqd2" else line


VARIANTS = (
    *miscounts.mistakes(_card_value, _ALL),
    Variant("pictures-count-up", _ALL, rules={"points": _pictures_count_up}),
    Variant("dealer-stands-on-17-with-ace", _ALL, rules={"hits_17_with_ace": False}),
    Variant("dealer-hits-soft-17-only", _ALL, rules={"kind": _OnlySoft17}),
    Variant("dealer-stands-at-16", _ALL, rules={"dealer_stands_at": 16}),
    Variant("dealer-hits-17", _ALL, rules={"dealer_stands_at": 18}),
    Variant("dealer-hits-once", _ALL, rules={"kind": _DrawsAtMostOnce}),
    Variant("dealer-plays-after-bust", _ALL, rules={"dealer_plays_after_bust": True}),
    Variant("asks-at-21", _ALL, rules={"asks_at_21": True}),
    Variant("blackjack-ties-21", _ALL, rules={"blackjack_beats_21": False}),
    Variant("blackjack-beats-blackjack", _ALL, rules={"kind": _BlackjackBeatsBlackjack}),
    Variant("dealer-blackjack-ties-21", _ALL, rules={"kind": _DealerBlackjackTies21}),
    Variant("five-cards-win", _ALL, rules={"kind": _FiveCardsWin}),
    Variant("five-cards-lose", _ALL, rules={"kind": _FiveCardsLose}),
    Variant("dealer-takes-one-card-at-17", _ALL, rules={"kind": _OnceAt17}),
    Variant("ties-lost", _ALL, rules={"kind": _TiesLost}),
    Variant("ties-won", _ALL, rules={"kind": _TiesWon}),
    Variant("bust-at-21", _ALL, rules={"kind": _BustAt21}),
    Variant("quit-reveals", _ALL_BUT_ERRORS, rules={"quit_reveals": True}),
    Variant("hole-hidden-after-bust", ("basic",), rules={"reveals_after_bust": False}),
    Variant("asks-at-21-after-hit", _ALL, rules={"asks_at_21_after_hit": True}),
    Variant("dealer-idle-against-blackjack", _ALL, rules={"kind": _IdleAgainstBlackjack}),
    Variant("dealer-never-draws", _ALL, rules={"dealer_stands_at": 0, "hits_17_with_ace": False}),
    Variant("quit-stands", _ALL_BUT_ERRORS, consoles=(changing(("Enter command: ",), _stand_for_quit),)),
    *MONEY,
    Variant("pairs-by-rank", ("split",), rules={"pairs_by_value": False}),
    Variant("aces-not-split", ("split",), rules={"kind": _AcesAreNoPair}),
    *SPLITTING,
    Variant("reshuffling-not-told", ("reshuffle",), rules={"reshuffling_announced": "never"}),
    Variant("reshuffling-told-after", ("reshuffle",), rules={"reshuffling_announced": "after"}),
    Variant("reshuffling-told-on", ("reshuffle",), rules={"reshuffling_announced": "always"}),
    Variant("third-deck-missing", ("reshuffle",), rules={"kind": _TwoDecks}),
    Variant("third-deck-short", ("reshuffle",), rules={"kind": _ThirdDeckShort}),
    Variant("reshuffles-early", ("reshuffle",), rules={"cards_in_deck": 51}),
    Variant("errors-with-period", ("errors",), consoles=(replacing(" unrecognized\n", " unrecognized.\n"),)),
    Variant(
        "newline-is-a-command",
        _ALL,
        consoles=(reading_characters(_COMMAND_PROMPTS, skips_newline=False),),
        needs={"errors": True},
    ),
    Variant("newline-asks-again", _ALL, consoles=(reading_characters(_COMMAND_PROMPTS, skips_newline=True),)),
    Variant("words-not-lines", _ALL, consoles=(reading_words(),)),
    Variant("empty-line-skipped", _ALL, consoles=(skipping_empty_lines,)),
    Variant("empty-line-stands", _ALL, consoles=(changing(_COMMAND_PROMPTS, lambda line: line.strip() or "s"),)),
    Variant("empty-line-quits", _ALL, consoles=(changing((QUIT_PROMPT,), lambda line: line.strip() or "q"),)),
    Variant("capital-quits", _ALL, consoles=(changing((QUIT_PROMPT,), str.lower),)),
    Variant("any-case", _ALL, rules={"kind": _AnyCase}),
    Variant("unknown-stands", _ALL, rules={"unknown_stands": True}),
    Variant("unknown-hits", _ALL_BUT_ERRORS, consoles=(changing(_COMMAND_PROMPTS, _hit_if_unknown),)),
    Variant(
        "rest-of-line-is-an-answer", ("errors",), consoles=(reading_pieces(_PIECE_LENGTH),), needs={"betting": True}
    ),
    Variant("hole-as-stars", _ALL, consoles=(replacing(", X\n", ", **\n"),)),
    Variant("cards-without-blank", _ALL, consoles=(replacing(", ", ","),)),
)
PROGRAMS = Programs(game.main, {stage: replace(RULES, **_features(stage)) for stage in _ALL})


def catalogue() -> tuple[Mistake, ...]:
    """All mistakes with their programs."""
    return PROGRAMS.catalogue(VARIANTS)


def tolerating(one: Mistake, right: Callable[..., int]) -> Callable[..., int] | None:
    """The program that makes a mistake on top of `right`, a tolerated variant of the reference; None if impossible."""
    return PROGRAMS.tolerating(VARIANTS, one, right)
