"""Generated games: all different, typing only what cases allow, and together enough to expose every known mistake."""

import re

import msgspec
import pytest

from pitboss.assignments.assignment import Generated
from pitboss.assignments.specfile import load_assignment
from pitboss.compare.comparison import difference_between
from pitboss.compare.results import Result, Verdict
from pitboss.errors import HarnessError
from pitboss.experiments.catalogue import mistakes_of
from pitboss.experiments.hunting.games import Games, random_player
from pitboss.experiments.hunting.hunter import is_endless
from pitboss.experiments.hunting.questions import KnownGames, Question, key_of, kind_of, known_games, offered_answers
from pitboss.model.comparison_policy import FreeText, Policy
from pitboss.model.invocation import script_of_lines
from pitboss.model.transcript import OVER_A_LIMIT, Ending, EndingKind, Transcript
from pitboss.sessions.drivers import expected_run_here
from tests.conftest import ROOT

NO_DEADLINE = 1e9
#: By stage, the mistakes that 2500 generated games do not expose. Each game has a valid seed and is played to its end,
#: so invalid seeds and early ends never occur.
UNEXPOSED_MISTAKES = {"errors": {"seed-unchecked", "seed-range-unchecked", "bad-seed-ends", "no-line-at-the-end"}}


def learn_from_cases(stage):
    """The questions and steps that occur in the cases of the stage."""
    return known_games(stage, until=NO_DEADLINE)


def make_games(stage):
    return Games(stage, learn_from_cases(stage), expected_run_here(stage))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "stage"),
    [("blackjack", stage) for stage in ("shuffle", "deal", "play", "betting", "errors")]
    + [("bjm0", stage) for stage in ("shuffle", "aces", "dealer", "table", "chances")],
)
def test_every_known_mistake_is_exposed_by_the_games_of_a_few_seconds(name, stage):
    chosen_stage = load_assignment(ROOT / "specs" / name).stage(stage)
    games = make_games(chosen_stage).take(2500, until=NO_DEADLINE)
    unexposed = {
        mistake.id
        for mistake in mistakes_of(chosen_stage)
        if not mistake.invisible and not exposes(mistake, chosen_stage, games)
    }
    assert unexposed == UNEXPOSED_MISTAKES.get(stage, set())


def exposes(mistake, stage, games):
    """Whether the mistake changes what is printed in one of these games, or how the game ends."""
    mistake_run = mistake.run_of(stage.name)
    for _, expected in games:
        try:
            output = mistake_run(script_of_lines(expected.lines))
        except HarnessError:
            return True
        if (
            output.ending != expected.ending
            or difference_between(expected.events, output.events, stage.policy) is not None
        ):
            return True
    return False


@pytest.mark.parametrize("stage", ["deal", "play", "betting", "errors"])
def test_no_game_is_generated_twice_and_each_is_played_to_its_end(blackjack, stage):
    chosen_stage = blackjack.stage(stage)
    games = make_games(chosen_stage).take(300, until=NO_DEADLINE)
    assert len(games) == len({typed_lines(session) for session, _ in games}) == 300
    assert all(output.lines == typed_lines(session) for session, output in games)


def typed_lines(session):
    """The seed and the answers of a game's session."""
    return (str(session.seed).encode(), *session.case.session.answers.lines)


def test_the_first_games_are_short_and_later_games_are_long(blackjack):
    games = make_games(blackjack.stage("betting")).take(1200, until=NO_DEADLINE)
    lengths = [len(output.lines) for _, output in games]
    assert max(lengths[:40]) <= 20
    assert max(lengths) > 80


def test_games_type_nothing_that_the_cases_leave_unspecified(blackjack):
    """The stage “play” does not specify other keys, nor “betting” a bet of 0; the stage “errors” specifies both."""
    typed = {
        stage: {
            line
            for _, output in make_games(blackjack.stage(stage)).take(700, until=NO_DEADLINE)
            for line in output.lines[1:]
        }
        for stage in ("play", "betting", "errors")
    }
    assert typed["play"] == {b"h", b"s"}
    bets = [int(line) for line in typed["betting"] if re.fullmatch(rb"-?[0-9]+", line)]
    assert (min(bets), max(bets)) == (1, 1_000_000)
    assert {b"x", b"w", b"H", b"", b"0", b"1", b"1000000", b"1000001", b"-1"} <= typed["errors"]


def test_most_seeds_differ_from_the_seeds_of_the_cases(blackjack):
    stage = blackjack.stage("shuffle")
    seeds = {session.seed for session, _ in make_games(stage).take(1500, until=NO_DEADLINE)}
    case_seeds = {
        seed for case in stage.spec.cases if isinstance(case.session, Generated) for seed in case.session.seeds
    }
    assert len(seeds - case_seeds) > 1200
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
def test_offered_answers_are_parsed_from_the_question(question, offered):
    assert offered_answers(question) == frozenset(offered.split())


def test_the_key_of_a_question_omits_game_state_and_numbers():
    assert key_of("You have 6 6 11, total 13. Hit or stand? [h/s] ") == "Hit or stand? [h/s]"
    assert key_of("Bet at most 175.0€. Or Enter: ") == "Bet at most #€. Or Enter:"
    assert key_of("Roll 3 of 5: ") == "Roll # of #:"


def test_equivalent_answers_are_of_the_same_kind():
    offered = frozenset("hs")
    kinds = {line: kind_of(line.encode(), offered) for line in ("h", "x", "H", "12", "-7", "2.5", "99999999999", "hit")}
    assert kinds == {
        "h": "h",
        "x": "a letter",
        "H": "another letter case",
        "12": "#",
        "-7": "-#",
        "2.5": "#.#",
        "99999999999": "##",
        "hit": "=hit",
    }


def test_a_session_that_exceeded_any_limit_counts_as_endless():
    """Endless sessions are not run again; grading too stops after three of them."""
    kinds = {kind for kind in EndingKind if is_endless(result_ending_with(kind))}
    assert kinds == OVER_A_LIMIT >= {EndingKind.OUT_OF_REAL_TIME, EndingKind.OVER_MEMORY, EndingKind.OVER_PROCESSES}


def result_ending_with(kind):
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
def test_a_random_player_recognizes_the_programs_own_wording_of_a_prompt(texts, prompts):
    stage = load_assignment(ROOT / "tests" / "toy" / "dice").stage("pig")
    free = (FreeText("question", "Enter (h)it or (d)ouble: ", "prompt"),)
    stage = msgspec.structs.replace(stage, policy=Policy(free=free, trailing_blanks="ignored"))
    question = Question(("Enter (h)it or (d)ouble: ",), {"h": (b"h",)}, None, frozenset())
    player = random_player(stage, KnownGames({"question": question}, frozenset(), 3, {}), 1, texts)
    assert {answers.prompt for answers in player.prompt_answers} == prompts


def test_games_in_which_the_reference_fails_are_left_out_and_listed(blackjack):
    stage = blackjack.stage("deal")
    run = expected_run_here(stage)

    def fails_for_even_seeds(input_script, **options):
        transcript = run(input_script, **options)
        if int(transcript.lines[0]) % 2 == 0:
            raise HarnessError(f"the reference failed\nin {transcript.lines}\nIndexError")
        return transcript

    games = Games(stage, learn_from_cases(stage), fails_for_even_seeds)
    assert {session.seed % 2 for session, _ in games.take(40, until=NO_DEADLINE)} == {1}
    assert {int(lines[0]) % 2 for lines in games.reference_failures} == {0}
    assert len(games.reference_failures) > 10
    assert set(games.reference_failures.values()) == {"the reference failed IndexError"}
