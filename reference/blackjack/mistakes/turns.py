"""Mistakes in the course of a game: who is asked how often, and which parts of a turn are left out."""

from __future__ import annotations

from reference.blackjack.deal import DEALER_STANDS, Hands
from reference.blackjack.mistakes.changes import MONEY, PLAYED, Change, Known
from reference.blackjack.mistakes.flow import Flow
from reference.blackjack.play import PLAYER_BUSTS, hit, show_hidden
from reference.blackjack.rules import HIGHEST, Outcome, Rules, points
from reference.blackjack.table import NOTHING, table

_DEALERS_17 = 17


class _HitsOnce(Flow):
    def dealer_hits_blindly(self, dealer: list[int]) -> bool:
        return len(dealer) < 3


class _StopsAt17(Flow):
    def dealer_hits_blindly(self, dealer: list[int]) -> bool:
        return points(dealer) < _DEALERS_17 and super().dealer_hits_blindly(dealer)


class _HidesTheHole(Flow):
    def show_dealt(self, hands: Hands, *, is_over: bool) -> None:
        hidden = NOTHING if is_over else self.rules.hidden_card
        self.console.write(table(hands.player, hands.dealer, hidden=hidden))


class _NotShownAfterStanding(Flow):
    def show_dealt(self, hands: Hands, *, is_over: bool) -> None:
        if not is_over:
            super().show_dealt(hands, is_over=is_over)


class _AskedAfterBust(Flow):
    def goes_on(self, hands: Hands) -> bool:
        super().goes_on(hands)
        return self.rules.is_asked(hands.player)


class _BustToldLate(Flow):
    def goes_on(self, hands: Hands) -> bool:
        return self.rules.is_asked(hands.player)

    def decide(self, hands: Hands, bet: int) -> int:
        bet = super().decide(hands, bet)
        if self.rules.busts(hands.player):
            self.console.write(PLAYER_BUSTS)
        return bet


class _BustToldAt21(Flow):
    def goes_on(self, hands: Hands) -> bool:
        if self.rules.points(hands.player) == HIGHEST and self.rules.is_asked(hands.player):
            self.console.write(PLAYER_BUSTS)
            return False
        return super().goes_on(hands)


class _LostAt21(Rules):
    def dealer_stands(self, player: list[int], dealer: list[int]) -> bool:  # type: ignore[override]
        return self._is_lost(player) or super().dealer_stands(player, dealer)

    def outcome(self, player: list[int], dealer: list[int]) -> Outcome:  # type: ignore[override]
        return Outcome.LOSS if self._is_lost(player) else super().outcome(player, dealer)

    def _is_lost(self, player: list[int]) -> bool:
        return self.points(player) == HIGHEST and not self.is_blackjack(player)


class _NoTurnAfterBust(Flow):
    def dealer_plays(self, hands: Hands) -> None:
        if not self.rules.busts(hands.player):
            super().dealer_plays(hands)


class _NoStandAfterBust(Flow):
    def dealer_plays(self, hands: Hands) -> None:
        if self.rules.busts(hands.player):
            self.show_to_dealer(hands)
        else:
            super().dealer_plays(hands)


class _HoleHiddenAfterBust(Flow):
    def dealer_plays(self, hands: Hands) -> None:
        if self.rules.busts(hands.player):
            if self.rules.shows_table_again:
                show_hidden(self.console, hands, self.rules)
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


class _OpenAfterPush(Flow):
    """Hides the dealer's second card again only after a game that was no push."""

    is_open = False

    def play_hand(self, bet: int) -> tuple[Hands, int]:
        hands, bet = super().play_hand(bet)
        self.is_open = self.rules.outcome(hands.player, hands.dealer) is Outcome.PUSH
        return hands, bet

    def show_first(self, hands: Hands) -> None:
        self._show(hands)

    def hit(self, hands: Hands) -> None:
        hands.player.append(hands.deck.pop())
        self._show(hands)

    def _show(self, hands: Hands) -> None:
        hidden = NOTHING if self.is_open else self.rules.hidden_card
        self.console.write(table(hands.player, hands.dealer, hidden=hidden))


class _NoFirstTableWithBlackjack(Flow):
    def show_first(self, hands: Hands) -> None:
        if not self.rules.is_blackjack(hands.player):
            super().show_first(hands)


class _NoTurnAfterBlackjack(Flow):
    def dealer_plays(self, hands: Hands) -> None:
        if not self.rules.is_blackjack(hands.player):
            super().dealer_plays(hands)


class _SeedAskedAgain(Flow):
    def push(self) -> None:
        self.begin()


class _OneCardDoubled(Flow):
    def goes_on_doubled(self, hands: Hands) -> bool:
        hit(self.console, hands, self.rules)
        if self.rules.busts(hands.player):
            self.console.write(PLAYER_BUSTS)
        return False


class _BetAskedOnce(Flow):
    """The bet of the hand before counts again, doubled if it was."""

    def bet(self, last: int) -> int:
        return last or super().bet(last)


def _flow(id_: str, stages: tuple[str, ...], flow: type) -> Known:
    return Known(id_, stages, Change(flows=(flow,)))


TURNS = (
    _flow("deals-dealer-one-card", ("deal",), _HitsOnce),
    _flow("deals-dealer-to-17", ("deal",), _StopsAt17),
    _flow("hole-hidden-too-early", ("deal",), _HidesTheHole),
    _flow("not-shown-after-standing", ("deal",), _NotShownAfterStanding),
    _flow("asked-after-bust", PLAYED, _AskedAfterBust),
    _flow("bust-told-late", PLAYED, _BustToldLate),
    _flow("bust-told-at-21", PLAYED, _BustToldAt21),
    Known("player-bust-at-21", PLAYED, Change(flows=(_BustToldAt21,), decisions=(_LostAt21,))),
    _flow("no-turn-after-bust", PLAYED, _NoTurnAfterBust),
    _flow("no-stand-after-bust", PLAYED, _NoStandAfterBust),
    _flow("no-table-after-bust", PLAYED, _NoTableAfterBust),
    _flow("two-cards-a-hit", PLAYED, _TwoCardsAHit),
    _flow("pause-before-players-card", PLAYED, _PausesBeforeHit),
    _flow("pause-after-players-card", PLAYED, _PausesAfterHit),
    _flow("card-open-after-push", PLAYED, _OpenAfterPush),
    _flow("no-first-table-with-blackjack", MONEY, _NoFirstTableWithBlackjack),
    _flow("hole-hidden-after-bust", PLAYED, _HoleHiddenAfterBust),
    _flow("no-turn-after-blackjack", MONEY, _NoTurnAfterBlackjack),
    _flow("seed-asked-again", ("play",), _SeedAskedAgain),
    _flow("double-takes-one-card", MONEY, _OneCardDoubled),
    _flow("bet-asked-once", MONEY, _BetAskedOnce),
)
