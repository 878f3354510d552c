"""Trying mutants: endless mutants, mutants of unseeded stages, and adding sessions to a spec file to catch mutants."""

import time

import msgspec
import pytest

from pitboss.assignments.cases import Session
from pitboss.assignments.specfile import load_assignment
from pitboss.experiments.mutants.function_mutants import run_of, within_mutant_limits
from pitboss.experiments.mutants.mutant_list import ExclusionReason, MutantList
from pitboss.experiments.mutants.session_search import TriedSession, case_name, smallest_cover, spec_with_session
from pitboss.experiments.mutants.stages import summary_of, trial_of
from pitboss.experiments.mutants.trial import PreparedSession, try_all
from pitboss.model.transcript import exited
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
    """The assignment of the files in DIE."""
    for name, text in DIE.items():
        (tmp_path / name).write_text(text.lstrip("\n"))
    return load_assignment(tmp_path)


def test_mutants_of_an_unseeded_stage_are_left_out_if_a_tolerated_variant_matches(die):
    summary = summary_of(die, die.stages[0], MutantList(), jobs=1)
    accepted = {result.id for result in summary.left_out if result.exclusion is ExclusionReason.ACCEPTED}
    assert 'die.py: def main(console, draw, last="Total"): → def main(console, draw, last="total"):' in accepted
    caught_ids = {result.id for result in summary.tried if result.caught_by}
    for id_ in (
        "die.py: total += roll → total -= roll",
        "die.py: total = 0 → total = 1",
        'die.py: console.write(f"A {roll}.\\n") → console.write(f"a {roll}.\\n")',
        "die.py: return 0 → return 1",
        'die.py: if line is None or line == "h": → if line is None or line != "h":',
    ):
        assert id_ in caught_ids
    assert len(caught_ids) > 10
    assert "die.py: return 0 → left out" in summary.survivors


def test_the_draws_of_a_session_are_reproducible(die):
    first, second = (summary_of(die, die.stages[0], MutantList(), jobs=1) for _ in range(2))
    assert first.tried == second.tried


@pytest.fixture(scope="module")
def hello():
    return load_assignment(ROOT / "tests" / "toy" / "hello")


# iter(int, 1) never ends: it calls int(), which is 0, until the result is 1.
@pytest.mark.parametrize(
    "main",
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
def test_an_endless_or_failing_program_soon_counts_as_different(hello, main):
    trial = trial_of(hello, hello.stages[0])
    start = time.process_time()
    with within_mutant_limits():
        assert trial.sessions[0].experiment.differs(run_of(main))
    assert time.process_time() - start < 5
    assert not trial.sessions[0].experiment.differs(run_of(trial.mutants.coverage.main))


def test_several_cores_find_the_same_as_one(hello):
    one_core_ids, two_core_ids = (
        sorted(result.id for result in try_all(trial_of(hello, hello.stages[1]), jobs)) for jobs in (1, 2)
    )
    assert one_core_ids == two_core_ids


def test_the_boundaries_in_comparisons_of_a_reference_are_found(tmp_path):
    (tmp_path / "assignment.yaml").write_text(
        "title: Sums\nseeded: no\nstages:\n  - {name: sums, reference: 'sums:main'}\n"
    )
    (tmp_path / "sums.yaml").write_text("program: sums\ncases:\n  - name: once\n    answers: ['5']\n")
    (tmp_path / "sums.py").write_text(
        "LOW, HIGH = 20, 1_000\n\ndef main(console):\n"
        "    number = int(console.read_line())\n    console.write(str(LOW < number < HIGH and number != 7))\n"
    )
    assignment = load_assignment(tmp_path)
    trial = trial_of(assignment, assignment.stages[0])
    assert trial.mutants.coverage.numbers_compared() == [6, 7, 8, 19, 20, 21, 999, 1000, 1001]


def tried_session(stage, case, seed, mutants):
    """The session of the case with this name and seed as a search result, as if it caught these mutants."""
    trial = trial_of(load_assignment(stage.spec.path.parent), stage)
    session = Session(stage, next(spec_case for spec_case in stage.spec.cases if spec_case.name == case), seed)
    return TriedSession(session, trial.experiment(session).baseline, frozenset(mutants), frozenset())


@pytest.mark.parametrize(
    ("seeds", "grown_seeds"),
    [("1..99", "[1..99, 1234]"), ("[1..50, 60]", "[1..50, 60, 1234]"), ("7", "[7, 1234]")],
)
def test_a_seed_is_added_to_the_seeds_of_its_case(hello, tmp_path, seeds, grown_seeds):
    path = tmp_path / "hello.yaml"
    path.write_text((ROOT / "tests/toy/hello/hello.yaml").read_text().replace("1..99", seeds))
    text, added = spec_with_session(path, tried_session(hello.stages[0], "a hundred times", 1234, ["a"]), "shows a")
    assert text == path.read_text().replace(f"seeds: {seeds}\n", f"seeds: {grown_seeds}\n")
    assert added == "seed 1234 of 'a hundred times'"


def test_a_recorded_case_is_added_if_seeds_span_several_lines(hello, tmp_path):
    path = tmp_path / "hello.yaml"
    source = (ROOT / "tests/toy/hello/hello.yaml").read_text().replace("seeds: 1..99", "seeds:\n      - 1..99")
    path.write_text(source)
    text, added = spec_with_session(path, tried_session(hello.stages[0], "a hundred times", 1234, ["a"]), "shows a")
    assert text == source + ("  - name: shows a\n    transcript: |\n      Number? <<1234>>\n      Hello, world 1234!\n")
    assert added == "case 'shows a'"


def test_a_session_with_a_nonzero_exit_code_is_added_with_the_code(hello, tmp_path):
    path = tmp_path / "hello.yaml"
    source = (ROOT / "tests/toy/hello/hello.yaml").read_text().replace("seeds: 1..99", "seeds:\n      - 1..99")
    path.write_text(source)
    tried = tried_session(hello.stages[0], "a hundred times", 1234, ["a"])
    failing_run = msgspec.structs.replace(tried.expected, ending=exited(3))
    text, _ = spec_with_session(path, tried._replace(expected=failing_run), "shows a")
    new_case = "  - name: shows a\n    exit: 3\n    transcript: |\n      Number? <<1234>>\n      Hello, world 1234!\n"
    assert text == source + new_case


def test_the_fewest_sessions_that_expose_all_mutants_are_chosen(hello):
    tried_a, tried_b, tried_ab = (
        tried_session(hello.stages[0], "a hundred times", 200 + len(ids), ids) for ids in ("a", "b", "ab")
    )
    assert smallest_cover([tried_a, tried_b, tried_ab]) == [tried_ab]
    assert smallest_cover([tried_a, tried_b]) in ([tried_a, tried_b], [tried_b, tried_a])


def test_a_case_is_named_after_its_mutant_and_names_are_unique(hello):
    tried = tried_session(hello.stages[0], "a hundred times", 200, ["x" * 80])
    name = case_name(tried, ())
    assert name == f"shows {'x' * 59}…"
    assert case_name(tried, (name,)) == f"{name} (2)"


def test_each_session_of_a_stage_is_prepared(hello):
    trial = trial_of(hello, hello.stages[0])
    assert len(trial.sessions) == 100
    assert all(isinstance(session, PreparedSession) for session in trial.sessions)
