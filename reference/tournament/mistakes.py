"""The mistakes that students of the tournament make, each as a program that makes it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from decimal import ROUND_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, ROUND_UP, Decimal

from reference.consoles import replacing, substituting
from reference.miscounts import (
    all_lowered,
    always_1,
    decided_when_drawn,
    hand_counter,
    one_lowered,
    soft_21_missed,
    two_aces_as_22,
)
from reference.mistakes import Mistake
from reference.reading import Draw
from reference.tournament import game
from reference.tournament.cards import HIGHEST, worth
from reference.tournament.rules import ACES, BLACKJACK, MINIMUM, Rules, with_setting
from reference.variants import Programs, Variant

_ALL = ("minimum", "blackjack", "aces")
_BLACKJACK = ("blackjack", "aces")


_PICTURES = ("Jack", "Queen", "King")


def _pictures_count_up(hand: Sequence[str]) -> int:
    """The value of a hand if Jack, Queen and King count 11, 12 and 13, and every ace 11."""
    return sum(11 + _PICTURES.index(card) if card in _PICTURES else worth(card) for card in hand)


def _pictures_count_up_with_aces(hand: Sequence[str]) -> int:
    """The value of a hand if Jack, Queen and King count 11, 12 and 13, and aces 1 while the hand is over 21."""
    total = _pictures_count_up(hand)
    for _ in range(hand.count("Ace")):
        total -= 10 if total > HIGHEST else 0
    return total


class _OnlyJackMakesBlackjack(Rules):
    def is_blackjack(self, hand: Sequence[str]) -> bool:
        return self.has_blackjack and set(hand) == {"Ace", "Jack"}


class _TenMakesNoBlackjack(Rules):
    def is_blackjack(self, hand: Sequence[str]) -> bool:
        return super().is_blackjack(hand) and "10" not in hand


class _DealerDrawsUntilAhead(Rules):
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


class _DealersBlackjackTies(Rules):
    def dealers_blackjack_beats(self, player: Sequence[str]) -> bool:
        return False


class _DealersBlackjackTies21(Rules):
    def dealers_blackjack_beats(self, player: Sequence[str]) -> bool:
        return self.count(player) < HIGHEST


class _Any21IsBlackjack(Rules):
    def is_blackjack(self, hand: Sequence[str]) -> bool:
        return self.has_blackjack and self.count(hand) == HIGHEST


class _AceThenTenIsNoBlackjack(Rules):
    def is_blackjack(self, hand: Sequence[str]) -> bool:
        return super().is_blackjack(hand) and tuple(hand) != ("Ace", "10")


class _BlackjacksTied(Rules):
    """After the player's blackjack the dealer draws two cards; a blackjack of the dealer ties."""

    def gain_of_blackjack(self, bet: int, draw: Draw) -> Decimal:
        return Decimal(0) if self.is_blackjack([draw(), draw()]) else super().gain_of_blackjack(bet, draw)


class _HalvesRounded(Rules):
    """Rounds the gain from a blackjack to whole euros, in the way that a subclass names."""

    rounding: str

    def gain_of_blackjack(self, bet: int, draw: Draw) -> Decimal:
        return super().gain_of_blackjack(bet, draw).quantize(Decimal(1), self.rounding)


class _HalvesCut(_HalvesRounded):
    rounding = ROUND_DOWN


class _HalvesToEven(_HalvesRounded):
    rounding = ROUND_HALF_EVEN


class _HalvesUp(_HalvesRounded):
    rounding = ROUND_UP


class _AllButNIsYes(Rules):
    def wants_card(self, answer: str) -> bool:
        return super().wants_card(answer) is not False


class _FiveCardsWin(Rules):
    def lead(self, player: Sequence[str], dealer: Sequence[str]) -> int:
        return 1 if len(player) >= 5 else super().lead(player, dealer)


class _FiveCardsLose(Rules):
    def lead(self, player: Sequence[str], dealer: Sequence[str]) -> int:
        return -1 if len(player) >= 5 else super().lead(player, dealer)


class _StandoffAt21Won(Rules):
    def lead(self, player: Sequence[str], dealer: Sequence[str]) -> int:
        return super().lead(player, dealer) or int(self.count(player) == HIGHEST)


class _StandoffAt21Lost(Rules):
    def lead(self, player: Sequence[str], dealer: Sequence[str]) -> int:
        return super().lead(player, dealer) or -int(self.count(player) == HIGHEST)


class _AllMoneyRefused(Rules):
    def accepts_bet(self, bet: int, money: Decimal) -> bool:
        return super().accepts_bet(bet, money) and bet != money


class _OneMoreThanAllAccepted(Rules):
    def accepts_bet(self, bet: int, money: Decimal) -> bool:
        return super().accepts_bet(bet, money + 1)


class _Above100Refused(Rules):
    def accepts_bet(self, bet: int, money: Decimal) -> bool:
        return super().accepts_bet(bet, min(money, Decimal(self.start)))


