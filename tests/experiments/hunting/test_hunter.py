"""Hunting: the smallest failing game is found, a right program is left in peace, and the time and the count are kept."""

import os
import re
import shlex
import sys
from types import SimpleNamespace

import pytest

from pitboss.assignments.assignment import Answers, Case, Generated
from pitboss.assignments.cases import Session
from pitboss.assignments.specfile import load_assignment
from pitboss.compare.seeded import run_all
from pitboss.compare.verdicts import Verdict
from pitboss.experiments.hunting import examples, game_tables, games, hunter
from pitboss.experiments.hunting.hunter import hunt_program, hunt_with
from pitboss.model.transcript import EndingKind
from pitboss.reports.finding_sentences import summary_of
from pitboss.reports.shell_commands import rerun_command
from pitboss.sandbox.pool import Pool
from pitboss.sessions.drivers import find_conditions
from pitboss.sessions.job import Job
from pitboss.sessions.programs import Program
from tests.conftest import ROOT

EXAMPLES = ROOT / "examples"
#: `python -m reference`, from any folder.
REFERENCE = (
    sys.executable,
    "-c",
    f"import sys; sys.path.insert(0, {str(ROOT)!r}); from reference.__main__ import main; sys.exit(main(sys.argv[1:]))",
)
#: How long each look at the clock takes here.
TICK_S = 0.05


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    """The clock of a hunt, which goes on by its looks at it alone: what a hunt gets done does not depend on the machine."""
    output = SimpleNamespace(now_s=1000.0)

    def look():
        output.now_s += TICK_S
        return output.now_s

    for module in (hunter, examples, games, game_tables):
        monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=look))
    monkeypatch.setattr(game_tables, "_LOOKING_S", 4 * TICK_S)
    # A batch of any size takes a few looks.
    monkeypatch.setattr(hunter, "_FASTEST_GROWTH", 2)
    monkeypatch.setattr(hunter, "_PART_AT_ONCE", 1 << 30)
    return output


def hunt(assignment, stage, folder, seconds=600, **more):
    chosen = assignment.stage(stage)
    job = Job(assignment, (chosen,), find_conditions("watched", "landlock"), assignment.name)
    return hunt_program(job, chosen, folder, seconds=seconds, **more)


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
    assert f"pitboss check {stage} --assignment blackjack --seed" in rerun_command(done.found.rerun)


def test_the_command_that_replays_a_game_finds_it_again(blackjack, pitboss):
    folder = EXAMPLES / "blackjack" / "edsger"
    found = hunt(blackjack, "play", folder).found
    again = pitboss(*shlex.split(rerun_command(found.rerun))[1:], cwd=folder)
    assert again.code == 1
    assert " ".join(summary_of(found).split()) in " ".join(again.out.split())


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


#: Each stage by itself: those of ece2036 take minutes, and would be the last to end.
STAGES = [
    (name, student, stage)
    for name, student, _ in RIGHT
    for stage in (one.name for one in load_assignment(ROOT / "specs" / name).stages)
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "student", "stage"), STAGES, ids=[f"{name} {stage}" for name, _, stage in STAGES])
def test_every_stage_of_a_right_example_is_left_in_peace_and_the_time_is_kept(clock, name, student, stage):
    begun_s = clock.now_s
    done = hunt(load_assignment(ROOT / "specs" / name), stage, EXAMPLES / name / student, seconds=1)
    assert (done.found, done.finding, done.faults) == (None, "", ())
    assert clock.now_s - begun_s < 1.5
    assert done.count > 0


def test_games_are_played_once_each_and_counted_so(blackjack, monkeypatch):
    played = []

    def counted(pool, job, program, sessions):
        played.extend((one.seed, one.case.session.answers.lines) for one in sessions)
        return run_all(pool, job, program, sessions)

    monkeypatch.setattr(game_tables, "run_all", counted)
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
    reference = Program((*REFERENCE, "blackjack", "play"), ROOT, is_trusted=True)
    results = run_all(Pool(), job, reference, sessions)
    assert [result.expected.lines for result in results] == [(b"3", b"h"), (b"3", b"s")]
    assert [result.verdict for result in results] == [Verdict.ACCEPTED, Verdict.ACCEPTED]


