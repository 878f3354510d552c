"""Trying mutants: endless ones, ones without a seed, and sessions that are added to a spec file."""

import time

import msgspec
import pytest

from pitboss.assignments.specfile import load_assignment
from pitboss.experiments.mutants.mutant_list import MutantList
from pitboss.experiments.mutants.session_search import Found, case_name, fewest, grown, numbers_compared
from pitboss.experiments.mutants.stages import summary_of
from pitboss.experiments.mutants.trial import PreparedSession, Trial, try_all
from pitboss.experiments.mutation.mutant_limits import run_of, within_mutant_limits
from pitboss.model.transcript import exited
from pitboss.sessions.references import expected_run_in_process
from tests.conftest import ROOT

DIE = {
    "assignment.yaml": """
title: A die
seeded: no
draws: {values: ["1", "2", "3", "4", "5", "6"]}
stages:
  - name: die
    reference: die:main
    reader: die:rolls
    most_sessions: 12
    tolerated:
      "a small t": die:small
""",
    "die.yaml": """
program: die
cases:
  - name: four rolls
    answers: [r, r, r, r, h]
    sessions: 6
""",
    "die.py": '''
"""Rolls a die until somebody holds."""

import re
from typing import NamedTuple


class Reading(NamedTuple):
    draws: tuple
    problem: object = None


def main(console, draw, last="Total"):
    total = 0
    while True:
        console.write("Roll or hold? ")
        line = console.read_line()
        if line is None or line == "h":
            break
        roll = int(draw())
        total += roll
        console.write(f"A {roll}.\\n")
    console.write(f"{last} {total}\\n")
    return 0


def small(console, draw):
    main(console, draw, "total")


def rolls(conversation):
    screen = "".join(text for kind, text in conversation if kind == "shown")
    return Reading(tuple(re.findall("A ([1-6])[.]", screen)))
''',
}


@pytest.fixture
def die(tmp_path):
    for name, text in DIE.items():
        (tmp_path / name).write_text(text.lstrip("\n"))
    return load_assignment(tmp_path)


def test_without_a_seed_the_judge_decides_and_a_tolerated_reference_counts(die):
    summary = summary_of(die, die.stages[0], MutantList(), jobs=1)
    assert "die:main: 'Total' → 'total'" in summary.survivors
    assert "die:main: 'Total' → 'Totals'" not in summary.survivors
    caught = {one.id for one in summary.tried if one.caught_by}
    for id_ in (
        "die:main: 'Total' → ' Total'",
        "die:main: total += roll → total -= roll",
        "die:main: total = 0 → total = 1",
        "die:main: return 0 → return not 0",
        "die:main: line is None or line == 'h' → line is None or line != 'h'",
    ):
        assert id_ in caught
    assert len(caught) > 50
    assert [one for one in summary.survivors if one.startswith("die:main: total += roll → ")] == []


def test_the_draws_of_a_session_are_the_same_every_time(die):
    first, second = (summary_of(die, die.stages[0], MutantList(), jobs=1) for _ in range(2))
    assert first.tried == second.tried


@pytest.fixture(scope="module")
def hello():
    return load_assignment(ROOT / "tests" / "toy" / "hello")


@pytest.mark.parametrize(
    "does",
    [
        lambda console: [None for _ in iter(int, 1)],
        lambda console: [console.write("x") for _ in iter(int, 1)],
        lambda console: [console.read_line() for _ in iter(int, 1)],
        lambda console: [console.pause(1) for _ in iter(int, 1)],
        lambda console: [1] * (1 << 60),
        lambda console: list(range(1 << 40)),
        lambda console: console.nothing,
        lambda console: 7,
        lambda console: __import__("sys").exit(0),
    ],
    ids=["computes", "writes", "reads", "pauses", "too-large", "fills-the-memory", "raises", "exit-code", "exits"],
)
def test_a_program_that_does_not_end_or_fails_does_otherwise_and_soon(hello, does):
    trial = Trial(hello.stages[0])
    start = time.process_time()
    with within_mutant_limits():
        assert trial.sessions[0].experiment.differs(run_of(does))
    assert time.process_time() - start < 5
    assert not trial.sessions[0].experiment.differs(run_of(trial.ran.main))


