"""Mistakes with money, and with what is typed wrongly."""

from __future__ import annotations

import re
from collections.abc import Sequence

from reference.blackjack.betting import FIRST_PROMPT
from reference.blackjack.deal import HIT_OR_STAND
from reference.blackjack.errors import LATE_DOUBLE, CarefulDialogue
from reference.blackjack.mistakes.changes import MONEY, Change, Known
from reference.blackjack.rules import HIGHEST, Outcome, Rules
from reference.consoles import Wrapper, replacing, showing, substituting
from reference.words import integer_in

Hand = Sequence[int]
_NUMBER = re.compile(r"[+-]?[0-9]+")


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


class _AnyBet(CarefulDialogue):
    low, high = 0, 1_000_000

    def bet(self) -> int:
        while (bet := integer_in(self._answer("Place your bet: "), self.low, self.high)) is None:
            self._console.write("Bet must be between 1 and 1,000,000\n")
        return bet


class _BetOfZero(_AnyBet):
    low, high = 0, 1_000_000


class _NegativeBet(_AnyBet):
    low, high = -1_000_000, 1_000_000


class _BetBeyond(_AnyBet):
    low, high = 1, (1 << 31) - 1


class _BetBelowMillion(_AnyBet):
    low, high = 1, 999_999


class _Commands(CarefulDialogue):
    """Commands read otherwise."""

    counts_refused = False
    lowers = False
    ignores_empty = False
    allows_late_double = False
    takes_first_letter = False
    stands_on_others = False

    def command(self, *, is_first: bool) -> str:
        """Ask for a decision until it is one."""
        while True:
            answer = self._answer(FIRST_PROMPT if is_first else HIT_OR_STAND)
            answer = answer.lower() if self.lowers else answer
            answer = answer[:1] if self.takes_first_letter else answer
            if answer in ("h", "s") or (answer == "d" and (is_first or self.allows_late_double)):
                return answer
            if self.stands_on_others:
                return "s"
            if not (self.ignores_empty and not answer):
                self._console.write(LATE_DOUBLE if answer == "d" else f"Command '{answer}' unrecognized\n")
            is_first = is_first and not self.counts_refused


class _RefusedCounts(_Commands):
    counts_refused = True
    command = _Commands.command


class _AnyCase(_Commands):
    lowers = True
    command = _Commands.command


class _EmptyIgnored(_Commands):
    ignores_empty = True
    command = _Commands.command


class _LateDouble(_Commands):
    allows_late_double = True
    command = _Commands.command


class _FirstLetter(_Commands):
    takes_first_letter = True
    command = _Commands.command


class _OthersStand(_Commands):
    stands_on_others = True
    command = _Commands.command


class _QuitsOnCapital(CarefulDialogue):
    def plays_on(self) -> bool:
        return self._answer("Enter 'q' to quit, anything else to play another hand: ").lower() != "q"


class _QuitsOnFirstLetter(CarefulDialogue):
    def plays_on(self) -> bool:
        return not self._answer("Enter 'q' to quit, anything else to play another hand: ").startswith("q")


class _NumberWithRest(CarefulDialogue):
    """A number is what a line begins with, as strtol reads it."""

    def _integer(self, prompt: str, low: int, high: int, refusal: str) -> int:
        while True:
            begins = _NUMBER.match(self._answer(prompt))
            number = integer_in(begins[0], low, high) if begins else None
            if number is not None:
                return number
            self._console.write(refusal)


_TABLE = "the table of winnings in the brief"
_ERRORS = "the brief's table of errors"
_PAYS = "Work out by hand what this hand wins or loses."


def _ruled(id_: str, title: str, hint: str, note: str, **fields: object) -> Known:
    return Known(id_, title, hint, note, _TABLE, MONEY, Change(rules=fields))


def _decided(id_: str, title: str, hint: str, note: str, decisions: type) -> Known:
    return Known(id_, title, hint, note, _TABLE, MONEY, Change(decisions=(decisions,)))


def _shown(id_: str, title: str, hint: str, note: str, wrapper: Wrapper) -> Known:
    return Known(id_, title, hint, note, _TABLE, MONEY, Change(consoles=(wrapper,)))


def _asked(id_: str, title: str, hint: str, note: str, dialogue: type) -> Known:
    return Known(id_, title, hint, note, _ERRORS, ("errors",), Change(dialogues=(dialogue,)))


