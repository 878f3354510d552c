"""A hunt finds the smallest failing game, and none for a correct program; it ends in time, and counts its games."""

import os
import re
import shlex
import sys
from types import SimpleNamespace

import pytest

from pitboss.assignments.assignment import Answers, Case, Generated
from pitboss.assignments.cases import Session
from pitboss.assignments.specfile import load_assignment
from pitboss.compare.findings import Oddity
from pitboss.compare.results import Verdict
from pitboss.compare.seeded import run_all
from pitboss.experiments.hunting import games, hunter, questions
from pitboss.experiments.hunting.hunter import hunt_program, hunt_with
from pitboss.machine.pool import Pool
from pitboss.model.transcript import EndingKind
from pitboss.reports.finding_sentences import summary_of
from pitboss.reports.shell_commands import rerun_command
from pitboss.sessions.drivers import find_conditions
from pitboss.sessions.job import Job
from pitboss.sessions.programs import Program
from tests.conftest import ROOT

EXAMPLES = ROOT / "examples"
#: The command `python -m reference`, in a form that works in any folder.
REFERENCE = (
    sys.executable,
    "-c",
    f"import sys; sys.path.insert(0, {str(ROOT)!r}); from reference.__main__ import main; sys.exit(main(sys.argv[1:]))",
)
#: How far the fake clock moves each time it is read.
TICK_S = 0.05


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    """A fake clock that moves only when read, so that the number of games in a hunt does not depend on the machine."""
    fake_clock = SimpleNamespace(now_s=1000.0)

    def read_clock():
        fake_clock.now_s += TICK_S
        return fake_clock.now_s

    for module in (hunter, questions, games):
        monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=read_clock))
    monkeypatch.setattr(hunter, "_MAX_SHRINKING_S", 4 * TICK_S)
    # By this clock a large batch takes no longer than a small one, so batches would grow too fast.
    monkeypatch.setattr(hunter, "_MAX_GROWTH", 2)
    monkeypatch.setattr(hunter, "_EARLIER_GAMES_DIVISOR", 1 << 30)
    return fake_clock


def hunt_stage(assignment, stage, folder, seconds=600, **options):
    """The outcome of hunting in a stage for a failing game of the program in the folder."""
    chosen_stage = assignment.stage(stage)
    job = Job(assignment, (chosen_stage,), find_conditions("watched", "landlock"), assignment.name)
    return hunt_program(job, chosen_stage, folder, seconds=seconds, **options)


@pytest.mark.parametrize(
    ("student", "stage"),
    [("barbara", "deal"), ("brian", "play"), ("dennis", "play"), ("edsger", "play"), ("ken", "deal")],
)
def test_a_wrong_example_fails_within_three_typed_lines(blackjack, student, stage):
    outcome = hunt_stage(blackjack, stage, EXAMPLES / "blackjack" / student)
    assert outcome.found is not None
    is_looping = outcome.found.actual.ending.kind is EndingKind.OUT_OF_CPU_TIME  # then it reads only some of the lines
    assert len(outcome.found.actual.lines if is_looping else outcome.found.expected.lines) <= 3
    assert outcome.count <= 2000
    assert f"pitboss check {stage} --assignment blackjack --seed" in rerun_command(outcome.found.rerun)


def test_the_replay_command_of_a_game_reproduces_the_failure(blackjack, pitboss):
    folder = EXAMPLES / "blackjack" / "edsger"
    failing_result = hunt_stage(blackjack, "play", folder).found
    replay = pitboss(*shlex.split(rerun_command(failing_result.rerun))[1:], cwd=folder)
    assert replay.code == 1
    assert " ".join(summary_of(failing_result).split()) in " ".join(replay.out.split())


CORRECT_EXAMPLES = [
    ("blackjack", "ada", "errors"),
    ("bjm0", "otto", "table"),
    ("csc101", "kathleen", "errors"),
    ("ece2036", "vera", "split"),
    ("tournament", "hanna", "aces"),
]


@pytest.mark.parametrize(
    ("name", "student", "stage"), CORRECT_EXAMPLES[:3], ids=[name for name, _, _ in CORRECT_EXAMPLES[:3]]
)
def test_a_correct_example_has_no_failing_game(name, student, stage):
    assignment = load_assignment(ROOT / "specs" / name)
    outcome = hunt_stage(assignment, stage, EXAMPLES / name / student, seconds=1.5)
    assert (outcome.found, outcome.finding, outcome.fault, outcome.reference_failures) == (None, None, "", ())
    assert outcome.count > 3


#: One test per stage, so that they run in parallel: the stages of ece2036 take minutes.
STAGES = [
    (name, student, stage)
    for name, student, _ in CORRECT_EXAMPLES
    for stage in (loaded_stage.name for loaded_stage in load_assignment(ROOT / "specs" / name).stages)
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "student", "stage"), STAGES, ids=[f"{name} {stage}" for name, _, stage in STAGES])
def test_no_stage_of_a_correct_example_fails_or_exceeds_the_time(clock, name, student, stage):
    start_s = clock.now_s
    outcome = hunt_stage(load_assignment(ROOT / "specs" / name), stage, EXAMPLES / name / student, seconds=1)
    assert (outcome.found, outcome.finding, outcome.fault) == (None, None, "")
    assert clock.now_s - start_s < 1.5
    assert outcome.count > 0


def test_each_game_is_played_and_counted_once(blackjack, monkeypatch):
    played = []

    def run_and_record(pool, job, program, sessions):
        played.extend((session.seed, session.case.session.answers.lines) for session in sessions)
        return run_all(pool, job, program, sessions)

    monkeypatch.setattr(hunter, "run_all", run_and_record)
    outcome = hunt_stage(blackjack, "play", EXAMPLES / "blackjack" / "ada", seconds=1)
    assert outcome.count == len(played) == len(set(played)) > 3


