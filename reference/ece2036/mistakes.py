"""The mistakes that students of ECE 2036 make, each as a program that makes it."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from decimal import ROUND_HALF_EVEN, Decimal

from reference import miscounts
from reference.console import Console, InputEnded
from reference.consoles import replacing, substituting
from reference.ece2036 import double, game, split
from reference.ece2036.rules import HIGHEST, RULES, Hand, Outcome, Rules, at_random, worth
from reference.mistakes import Mistake
from reference.reading import Draw
from reference.variants import Programs, Variant

_ALL = ("blackjack", "double", "split")


def _worth_with_ace_as_11(card: str) -> int:
    """The value of a card; an ace is worth 11."""
    return 11 if card == "Ace" else worth(card)


def _pictures_count_up(hand: Hand) -> int:
    """The value of a hand if Jack, Queen and King count 11, 12 and 13."""
    total = sum(map(_worth_counting_up, hand))
    for _ in range(hand.count("Ace")):
        total -= 10 if total > HIGHEST else 0
    return total


_PICTURES = ("Jack", "Queen", "King")


def _worth_counting_up(card: str) -> int:
    """The value of a card: 11 to 13 for Jack, Queen and King, 11 for an ace."""
    return 11 + _PICTURES.index(card) if card in _PICTURES else _worth_with_ace_as_11(card)


def _eleven_is_lowered(worths: Sequence[int]) -> int:
    """The sum of the values, where each 11, of a Jack too, counts 1 while the sum is over 21."""
    total = sum(worths)
    for worth_of_card in worths:
        total -= 10 if worth_of_card == 11 and total > HIGHEST else 0
    return total


class _TiesLost(Rules):
    def outcome(self, player: Hand, dealer: Hand, *, is_split: bool = False) -> Outcome:
        right = super().outcome(player, dealer, is_split=is_split)
        return Outcome.LOSS if right is Outcome.PUSH else right


class _DealersBlackjackTies(Rules):
    def outcome(self, player: Hand, dealer: Hand, *, is_split: bool = False) -> Outcome:
        right = super().outcome(player, dealer, is_split=is_split)
        is_21 = self.points(player) == self.points(dealer) == HIGHEST
        return Outcome.PUSH if right is Outcome.LOSS and is_21 else right


class _Push21IsAWin(Rules):
    def outcome(self, player: Hand, dealer: Hand, *, is_split: bool = False) -> Outcome:
        right = super().outcome(player, dealer, is_split=is_split)
        return Outcome.WIN if right is Outcome.PUSH and self.points(player) == HIGHEST else right


class _PairsByName(Rules):
    def is_pair(self, hand: Hand) -> bool:
        return hand[0] == hand[1]


class _AcesAreNoPair(Rules):
    """The hand counts 12, which is not twice 11."""

    def is_pair(self, hand: Hand) -> bool:
        return super().is_pair(hand) and worth(hand[0]) != 1


class _FiveCardsWin(Rules):
    def outcome(self, player: Hand, dealer: Hand, *, is_split: bool = False) -> Outcome:
        is_charlie = len(player) >= _FIVE and not self.busts(player)
        return Outcome.WIN if is_charlie else super().outcome(player, dealer, is_split=is_split)


class _FiveCardsLose(Rules):
    def outcome(self, player: Hand, dealer: Hand, *, is_split: bool = False) -> Outcome:
        right = super().outcome(player, dealer, is_split=is_split)
        return Outcome.LOSS if len(player) >= _FIVE and not self.busts(dealer) else right


_FIVE = 5


class _BustAt21(Rules):
    def busts(self, hand: Hand) -> bool:
        return self.points(hand) >= HIGHEST


class _PlayersBlackjackMissed(Rules):
    """Compares every hand as a hand of a split pair, whose 21 is no blackjack."""

    def outcome(self, player: Hand, dealer: Hand, *, is_split: bool = False) -> Outcome:
        return super().outcome(player, dealer, is_split=True)


class _TieAt21Lost(Rules):
    def outcome(self, player: Hand, dealer: Hand, *, is_split: bool = False) -> Outcome:
        right = super().outcome(player, dealer, is_split=is_split)
        return Outcome.LOSS if right is Outcome.PUSH and self.points(player) == HIGHEST else right


class _BlackjackGainCut(Rules):
    def gain_of_blackjack(self, bet: float) -> float:
        return float(int(super().gain_of_blackjack(bet)))


class _BlackjackGainRounded(Rules):
    def gain_of_blackjack(self, bet: float) -> float:
        return float(math.floor(super().gain_of_blackjack(bet) + 0.5))


class _DoubleLosesSingle(game._Game):
    """A doubled hand that loses costs only the bet before doubling."""

    def _settle(self, index: int) -> float:
        gain = super()._settle(index)
        return gain * self._bet / self._bets[index] if gain < 0 else gain


class _Any21PaysMore(game._Game):
    def _settle(self, index: int) -> float:
        gain = super()._settle(index)
        is_21 = self._rules.points(self._hands[index]) == HIGHEST
        return gain * self._rules.blackjack_pays if gain > 0 and is_21 else gain


class _OpenAfterPush(game._Game):
    """Shows both of the dealer's first cards in the round after a push."""

    #: Whether the round before was a push.
    is_open = False

    def _play_round(self) -> float:
        self._rules = replace(self._rules, first_shown=(0, 2 if self.is_open else 1))
        self.is_open = True
        gain = super()._play_round()
        self.is_open = self.is_open and not gain
        return gain

    def _settle(self, index: int) -> float:
        gain = super()._settle(index)
        self.is_open = self.is_open and not gain
        return gain


