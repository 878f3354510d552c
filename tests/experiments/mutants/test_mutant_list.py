"""The file mutants.yaml: its valid contents, and the errors reported for an invalid or outdated file."""

import subprocess
import sys

import pytest

from pitboss.assignments.specfile import load_assignment
from pitboss.errors import SpecError
from pitboss.experiments.mutants.mutant_list import MutantList, MutantResult, load_listed
from tests.conftest import ROOT

HELLO = ROOT / "tests" / "toy" / "hello"


@pytest.fixture
def hello(tmp_path):
    """A function that loads the toy assignment (stages hello and goodbye) with this text as its mutants.yaml."""

    def load_with_list(text=None):
        for path in HELLO.iterdir():
            if path.is_file():
                (tmp_path / path.name).write_bytes(path.read_bytes())
        if text is not None:
            (tmp_path / "mutants.yaml").write_text(text)
        return load_assignment(tmp_path)

    return load_with_list


def test_without_a_file_the_list_is_empty(hello):
    assert load_listed(hello()) == MutantList()


def test_an_entry_applies_to_its_stages_or_to_all(hello):
    listed = load_listed(
        hello(
            """
equivalent:
  - {mutants: ["a: b → c"], reason: the same}
  - {mutants: ["d: * → e"], stages: [hello], count: 2, reason: open}
unreached:
  - {lines: ["f: *"], reason: never}
"""
        )
    )
    assert listed.has_mutant("hello", "a: b → c")
    assert listed.has_mutant("goodbye", "a: b → c")
    assert listed.has_mutant("hello", "d: anything → e")
    assert not listed.has_mutant("goodbye", "d: anything → e")
    assert not listed.has_mutant("hello", "a: b → cc")
    assert listed.has_line("goodbye", "f: return 0")


def test_an_entry_may_have_a_count_for_each_stage(hello):
    text = 'equivalent:\n  - {mutants: ["a: *"], count: {hello: 2, goodbye: 1}, reason: open}\n'
    listed = load_listed(hello(text))
    assert [(entry.stages, entry.count) for entry in listed.equivalent] == [(("hello",), 2), (("goodbye",), 1)]
    hello_results, goodbye_results = (
        [MutantResult("a: b", ""), MutantResult("a: c", "")],
        [MutantResult("a: b", "a case"), MutantResult("a: c", "")],
    )
    assert listed.problems({"hello": hello_results, "goodbye": goodbye_results}, {}) == []
    assert len(listed.problems({"hello": hello_results, "goodbye": hello_results}, {})) == 1


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "equivalent:\n  - {mutants: [a], count: {helo: 1}, reason: b}\n",
            "PATH:2: there is no stage 'helo' — the stages are hello, goodbye; did you mean 'hello'?",
        ),
        (
            "equivalent:\n  - {mutants: [a], stages: [hello], count: {hello: 1}, reason: b}\n",
            "PATH:2: an entry of mutants has stages — its count names the stages already",
        ),
        (
            "same: []\n",
            "PATH:1: a list of mutants has no key 'same' — allowed are equivalent, unreached",
        ),
        (
            "equivalent:\n  - mutants: [a]\n    reasons: b\n",
            "PATH:3: an entry of mutants has no key 'reasons' — allowed are mutants, stages, count, reason; "
            "did you mean 'reason'?",
        ),
        (
            "equivalent:\n  - mutants: [a]\n",
            "PATH:2: an entry of mutants lacks the key 'reason': why no graded session can reveal these mutants",
        ),
        (
            "equivalent:\n  - {mutants: [], reason: b}\n",
            "PATH:2: mutants is an empty list — give at least 1",
        ),
        (
            "unreached:\n  - {lines: [a], stages: [helo], reason: b}\n",
            "PATH:2: there is no stage 'helo' — the stages are hello, goodbye; did you mean 'hello'?",
        ),
    ],
)
def test_a_mistake_in_the_file_is_reported_with_its_line(hello, tmp_path, text, sentence):
    assignment = hello(text)
    with pytest.raises(SpecError) as exception_info:
        load_listed(assignment)
    assert str(exception_info.value) == sentence.replace("PATH", str(tmp_path / "mutants.yaml"))