def _written(id_: str, title: str, hint: str, note: str, wrapper: Wrapper) -> Known:
    return Known(id_, title, hint, note, _ERRORS, ("errors",), Change(consoles=(wrapper,)))


def _without_quotes(text: str) -> str:
    if text.startswith("Command '"):
        return text.replace("Command '", "Command ").replace("' unrecognized", " unrecognized")
    return text


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
        "a doubled bet counts once",
        "Which bet counts after doubling? Follow the variable.",
        "The message is right, the bet is not.",
        doubling=1,
    ),
    _ruled(
        "winnings-not-added",
        "the winnings are those of the last hand alone",
        "What do the winnings of the hand before become?",
        "= instead of +=.",
        adds_winnings=False,
    ),
    _decided("push-lost", "a push costs the bet", _PAYS, "A push counts as a loss.", _PushLost),
    _decided("push-paid", "a push pays the bet", _PAYS, "A push counts as a win.", _PushPaid),
    _decided("loss-forgotten", "a lost hand costs nothing", _PAYS, "Only wins are counted.", _LossForgotten),
    _decided("every-win-pays-more", "every win is paid like a blackjack", _PAYS, "1.5 for all.", _AllPaidMore),
    _decided(
        "halves-cut",
        "halves are cut off",
        "In which type do you count the winnings? What is left of a half?",
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
    _asked("bet-zero", "a bet of 0 is taken", "Which is the lowest bet?", "0 passes the test.", _BetOfZero),
    _asked(
        "bet-negative", "a negative bet is taken", "Which is the lowest bet?", "Only the top is tested.", _NegativeBet
    ),
    _asked(
        "bet-beyond",
        "a bet over the highest is taken",
        "Which is the highest bet?",
        "The top is not tested.",
        _BetBeyond,
    ),
    _asked(
        "bet-million-refused",
        "the highest bet is refused",
        "Is the highest bet itself allowed?",
        "< instead of <=.",
        _BetBelowMillion,
    ),
    _asked(
        "number-with-rest",
        "a number is taken from a line with more on it",
        "Is a line that begins with a number and goes on a number?",
        "scanf reads what it can.",
        _NumberWithRest,
    ),
    _asked(
        "refused-counts",
        "a refused command counts as the first",
        "Which question is asked after a command was refused?",
        "first = 0 stands outside the branches.",
        _RefusedCounts,
    ),
    _asked(
        "any-case",
        "capital letters are taken for commands",
        "Is a capital letter one of the commands?",
        "tolower().",
        _AnyCase,
    ),
    _asked(
        "empty-ignored",
        "an empty line is passed over in silence",
        "What is said to an empty line?",
        "Blank lines are skipped, as scanf does.",
        _EmptyIgnored,
    ),
    _asked(
        "late-double",
        "doubling is allowed later",
        "When may a bet be doubled?",
        "Not tested.",
        _LateDouble,
    ),
    _asked(
        "first-letter",
        "only the first letter of a command is looked at",
        "Is a word that begins with a command one?",
        'scanf(" %c").',
        _FirstLetter,
    ),
    _asked(
        "others-stand",
        "everything else is taken for standing",
        "What happens to a command nobody knows?",
        "else instead of else if.",
        _OthersStand,
    ),
    _asked(
        "quits-on-capital",
        "a capital Q quits too",
        "Which line alone ends the game?",
        "tolower().",
        _QuitsOnCapital,
    ),
    _asked(
        "quits-on-first-letter",
        "every line that begins with q quits",
        "Which line alone ends the game?",
        "Only the first letter is looked at.",
        _QuitsOnFirstLetter,
    ),
    _written(
        "error-with-period",
        "an error message ends with a period",
        "Compare the message with the assignment's.",
        "A period too many.",
        replacing(" unrecognized\n", " unrecognized.\n"),
    ),
    _written(
        "error-without-quotes",
        "the quotes around the command are missing",
        "Compare the message with the assignment's.",
        "No quotes.",
        showing(_without_quotes),
    ),
    _written(
        "bound-without-commas",
        "the highest bet is written without commas",
        "Compare the message with the assignment's.",
        "1000000.",
        replacing("1,000,000", "1000000"),
    ),
)