class _FirstHandNotSettled(game._Game):
    def _settle(self, index: int) -> float:
        is_first = index == 0 and len(self._hands) == 2
        return 0 if is_first else super()._settle(index)


def _game_variant(id_: str, stages: tuple[str, ...], game_class: type[game._Game]) -> Variant:
    """A mistake that needs a subclass of the game, beyond other rules."""

    def main(console: Console, draw: Draw | None = None, rules: Rules = RULES) -> int:
        with suppress(InputEnded):
            game_class(console, draw or at_random(), rules).play()
        return 0

    return Variant(id_, stages, mains=dict.fromkeys(stages, main))


def _round_dollars(match: re.Match[str]) -> str:
    return f"{match[1]}{Decimal(match[2]).quantize(Decimal(1), ROUND_HALF_EVEN)} "


VARIANTS = (
    *miscounts.mistakes(_worth_with_ace_as_11, _ALL),
    Variant("pictures-count-up", _ALL, rules={"points": _pictures_count_up}),
    Variant(
        "jack-taken-for-ace", _ALL, rules={"points": miscounts.hand_counter(_worth_counting_up, _eleven_is_lowered)}
    ),
    Variant("dealer-stands-at-16", _ALL, rules={"dealer_stands_at": 16}),
    Variant("dealer-hits-17", _ALL, rules={"dealer_stands_at": 18}),
    Variant("dealer-hits-soft-17", _ALL, rules={"dealer_hits_soft_17": True}),
    Variant("dealer-hits-once", _ALL, rules={"dealer_hits_once": True}),
    Variant("dealer-idle-after-bust", _ALL, rules={"dealer_plays_after_bust": False}),
    Variant("both-bust-push", _ALL, rules={"both_bust": Outcome.PUSH}),
    Variant("asks-at-21", _ALL, rules={"asks_at_21": True}),
    Variant("ties-lost", _ALL, rules={"kind": _TiesLost}),
    Variant("dealers-blackjack-ties", _ALL, rules={"kind": _DealersBlackjackTies}),
    Variant("bust-at-21", _ALL, rules={"kind": _BustAt21}),
    Variant("blackjack-pays-once", _ALL, rules={"blackjack_pays": 1}),
    Variant("every-win-pays-more", _ALL, rules={"win_pays": 1.5}),
    Variant("push-paid", _ALL, rules={"push_pays": 1}),
    Variant("push-lost", _ALL, rules={"push_pays": -1}),
    # Without the dealer's hand nobody sees that the dealer has one too.
    Variant(
        "blackjack-beats-blackjack",
        _ALL,
        rules={"blackjack_beats_blackjack": True},
        needs={"shows_dealer_after_blackjack": ("always", "push")},
    ),
    Variant("any-21-is-blackjack", _ALL, rules={"any_21_is_blackjack": True}),
    Variant("ten-makes-no-blackjack", _ALL, rules={"ten_makes_blackjack": False}),
    Variant("no-blackjack", _ALL, rules={"has_blackjacks": False}),
    Variant("all-money-refused", ("blackjack",), rules={"may_bet_all": False}),
    Variant("whole-money", _ALL, rules={"has_whole_money": True}),
    Variant("more-than-all-accepted", _ALL, rules={"bet_over": 1}),
    Variant("negative-bet-played", _ALL, rules={"plays_negative_bets": True}),
    Variant("other-keys-stand", _ALL, rules={"other_keys": "s"}),
    Variant("other-keys-hit", _ALL, rules={"other_keys": "h"}),
    Variant("push-at-21-wins", _ALL, rules={"kind": _Push21IsAWin}),
    Variant("five-cards-win", _ALL, rules={"kind": _FiveCardsWin}),
    Variant("five-cards-lose", _ALL, rules={"kind": _FiveCardsLose}),
    Variant("double-without-money", ("double",), rules={"features_without_money": True}),
    Variant("double-needs-more", ("double",), rules={"may_bet_twice_all": False}),
    Variant("double-after-a-hit", ("double",), rules={"doubles_late": True}),
    Variant("split-without-money", ("split",), rules={"features_without_money": True}),
    Variant("split-needs-more", ("split",), rules={"may_bet_twice_all": False}),
    Variant("split-by-name", ("split",), rules={"kind": _PairsByName}),
    Variant("aces-not-split", ("split",), rules={"kind": _AcesAreNoPair}),
    Variant("split-21-pays-more", ("split",), rules={"split_21_pays": 1.5}),
    Variant("second-hand-free", ("split",), rules={"second_bet": 0}),
    Variant("split-results-swapped", ("split",), rules={"results_swapped": True}),
    Variant("double-pays-single", ("double",), rules={"double_pays": 1}),
    Variant("win-pays-double", _ALL, rules={"win_pays": 2}),
    Variant("higher-pays-double", _ALL, rules={"higher_factor": 2}),
    Variant("loss-forgotten", _ALL, rules={"loss_pays": 0}),
    Variant("lower-hand-free", _ALL, rules={"lower_factor": 0}),
    Variant("both-bust-won", _ALL, rules={"both_bust": Outcome.WIN, "dealers_bust_first": True}),
    Variant("both-busts-told", _ALL, rules={"tells_both_busts": True}),
    Variant("blackjack-cut", _ALL, rules={"kind": _BlackjackGainCut}),
    Variant("blackjack-rounded", _ALL, rules={"kind": _BlackjackGainRounded}),
    Variant("money-shown-cut", _ALL, consoles=(substituting(r"^(Player has [0-9]+)\.[0-9]+ ", r"\1 "),)),
    Variant("money-shown-rounded", _ALL, consoles=(substituting(r"^(Player has )([0-9]+\.[0-9]+) ", _round_dollars),)),
    Variant("blackjack-plays-on", _ALL, rules={"ends_at_blackjack": False, "blackjack_pays": 1}),
    Variant(
        "players-blackjack-missed",
        _ALL,
        rules={"kind": _PlayersBlackjackMissed, "ends_at_blackjack": False, "blackjack_pays": 1},
    ),
    Variant("dealers-21-is-blackjack", _ALL, rules={"kind": _TieAt21Lost}),
    Variant("dealer-plays-against-blackjack", _ALL, rules={"plays_against_blackjack": True}),
    Variant("dealer-stands-after-bust", _ALL, rules={"draws_after_bust": False}),
    Variant("draws-not-shown", _ALL, rules={"shows_each_draw": False}),
    Variant("shows-second-card", _ALL, rules={"first_shown": (1, 2)}),
    Variant("shows-both-cards", _ALL, rules={"first_shown": (0, 2)}),
    Variant("double-goes-on", ("double",), rules={"goes_on_doubled": True}),
    Variant("double-without-card", ("double",), rules={"takes_card_doubled": False}),
    Variant("double-offered-late", ("double",), rules={"offers_late": True}),
    Variant("second-hand-not-played", ("split",), rules={"plays_second": False}),
    Variant("second-hand-not-settled", ("split",), rules={"settles_second": False}),
    _game_variant("double-loses-single", ("double",), _DoubleLosesSingle),
    _game_variant("any-21-pays-more", _ALL, _Any21PaysMore),
    _game_variant("card-open-after-push", _ALL, _OpenAfterPush),
    _game_variant("first-hand-not-settled", ("split",), _FirstHandNotSettled),
    Variant("dealer-without-s", _ALL, consoles=(replacing("Dealer wins.", "Dealer wins!"),)),
)
PROGRAMS = Programs(game.main, {"blackjack": RULES, "double": double.RULES, "split": split.RULES})


def catalogue() -> tuple[Mistake, ...]:
    """All mistakes."""
    return PROGRAMS.catalogue(VARIANTS)


def tolerating(one: Mistake, right: Callable[..., int]) -> Callable[..., int] | None:
    """The program that makes a mistake where `right`, a program with other rules, is accepted as right."""
    return PROGRAMS.tolerating(VARIANTS, one, right)
