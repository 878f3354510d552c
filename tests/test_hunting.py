"""Hunting: the smallest failing game is found, a right program is left in peace, and the time and the count are kept."""

import os
import pty
import re
import shlex
import signal
import subprocess
import sys
import time

import pytest

from harness.assignment import Answers, Case, Generated
from harness.cases import Session
from harness.comparison import difference_between
from harness.drivers import find_conditions, performance_here
from harness.errors import HarnessError
from harness.holding import Job, hold_all
from harness.hunting import tables
from harness.hunting.examples import known_games
from harness.hunting.games import Games
from harness.hunting.hunter import hunt_with, hunted
from harness.hunting.questions import key_of, kind_of, offered_in
from harness.mistakes import mistakes_of
from harness.programs import Program
from harness.sessions import typing
from harness.specfile import load_assignment
from harness.teams import Team
from harness.transcript import EndingKind
from harness.verdicts import Verdict
from tests.conftest import ROOT, example

EXAMPLES = ROOT / "examples"
NEVER = 1e9


def hunt(assignment, stage, folder, seconds=30, **more):
    chosen = assignment.stage(stage)
    job = Job(assignment, (chosen,), find_conditions("watched", "landlock"), assignment.name)
    return hunted(job, chosen, folder, seconds=seconds, **more)


def known(stage):
    return known_games(stage, until=NEVER)


def games_of(stage):
    return Games(stage, known(stage), performance_here(stage))


@pytest.mark.parametrize(
    ("student", "stage"),
    [("barbara", "deal"), ("brian", "play"), ("dennis", "play"), ("edsger", "play"), ("ken", "deal")],
)
def test_a_wrong_example_fails_in_three_lines(blackjack, student, stage):
    done = hunt(blackjack, stage, EXAMPLES / "blackjack" / student)
    assert done.found is not None
    loops = done.found.actual.ending.kind is EndingKind.OUT_OF_CPU_TIME  # then it never asks for the rest
    assert len(done.found.actual.lines if loops else done.found.expected.lines) <= 3
    assert done.count <= 2000
    assert f"pitboss check {stage} --assignment blackjack --seed" in done.found.replay


def test_the_command_that_replays_a_game_finds_it_again(blackjack, pitboss):
    folder = EXAMPLES / "blackjack" / "edsger"
    found = hunt(blackjack, "play", folder).found
    again = pitboss(*shlex.split(found.replay)[1:], cwd=folder)
    assert again.code == 1
    assert " ".join(found.summary.split()) in " ".join(again.out.split())


RIGHT = [
    ("blackjack", "ada", "errors"),
    ("bjm0", "otto", "table"),
    ("csc101", "kathleen", "errors"),
    ("ece2036", "vera", "split"),
    ("tournament", "hanna", "aces"),
]


@pytest.mark.parametrize(("name", "student", "stage"), RIGHT[:3], ids=[name for name, _, _ in RIGHT[:3]])
def test_a_right_example_is_left_in_peace(name, student, stage):
    assignment = load_assignment(ROOT / "specs" / name)
    done = hunt(assignment, stage, EXAMPLES / name / student, seconds=1)
    assert (done.found, done.finding, done.faults, done.failure) == (None, "", (), "")
    assert done.count > 3


@pytest.mark.slow
@pytest.mark.parametrize(("name", "student"), [example(name, student) for name, student, _ in RIGHT])
def test_every_stage_of_a_right_example_is_left_in_peace_and_the_time_is_kept(name, student):
    assignment = load_assignment(ROOT / "specs" / name)
    for stage in assignment.stages:
        begun = time.monotonic()
        done = hunt(assignment, stage.name, EXAMPLES / name / student, seconds=4)
        assert (done.found, done.finding, done.faults) == (None, "", ()), stage.name
        assert time.monotonic() - begun < 14, stage.name
        assert done.count > 0, stage.name


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "stage"),
    [("blackjack", stage) for stage in ("shuffle", "deal", "play", "betting", "errors")]
    + [("bjm0", stage) for stage in ("shuffle", "aces", "dealer", "table", "chances")],
)
def test_every_known_mistake_shows_in_the_games_of_a_few_seconds(name, stage):
    chosen = load_assignment(ROOT / "specs" / name).stage(stage)
    games = games_of(chosen).take(2500, until=NEVER)
    missed = [
        mistake.id for mistake in mistakes_of(chosen) if not mistake.invisible and not shows(mistake, chosen, games)
    ]
    assert missed == []