def test_all_cores_and_one_find_the_same(hello):
    one, two = (sorted(one.id for one in try_all(Trial(hello.stages[1]), jobs)) for jobs in (1, 2))
    assert one == two


def test_the_numbers_that_a_reference_compares_with_are_found(tmp_path):
    (tmp_path / "assignment.yaml").write_text(
        "title: Sums\nseeded: no\nstages:\n  - {name: sums, reference: 'sums:main'}\n"
    )
    (tmp_path / "sums.yaml").write_text("program: sums\ncases:\n  - name: once\n    answers: ['5']\n")
    (tmp_path / "sums.py").write_text(
        "LOW, HIGH = -(1 << 4), 1_000\n\ndef main(console):\n"
        "    number = int(console.read_line())\n    console.write(str(LOW < number < HIGH and number != 7))\n"
    )
    trial = Trial(load_assignment(tmp_path).stages[0])
    assert numbers_compared(trial) == [-17, -16, -15, 6, 7, 8, 999, 1000, 1001]


def found(stage, case, seed, mutants):
    session = next(one for one in Trial(stage).sessions if one.session.case.name == case).session
    session = type(session)(session.stage, session.case, seed)
    output = expected_run_in_process(Trial(stage).ran.main, "the reference")
    trial = Trial(stage)
    return Found(session, trial.experiment(session, output).done, frozenset(mutants), frozenset())


@pytest.mark.parametrize(
    ("seeds", "grown_seeds"),
    [("1..99", "[1..99, 1234]"), ("[1..50, 60]", "[1..50, 60, 1234]"), ("7", "[7, 1234]")],
)
def test_a_seed_is_added_to_the_seeds_of_its_case(hello, tmp_path, seeds, grown_seeds):
    path = tmp_path / "hello.yaml"
    path.write_text((ROOT / "tests/toy/hello/hello.yaml").read_text().replace("1..99", seeds))
    text, added = grown(path, found(hello.stages[0], "a hundred times", 1234, ["a"]), "shows a")
    assert text == path.read_text().replace(f"seeds: {seeds}\n", f"seeds: {grown_seeds}\n")
    assert added == "seed 1234 of 'a hundred times'"


def test_seeds_on_several_lines_are_left_alone_and_a_recorded_case_is_added(hello, tmp_path):
    path = tmp_path / "hello.yaml"
    source = (ROOT / "tests/toy/hello/hello.yaml").read_text().replace("seeds: 1..99", "seeds:\n      - 1..99")
    path.write_text(source)
    text, added = grown(path, found(hello.stages[0], "a hundred times", 1234, ["a"]), "shows a")
    assert text == source + ("  - name: shows a\n    transcript: |\n      Number? <<1234>>\n      Hello, world 1234!\n")
    assert added == "case 'shows a'"


def test_a_session_that_ends_with_another_exit_code_is_added_with_it(hello, tmp_path):
    path = tmp_path / "hello.yaml"
    source = (ROOT / "tests/toy/hello/hello.yaml").read_text().replace("seeds: 1..99", "seeds:\n      - 1..99")
    path.write_text(source)
    one = found(hello.stages[0], "a hundred times", 1234, ["a"])
    failing = msgspec.structs.replace(one.expected, ending=exited(3))
    text, _ = grown(path, one._replace(expected=failing), "shows a")
    output = "  - name: shows a\n    exit: 3\n    transcript: |\n      Number? <<1234>>\n      Hello, world 1234!\n"
    assert text == source + output


def test_few_sessions_are_chosen_that_show_all(hello):
    one, other, both = (found(hello.stages[0], "a hundred times", 200 + len(ids), ids) for ids in ("a", "b", "ab"))
    assert fewest([one, other, both]) == [both]
    assert fewest([one, other]) in ([one, other], [other, one])


def test_a_case_is_named_for_what_it_shows_and_no_name_is_given_twice(hello):
    one = found(hello.stages[0], "a hundred times", 200, ["x" * 80])
    name = case_name(one, ())
    assert name == f"shows {'x' * 59}…"
    assert case_name(one, (name,)) == f"{name} (2)"


def test_a_session_of_the_reference_is_its_own_expectation(hello):
    trial = Trial(hello.stages[0])
    assert len(trial.sessions) == 100
    assert all(isinstance(one, PreparedSession) for one in trial.sessions)
