"""Mistakes with money: what is won and lost, and how it is shown."""

from __future__ import annotations

import re
from collections.abc import Sequence

from reference.blackjack.deal import Hands
from reference.blackjack.mistakes.changes import MONEY, Change, Known
from reference.blackjack.mistakes.flow import Flow
from reference.blackjack.rules import HIGHEST, Outcome, Rules
from reference.consoles import Wrapper, replacing, showing, substituting

Hand = Sequence[int]
_AMOUNT = re.compile(r"^(Winnings: [+-]?\d+)(\.5)?$", re.MULTILINE)


class _PushLost(Rules):
    def half_winnings(self, player: Hand, dealer: Hand, bet: int) -> int:
        return -2 * bet if self.outcome(player, dealer) is Outcome.PUSH else super().half_winnings(player, dealer, bet)


class _PushPaid(Rules):
    def half_winnings(self, player: Hand, dealer: Hand, bet: int) -> int:
        return 2 * bet if self.outcome(player, dealer) is Outcome.PUSH else super().half_winnings(player, dealer, bet)


class _LossForgotten(Rules):
    def half_winnings(self, player: Hand, dealer: Hand, bet: int) -> int:
        return max(0, super().half_winnings(player, dealer, bet))


class _AllPaidMore(Rules):
    def half_winnings(self, player: Hand, dealer: Hand, bet: int) -> int:
        return 3 * bet if self.outcome(player, dealer) is Outcome.WIN else super().half_winnings(player, dealer, bet)


class _WinPaidTwice(Rules):
    def half_winnings(self, player: Hand, dealer: Hand, bet: int) -> int:
        is_plain = self.outcome(player, dealer) is Outcome.WIN and not self.is_blackjack(player)
        return 4 * bet if is_plain else super().half_winnings(player, dealer, bet)


class _Any21PaidMore(Rules):
    def half_winnings(self, player: Hand, dealer: Hand, bet: int) -> int:
        is_21 = self.points(player) == HIGHEST and self.outcome(player, dealer) is Outcome.WIN
        return 3 * bet if is_21 else super().half_winnings(player, dealer, bet)


class _DoubleLosesSingle(Flow):
    def won(self, hands: Hands, bet: int, placed: int) -> int:
        won = super().won(hands, bet, placed)
        return won if won >= 0 else super().won(hands, placed, placed)


class _HalvesCut(Rules):
    def half_winnings(self, player: Hand, dealer: Hand, bet: int) -> int:
        return super().half_winnings(player, dealer, bet) // 2 * 2


class _BlackjackAsked(Rules):
    def is_asked(self, player: Hand) -> bool:
        return True


class _Any21IsBlackjack(Rules):
    def is_blackjack(self, hand: Hand) -> bool:
        return self.has_blackjacks and self.points(hand) == HIGHEST


class _TenAceOnly(Rules):
    """Only an ace with a picture is a blackjack."""

    def is_blackjack(self, hand: Hand) -> bool:
        return super().is_blackjack(hand) and all(card % 100 != 10 for card in hand)


class _BlackjacksEqual(Rules):
    def outcome(self, player: Hand, dealer: Hand) -> Outcome:
        if self.busts(player) or self.busts(dealer):
            return super().outcome(player, dealer)
        ours, theirs = self.points(player), self.points(dealer)
        return Outcome.WIN if ours > theirs else Outcome.LOSS if ours < theirs else Outcome.PUSH


class _DealerTenAce(Rules):
    """The dealer's blackjack counts as an ordinary 21; the player's does not."""

    def outcome(self, player: Hand, dealer: Hand) -> Outcome:
        right = super().outcome(player, dealer)
        if right is Outcome.LOSS and self.points(player) == self.points(dealer) == HIGHEST:
            return Outcome.PUSH
        return right


class _TwoBlackjacksWon(Rules):
    def outcome(self, player: Hand, dealer: Hand) -> Outcome:
        both = self.is_blackjack(player) and self.is_blackjack(dealer)
        return Outcome.WIN if both else super().outcome(player, dealer)


class _DealerStandsAgainstBlackjack(Rules):
    def dealer_stands(self, player: Hand, dealer: Hand) -> bool:
        return self.is_blackjack(player) or super().dealer_stands(player, dealer)


def _in_cents(text: str) -> str:
    return _AMOUNT.sub(lambda found: f"{found[1]}.{'50' if found[2] else '00'}", text)


def _ruled(id_: str, **fields: object) -> Known:
    return Known(id_, MONEY, Change(rules=fields))


def _decided(id_: str, decisions: type) -> Known:
    return Known(id_, MONEY, Change(decisions=(decisions,)))


def _shown(id_: str, wrapper: Wrapper) -> Known:
    return Known(id_, MONEY, Change(consoles=(wrapper,)))


MONEY_MISTAKES = (
    _ruled("blackjack-pays-once", blackjack_pays_halves=2),
    _ruled("blackjack-pays-double", blackjack_pays_halves=4),
    _ruled("no-blackjacks", has_blackjacks=False),
    _ruled("double-pays-single", doubling=1),
    Known("double-loses-single", MONEY, Change(flows=(_DoubleLosesSingle,))),
    _ruled("winnings-not-added", adds_winnings=False),
    _decided("push-lost", _PushLost),
    _decided("push-paid", _PushPaid),
    _decided("loss-forgotten", _LossForgotten),
    _decided("every-win-pays-more", _AllPaidMore),
    _decided("any-21-pays-more", _Any21PaidMore),
    _decided("halves-cut", _HalvesCut),
    _decided("blackjack-asked", _BlackjackAsked),
    _decided("any-21-is-blackjack", _Any21IsBlackjack),
    _decided("ten-makes-no-blackjack", _TenAceOnly),
    _decided("blackjacks-equal", _BlackjacksEqual),
    _decided("dealers-blackjack-ties", _DealerTenAce),
    _shown("winnings-without-plus", replacing("Winnings: +", "Winnings: ")),
    _shown("zero-with-plus", replacing("Winnings: 0", "Winnings: +0")),
    _shown("winnings-with-decimals", substituting(r"^(Winnings: [+-]?\d+)$", r"\1.0")),
    _shown("no-line-before-bet", showing(lambda text: "" if text == "\n" else text)),
    _decided("win-pays-double", _WinPaidTwice),
    _decided("two-blackjacks-won", _TwoBlackjacksWon),
    _decided("dealer-idle-against-blackjack", _DealerStandsAgainstBlackjack),
    _shown("winnings-in-cents", showing(_in_cents)),
)