def shows(mistake, stage, games):
    perform = mistake.performance(stage.name)
    for game, expected in games:
        try:
            told = perform(typing(game.typed))
        except HarnessError:
            return True
        if told.ending != expected.ending or difference_between(expected.events, told.events, stage.policy) is not None:
            return True
    return False


@pytest.mark.parametrize("stage", ["deal", "play", "betting", "errors"])
def test_a_game_is_never_made_twice_and_comes_to_its_end(blackjack, stage):
    chosen = blackjack.stage(stage)
    games = games_of(chosen).take(300, until=NEVER)
    assert len(games) == len({game for game, _ in games}) == 300
    assert all(told.lines == game.typed for game, told in games)


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


def test_games_are_played_once_each_and_counted_so(blackjack, monkeypatch):
    played = []

    def counted(team, job, program, sessions):
        played.extend((one.seed, one.case.session.answers.lines) for one in sessions)
        return hold_all(team, job, program, sessions)

    monkeypatch.setattr(tables, "hold_all", counted)
    done = hunt(blackjack, "play", EXAMPLES / "blackjack" / "ada", seconds=1)
    assert done.count == len(played) == len(set(played)) > 3


def test_two_games_of_one_seed_are_expected_each_as_it_is(blackjack):
    """What is expected is remembered in a process: by what is typed too, not by seed and place alone."""
    stage = blackjack.stage("play")
    sessions = [
        Session(stage, Case("made up", Generated((3,), Answers((line,))), stage.policy, place="here"), 3)
        for line in (b"h", b"s")
    ]
    job = Job(blackjack, (stage,), find_conditions("watched", "none"), "blackjack")
    reference = Program((sys.executable, "-m", "reference", "blackjack", "play"), ROOT, is_trusted=True)
    results = hold_all(Team(), job, reference, sessions)
    assert [result.expected.lines for result in results] == [(b"3", b"h"), (b"3", b"s")]
    assert [result.verdict for result in results] == [Verdict.ACCEPTED, Verdict.ACCEPTED]


def test_a_program_that_never_ends_costs_its_limit_once(blackjack, compiled):
    program = compiled("int main(void) { for (;;) { } }")
    stage = blackjack.stage("play")
    job = Job(blackjack, (stage,), find_conditions("watched", "landlock"), "blackjack")
    done = hunt_with(job, stage, Program((str(program),), program.parent), Team(), until=time.monotonic() + 9)
    assert (done.count, done.found.verdict) == (1, Verdict.TIME_LIMIT_EXCEEDED)


def test_a_deep_failure_is_made_smaller(blackjack, tmp_path):
    """A program that goes wrong in its fourth hand alone needs no more than four."""
    source = (EXAMPLES / "blackjack" / "ada" / "betting.c").read_text()
    wrong = source.replace('printf("Winnings: ', 'static int hands; printf(++hands == 4 ? "Winnings : " : "Winnings: ')
    assert wrong != source
    (tmp_path / "betting.c").write_text(wrong)
    found = hunt(blackjack, "betting", tmp_path).found
    assert found is not None
    assert found.expected.lines.count(b"q") == 1
    assert len(found.expected.lines) <= 1 + 4 * 4


SHOP = """def main(console):
    console.write("Money: ")
    money = int(console.read_line())
    console.write("Price: ")
    console.write("Sold.\\n" if int(console.read_line()) <= money else "Too dear.\\n")
    return 0
"""
SHOP_CASES = """program: shop
cases:
  - {name: dear, transcript: "Money: <<10>>\\nPrice: <<900>>\\nToo dear.\\n"}
  - {name: cheap, transcript: "Money: <<950>>\\nPrice: <<20>>\\nSold.\\n"}
"""


