"""Mistakes with money: what is won, lost and shown of it."""

from __future__ import annotations

from collections.abc import Sequence

from reference.blackjack.mistakes.changes import MONEY, Change, Known
from reference.blackjack.rules import HIGHEST, Outcome, Rules
from reference.consoles import Wrapper, replacing, showing, substituting

Hand = Sequence[int]


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
    """Only a picture makes a blackjack with an ace."""

    def is_blackjack(self, hand: Hand) -> bool:
        return super().is_blackjack(hand) and all(card % 100 != 10 for card in hand)


class _BlackjacksEqual(Rules):
    def outcome(self, player: Hand, dealer: Hand) -> Outcome:
        if self.busts(player) or self.busts(dealer):
            return super().outcome(player, dealer)
        ours, theirs = self.points(player), self.points(dealer)
        return Outcome.WIN if ours > theirs else Outcome.LOSS if ours < theirs else Outcome.PUSH


class _DealerTenAce(Rules):
    """The dealer's blackjack is a 21 like others; the player's is not."""

    def outcome(self, player: Hand, dealer: Hand) -> Outcome:
        right = super().outcome(player, dealer)
        if right is Outcome.LOSS and self.points(player) == self.points(dealer) == HIGHEST:
            return Outcome.PUSH
        return right


_TABLE = "the table of winnings in the brief"
_PAYS = "Work out on paper what this hand wins or loses."


def _ruled(id_: str, title: str, hint: str, note: str, **fields: object) -> Known:
    return Known(id_, title, hint, note, _TABLE, MONEY, Change(rules=fields))


def _decided(id_: str, title: str, hint: str, note: str, decisions: type) -> Known:
    return Known(id_, title, hint, note, _TABLE, MONEY, Change(decisions=(decisions,)))


def _shown(id_: str, title: str, hint: str, note: str, wrapper: Wrapper) -> Known:
    return Known(id_, title, hint, note, _TABLE, MONEY, Change(consoles=(wrapper,)))


MONEY_MISTAKES = (
    _ruled("blackjack-pays-once", "a blackjack is paid like any other win", _PAYS, "1:1.", blackjack_pays_halves=2),
    _ruled("blackjack-pays-double", "a blackjack is paid too much", _PAYS, "2:1.", blackjack_pays_halves=4),
    _ruled(
        "no-blackjacks",
        "a blackjack is a 21 like any other",
        "What is special about a 21 of two cards?",
        "The rule is missing altogether.",
        has_blackjacks=False,
    ),
    _ruled(
        "double-pays-single",
        "a doubled bet is not paid double",
        "Which bet counts after doubling? Follow the variable that holds it.",
        "The message is right, the bet is not.",
        doubling=1,
    ),
    _ruled(
        "winnings-not-added",
        "the winnings are those of the last hand alone",
        "What becomes of the winnings of the hand before?",
        "= instead of +=.",
        adds_winnings=False,
    ),
    _decided("push-lost", "a push costs the bet", _PAYS, "A push counts as a loss.", _PushLost),
    _decided("push-paid", "a push is paid like a win", _PAYS, "A push counts as a win.", _PushPaid),
    _decided("loss-forgotten", "a lost hand costs nothing", _PAYS, "Only wins are counted.", _LossForgotten),
    _decided("every-win-pays-more", "every win is paid like a blackjack", _PAYS, "1.5 for all.", _AllPaidMore),
    _decided(
        "halves-cut",
        "winnings lose their .5",
        "Which type do your winnings have? What is left of 7.5 in it?",
        "int instead of double.",
        _HalvesCut,
    ),
    _decided(
        "blackjack-asked",
        "a player with a blackjack is asked all the same",
        "What is there to decide with a blackjack?",
        "The prompt comes although the hand is over.",
        _BlackjackAsked,
    ),
    _decided(
        "any-21-is-blackjack",
        "every 21 is taken for a blackjack",
        "How many cards does a blackjack have?",
        "The number of cards is not looked at.",
        _Any21IsBlackjack,
    ),
    _decided(
        "ten-makes-no-blackjack",
        "a 10 and an ace are not taken for a blackjack",
        "Which cards make a blackjack with an ace?",
        "Only pictures are looked for.",
        _TenAceOnly,
    ),
    _decided(
        "blackjacks-equal",
        "a blackjack and another 21 are a tie",
        "Who wins when one 21 has two cards and the other more?",
        "Totals alone are compared.",
        _BlackjacksEqual,
    ),
    _decided(
        "dealers-blackjack-ties",
        "the dealer's blackjack does not beat another 21",
        "Who wins when the dealer's 21 has two cards and yours more?",
        "Only the player's blackjack is special.",
        _DealerTenAce,
    ),
    _shown(
        "winnings-without-plus",
        "the plus sign of the winnings is missing",
        "How are winnings above zero written?",
        "%d instead of %+d.",
        replacing("Winnings: +", "Winnings: "),
    ),
    _shown(
        "zero-with-plus",
        "winnings of zero have a sign",
        "How are winnings of exactly zero written?",
        "%+d for 0.",
        replacing("Winnings: 0", "Winnings: +0"),
    ),
    _shown(
        "winnings-with-decimals",
        "winnings always have a decimal",
        "How are winnings without a half written?",
        "%+.1f for all.",
        substituting(r"^(Winnings: [+-]?\d+)$", r"\1.0"),
    ),
    _shown(
        "no-line-before-bet",
        "the empty line before the bet is missing",
        "What stands before the question for a bet?",
        "One newline short.",
        showing(lambda text: "" if text == "\n" else text),
    ),
)
