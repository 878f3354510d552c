"""Games that nobody wrote down: each another, within what the cases type, and enough to show every known mistake."""

import re

import msgspec
import pytest

from pitboss.assignments.assignment import Generated
from pitboss.assignments.specfile import load_assignment
from pitboss.compare.comparison import difference_between
from pitboss.compare.results import Result
from pitboss.compare.verdicts import Verdict
from pitboss.errors import HarnessError
from pitboss.experiments.catalogue import mistakes_of
from pitboss.experiments.hunting.examples import known_games
from pitboss.experiments.hunting.game_tables import is_endless
from pitboss.experiments.hunting.games import Games, wandering
from pitboss.experiments.hunting.questions import KnownGames, Question, key_of, kind_of, offered_in
from pitboss.model.comparison_policy import FreeText, Policy
from pitboss.model.scripts import typing
from pitboss.model.transcript import ENDLESS, Ending, EndingKind, Transcript
from pitboss.sessions.drivers import expected_run_here
from tests.conftest import ROOT

NEVER = 1e9
#: Mistakes that so many games do not show, by stage. A hunted game begins with a right seed and comes to its own end;
#: and both have a blackjack in one of some four hundred hands.
NOT_SHOWN = {
    "errors": {"seed-unchecked", "seed-range-unchecked", "bad-seed-ends", "no-line-at-the-end", "two-blackjacks-won"}
}


def known(stage):
    return known_games(stage, until=NEVER)


def games_of(stage):
    return Games(stage, known(stage), expected_run_here(stage))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "stage"),
    [("blackjack", stage) for stage in ("shuffle", "deal", "play", "betting", "errors")]
    + [("bjm0", stage) for stage in ("shuffle", "aces", "dealer", "table", "chances")],
)
def test_every_known_mistake_shows_in_the_games_of_a_few_seconds(name, stage):
    chosen = load_assignment(ROOT / "specs" / name).stage(stage)
    games = games_of(chosen).take(2500, until=NEVER)
    missed = {
        mistake.id for mistake in mistakes_of(chosen) if not mistake.invisible and not shows(mistake, chosen, games)
    }
    assert missed == NOT_SHOWN.get(stage, set())


def shows(mistake, stage, games):
    expected_run = mistake.run_of(stage.name)
    for game, expected in games:
        try:
            output = expected_run(typing(game.typed))
        except HarnessError:
            return True
        if (
            output.ending != expected.ending
            or difference_between(expected.events, output.events, stage.policy) is not None
        ):
            return True
    return False


@pytest.mark.parametrize("stage", ["deal", "play", "betting", "errors"])
def test_a_game_is_never_made_twice_and_comes_to_its_end(blackjack, stage):
    chosen = blackjack.stage(stage)
    games = games_of(chosen).take(300, until=NEVER)
    assert len(games) == len({game for game, _ in games}) == 300
    assert all(output.lines == game.typed for game, output in games)


def test_the_first_games_are_short_and_later_ones_reach_deep(blackjack):
    lengths = [len(game.lines) for game, _ in games_of(blackjack.stage("betting")).take(1200, until=NEVER)]
    assert max(lengths[:40]) <= 8
    assert max(lengths) > 40


def test_what_the_cases_leave_open_is_not_typed(blackjack):
    """In play nothing is said of other keys, and in betting nothing of a bet of 0; in errors of both."""
    typed = {
        stage: {line for game, _ in games_of(blackjack.stage(stage)).take(700, until=NEVER) for line in game.lines}
        for stage in ("play", "betting", "errors")
    }
    assert typed["play"] == {b"h", b"s"}
    bets = [int(line) for line in typed["betting"] if re.fullmatch(rb"-?[0-9]+", line)]
    assert (min(bets), max(bets)) == (1, 1_000_000)
    assert {b"x", b"w", b"H", b"", b"0", b"1", b"1000000", b"1000001", b"-1"} <= typed["errors"]


def test_seeds_are_others_than_those_of_the_cases(blackjack):
    stage = blackjack.stage("shuffle")
    seeds = {game.seed for game, _ in games_of(stage).take(1500, until=NEVER)}
    cases = {seed for case in stage.spec.cases if isinstance(case.session, Generated) for seed in case.session.seeds}
    assert len(seeds - cases) > 1200
    assert {0, -1, (1 << 31) - 1} <= seeds


