"""Mistakes in the course of a game: how often the player is asked, and which parts of a turn are missing."""

from __future__ import annotations

from reference.blackjack.deal import DEALER_STANDS, Hands
from reference.blackjack.mistakes.changes import MONEY, PLAYED, Change, MistakeEntry
from reference.blackjack.mistakes.flow import Flow
from reference.blackjack.play import PLAYER_BUSTS, hit, show_hidden_table
from reference.blackjack.rules import MAX_POINTS, Outcome, Rules, points
from reference.blackjack.table import NO_HIDDEN_CARD, table

_DEALER_STANDS_AT = 17


class _DealerHitsOnce(Flow):
    def dealer_hits_blindly(self, dealer: list[int]) -> bool:
        # Two cards are dealt, and one is drawn.
        return len(dealer) < 3


class _DealerStopsAt17(Flow):
    def dealer_hits_blindly(self, dealer: list[int]) -> bool:
        return points(dealer) < _DEALER_STANDS_AT and super().dealer_hits_blindly(dealer)


class _HoleHidden(Flow):
    def show_dealt(self, hands: Hands, *, is_over: bool) -> None:
        hidden = NO_HIDDEN_CARD if is_over else self.rules.hidden_card
        self.console.write(table(hands.player, hands.dealer, hidden=hidden))


class _NoTableAfterStanding(Flow):
    def show_dealt(self, hands: Hands, *, is_over: bool) -> None:
        if not is_over:
            super().show_dealt(hands, is_over=is_over)


class _AskedAfterBust(Flow):
    def goes_on(self, hands: Hands) -> bool:
        super().goes_on(hands)  # shows the message if the hand is bust
        return self.rules.has_player_decision(hands.player)


class _BustMessageLate(Flow):
    def goes_on(self, hands: Hands) -> bool:
        return self.rules.has_player_decision(hands.player)

    def decide(self, hands: Hands, bet: int) -> int:
        bet = super().decide(hands, bet)
        if self.rules.busts(hands.player):
            self.console.write(PLAYER_BUSTS)
        return bet


class _BustMessageAt21(Flow):
    def goes_on(self, hands: Hands) -> bool:
        if self.rules.points(hands.player) == MAX_POINTS and self.rules.has_player_decision(hands.player):
            self.console.write(PLAYER_BUSTS)
            return False
        return super().goes_on(hands)


class _LossAt21(Rules):
    """The player loses with 21, unless the hand is a blackjack."""

    def dealer_stands(self, player: list[int], dealer: list[int]) -> bool:  # type: ignore[override]
        return self._is_lost(player) or super().dealer_stands(player, dealer)

    def outcome(self, player: list[int], dealer: list[int]) -> Outcome:  # type: ignore[override]
        return Outcome.LOSS if self._is_lost(player) else super().outcome(player, dealer)

    def _is_lost(self, player: list[int]) -> bool:
        return self.points(player) == MAX_POINTS and not self.is_blackjack(player)


class _NoDealerTurnAfterBust(Flow):
    def dealer_plays(self, hands: Hands) -> None:
        if not self.rules.busts(hands.player):
            super().dealer_plays(hands)


class _NoDealerLineAfterBust(Flow):
    def dealer_plays(self, hands: Hands) -> None:
        if self.rules.busts(hands.player):
            self.show_to_dealer(hands)
        else:
            super().dealer_plays(hands)


class _HoleHiddenAfterBust(Flow):
    def dealer_plays(self, hands: Hands) -> None:
        if self.rules.busts(hands.player):
            if self.rules.shows_table_before_dealer:
                show_hidden_table(self.console, hands, self.rules)
            self.console.pause(self.rules.pause_s)
            self.console.write(DEALER_STANDS)
        else:
            super().dealer_plays(hands)


class _NoTableAfterBust(Flow):
    def dealer_plays(self, hands: Hands) -> None:
        if self.rules.busts(hands.player):
            self.console.pause(self.rules.pause_s)
            self.console.write(DEALER_STANDS)
        else:
            super().dealer_plays(hands)


class _TwoCardsAHit(Flow):
    def hit(self, hands: Hands) -> None:
        hands.player.append(hands.deck.pop())
        super().hit(hands)


class _PausesBeforeHit(Flow):
    def hit(self, hands: Hands) -> None:
        self.console.pause(self.rules.pause_s)
        super().hit(hands)


