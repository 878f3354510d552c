"""Mistakes in playing: what the dealer does, who is asked, who wins."""

from __future__ import annotations

from collections.abc import Sequence

from reference.blackjack.mistakes.changes import PLAYED, Change, Known
from reference.blackjack.mistakes.points import ace_always_1
from reference.blackjack.rules import HIGHEST, Outcome, Rules

Hand = Sequence[int]


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
    """A 21 with an ace that counts 11 is no 21."""

    def outcome(self, player: Hand, dealer: Hand) -> Outcome:
        if self.points(player) == HIGHEST and ace_always_1(player) != HIGHEST and not self.busts(dealer):
            return Outcome.LOSS
        return super().outcome(player, dealer)


_DEALER = "the brief's rules of the dealer"


def _rules(id_: str, title: str, hint: str, note: str, **fields: object) -> Known:
    return Known(id_, title, hint, note, _DEALER, PLAYED, Change(rules=fields))


def _decision(id_: str, title: str, hint: str, note: str, decisions: type) -> Known:
    return Known(id_, title, hint, note, _DEALER, PLAYED, Change(decisions=(decisions,)))


GAME = (
    _rules(
        "dealer-stands-at-16",
        "the dealer stands too early",
        "From which total on does the dealer stand? Look at the comparison in your loop.",
        "Stands at 16 already.",
        dealer_stands_at=16,
    ),
    _rules(
        "dealer-hits-17",
        "the dealer draws too long",
        "From which total on does the dealer stand? Look at the comparison in your loop.",
        "Draws at 17, whether soft or hard.",
        dealer_stands_at=18,
    ),
    _rules(
        "dealer-hits-soft-17",
        "the dealer draws at 17 if an ace counts 11",
        "What does the dealer do with 17 points when one card is an ace?",
        "The casino rule, not this assignment's.",
        dealer_hits_soft_17=True,
    ),
    _rules(
        "dealer-plays-after-bust",
        "the dealer draws although the player is bust",
        "What is left for the dealer to do when the player is bust already?",
        "The player's bust is not looked at in the dealer's loop.",
        dealer_plays_after_bust=True,
    ),
    _decision(
        "dealer-hits-twice-at-most",
        "the dealer draws two cards at the most",
        "How often may the dealer draw? Look at what ends the loop.",
        "Left over from the stage before.",
        _StopsAtTwo,
    ),
    _decision(
        "dealer-hits-once-at-most",
        "the dealer draws one card at the most",
        "How often may the dealer draw? Is it an if or a loop?",
        "if instead of while.",
        _StopsAtOne,
    ),
    _decision(
        "dealer-never-draws",
        "the dealer never draws",
        "When does the dealer take a card?",
        "The condition of the loop is never true.",
        _NeverDraws,
    ),
    _decision(
        "dealer-until-ahead",
        "the dealer draws until the player is beaten",
        "Does the dealer look at the player's total? Read the dealer's rule again.",
        "Plays like a player.",
        _DrawsUntilAhead,
    ),
    _decision(
        "dealer-stands-when-ahead",
        "the dealer stops as soon as the player is beaten",
        "Does the dealer look at the player's total? Read the dealer's rule again.",
        "Stops below 17 when ahead.",
        _StandsWhenAhead,
    ),
    _decision(
        "bust-at-21",
        "21 is taken for a bust",
        "Look at the comparison that decides whether a hand is bust.",
        ">= 21 instead of > 21.",
        _BustAt21,
    ),
    _rules(
        "stops-at-21",
        "a player with 21 is not asked any more",
        "Who decides that a hand with 21 is finished: the program or the player?",
        "The casino rule, not this assignment's.",
        player_stops_at_21=True,
    ),
    _decision(
        "ties-lost",
        "the dealer wins a tie",
        "What happens when both have the same total? Look at your comparison.",
        ">= in the dealer's favour.",
        _TiesLost,
    ),
    _decision(
        "ties-won",
        "the player wins a tie",
        "What happens when both have the same total? Look at your comparison.",
        ">= in the player's favour.",
        _TiesWon,
    ),
    _decision(
        "higher-wins",
        "the higher total wins although it is bust",
        "Look at who wins when one of the two is bust.",
        "Busts are not looked at in the end.",
        _HigherWins,
    ),
    _decision(
        "player-bust-forgotten",
        "a bust player can still win",
        "Who has won when the player is bust? Follow your conditions for such a game.",
        "The player's bust is forgotten.",
        _PlayerBustForgotten,
    ),
    _decision(
        "dealer-bust-forgotten",
        "a bust dealer still wins",
        "Who has won when the dealer is bust? Follow your conditions for such a game.",
        "The dealer's bust is not looked at.",
        _DealerBustForgotten,
    ),
    _decision(
        "winners-swapped",
        "the winners are swapped",
        "Play one game by hand: who should have won?",
        "The branches stand the wrong way round.",
        _WinnersSwapped,
    ),
    _decision(
        "soft-21-lost",
        "a 21 with an ace does not win",
        "Look at how a 21 with an ace in it is compared.",
        "The low total is compared.",
        _SoftLost,
    ),
    Known(
        "push-ends-game",
        "the program ends after a push",
        "What comes after a push?",
        "No further game.",
        "the brief's paragraph on the push",
        ("play",),
        Change(rules={"plays_push_again": False}),
    ),
)