@pytest.mark.parametrize(
    ("question", "offered"),
    [
        ("Hit, stand or double down? [h/s/d] ", "h s d"),
        ("Do you want another one? (y/n) ", "y n"),
        ("What would you like to do? Enter (h)it, (s)tand or s(p)lit: ", "h s p"),
        ("Enter 'q' to quit, anything else to play another hand: ", "q"),
        ("Pay [1/2/5] ", "1 2 5"),
        ("Amount (in euros, please): ", ""),
        ("Name: ", ""),
    ],
)
def test_what_a_question_offers_is_read_in_it(question, offered):
    assert offered_in(question) == frozenset(offered.split())


def test_a_question_is_known_by_what_it_asks():
    assert key_of("You have 6 6 11, total 13. Hit or stand? [h/s] ") == "Hit or stand? [h/s]"
    assert key_of("Bet at most 175.0€. Or Enter: ") == "Bet at most #€. Or Enter:"
    assert key_of("Roll 3 of 5: ") == "Roll # of #:"


def test_answers_are_of_one_kind_where_one_stands_for_another():
    offered = frozenset("hs")
    kinds = {line: kind_of(line.encode(), offered) for line in ("h", "x", "H", "12", "-7", "2.5", "99999999999", "hit")}
    assert kinds == {
        "h": "h",
        "x": "a letter",
        "H": "another case",
        "12": "#",
        "-7": "-#",
        "2.5": "#.#",
        "99999999999": "##",
        "hit": "=hit",
    }


def test_a_session_that_used_up_a_limit_is_not_run_again_whichever_limit_it_was():
    """As in grading, where three such sessions are enough."""
    kinds = {kind for kind in EndingKind if is_endless(result_with(kind))}
    assert kinds == ENDLESS >= {EndingKind.OUT_OF_REAL_TIME, EndingKind.OVER_MEMORY, EndingKind.OVER_PROCESSES}


def result_with(kind):
    return Result("play", "a case", Verdict.TIME_LIMIT_EXCEEDED, Transcript(()), Transcript((), Ending(kind)))


@pytest.mark.parametrize(
    ("texts", "prompts"),
    [
        ({}, {"Enter (h)it or (d)ouble: ", "Enter (h)it or (d)ouble:"}),
        (
            {"question": b"Now?\n[h/d] "},
            {"Enter (h)it or (d)ouble: ", "Enter (h)it or (d)ouble:", "[h/d] ", "[h/d]"},
        ),
        ({"question": None}, {"Enter (h)it or (d)ouble: ", "Enter (h)it or (d)ouble:"}),
    ],
    ids=["unknown", "known", "none"],
)
def test_a_wandering_player_knows_a_question_by_the_words_that_the_program_has_for_it(texts, prompts):
    stage = load_assignment(ROOT / "tests" / "toy" / "dice").stage("pig")
    free = (FreeText("question", "Enter (h)it or (d)ouble: ", "prompt"),)
    stage = msgspec.structs.replace(stage, policy=Policy(free=free, trailing_blanks="ignored"))
    question = Question(("Enter (h)it or (d)ouble: ",), {"h": (b"h",)}, None, frozenset())
    player = wandering(stage, KnownGames({"question": question}, frozenset(), 3, {}), 1, texts)
    assert {habit.prompt for habit in player.habits} == prompts


def test_games_in_which_the_reference_fails_are_left_out_and_each_is_noted_once(blackjack):
    stage = blackjack.stage("deal")
    run = expected_run_here(stage)

    def fails_for_even_seeds(input_script, **more):
        transcript = run(input_script, **more)
        if int(transcript.lines[0]) % 2 == 0:
            raise HarnessError(f"the reference failed\nin {transcript.lines}\nIndexError")
        return transcript

    games = Games(stage, known(stage), fails_for_even_seeds)
    found = [game for game, _ in games.take(40, until=NEVER)]
    assert {game.seed % 2 for game in found} == {1}
    assert {game.seed % 2 for game in games.failed} == {0}
    assert len(games.failed) > 10
    assert games.failure == "the reference failed IndexError"