class _PausesAfterHit(Flow):
    def hit(self, hands: Hands) -> None:
        super().hit(hands)
        self.console.pause(self.rules.pause_s)


class _HoleShownAfterPush(Flow):
    """The dealer's second card stays visible in the game after a push."""

    is_hole_shown = False

    def play_hand(self, bet: int) -> tuple[Hands, int]:
        hands, bet = super().play_hand(bet)
        self.is_hole_shown = self.rules.outcome(hands.player, hands.dealer) is Outcome.PUSH
        return hands, bet

    def show_first(self, hands: Hands) -> None:
        self._show(hands)

    def hit(self, hands: Hands) -> None:
        hands.player.append(hands.deck.pop())
        self._show(hands)

    def _show(self, hands: Hands) -> None:
        hidden = NO_HIDDEN_CARD if self.is_hole_shown else self.rules.hidden_card
        self.console.write(table(hands.player, hands.dealer, hidden=hidden))


class _NoFirstTableWithBlackjack(Flow):
    def show_first(self, hands: Hands) -> None:
        if not self.rules.is_blackjack(hands.player):
            super().show_first(hands)


class _NoDealerTurnAfterBlackjack(Flow):
    def dealer_plays(self, hands: Hands) -> None:
        if not self.rules.is_blackjack(hands.player):
            super().dealer_plays(hands)


class _SeedAskedAgain(Flow):
    def push(self) -> None:
        self.begin()


class _OneCardDoubled(Flow):
    """A player who doubles gets one card, and the player's turn ends."""

    def goes_on_doubled(self, hands: Hands) -> bool:
        hit(self.console, hands, self.rules)
        if self.rules.busts(hands.player):
            self.console.write(PLAYER_BUSTS)
        return False


class _BetAskedOnce(Flow):
    """Asks for a bet before the first hand only; each later hand has the previous bet, doubled if it was doubled."""

    def bet(self, last: int) -> int:
        return last or super().bet(last)


def _flow_mistake(id_: str, stages: tuple[str, ...], flow: type) -> MistakeEntry:
    """A mistake that overrides methods of `Flow` by those of this class."""
    return MistakeEntry(id_, stages, Change(flows=(flow,)))


TURNS = (
    _flow_mistake("deals-dealer-one-card", ("deal",), _DealerHitsOnce),
    _flow_mistake("deals-dealer-to-17", ("deal",), _DealerStopsAt17),
    _flow_mistake("hole-hidden-too-early", ("deal",), _HoleHidden),
    _flow_mistake("not-shown-after-standing", ("deal",), _NoTableAfterStanding),
    _flow_mistake("asked-after-bust", PLAYED, _AskedAfterBust),
    _flow_mistake("bust-told-late", PLAYED, _BustMessageLate),
    _flow_mistake("bust-told-at-21", PLAYED, _BustMessageAt21),
    MistakeEntry("player-bust-at-21", PLAYED, Change(flows=(_BustMessageAt21,), decisions=(_LossAt21,))),
    _flow_mistake("no-turn-after-bust", PLAYED, _NoDealerTurnAfterBust),
    _flow_mistake("no-stand-after-bust", PLAYED, _NoDealerLineAfterBust),
    _flow_mistake("no-table-after-bust", PLAYED, _NoTableAfterBust),
    _flow_mistake("two-cards-a-hit", PLAYED, _TwoCardsAHit),
    _flow_mistake("pause-before-players-card", PLAYED, _PausesBeforeHit),
    _flow_mistake("pause-after-players-card", PLAYED, _PausesAfterHit),
    _flow_mistake("card-open-after-push", PLAYED, _HoleShownAfterPush),
    _flow_mistake("no-first-table-with-blackjack", MONEY, _NoFirstTableWithBlackjack),
    _flow_mistake("hole-hidden-after-bust", PLAYED, _HoleHiddenAfterBust),
    _flow_mistake("no-turn-after-blackjack", MONEY, _NoDealerTurnAfterBlackjack),
    _flow_mistake("seed-asked-again", ("play",), _SeedAskedAgain),
    _flow_mistake("double-takes-one-card", MONEY, _OneCardDoubled),
    _flow_mistake("bet-asked-once", MONEY, _BetAskedOnce),
)
