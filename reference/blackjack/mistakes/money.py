"""Mistakes with money: how much is won or lost, what is a blackjack, and how winnings are printed."""

from __future__ import annotations

import re
from collections.abc import Sequence

from reference.blackjack.deal import Hands
from reference.blackjack.mistakes.changes import MONEY, Change, MistakeEntry
from reference.blackjack.mistakes.flow import Flow
from reference.blackjack.rules import MAX_POINTS, Outcome, Rules
from reference.consoles import Wrapper, apply_to_text, replacing, substituting

Hand = Sequence[int]
#: The line with the winnings: the whole part, and .5 if there are halves.
_AMOUNT = re.compile(r"^(Winnings: [+-]?\d+)(\.5)?$", re.MULTILINE)


class _PushLost(Rules):
    def halves_gained(self, player: Hand, dealer: Hand, bet: int) -> int:
        return -2 * bet if self.outcome(player, dealer) is Outcome.PUSH else super().halves_gained(player, dealer, bet)


class _PushPaid(Rules):
    def halves_gained(self, player: Hand, dealer: Hand, bet: int) -> int:
        return 2 * bet if self.outcome(player, dealer) is Outcome.PUSH else super().halves_gained(player, dealer, bet)


class _LossForgotten(Rules):
    def halves_gained(self, player: Hand, dealer: Hand, bet: int) -> int:
        return max(0, super().halves_gained(player, dealer, bet))


class _EveryWinPaysMore(Rules):
    def halves_gained(self, player: Hand, dealer: Hand, bet: int) -> int:
        return 3 * bet if self.outcome(player, dealer) is Outcome.WIN else super().halves_gained(player, dealer, bet)


class _WinPaidTwice(Rules):
    def halves_gained(self, player: Hand, dealer: Hand, bet: int) -> int:
        is_ordinary_win = self.outcome(player, dealer) is Outcome.WIN and not self.is_blackjack(player)
        return 4 * bet if is_ordinary_win else super().halves_gained(player, dealer, bet)


class _Any21PaidMore(Rules):
    def halves_gained(self, player: Hand, dealer: Hand, bet: int) -> int:
        is_21 = self.points(player) == MAX_POINTS and self.outcome(player, dealer) is Outcome.WIN
        return 3 * bet if is_21 else super().halves_gained(player, dealer, bet)


class _DoubleLosesSingle(Flow):
    def won(self, hands: Hands, bet: int, placed: int) -> int:
        won = super().won(hands, bet, placed)
        return won if won >= 0 else super().won(hands, placed, placed)


class _HalvesCut(Rules):
    def halves_gained(self, player: Hand, dealer: Hand, bet: int) -> int:
        return super().halves_gained(player, dealer, bet) // 2 * 2


class _BlackjackAsked(Rules):
    def has_player_decision(self, player: Hand) -> bool:
        return True


class _Any21IsBlackjack(Rules):
    def is_blackjack(self, hand: Hand) -> bool:
        return self.has_blackjacks and self.points(hand) == MAX_POINTS


class _PictureNeededForBlackjack(Rules):
    """An ace with a 10 is no blackjack; an ace with a jack, queen or king is one."""

    def is_blackjack(self, hand: Hand) -> bool:
        return super().is_blackjack(hand) and all(card % 100 != 10 for card in hand)


class _BlackjacksEqual(Rules):
    def outcome(self, player: Hand, dealer: Hand) -> Outcome:
        if self.busts(player) or self.busts(dealer):
            return super().outcome(player, dealer)
        ours, theirs = self.points(player), self.points(dealer)
        return Outcome.WIN if ours > theirs else Outcome.LOSS if ours < theirs else Outcome.PUSH


class _DealersBlackjackTies(Rules):
    """The dealer's blackjack only ties with another 21; the player's blackjack still beats a 21."""

    def outcome(self, player: Hand, dealer: Hand) -> Outcome:
        right_outcome = super().outcome(player, dealer)
        if right_outcome is Outcome.LOSS and self.points(player) == self.points(dealer) == MAX_POINTS:
            return Outcome.PUSH
        return right_outcome


class _TwoBlackjacksWon(Rules):
    def outcome(self, player: Hand, dealer: Hand) -> Outcome:
        both = self.is_blackjack(player) and self.is_blackjack(dealer)
        return Outcome.WIN if both else super().outcome(player, dealer)


class _DealerStandsAgainstBlackjack(Rules):
    def dealer_stands(self, player: Hand, dealer: Hand) -> bool:
        return self.is_blackjack(player) or super().dealer_stands(player, dealer)


def _format_in_cents(text: str) -> str:
    return _AMOUNT.sub(lambda match: f"{match[1]}.{'50' if match[2] else '00'}", text)


def _rules_mistake(id_: str, **fields: object) -> MistakeEntry:
    return MistakeEntry(id_, MONEY, Change(rules=fields))


def _decision_mistake(id_: str, decisions: type) -> MistakeEntry:
    return MistakeEntry(id_, MONEY, Change(decisions=(decisions,)))


def _output_mistake(id_: str, wrapper: Wrapper) -> MistakeEntry:
    return MistakeEntry(id_, MONEY, Change(consoles=(wrapper,)))


MONEY_MISTAKES = (
    _rules_mistake("blackjack-pays-once", blackjack_pays_halves=2),
    _rules_mistake("blackjack-pays-double", blackjack_pays_halves=4),
    _rules_mistake("no-blackjacks", has_blackjacks=False),
    _rules_mistake("double-pays-single", doubling=1),
    MistakeEntry("double-loses-single", MONEY, Change(flows=(_DoubleLosesSingle,))),
    _rules_mistake("winnings-not-added", adds_winnings=False),
    _decision_mistake("push-lost", _PushLost),
    _decision_mistake("push-paid", _PushPaid),
    _decision_mistake("loss-forgotten", _LossForgotten),
    _decision_mistake("every-win-pays-more", _EveryWinPaysMore),
    _decision_mistake("any-21-pays-more", _Any21PaidMore),
    _decision_mistake("halves-cut", _HalvesCut),
    _decision_mistake("blackjack-asked", _BlackjackAsked),
    _decision_mistake("any-21-is-blackjack", _Any21IsBlackjack),
    _decision_mistake("ten-makes-no-blackjack", _PictureNeededForBlackjack),
    _decision_mistake("blackjacks-equal", _BlackjacksEqual),
    _decision_mistake("dealers-blackjack-ties", _DealersBlackjackTies),
    _output_mistake("winnings-without-plus", replacing("Winnings: +", "Winnings: ")),
    _output_mistake("zero-with-plus", replacing("Winnings: 0", "Winnings: +0")),
    _output_mistake("winnings-with-decimals", substituting(r"^(Winnings: [+-]?\d+)$", r"\1.0")),
    _output_mistake("no-line-before-bet", apply_to_text(lambda text: "" if text == "\n" else text)),
    _decision_mistake("win-pays-double", _WinPaidTwice),
    _decision_mistake("two-blackjacks-won", _TwoBlackjacksWon),
    _decision_mistake("dealer-idle-against-blackjack", _DealerStandsAgainstBlackjack),
    _output_mistake("winnings-in-cents", apply_to_text(_format_in_cents)),
)