RESULTS = {
    "hello": [MutantResult("a: x → y", ""), MutantResult("a: x → z", ""), MutantResult("b: caught", "once")],
    "goodbye": [MutantResult("a: x → y", "once"), MutantResult("a: x → z", "")],
}
UNREACHED_LINES = {"hello": ["a: return 0"], "goodbye": []}


@pytest.mark.parametrize(
    ("entry", "sentences"),
    [
        ("equivalent:\n  - {mutants: ['a: x → z'], reason: r}\n", []),
        ("equivalent:\n  - {mutants: ['a: x → y'], stages: [hello], reason: r}\n", []),
        ("equivalent:\n  - {mutants: ['a: *'], stages: [hello], count: 2, reason: r}\n", []),
        (
            "equivalent:\n  - {mutants: ['a: *'], count: 2, reason: r}\n",
            [
                "PATH:2: a: x → y is caught in goodbye by 'once', and not in all stages of the entry — improve the specs "
                "of the other stages, or give these stages an entry of their own"
            ],
        ),
        (
            "equivalent:\n  - {mutants: ['a: x → y'], reason: r}\n",
            [
                "PATH:2: a: x → y is caught in goodbye by 'once' — it is not equivalent there: remove it, or name the "
                "other stages"
            ],
        ),
        (
            "equivalent:\n  - {mutants: ['a: x → yy'], reason: r}\n",
            ["PATH:2: a: x → yy matches no mutant — remove it, or write it as it is printed; did you mean 'a: x → y'?"],
        ),
        (
            "equivalent:\n  - {mutants: ['a: *'], reason: r}\n",
            [
                "PATH:2: a: * matches no mutant — remove it, or write it as it is printed, or add 'count' with the number "
                "of mutants it matches"
            ],
        ),
        (
            "equivalent:\n  - {mutants: ['a: *'], stages: [hello], count: 3, reason: r}\n",
            ["PATH:2: no session catches 2 mutants that match, and 'count' is 3: a: x → y; a: x → z"],
        ),
        (
            "equivalent:\n  - {mutants: ['b: *'], count: 1, reason: r}\n",
            ["PATH:2: every mutant that matches is caught — remove the entry"],
        ),
        ("unreached:\n  - {lines: ['a: return 0'], reason: r}\n", []),
        (
            "unreached:\n  - {lines: ['a: return 1'], reason: r}\n",
            ["PATH:2: a: return 1 matches no unreached line — remove it; did you mean 'a: return 0'?"],
        ),
    ],
)
def test_an_entry_that_contradicts_the_results_of_mutants_is_reported(hello, tmp_path, entry, sentences):
    listed = load_listed(hello(entry))
    path = str(tmp_path / "mutants.yaml")
    assert listed.problems(RESULTS, UNREACHED_LINES) == [sentence.replace("PATH", path) for sentence in sentences]


def test_an_entry_for_several_stages_is_not_checked_by_one_stage_alone(hello):
    listed = load_listed(hello("equivalent:\n  - {mutants: ['a: *', 'c: d → e'], count: 3, reason: r}\n"))
    assert listed.problems({"hello": RESULTS["hello"]}, {"hello": []}) == []


def test_more_matches_than_the_count_are_reported_even_for_one_stage(hello, tmp_path):
    listed = load_listed(hello("equivalent:\n  - {mutants: ['a: *'], count: 1, reason: r}\n"))
    assert listed.problems({"hello": RESULTS["hello"]}, {"hello": []}) == [
        f"{tmp_path}/mutants.yaml:2: no session catches 2 mutants that match, and 'count' is 1: a: x → y; a: x → z"
    ]


def test_pytest_collects_no_spec_from_the_file_but_reports_its_mistakes(hello, tmp_path):
    hello("equivalent: []\n")
    assert collect_tests(tmp_path).returncode == 0
    (tmp_path / "mutants.yaml").write_text("same: []\n")
    collection = collect_tests(tmp_path)
    assert collection.returncode != 0
    assert (
        "mutants.yaml:1: a list of mutants has no key 'same' — allowed are equivalent, unreached" in collection.stdout
    )


def collect_tests(folder):
    """Run `pytest --collect-only` on the folder."""
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--collect-only", "-q", folder],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