class _DealerDrawsWhileBehind(Rules):
    def dealer_draws(self, dealer: Sequence[str], player: Sequence[str]) -> bool:
        return super().dealer_draws(dealer, player) or self.count(dealer) < self.count(player)


class _StandoffWon(Rules):
    def lead(self, player: Sequence[str], dealer: Sequence[str]) -> int:
        return super().lead(player, dealer) or 1


class _StandoffToTheDealer(Rules):
    def lead(self, player: Sequence[str], dealer: Sequence[str]) -> int:
        return super().lead(player, dealer) or -1


class _BrokeAtTheLowest(Rules):
    def is_broke(self, money: Decimal) -> bool:
        return money <= self.lowest_bet


class _AnyHighBetAccepted(Rules):
    def accepts_bet(self, bet: int, money: Decimal) -> bool:
        return bet >= self.lowest_bet_taken


class _PicturesMakeBlackjack(Rules):
    def is_blackjack(self, hand: Sequence[str]) -> bool:
        return self.has_blackjack and len(hand) == 2 and self.count(hand) == HIGHEST


class _BustAt21(Rules):
    def is_asked(self, hand: Sequence[str]) -> bool:
        return self.count(hand) < HIGHEST

    def player_busts(self, hand: Sequence[str]) -> bool:
        return self.count(hand) >= HIGHEST


class _AnyLowBetAccepted(Rules):
    def accepts_bet(self, bet: int, money: Decimal) -> bool:
        return bet <= money


class _PlayersBlackjackMissed(Rules):
    def is_players_blackjack(self, hand: Sequence[str]) -> bool:
        return False


class _DealersBlackjackMissed(Rules):
    def is_dealers_blackjack(self, hand: Sequence[str]) -> bool:
        return False


class _OneMoreCardOnly(Rules):
    def is_asked(self, hand: Sequence[str]) -> bool:
        return len(hand) < 3 and super().is_asked(hand)


def _round_euros(match: re.Match[str]) -> str:
    return f"{Decimal(match[1]).quantize(Decimal(1), ROUND_HALF_UP)}€"


