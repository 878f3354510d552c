"""Wrong rules that hardly any hand shows are caught by several cases of each stage, and not by luck."""

from dataclasses import replace
from functools import partial

import pytest

from pitboss.assignments.cases import all_sessions_of
from pitboss.assignments.specfile import load_assignment
from pitboss.experiments.mutation.mutant_limits import run_of
from pitboss.experiments.relation import experiment_in, played
from pitboss.sessions.drivers import expected_run_here
from reference.bjm0 import aces, chances, dealer, table
from reference.bjm0.rules import RIGHT, Rules, total_of
from reference.blackjack import betting, errors, play
from reference.blackjack.rules import FOR_FUN, FOR_MONEY, Outcome, is_soft
from reference.blackjack.rules import Rules as CardRules
from tests.conftest import ROOT

PROGRAMS = {"aces": aces.main, "chances": chances.main, "dealer": dealer.main, "table": table.main}
WITH_CARDS = {"play": play.main, "betting": betting.main, "errors": errors.main}
#: By so many cases each is caught.
AT_LEAST = 3


def brief_if(values):
    """An ace is lowered by an `if` when the card is drawn, as the brief has it, so at most one with each card."""
    total = high = 0
    for value in values:
        total, high = total + value, high + (value == 11)
        if total > 21 and high:
            total, high = total - 10, high - 1
    return total


def only_dealt_aces(values):
    """An ace that is drawn later always counts 1."""
    total = sum(values[:2]) + sum(1 if value == 11 else value for value in values[2:])
    for _ in range(values[:2].count(11)):
        total -= 10 * (total > 21)
    return total


def not_the_last_ace(values):
    """An ace that comes last at 21 is not lowered."""
    return 22 if len(values) > 2 and values[-1] == 11 and total_of(values[:-1]) == 21 else total_of(values)


def counted(most):
    """No more than so many cards are counted."""
    return lambda values: total_of(values[:most])


class TieAt21(Rules):
    """A tie at 21 is won."""

    def wins(self, player, dealer):
        return super().wins(player, dealer) or self.total(player) == self.total(dealer) == 21


class TwoCardsBeat(Rules):
    """21 with two cards wins against 21 with more."""

    def wins(self, player, dealer):
        is_tie = self.total(player) == self.total(dealer) == 21
        return super().wins(player, dealer) or (is_tie and len(player) == 2 < len(dealer))


class FiveCardsWin(Rules):
    """Five cards that are no bust win."""

    def wins(self, player, dealer):
        return super().wins(player, dealer) or (len(player) >= 5 and not self.busts(player))


class HitsSoft17OfTwo(Rules):
    """The dealer draws at 17 of two cards that have an ace."""

    def dealer_draws(self, dealer):
        return super().dealer_draws(dealer) or (len(dealer) == 2 and self.total(dealer) == 17 and 11 in dealer)


class StopsAtFive(Rules):
    """The dealer has five cards at most."""

    def dealer_draws(self, dealer):
        return super().dealer_draws(dealer) and len(dealer) < 5


class LongTieIsWon(CardRules):
    """A tie at 21 of two cards and more is won by the two."""

    def outcome(self, player, dealer):
        is_tie = self.points(player) == self.points(dealer) == 21
        return Outcome.WIN if is_tie and len(player) == 2 < len(dealer) else super().outcome(player, dealer)


class LongTieIsLost(CardRules):
    """A tie at 21 of more cards and two is lost to the two."""

    def outcome(self, player, dealer):
        is_tie = self.points(player) == self.points(dealer) == 21
        return Outcome.LOSS if is_tie and len(dealer) == 2 < len(player) else super().outcome(player, dealer)


class SixWin(CardRules):
    """Six cards that are no bust win."""

    def outcome(self, player, dealer):
        return Outcome.WIN if len(player) >= 6 and not self.busts(player) else super().outcome(player, dealer)


class DealerHitsSoft17OfTwo(CardRules):
    """The dealer draws at 17 of two cards that have an ace."""

    def dealer_stands(self, player, dealer):
        is_soft_17 = len(dealer) == 2 and self.points(dealer) == 17 and is_soft(dealer)
        return super().dealer_stands(player, dealer) and not is_soft_17


class DealerStopsAtSix(CardRules):
    """The dealer has six cards at most."""

    def dealer_stands(self, player, dealer):
        return super().dealer_stands(player, dealer) or len(dealer) >= 6


TOTALS = {"brief's if": brief_if, "only dealt aces": only_dealt_aces, "not the last ace": not_the_last_ace}
TOTALS |= {"five cards": counted(5), "six cards": counted(6)}
#: What the dealer's own stage cannot show: a dealer of 21 draws no card, and one of 16 or less is over 21 by one ace.
UNSHOWN = {"brief's if", "not the last ace"}
WRONG = [
    (stage, name, replace(RIGHT, total=total))
    for stage in PROGRAMS
    for name, total in TOTALS.items()
    if stage != "dealer" or name not in UNSHOWN
]
WRONG += [
    (stage, one.__name__, one())
    for stage in ("chances", "table")
    for one in (TieAt21, TwoCardsBeat, FiveCardsWin, HitsSoft17OfTwo, StopsAtFive)
]
WRONG += [("dealer", one.__name__, one()) for one in (HitsSoft17OfTwo, StopsAtFive)]


def of_cards(total):
    """A rule for values as one for cards: see the numbers of the deck in the handout."""
    return lambda hand: total([11 if card % 100 == 14 else min(card % 100, 10) for card in hand])


WRONG_WITH_CARDS = [
    (stage, name, replace(FOR_FUN if stage == "play" else FOR_MONEY, points=of_cards(total)))
    for stage in WITH_CARDS
    for name, total in TOTALS.items()
]
WRONG_WITH_CARDS += [
    (stage, one.__name__, one(has_blackjacks=stage != "play"))
    for stage in WITH_CARDS
    for one in (SixWin, DealerHitsSoft17OfTwo, DealerStopsAtSix)
]
# With bets a blackjack does beat a longer 21.
WRONG_WITH_CARDS += [("play", one.__name__, one()) for one in (LongTieIsWon, LongTieIsLost)]


@pytest.fixture(scope="module")
def expected():
    """What the reference does in each session of each stage."""
    stages = {"bjm0": PROGRAMS, "blackjack": WITH_CARDS}
    loaded = {name: load_assignment(ROOT / "specs" / name) for name in stages}
    return {name: list(expected_of(loaded[one].stage(name))) for one, names in stages.items() for name in names}


def expected_of(stage):
    run = expected_run_here(stage)
    for session in all_sessions_of(stage):
        yield experiment_in(session, played(run, session))


@pytest.mark.parametrize(
    ("stage", "rules"), [pytest.param(a, c, id=f"{a}: {b}") for a, b, c in WRONG + WRONG_WITH_CARDS]
)
def test_a_rule_that_is_seldom_wrong_is_caught_by_several_cases(expected, stage, rules):
    main = partial((PROGRAMS | WITH_CARDS)[stage], rules=rules)
    assert sum(one.differs(run_of(main)) for one in expected[stage]) >= AT_LEAST


@pytest.mark.parametrize("stage", PROGRAMS)
def test_the_right_rules_are_caught_by_none(expected, stage):
    right = run_of(partial(PROGRAMS[stage], rules=RIGHT))
    assert not any(one.differs(right) for one in expected[stage])
