from dataclasses import replace
from functools import partial

import pytest

from pitboss.assignments.cases import all_sessions_of
from pitboss.assignments.specfile import load_assignment
from pitboss.experiments.mutants.function_mutants import run_of
from pitboss.experiments.relation import experiment_in, run_in_session
from pitboss.sessions.drivers import expected_run_here
from reference.bjm0 import aces, chances, dealer, table
from reference.bjm0.rules import RULES, Rules, total_of
from reference.blackjack import betting, errors, play
from reference.blackjack.rules import FOR_FUN, FOR_MONEY, Outcome, is_soft
from reference.blackjack.rules import Rules as BlackjackRules
from tests.conftest import ROOT

#: The stages of the assignment bjm0, whose rules get the values of cards.
BJM0_PROGRAMS = {"aces": aces.main, "chances": chances.main, "dealer": dealer.main, "table": table.main}
#: The stages of the assignment blackjack, whose rules get the numbers of cards, such as 114 for A♣.
BLACKJACK_PROGRAMS = {"play": play.main, "betting": betting.main, "errors": errors.main}
#: How many cases of a stage must catch each mistake, so that no catch depends on a single lucky case.
MIN_CATCHING_CASES = 3


def total_by_brief(values):
    """The total by the `if` in the brief: each drawn card lowers at most one ace from 11 to 1."""
    total = high_aces = 0
    for value in values:
        total += value
        if value == 11:
            high_aces += 1
        if total > 21 and high_aces:
            total -= 10
            high_aces -= 1
    return total


def total_lowering_dealt_aces(values):
    """The total if only the first two cards can have an ace worth 11; an ace drawn later is always worth 1."""
    total = sum(values[:2]) + sum(1 if value == 11 else value for value in values[2:])
    for _ in range(values[:2].count(11)):
        if total > 21:
            total -= 10
    return total


def total_bust_by_ace_at_21(values):
    """The total, except that an ace drawn at 21 always gives 22, even if an earlier ace could be lowered to 1."""
    is_ace_at_21 = len(values) > 2 and values[-1] == 11 and total_of(values[:-1]) == 21
    return 22 if is_ace_at_21 else total_of(values)


def total_of_first(max_cards):
    """A function that totals only the first `max_cards` cards of a hand."""
    return lambda values: total_of(values[:max_cards])


class TieAt21(Rules):
    """The player wins a tie at 21."""

    def wins(self, player, dealer):
        return super().wins(player, dealer) or self.total(player) == self.total(dealer) == 21


class TwoCardsBeat(Rules):
    """The player wins a tie at 21 with two cards against three or more."""

    def wins(self, player, dealer):
        is_tie = self.total(player) == self.total(dealer) == 21
        return super().wins(player, dealer) or (is_tie and len(player) == 2 < len(dealer))


class FiveCardsWin(Rules):
    """The player wins with five cards that are not bust."""

    def wins(self, player, dealer):
        return super().wins(player, dealer) or (len(player) >= 5 and not self.busts(player))


class HitsSoft17OfTwo(Rules):
    """The dealer draws on a soft 17 of two cards: an ace and a 6."""

    def dealer_draws(self, dealer):
        return super().dealer_draws(dealer) or (len(dealer) == 2 and self.total(dealer) == 17 and 11 in dealer)


class StopsAtFive(Rules):
    """The dealer draws no sixth card."""

    def dealer_draws(self, dealer):
        return super().dealer_draws(dealer) and len(dealer) < 5


class LongTieIsWon(BlackjackRules):
    """The player wins a tie at 21 with two cards against three or more."""

    def outcome(self, player, dealer):
        is_tie = self.points(player) == self.points(dealer) == 21
        return Outcome.WIN if is_tie and len(player) == 2 < len(dealer) else super().outcome(player, dealer)


class LongTieIsLost(BlackjackRules):
    """The player loses a tie at 21 with three or more cards against two."""

    def outcome(self, player, dealer):
        is_tie = self.points(player) == self.points(dealer) == 21
        return Outcome.LOSS if is_tie and len(dealer) == 2 < len(player) else super().outcome(player, dealer)


class SixWin(BlackjackRules):
    """The player wins with six cards that are not bust."""

    def outcome(self, player, dealer):
        return Outcome.WIN if len(player) >= 6 and not self.busts(player) else super().outcome(player, dealer)