_ALWAYS_1 = hand_counter(worth, always_1)
VARIANTS = (
    Variant("ace-always-1", _ALL, rules={"counts": (_ALWAYS_1,) * 2}),
    Variant("one-ace-lowered", ("aces",), rules={"counts": (hand_counter(worth, one_lowered),) * 2}),
    Variant("all-aces-lowered", ("aces",), rules={"counts": (hand_counter(worth, all_lowered),) * 2}),
    Variant("ace-decided-when-drawn", ("aces",), rules={"counts": (hand_counter(worth, decided_when_drawn),) * 2}),
    Variant("pictures-count-up", _ALL, rules={"counts": (_pictures_count_up, _pictures_count_up_with_aces)}),
    Variant(
        "pictures-make-blackjack",
        _ALL,
        rules={"kind": _PicturesMakeBlackjack, "counts": (_pictures_count_up, _pictures_count_up_with_aces)},
    ),
    Variant("dealer-stops-early", _ALL, rules={"dealer_draws_to": 15}),
    Variant("dealer-draws-long", _ALL, rules={"dealer_draws_to": 17}),
    Variant("dealer-until-ahead", _ALL, rules={"kind": _DealerDrawsUntilAhead}),
    Variant("standoff-paid", _ALL, rules={"standoff_returns": Decimal(2)}),
    Variant("standoff-lost", _ALL, rules={"standoff_returns": Decimal(0)}),
    Variant("win-pays-double", _ALL, rules={"win_returns": Decimal(3)}),
    Variant("lowest-bet-not-held", _ALL, rules={"lowest_bet_taken": 1}),
    Variant("nine-is-taken", _ALL, rules={"lowest_bet_taken": 9}),
    Variant("lowest-bet-refused", _ALL, rules={"lowest_bet_taken": 11}),
    Variant("all-the-money-refused", _ALL, rules={"kind": _AllMoneyRefused}),
    Variant("more-than-all-is-taken", _ALL, rules={"kind": _OneMoreThanAllAccepted}),
    Variant("highest-bet-stays-100", _ALL, rules={"kind": _Above100Refused}),
    Variant("five-cards-win", _ALL, rules={"kind": _FiveCardsWin}),
    Variant("five-cards-lose", _ALL, rules={"kind": _FiveCardsLose}),
    Variant("standoff-at-21-won", _ALL, rules={"kind": _StandoffAt21Won}),
    Variant("standoff-at-21-lost", _ALL, rules={"kind": _StandoffAt21Lost}),
    Variant("broke-at-zero", _ALL, rules={"kind": _BrokeAtZero}),
    Variant("more-than-double", _ALL, rules={"kind": _MoreThanDouble}),
    Variant("blackjack-pays-once", _BLACKJACK, rules={"blackjack_pays": Decimal(1)}),
    Variant("blackjack-pays-double", _BLACKJACK, rules={"blackjack_pays": Decimal(2)}),
    Variant("jack-alone", _BLACKJACK, rules={"kind": _OnlyJackMakesBlackjack}),
    Variant("ten-makes-no-blackjack", _BLACKJACK, rules={"kind": _TenMakesNoBlackjack}),
    Variant("no-blackjack", _BLACKJACK, rules={"has_blackjack": False}),
    Variant("dealers-blackjack-ties", _BLACKJACK, rules={"kind": _DealersBlackjackTies}),
    Variant("dealers-blackjack-ties-21", _BLACKJACK, rules={"kind": _DealersBlackjackTies21}),
    Variant("players-blackjack-tied", _BLACKJACK, rules={"kind": _BlackjacksTied}),
    Variant("any-21-is-blackjack", _BLACKJACK, rules={"kind": _Any21IsBlackjack}),
    Variant("ace-and-ten-no-blackjack", _BLACKJACK, rules={"kind": _AceThenTenIsNoBlackjack}),
    Variant(
        "soft-21-missed",
        ("aces",),
        rules={"counts": (hand_counter(worth, soft_21_missed),) * 2, "has_blackjack": False},
    ),
    Variant(
        "aces-low-no-blackjack",
        _BLACKJACK,
        rules={"counts": (hand_counter(worth, always_1),) * 2, "has_blackjack": False},
    ),
    Variant("two-aces-as-22", ("aces",), rules={"counts": (hand_counter(worth, two_aces_as_22),) * 2}),
    Variant("dealer-draws-while-behind", _ALL, rules={"kind": _DealerDrawsWhileBehind}),
    Variant("standoff-won", _ALL, rules={"kind": _StandoffWon}),
    Variant("standoff-to-the-dealer", _ALL, rules={"kind": _StandoffToTheDealer}),
    Variant("broke-at-the-lowest", _ALL, rules={"kind": _BrokeAtTheLowest}),
    Variant("high-bets-taken", _ALL, rules={"kind": _AnyHighBetAccepted}),
    Variant("round-stays-1", _ALL, consoles=(substituting(r"ROUND [0-9]+,", "ROUND 1,"),)),
    Variant("highest-bet-told-as-100", _ALL, consoles=(substituting(r"and <= [0-9.]+€", "and <= 100€"),)),
    Variant("loss-forgotten", _ALL, rules={"loss_costs": Decimal(0), "bust_costs": Decimal(0)}),
    Variant("dealers-win-is-free", _ALL, rules={"loss_costs": Decimal(0)}),
    Variant("bust-is-free", _ALL, rules={"bust_costs": Decimal(0)}),
    Variant("bust-at-21", _ALL, rules={"kind": _BustAt21}),
    Variant("any-low-bet-is-taken", _ALL, rules={"kind": _AnyLowBetAccepted}),
    Variant("players-blackjack-missed", _BLACKJACK, rules={"kind": _PlayersBlackjackMissed}),
    Variant("dealers-blackjack-missed", _BLACKJACK, rules={"kind": _DealersBlackjackMissed}),
    Variant("one-more-card-only", _ALL, rules={"kind": _OneMoreCardOnly}),
    Variant("all-but-n-is-yes", _ALL, rules={"kind": _AllButNIsYes}),
    Variant("half-euro-cut", _BLACKJACK, rules={"kind": _HalvesCut}),
    Variant("half-euro-rounded", _BLACKJACK, rules={"kind": _HalvesToEven}),
    Variant("half-euro-rounded-up", _BLACKJACK, rules={"kind": _HalvesUp}),
    Variant("half-euro-not-shown", _BLACKJACK, consoles=(substituting(r"\b([0-9]+)\.[0-9]€", r"\1€"),)),
    Variant("half-euro-shown-rounded", _BLACKJACK, consoles=(substituting(r"\b([0-9]+\.[0-9])€", _round_euros),)),
    Variant("half-euro-with-comma", _BLACKJACK, consoles=(substituting(r"\b([0-9]+)\.([0-9]€)", r"\1,\2"),)),
    Variant("no-euro", _ALL, consoles=(replacing("€", ""),)),
    Variant("euro-as-question-mark", _ALL, consoles=(replacing("€", "?"),)),
    Variant("value-without-period", _ALL, consoles=(substituting(r"value is ([0-9]+)\.", r"value is \1"),)),
)
PROGRAMS = Programs(game.main, {"minimum": MINIMUM, "blackjack": BLACKJACK, "aces": ACES}, with_setting)


def catalogue() -> tuple[Mistake, ...]:
    """All mistakes."""
    return PROGRAMS.catalogue(VARIANTS)


def tolerating(one: Mistake, right: Callable[..., int]) -> Callable[..., int] | None:
    """The program that makes a mistake where `right`, a program with other rules, is accepted as right."""
    return PROGRAMS.tolerating(VARIANTS, one, right)