@pytest.mark.parametrize("looks_back", [False, True])
def test_games_that_take_long_keep_all_cores_busy(clock, looks_back):
    assert sizes_of_batches(clock, 1.0, looks_back=looks_back, seconds=20)[:5] == [1, 4, 4, 4, 4]


def test_where_all_games_are_looked_at_again_batches_grow_with_them(clock, monkeypatch):
    monkeypatch.setattr(hunter, "_PART_AT_ONCE", 3)
    *sizes, _ = sizes_of_batches(clock, 0.1, looks_back=True, seconds=20)
    assert sizes == sorted(sizes)
    assert max(sizes) > 20
    assert max(sizes_of_batches(clock, 0.1, looks_back=False, seconds=20)) == 4


def sizes_of_batches(clock, game_s, *, looks_back, seconds):
    """The sizes of the batches that are played on four cores, of games that take so long in all."""
    sizes = []

    def play(size, *, until):
        sizes.append(size)
        table.count += size
        clock.now_s += size * game_s
        return []

    table = SimpleNamespace(is_exhausted=False, count=0, looks_back=looks_back, play=play)
    assert not any(hunter._batches(table, clock.now_s + seconds, lambda _: None, 4))
    return sizes


def test_a_program_that_never_ends_costs_its_limit_once(clock, blackjack, compiled):
    program = compiled("int main(void) { for (;;) { } }")
    stage = blackjack.stage("play")
    job = Job(blackjack, (stage,), find_conditions("watched", "landlock"), "blackjack")
    done = hunt_with(job, stage, Program((str(program),), program.parent), Pool(), until=clock.now_s + 9)
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
        ("None", " + (points > 7)", r"“You rolled [2-6]: \d+ points\.”, has “\d+” where “\d+” is expected\."),
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
        seconds=1 if seed == "None" and not wrong else 9,
    )
    assert (done.found is None) == (summary is None)
    assert summary is None or re.search(summary, summary_of(done.found))
    alike = r"Every session draws the same, beginning with [1-6](, [1-6])*: each run must draw new values\."
    assert re.fullmatch(alike if seed == "7" else "", done.finding)


def test_a_program_that_fails_now_and_then_is_said_to(clock, blackjack, monkeypatch):
    job = Job(blackjack, (blackjack.stage("shuffle"),), find_conditions("watched", "none"), "blackjack")
    calls = []

    def flaky(pool, job, program, sessions):
        calls.append(sessions)
        program = Program(("/bin/false",), ROOT) if len(calls) == 1 else reference
        return run_all(pool, job, program, sessions)

    reference = Program((*REFERENCE, "blackjack", "shuffle"), ROOT, is_trusted=True)
    monkeypatch.setattr(game_tables, "run_all", flaky)
    done = hunt_with(job, job.stages[0], reference, Pool(), until=clock.now_s + 9)
    assert (done.found is None, done.is_steady) == (False, False)


def test_ctrl_c_while_a_smaller_game_is_looked_for_keeps_the_one_that_was_found(blackjack, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt
        yield

    monkeypatch.setattr(game_tables.SeededTable, "smaller", interrupted)
    done = hunt(blackjack, "play", EXAMPLES / "blackjack" / "brian")
    assert (done.was_stopped, done.found is None) == (True, False)


def test_nothing_is_left_of_a_hunt(blackjack, reachable, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(reachable))
    before = sorted(os.listdir("/proc/self/fd"))
    hunt(blackjack, "deal", EXAMPLES / "blackjack" / "ada", seconds=1)
    assert list(reachable.iterdir()) == []
    assert len(os.listdir("/proc/self/fd")) <= len(before) + 1