class DealerHitsSoft17OfTwo(BlackjackRules):
    """The dealer draws on a soft 17 of two cards: an ace and a 6."""

    def dealer_stands(self, player, dealer):
        is_soft_17 = len(dealer) == 2 and self.points(dealer) == 17 and is_soft(dealer)
        return super().dealer_stands(player, dealer) and not is_soft_17


class DealerStopsAtSix(BlackjackRules):
    """The dealer draws no seventh card."""

    def dealer_stands(self, player, dealer):
        return super().dealer_stands(player, dealer) or len(dealer) >= 6


#: Wrong ways to compute the total of a hand, for the rules of both assignments.
TOTALS = {
    "brief's if": total_by_brief,
    "only dealt aces": total_lowering_dealt_aces,
    "not the last ace": total_bust_by_ace_at_21,
}
TOTALS |= {"five cards": total_of_first(5), "six cards": total_of_first(6)}
#: Mistakes that the stage `dealer` cannot show: its dealer never draws at 21, and never lowers two aces at once.
HIDDEN_FROM_DEALER_STAGE = {"brief's if", "not the last ace"}
#: For each mistake: the stage, a name for the mistake, and the wrong rules. WRONG_BLACKJACK_RULES is the same.
WRONG_BJM0_RULES = [
    (stage, name, replace(RULES, total=total))
    for stage in BJM0_PROGRAMS
    for name, total in TOTALS.items()
    if stage != "dealer" or name not in HIDDEN_FROM_DEALER_STAGE
]
WRONG_BJM0_RULES += [
    (stage, mistake.__name__, mistake())
    for stage in ("chances", "table")
    for mistake in (TieAt21, TwoCardsBeat, FiveCardsWin, HitsSoft17OfTwo, StopsAtFive)
]
WRONG_BJM0_RULES += [("dealer", mistake.__name__, mistake()) for mistake in (HitsSoft17OfTwo, StopsAtFive)]


def points_from_total(total):
    """Turn a function that totals card values into one that totals card numbers."""
    return lambda hand: total([11 if card % 100 == 14 else min(card % 100, 10) for card in hand])


WRONG_BLACKJACK_RULES = [
    (stage, name, replace(FOR_FUN if stage == "play" else FOR_MONEY, points=points_from_total(total)))
    for stage in BLACKJACK_PROGRAMS
    for name, total in TOTALS.items()
]
WRONG_BLACKJACK_RULES += [
    (stage, mistake.__name__, mistake(has_blackjacks=stage != "play"))
    for stage in BLACKJACK_PROGRAMS
    for mistake in (SixWin, DealerHitsSoft17OfTwo, DealerStopsAtSix)
]
# Only for `play`: in the stages with bets, a blackjack does beat a 21 of three or more cards.
WRONG_BLACKJACK_RULES += [("play", mistake.__name__, mistake()) for mistake in (LongTieIsWon, LongTieIsLost)]


@pytest.fixture(scope="module")
def expected_experiments():
    """By stage, an experiment for each session, with the output of the reference."""
    programs = {"bjm0": BJM0_PROGRAMS, "blackjack": BLACKJACK_PROGRAMS}
    assignments = {name: load_assignment(ROOT / "specs" / name) for name in programs}
    return {
        stage: list(experiments_of(assignments[name].stage(stage)))
        for name, stages in programs.items()
        for stage in stages
    }


def experiments_of(stage):
    """Run the reference in each session of the stage."""
    run = expected_run_here(stage)
    for session in all_sessions_of(stage):
        yield experiment_in(session, run_in_session(run, session))


@pytest.mark.parametrize(
    ("stage", "rules"),
    [
        pytest.param(stage, rules, id=f"{stage}: {name}")
        for stage, name, rules in WRONG_BJM0_RULES + WRONG_BLACKJACK_RULES
    ],
)
def test_a_rarely_visible_mistake_is_caught_by_several_cases(expected_experiments, stage, rules):
    main = partial((BJM0_PROGRAMS | BLACKJACK_PROGRAMS)[stage], rules=rules)
    assert sum(experiment.differs(run_of(main)) for experiment in expected_experiments[stage]) >= MIN_CATCHING_CASES


@pytest.mark.parametrize("stage", BJM0_PROGRAMS)
def test_no_case_catches_the_correct_rules(expected_experiments, stage):
    correct_run = run_of(partial(BJM0_PROGRAMS[stage], rules=RULES))
    assert not any(experiment.differs(correct_run) for experiment in expected_experiments[stage])
