"""The mistakes that students of the tournament make, each as a program that makes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal

from reference.consoles import replacing, substituting
from reference.miscounts import all_lowered, always_1, decided_when_drawn, of_hands, one_lowered
from reference.mistakes import Mistake
from reference.tournament import game
from reference.tournament.cards import HIGHEST, aces_as_11, worth
from reference.tournament.rules import ACES, BLACKJACK, MINIMUM, Rules, under
from reference.variants import Programs, Variant

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
    Variant("ace-always-1", _ALL, rules={"count": of_hands(worth, always_1)}),
    Variant("ace-never-lowered", ("aces",), rules={"count": aces_as_11}),
    Variant("one-ace-lowered", ("aces",), rules={"count": of_hands(worth, one_lowered)}),
    Variant("all-aces-lowered", ("aces",), rules={"count": of_hands(worth, all_lowered)}),
    Variant("ace-decided-when-drawn", ("aces",), rules={"count": of_hands(worth, decided_when_drawn)}),
    Variant("pictures-count-up", _ALL, rules={"count": _pictures_count_up}),
    Variant("dealer-stops-early", _ALL, rules={"dealer_draws_to": 15}),
    Variant("dealer-draws-long", _ALL, rules={"dealer_draws_to": 17}),
    Variant("dealer-until-ahead", _ALL, rules={"kind": _UntilAhead}),
    Variant("standoff-paid", _ALL, rules={"standoff_returns": Decimal(2)}),
    Variant("standoff-lost", _ALL, rules={"standoff_returns": Decimal(0)}),
    Variant("win-pays-double", _ALL, rules={"win_returns": Decimal(3)}),
    Variant("lowest-bet-not-held", _ALL, rules={"lowest_bet_taken": 1}),
    Variant("nine-is-taken", _ALL, rules={"lowest_bet_taken": 9}),
    Variant("lowest-bet-refused", _ALL, rules={"lowest_bet_taken": 11}),
    Variant("broke-at-zero", _ALL, rules={"kind": _BrokeAtZero}),
    Variant("more-than-double", _ALL, rules={"kind": _MoreThanDouble}),
    Variant("blackjack-pays-once", _BLACKJACK, rules={"blackjack_pays": Decimal(1)}),
    Variant("blackjack-pays-double", _BLACKJACK, rules={"blackjack_pays": Decimal(2)}),
    Variant("jack-alone", _BLACKJACK, rules={"kind": _JackAlone}),
    Variant("ten-makes-no-blackjack", _BLACKJACK, rules={"kind": _NoTen}),
    Variant("no-blackjack", _BLACKJACK, rules={"has_blackjack": False}),
    Variant("dealers-blackjack-ties", _BLACKJACK, rules={"dealer_blackjack_beats": False}),
    Variant("no-euro", _ALL, consoles=(replacing("€", ""),)),
    Variant("value-without-period", _ALL, consoles=(substituting(r"value is ([0-9]+)\.", r"value is \1"),)),
)
PROGRAMS = Programs(game.main, {"minimum": MINIMUM, "blackjack": BLACKJACK, "aces": ACES}, under)


def catalogue() -> tuple[Mistake, ...]:
    """All mistakes."""
    return PROGRAMS.catalogue(VARIANTS)


def together(one: Mistake, other: Mistake) -> Mapping[str, Callable[..., int]]:
    """The programs that make both mistakes, by stage."""
    return PROGRAMS.together(VARIANTS, one, other)


def tolerating(one: Mistake, right: Callable[..., int]) -> Callable[..., int] | None:
    """The program that makes a mistake when another program is tolerated as the right one."""
    return PROGRAMS.tolerating(VARIANTS, one, right)