@pytest.fixture
def shop(tmp_path):
    """An assignment that draws nothing, and a folder for a program."""
    (tmp_path / "assignment.yaml").write_text(
        "title: A shop\nseeded: no\nstages: [{name: shop, reference: shopping:main}]\n"
    )
    (tmp_path / "shop.yaml").write_text(SHOP_CASES)
    (tmp_path / "shopping.py").write_text(SHOP)
    return load_assignment(tmp_path)


def sells(sign):
    return f'money = int(input("Money: "))\nprint("Sold." if int(input("Price: ")) {sign} money else "Too dear.")\n'


def test_a_program_that_draws_nothing_is_played_in_many_ways(shop, tmp_path):
    (tmp_path / "shop.py").write_text(sells("<="))
    done = hunt(shop, "shop", tmp_path, seconds=2)
    assert (done.found, done.count > 5) == (None, True)


def test_a_limit_that_no_case_types_is_tried(shop, tmp_path):
    """What may be bought ends at what somebody has; no case has both the same."""
    (tmp_path / "shop.py").write_text(sells("<"))
    found = hunt(shop, "shop", tmp_path).found
    assert found is not None
    assert found.expected.lines[0] == found.expected.lines[1]


PIG = """import random
points, seed = 0, {seed}
random.seed(seed)
while True:
    if input("Roll or hold? [r/h] ") == "h":
        print(f"You keep {{points}}.")
        break
    roll = random.randint(1, 6)
    points += roll
    if roll == 1:
        print("You rolled 1: 0 points.")
        print("A one costs you all your points.")
        break
    print(f"You rolled {{roll}}: {{points{wrong}}} points.")
"""


@pytest.mark.parametrize(
    ("seed", "wrong", "summary"),
    [
        ("None", "", None),
        ("None", " + (points > 7)", r"“You rolled [2-6]: \d+ points\.” where “You rolled [2-6]: \d+ points\.”"),
        ("7", "", None),
    ],
    ids=["right", "wrong", "the same each time"],
)
def test_a_program_that_draws_is_hunted_by_what_it_drew(tmp_path, seed, wrong, summary):
    (tmp_path / "pig.py").write_text(PIG.format(seed=seed, wrong=wrong))
    done = hunt(
        load_assignment(ROOT / "tests" / "toy" / "dice"),
        "pig",
        tmp_path,
        seconds=1.5 if seed == "None" and not wrong else 9,
    )
    assert (done.found is None) == (summary is None)
    assert summary is None or re.search(summary, done.found.summary)
    assert done.finding == ("Every session draws the same: each run must draw anew." if seed == "7" else "")


def test_a_program_that_fails_now_and_then_is_said_to(blackjack, monkeypatch):
    job = Job(blackjack, (blackjack.stage("shuffle"),), find_conditions("watched", "none"), "blackjack")
    calls = []

    def flaky(team, job, program, sessions):
        calls.append(sessions)
        program = Program(("/bin/false",), ROOT) if len(calls) == 1 else reference
        return hold_all(team, job, program, sessions)

    reference = Program((sys.executable, "-m", "reference", "blackjack", "shuffle"), ROOT, is_trusted=True)
    monkeypatch.setattr(tables, "hold_all", flaky)
    done = hunt_with(job, job.stages[0], reference, Team(), until=time.monotonic() + 9)
    assert (done.found is None, done.is_steady) == (False, False)


def test_games_that_the_reference_fails_in_are_left_out_and_told(tmp_path, pitboss):
    folder = tmp_path / "specs" / "double"
    folder.mkdir(parents=True)
    (folder / "assignment.yaml").write_text(
        "title: Double\nseeded: no\nstages: [{name: double, reference: doubling:main}]\n"
    )
    (folder / "doubling.py").write_text(
        'def main(console):\n    console.write("Number: ")\n    number = int(console.read_line())\n'
        '    console.write(f"{2 * number + 0 * (1 // (number - 3))}\\n")\n    return 0\n'
    )
    case = "  - {name: 'of %d', transcript: \"Number: <<%d>>\\n%d\\n\"}\n"
    (folder / "double.yaml").write_text("program: double\ncases:\n" + case % (1, 1, 2) + case % (9, 9, 18))
    (tmp_path / "double.py").write_text('print(2 * int(input("Number: ")))\n')
    done = pitboss("hunt", "double", "--assignment", folder)
    assert done.code == 0
    told, left_out = done.out.splitlines()
    assert told == "double: 8 different games played, and the stage has no others: every one is as it should be"
    assert re.fullmatch(
        r"double: the reference itself failed in 1 more: .*failed: "
        r"ZeroDivisionError: integer division or modulo by zero",
        left_out,
    )


