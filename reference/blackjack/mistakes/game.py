"""Mistakes in playing: what the dealer does, who is asked, who wins."""

from __future__ import annotations

from collections.abc import Sequence

from reference.blackjack.mistakes.changes import PLAYED, Change, Known
from reference.blackjack.mistakes.points import ace_always_1
from reference.blackjack.rules import HIGHEST, Outcome, Rules

Hand = Sequence[int]
_FIVE = 5


class _StopsAtTwo(Rules):
    def dealer_stands(self, player: Hand, dealer: Hand) -> bool:
        return len(dealer) >= 4 or super().dealer_stands(player, dealer)


class _StopsAtOne(Rules):
    def dealer_stands(self, player: Hand, dealer: Hand) -> bool:
        return len(dealer) >= 3 or super().dealer_stands(player, dealer)


class _DrawsUntilAhead(Rules):
    def dealer_stands(self, player: Hand, dealer: Hand) -> bool:
        return self.busts(player) or self.points(dealer) > self.points(player) or self.points(dealer) == HIGHEST


class _StandsWhenAhead(Rules):
    def dealer_stands(self, player: Hand, dealer: Hand) -> bool:
        return self.points(dealer) > self.points(player) or super().dealer_stands(player, dealer)


class _NeverDraws(Rules):
    def dealer_stands(self, player: Hand, dealer: Hand) -> bool:
        return True


class _BustAt21(Rules):
    def busts(self, hand: Hand) -> bool:
        return self.points(hand) >= HIGHEST


class _TiesTo(Rules):
    to = Outcome.LOSS

    def outcome(self, player: Hand, dealer: Hand) -> Outcome:
        right = super().outcome(player, dealer)
        return self.to if right is Outcome.PUSH else right


class _TiesLost(_TiesTo):
    to = Outcome.LOSS


class _TiesWon(_TiesTo):
    to = Outcome.WIN


class _HigherWins(Rules):
    def outcome(self, player: Hand, dealer: Hand) -> Outcome:
        ours, theirs = self.points(player), self.points(dealer)
        return Outcome.WIN if ours > theirs else Outcome.LOSS if ours < theirs else Outcome.PUSH


class _PlayerBustForgotten(Rules):
    def outcome(self, player: Hand, dealer: Hand) -> Outcome:
        if self.busts(player) and not self.busts(dealer):
            return Outcome.WIN
        return super().outcome(player, dealer)


class _DealerBustForgotten(Rules):
    def outcome(self, player: Hand, dealer: Hand) -> Outcome:
        if self.busts(dealer) and not self.busts(player):
            return Outcome.LOSS
        return super().outcome(player, dealer)


class _WinnersSwapped(Rules):
    def outcome(self, player: Hand, dealer: Hand) -> Outcome:
        other = {Outcome.WIN: Outcome.LOSS, Outcome.LOSS: Outcome.WIN, Outcome.PUSH: Outcome.PUSH}
        return other[super().outcome(player, dealer)]


class _SoftLost(Rules):
    """A 21 with an ace that counts 11 does not count as 21."""

    def outcome(self, player: Hand, dealer: Hand) -> Outcome:
        if self.points(player) == HIGHEST and ace_always_1(player) != HIGHEST and not self.busts(dealer):
            return Outcome.LOSS
        return super().outcome(player, dealer)


class _TwoCards21Wins(Rules):
    def outcome(self, player: Hand, dealer: Hand) -> Outcome:
        right = super().outcome(player, dealer)
        if right is not Outcome.PUSH or self.points(player) != HIGHEST or (len(player) == 2) == (len(dealer) == 2):
            return right
        return Outcome.WIN if len(player) == 2 else Outcome.LOSS


class _FiveCardsWin(Rules):
    def outcome(self, player: Hand, dealer: Hand) -> Outcome:
        wins = len(player) >= _FIVE and not self.busts(player)
        return Outcome.WIN if wins else super().outcome(player, dealer)


def _rules(id_: str, **fields: object) -> Known:
    return Known(id_, PLAYED, Change(rules=fields))


def _decision(id_: str, decisions: type) -> Known:
    return Known(id_, PLAYED, Change(decisions=(decisions,)))


GAME = (
    _rules("dealer-stands-at-16", dealer_stands_at=16),
    _rules("dealer-hits-17", dealer_stands_at=18),
    _rules("dealer-hits-soft-17", dealer_hits_soft_17=True),
    _rules("dealer-plays-after-bust", dealer_plays_after_bust=True),
    _decision("dealer-hits-twice-at-most", _StopsAtTwo),
    _decision("dealer-hits-once-at-most", _StopsAtOne),
    _decision("dealer-never-draws", _NeverDraws),
    _decision("dealer-until-ahead", _DrawsUntilAhead),
    _decision("dealer-stands-when-ahead", _StandsWhenAhead),
    _decision("bust-at-21", _BustAt21),
    _rules("stops-at-21", player_stops_at_21=True),
    _decision("ties-lost", _TiesLost),
    _decision("ties-won", _TiesWon),
    _decision("higher-wins", _HigherWins),
    _decision("player-bust-forgotten", _PlayerBustForgotten),
    _decision("dealer-bust-forgotten", _DealerBustForgotten),
    _decision("winners-swapped", _WinnersSwapped),
    _decision("soft-21-lost", _SoftLost),
    Known("push-ends-game", ("play",), Change(rules={"plays_push_again": False})),
    Known("blackjack-beats-21", ("play",), Change(decisions=(_TwoCards21Wins,))),
    Known("blackjack-not-asked", ("play",), Change(rules={"has_blackjacks": True})),
    _decision("five-cards-win", _FiveCardsWin),
)
