"""A known mistake in a feature costs the stage that is about the feature, and no other stage of the same program."""

import pytest

from pitboss.experiments.adequacy import elsewhere
from pitboss.experiments.catalogue import mistakes_of
from tests.wrong.programs import entries_of, tried

#: Mistakes with the bet, and their titles.
WITH_THE_BET = {
    "betting-blackjack-pays-double": "a blackjack is paid too much",
    "betting-losses-not-deducted": "a lost hand costs nothing",
    "betting-plus-zero": "winnings of zero have a sign",
    "betting-no-running-total": "the winnings are those of the last hand alone",
    "betting-quitting-costs-nothing": "quitting a hand costs nothing",
}
SOFT_17 = ["value(&dealer) < 17 || (value(&dealer) == 17 && has_ace(&dealer))", "value(&dealer) < 17"]


def report_of(*names, stage, edits=()):
    """The report on kathleen's program with these mistakes, at a stage."""
    changes = [edit for name in names for edit in entries_of("csc101")[name]["edits"]["blackjack.c"]]
    return tried("csc101", {"of": "kathleen", "stage": stage, "edits": {"blackjack.c": [*changes, *edits]}}).report


@pytest.mark.slow
@pytest.mark.parametrize("name", WITH_THE_BET)
def test_a_mistake_with_the_bet_costs_the_stage_of_betting_alone(name):
    basic, betting = report_of(name, stage="basic"), report_of(name, stage="betting")
    assert basic.verdict.value == "ACCEPTED", basic.summary
    count = basic.judged_as.partition("without the ")[2].partition(" ")[0]
    assert int(count) > 0
    assert basic.judged_as == (
        f"with betting, without the {count} sessions with a mistake with betting, which is graded in another stage "
        f"({WITH_THE_BET[name]})"
    )
    assert all(result.verdict.value == "ACCEPTED" for result in basic.results)
    assert betting.verdict.value == "WRONG_ANSWER"


@pytest.mark.slow
def test_a_mistake_of_the_stage_itself_is_wrong_beside_one_with_the_bet():
    report = report_of("betting-blackjack-pays-double", stage="basic", edits=[SOFT_17])
    assert report.verdict.value == "WRONG_ANSWER"


@pytest.mark.slow
@pytest.mark.parametrize("with_the_bet", [[], ["betting-losses-not-deducted"]])
def test_draws_that_come_twice_from_one_deck_are_wrong_whatever_explains_the_lines(with_the_bet):
    assert report_of(*with_the_bet, "basic-new-deck-each-hand", stage="basic").verdict.value == "WRONG_ANSWER"


@pytest.mark.slow
def test_draws_that_are_no_chance_are_wrong_beside_a_mistake_with_the_bet():
    """The deck is hardly swapped: no single session shows it."""
    edits = {
        "blackjack.c": entries_of("csc101")["betting-losses-not-deducted"]["edits"]["blackjack.c"],
        "cards.c": [["i > 0; i--", "i > DECK_SIZE - 8; i--"]],
    }
    report = tried("csc101", {"of": "kathleen", "stage": "basic", "edits": edits}).report
    assert report.verdict.value == "WRONG_ANSWER"
    assert report.summary


@pytest.mark.slow
def test_a_mistake_that_can_be_made_without_the_feature_is_wrong(monkeypatch):
    """Whatever stage has it in its catalogue."""
    everywhere = lambda stage, _: mistakes_of(stage)  # noqa: E731
    monkeypatch.setattr(elsewhere, "mistakes_of_another", everywhere)
    report = report_of(stage="basic", edits=[SOFT_17])
    assert (report.verdict.value, "without the" in report.judged_as) == ("WRONG_ANSWER", False)


@pytest.mark.slow
def test_what_is_no_known_mistake_stays_wrong():
    assert report_of("betting-random-winnings-times-four", stage="basic").verdict.value == "WRONG_ANSWER"


@pytest.mark.slow
def test_a_right_program_is_judged_as_it_is():
    report = report_of(stage="basic")
    assert (report.verdict.value, report.judged_as) == ("ACCEPTED", "with betting")
