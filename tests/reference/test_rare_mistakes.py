"""Wrong rules that hardly any hand shows are caught by several cases of each stage, and not by luck."""

from dataclasses import replace
from functools import partial

import pytest

from pitboss.harness.assignments.assignment import Recorded
from pitboss.harness.assignments.cases import all_sessions_of
from pitboss.harness.assignments.specfile import load_assignment
from pitboss.harness.mutants.playing import Expected, does_otherwise, input_script
from pitboss.harness.running.drivers import expected_run_here
from pitboss.harness.transcripts.transcript import Transcript
from pitboss.reference.bjm0 import aces, chances, table
from pitboss.reference.bjm0.rules import RIGHT, Rules, total_of
from pitboss.reference.blackjack import betting, errors
from pitboss.reference.blackjack.rules import FOR_MONEY
from tests.conftest import ROOT

PROGRAMS = {"aces": aces.main, "chances": chances.main, "table": table.main}
MONEY = {"betting": betting.main, "errors": errors.main}
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


TOTALS = {"brief's if": brief_if, "only dealt aces": only_dealt_aces, "not the last ace": not_the_last_ace}
TOTALS |= {"five cards": counted(5), "six cards": counted(6)}
WRONG = [(stage, name, replace(RIGHT, total=total)) for stage in PROGRAMS for name, total in TOTALS.items()]
WRONG += [
    (stage, one.__name__, one())
    for stage in ("chances", "table")
    for one in (TieAt21, TwoCardsBeat, FiveCardsWin, HitsSoft17OfTwo, StopsAtFive)
]


def of_cards(total):
    """A rule for values as one for cards: see the numbers of the deck in the handout."""
    return lambda hand: total([11 if card % 100 == 14 else min(card % 100, 10) for card in hand])


WRONG_FOR_MONEY = [
    (stage, name, replace(FOR_MONEY, points=of_cards(TOTALS[name])))
    for stage in MONEY
    for name in ("brief's if", "only dealt aces", "not the last ace", "five cards")
]


@pytest.fixture(scope="module")
def expected():
    """What the reference does in each session of each stage."""
    stages = {"bjm0": PROGRAMS, "blackjack": MONEY}
    loaded = {name: load_assignment(ROOT / "specs" / name) for name in stages}
    return {name: list(expected_of(loaded[one].stage(name))) for one, names in stages.items() for name in names}


def expected_of(stage):
    run = expected_run_here(stage)
    for session in all_sessions_of(stage):
        how = session.case.session
        script = input_script(session, Transcript(how.events if isinstance(how, Recorded) else ()))
        yield Expected(session, run(script, invocation=session.case.invocation))


@pytest.mark.parametrize(
    ("stage", "rules"), [pytest.param(a, c, id=f"{a}: {b}") for a, b, c in WRONG + WRONG_FOR_MONEY]
)
def test_a_rule_that_is_seldom_wrong_is_caught_by_several_cases(expected, stage, rules):
    main = partial((PROGRAMS | MONEY)[stage], rules=rules)
    assert sum(does_otherwise(main, one) for one in expected[stage]) >= AT_LEAST


@pytest.mark.parametrize("stage", PROGRAMS)
def test_the_right_rules_are_caught_by_none(expected, stage):
    assert not any(does_otherwise(partial(PROGRAMS[stage], rules=RIGHT), one) for one in expected[stage])
