import re

import pytest

from tests.wrong.programs import check_wrong_program, known_mistake_edits

#: Mistakes of the feature “betting”.
BETTING_MISTAKES = (
    "betting-blackjack-pays-double",
    "betting-losses-not-deducted",
    "betting-plus-zero",
    "betting-no-running-total",
    "betting-quitting-costs-nothing",
    "betting-random-winnings-times-four",
)
#: An edit, as old and new code, after which the dealer stands on a soft 17: a mistake unrelated to betting.
SOFT_17 = ["value(&dealer) < 17 || (value(&dealer) == 17 && has_ace(&dealer))", "value(&dealer) < 17"]


def check_kathleen(*names, stage, edits=()):
    """The report on a stage for the example student kathleen's program with these known mistakes and edits."""
    changes = [edit for name in names for edit in known_mistake_edits("csc101")[name]["edits"]["blackjack.c"]]
    return check_wrong_program(
        "csc101", {"of": "kathleen", "stage": stage, "edits": {"blackjack.c": [*changes, *edits]}}
    ).report


@pytest.mark.slow
@pytest.mark.parametrize("name", BETTING_MISTAKES)
def test_a_betting_mistake_fails_only_the_betting_stage(name):
    basic_report, betting_report = check_kathleen(name, stage="basic"), check_kathleen(name, stage="betting")
    assert basic_report.verdict.value == "ACCEPTED", basic_report.summary
    assert re.fullmatch(
        r"with reshuffling, with betting, with error checking, without the lines with betting, which are wrong in [1-9]\d* sessions",
        basic_report.judged_as,
    )
    assert all(result.verdict.value == "ACCEPTED" for result in basic_report.results)
    assert betting_report.verdict.value == "WRONG_ANSWER"


@pytest.mark.slow
def test_a_mistake_of_the_stage_itself_fails_despite_a_betting_mistake():
    report = check_kathleen("betting-blackjack-pays-double", stage="basic", edits=[SOFT_17])
    assert report.verdict.value == "WRONG_ANSWER"


@pytest.mark.slow
@pytest.mark.parametrize(
    "betting_mistakes", [[], ["betting-losses-not-deducted"]], ids=["alone", "beside a betting mistake"]
)
def test_drawing_a_card_twice_fails_even_beside_a_betting_mistake(betting_mistakes):
    """The betting mistake alone would not fail the basic stage."""
    assert check_kathleen(*betting_mistakes, "basic-new-deck-each-hand", stage="basic").verdict.value == "WRONG_ANSWER"


@pytest.mark.slow
def test_a_badly_shuffled_deck_fails_even_beside_a_betting_mistake():
    """Shuffling swaps only a few cards of the deck: only the draws of many sessions together show this."""
    edits = {
        "blackjack.c": known_mistake_edits("csc101")["betting-losses-not-deducted"]["edits"]["blackjack.c"],
        "cards.c": [["i > 0; i--", "i > DECK_SIZE - 8; i--"]],
    }
    report = check_wrong_program("csc101", {"of": "kathleen", "stage": "basic", "edits": edits}).report
    assert report.verdict.value == "WRONG_ANSWER"
    assert report.draws is not None


@pytest.mark.slow
def test_a_correct_program_is_accepted_without_leaving_out_sessions():
    report = check_kathleen(stage="basic")
    assert (report.verdict.value, report.judged_as) == (
        "ACCEPTED",
        "with reshuffling, with betting, with error checking",
    )


#: Slips of other features than the stage's: the feature, the file, the old code and the new.
OTHER_SLIPS = {
    "the new deck comes one card early": ("reshuffle", "cards.c", "dealt == DECK_SIZE", "dealt == DECK_SIZE - 1"),
    "an empty line is an error": ("errors", "blackjack.c", "if (command == '\\0') {", "if (0) {"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", OTHER_SLIPS)
def test_a_slip_of_another_feature_fails_only_the_stage_of_that_feature(name):
    stage, file, old, new = OTHER_SLIPS[name]
    change = {"of": "kathleen", "edits": {file: [[old, new]]}}
    basic, other = (check_wrong_program("csc101", {**change, "stage": one}).report for one in ("basic", stage))
    assert (basic.verdict.value, other.verdict.value) == ("ACCEPTED", "WRONG_ANSWER"), basic.summary
    assert re.search(r"without the \d+ sessions with .*, of which \d+ are wrong", basic.judged_as)