def test_a_compile_error_is_told_as_a_check_tells_it(pitboss, tmp_path):
    (tmp_path / "play.c").write_text("int main(void) { return 0 }\n")
    checked = pitboss("check", "play", "--assignment", "blackjack")
    hunted_ = pitboss("hunt", "play", "--assignment", "blackjack")
    assert (hunted_.code, checked.code) == (1, 1)
    assert "that is: " in checked.out
    assert hunted_.out == checked.out


@pytest.mark.parametrize("order", [("play", "ada"), ("ada", "play")], ids=["stage first", "folder first"])
def test_stage_and_folder_stand_in_either_order(pitboss, order):
    words = [EXAMPLES / "blackjack" / "ada" if word == "ada" else word for word in order]
    done = pitboss("hunt", *words, "--seconds", "1")
    assert (done.code, done.err) == (0, "")
    assert re.fullmatch(r"play: [0-9,]+ different games played: every one is as it should be\n", done.out)


def test_a_folder_that_is_called_as_a_stage_is_not_taken_for_it(pitboss, tmp_path):
    (tmp_path / "play").mkdir()
    (tmp_path / "mine").mkdir()
    for words in (("play", "mine"), ("mine", "play")):
        done = pitboss("hunt", *words, "--assignment", "blackjack")
        assert (done.code, done.err) == (
            2,
            "pitboss: mine: no program is here — a submission has files such as play.c\n",
        )
    done = pitboss("hunt", "play", "--assignment", "blackjack")
    assert (done.code, done.err) == (2, "pitboss: .: no program is here — a submission has files such as play.c\n")


def test_hunt_needs_one_stage(pitboss):
    for words in ((), ("deal", "play", "betting")):
        done = pitboss("hunt", *words)
        assert (done.code, done.out, done.err) == (
            2,
            "",
            "pitboss: hunt needs one stage: name it, as in pitboss hunt play\n",
        )


def test_progress_is_shown_at_once_and_ctrl_c_ends_it_with_what_is_known(tmp_path):
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "harness", "hunt", "play", EXAMPLES / "blackjack" / "ada", "--seconds", "600"]
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "TERM": "xterm", "COLUMNS": "80"}
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=theirs, cwd=tmp_path, env=environment, start_new_session=True
    )
    os.close(theirs)
    seen = b""
    try:
        while not re.search(rb"[1-9][0-9,]* games", seen):
            seen += os.read(ours, 4096)
        os.killpg(process.pid, signal.SIGINT)
        out = process.communicate(timeout=60)[0].decode()
    finally:
        process.kill()
        os.close(ours)
    assert b"0 games" in seen.partition(b"hunting in play")[2]
    assert process.returncode == 130
    assert re.fullmatch(r"play: stopped after [0-9,]+ different games?: (every one|it) is as it should be\n", out)


def test_ctrl_c_while_a_smaller_game_is_looked_for_keeps_the_one_that_was_found(blackjack, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt
        yield

    monkeypatch.setattr(tables.SeededTable, "smaller", interrupted)
    done = hunt(blackjack, "play", EXAMPLES / "blackjack" / "brian")
    assert (done.was_stopped, done.found is None) == (True, False)


def test_nothing_is_left_of_a_hunt(blackjack, reachable, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(reachable))
    before = sorted(os.listdir("/proc/self/fd"))
    hunt(blackjack, "deal", EXAMPLES / "blackjack" / "ada", seconds=1)
    assert list(reachable.iterdir()) == []
    assert len(os.listdir("/proc/self/fd")) <= len(before) + 1


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
        "h": "h", "x": "a letter", "H": "another case", "12": "#", "-7": "-#", "2.5": "#.#", "99999999999": "##",
        "hit": "=hit",
    }  # fmt: skip
