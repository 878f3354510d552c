"""Mistakes in playing: when the dealer draws, whether the player is asked, who wins."""

from __future__ import annotations

from collections.abc import Sequence

from reference.blackjack.mistakes.changes import PLAYED, Change, MistakeEntry
from reference.blackjack.mistakes.points import ace_always_1
from reference.blackjack.rules import MAX_POINTS, Outcome, Rules

Hand = Sequence[int]
_CARDS_THAT_WIN = 5


class _HitsTwiceAtMost(Rules):
    def dealer_stands(self, player: Hand, dealer: Hand) -> bool:
        return len(dealer) >= 4 or super().dealer_stands(player, dealer)


class _HitsOnceAtMost(Rules):
    def dealer_stands(self, player: Hand, dealer: Hand) -> bool:
        return len(dealer) >= 3 or super().dealer_stands(player, dealer)


class _DrawsUntilAhead(Rules):
    def dealer_stands(self, player: Hand, dealer: Hand) -> bool:
        return self.busts(player) or self.points(dealer) > self.points(player) or self.points(dealer) == MAX_POINTS


class _StandsWhenAhead(Rules):
    def dealer_stands(self, player: Hand, dealer: Hand) -> bool:
        return self.points(dealer) > self.points(player) or super().dealer_stands(player, dealer)


class _NeverDraws(Rules):
    def dealer_stands(self, player: Hand, dealer: Hand) -> bool:
        return True


class _BustAt21(Rules):
    def busts(self, hand: Hand) -> bool:
        return self.points(hand) >= MAX_POINTS


class _OtherTieOutcome(Rules):
    tie_outcome = Outcome.LOSS

    def outcome(self, player: Hand, dealer: Hand) -> Outcome:
        right_outcome = super().outcome(player, dealer)
        return self.tie_outcome if right_outcome is Outcome.PUSH else right_outcome


class _TiesLost(_OtherTieOutcome):
    tie_outcome = Outcome.LOSS


class _TiesWon(_OtherTieOutcome):
    tie_outcome = Outcome.WIN


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
        swapped = {Outcome.WIN: Outcome.LOSS, Outcome.LOSS: Outcome.WIN, Outcome.PUSH: Outcome.PUSH}
        return swapped[super().outcome(player, dealer)]


class _Soft21Lost(Rules):
    """The player loses with a 21 in which an ace counts 11, unless the dealer busts."""

    def outcome(self, player: Hand, dealer: Hand) -> Outcome:
        if self.points(player) == MAX_POINTS and ace_always_1(player) != MAX_POINTS and not self.busts(dealer):
            return Outcome.LOSS
        return super().outcome(player, dealer)


class _TwoCards21Wins(Rules):
    def outcome(self, player: Hand, dealer: Hand) -> Outcome:
        right_outcome = super().outcome(player, dealer)
        if (
            right_outcome is not Outcome.PUSH
            or self.points(player) != MAX_POINTS
            or (len(player) == 2) == (len(dealer) == 2)
        ):
            return right_outcome
        return Outcome.WIN if len(player) == 2 else Outcome.LOSS


class _FiveCardsWin(Rules):
    def outcome(self, player: Hand, dealer: Hand) -> Outcome:
        wins = len(player) >= _CARDS_THAT_WIN and not self.busts(player)
        return Outcome.WIN if wins else super().outcome(player, dealer)


def _rules_mistake(id_: str, **fields: object) -> MistakeEntry:
    return MistakeEntry(id_, PLAYED, Change(rules=fields))


def _decision_mistake(id_: str, decisions: type) -> MistakeEntry:
    return MistakeEntry(id_, PLAYED, Change(decisions=(decisions,)))


GAME = (
    _rules_mistake("dealer-stands-at-16", dealer_stands_at=16),
    _rules_mistake("dealer-hits-17", dealer_stands_at=18),
    _rules_mistake("dealer-hits-soft-17", dealer_hits_soft_17=True),
    _rules_mistake("dealer-plays-after-bust", dealer_plays_after_bust=True),
    _decision_mistake("dealer-hits-twice-at-most", _HitsTwiceAtMost),
    _decision_mistake("dealer-hits-once-at-most", _HitsOnceAtMost),
    _decision_mistake("dealer-never-draws", _NeverDraws),
    _decision_mistake("dealer-until-ahead", _DrawsUntilAhead),
    _decision_mistake("dealer-stands-when-ahead", _StandsWhenAhead),
    _decision_mistake("bust-at-21", _BustAt21),
    _rules_mistake("stops-at-21", player_stops_at_21=True),
    _decision_mistake("ties-lost", _TiesLost),
    _decision_mistake("ties-won", _TiesWon),
    _decision_mistake("higher-wins", _HigherWins),
    _decision_mistake("player-bust-forgotten", _PlayerBustForgotten),
    _decision_mistake("dealer-bust-forgotten", _DealerBustForgotten),
    _decision_mistake("winners-swapped", _WinnersSwapped),
    _decision_mistake("soft-21-lost", _Soft21Lost),
    MistakeEntry("push-ends-game", ("play",), Change(rules={"plays_push_again": False})),
    MistakeEntry("blackjack-beats-21", ("play",), Change(decisions=(_TwoCards21Wins,))),
    MistakeEntry("blackjack-not-asked", ("play",), Change(rules={"has_blackjacks": True})),
    _decision_mistake("five-cards-win", _FiveCardsWin),
)