def test_two_games_with_the_same_seed_have_different_expected_runs(blackjack):
    """Expected runs are cached in the process, and the key of the cache includes the typed lines."""
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


@pytest.mark.parametrize("judges_all_again", [False, True])
def test_batches_of_slow_games_are_as_large_as_the_number_of_cores(clock, judges_all_again):
    assert batch_sizes(clock, 1.0, judges_all_again=judges_all_again, seconds=20)[:5] == [1, 4, 4, 4, 4]


def test_batches_grow_if_earlier_games_are_examined_again(clock, monkeypatch):
    monkeypatch.setattr(hunter, "_EARLIER_GAMES_DIVISOR", 3)
    *sizes, _ = batch_sizes(clock, 0.1, judges_all_again=True, seconds=20)  # little time is left for the last batch
    assert sizes == sorted(sizes)
    assert max(sizes) > 20
    assert max(batch_sizes(clock, 0.1, judges_all_again=False, seconds=20)) == 4


def batch_sizes(clock, game_s, *, judges_all_again, seconds):
    """The sizes of the batches played on four cores within these seconds, if a game takes `game_s`.

    With `judges_all_again`, earlier games are examined again after each batch.
    """
    sizes = []

    def play(size, *, until):
        sizes.append(size)
        table.count += size
        clock.now_s += size * game_s
        return []

    table = SimpleNamespace(is_exhausted=False, count=0, judges_all_again=judges_all_again, play=play)
    assert not any(hunter._batches(table, clock.now_s + seconds, lambda _: None, 4))
    return sizes


def test_a_program_that_never_ends_is_run_only_once(clock, blackjack, compiled):
    program = compiled("int main(void) { for (;;) { } }")
    stage = blackjack.stage("play")
    job = Job(blackjack, (stage,), find_conditions("watched", "landlock"), "blackjack")
    outcome = hunt_with(job, stage, Program((str(program),), program.parent), Pool(), until=clock.now_s + 9)
    assert (outcome.count, outcome.found.verdict) == (1, Verdict.TIME_LIMIT_EXCEEDED)


def test_a_failure_late_in_a_game_is_minimized(blackjack, tmp_path):
    """A program that is wrong only in its fourth hand gets a failing game of four hands."""
    source = (EXAMPLES / "blackjack" / "ada" / "betting.c").read_text()
    wrong_source = source.replace(
        'printf("Winnings: ', 'static int hands; printf(++hands == 4 ? "Winnings : " : "Winnings: '
    )
    assert wrong_source != source
    (tmp_path / "betting.c").write_text(wrong_source)
    failing_result = hunt_stage(blackjack, "betting", tmp_path).found
    assert failing_result is not None
    assert failing_result.expected.lines.count(b"q") == 1
    assert len(failing_result.expected.lines) <= 1 + 4 * 4  # a seed, and up to four lines for each hand


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
    """An assignment without random draws, in a folder to which a test adds a program."""
    (tmp_path / "assignment.yaml").write_text(
        "title: A shop\nseeded: no\nstages: [{name: shop, reference: shopping:main}]\n"
    )
    (tmp_path / "shop.yaml").write_text(SHOP_CASES)
    (tmp_path / "shopping.py").write_text(SHOP)
    return load_assignment(tmp_path)


def shop_program(sign):
    """A program that sells if the price compares so with the money; `<=` is correct."""
    return f'money = int(input("Money: "))\nprint("Sold." if int(input("Price: ")) {sign} money else "Too dear.")\n'


def test_a_program_without_random_draws_is_played_in_many_ways(shop, tmp_path):
    (tmp_path / "shop.py").write_text(shop_program("<="))
    outcome = hunt_stage(shop, "shop", tmp_path, seconds=2)
    assert (outcome.found, outcome.count > 5) == (None, True)


def test_a_boundary_that_no_case_types_is_tried(shop, tmp_path):
    """The highest price that can be paid is the money one has; in no case are the two equal."""
    (tmp_path / "shop.py").write_text(shop_program("<"))
    failing_result = hunt_stage(shop, "shop", tmp_path).found
    assert failing_result is not None
    assert failing_result.expected.lines[0] == failing_result.expected.lines[1]


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
def test_a_program_with_its_own_random_draws_is_judged_by_its_draws(tmp_path, seed, wrong, summary):
    (tmp_path / "pig.py").write_text(PIG.format(seed=seed, wrong=wrong))
    is_correct = seed == "None" and not wrong
    dice = load_assignment(ROOT / "tests" / "toy" / "dice")
    outcome = hunt_stage(dice, "pig", tmp_path, seconds=1 if is_correct else 9)  # a correct program takes all the time
    assert (outcome.found is None) == (summary is None)
    assert summary is None or re.search(summary, summary_of(outcome.found))
    assert (outcome.finding.kind if outcome.finding else None) is (Oddity.SAME if seed == "7" else None)


def test_ctrl_c_during_minimization_keeps_the_failing_game(blackjack, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt
        yield  # makes this function a generator, like the method that it replaces

    monkeypatch.setattr(hunter.SeededGameRunner, "smaller", interrupt)
    outcome = hunt_stage(blackjack, "play", EXAMPLES / "blackjack" / "brian")
    assert (outcome.was_stopped, outcome.found is None) == (True, False)


def test_a_hunt_leaves_no_files_or_open_descriptors(blackjack, reachable, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(reachable))
    before = sorted(os.listdir("/proc/self/fd"))
    hunt_stage(blackjack, "deal", EXAMPLES / "blackjack" / "ada", seconds=1)
    assert list(reachable.iterdir()) == []
    assert len(os.listdir("/proc/self/fd")) <= len(before) + 1
