"""The file mutants.yaml: what it may hold, and what is told of a file that no longer fits."""

import subprocess
import sys

import pytest

from pitboss.assignments.specfile import load_assignment
from pitboss.errors import SpecError
from pitboss.experiments.mutants.mutant_list import MutantList, load_listed
from pitboss.experiments.mutants.trial import MutantResult
from tests.conftest import ROOT

HELLO = ROOT / "tests" / "toy" / "hello"


@pytest.fixture
def hello(tmp_path):
    """The stages hello and goodbye, with a text as their list of mutants."""

    def made(text=None):
        for path in HELLO.iterdir():
            if path.is_file():
                (tmp_path / path.name).write_bytes(path.read_bytes())
        if text is not None:
            (tmp_path / "mutants.yaml").write_text(text)
        return load_assignment(tmp_path)

    return made


def test_without_a_file_nothing_is_listed(hello):
    assert load_listed(hello()) == MutantList()


def test_an_entry_counts_for_its_stages_or_for_all(hello):
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


def test_a_count_may_be_given_for_each_stage(hello):
    text = 'equivalent:\n  - {mutants: ["a: *"], count: {hello: 2, goodbye: 1}, reason: open}\n'
    listed = load_listed(hello(text))
    assert [(one.stages, one.count) for one in listed.equivalent] == [(("hello",), 2), (("goodbye",), 1)]
    here, there = (
        [MutantResult("a: b", ""), MutantResult("a: c", "")],
        [MutantResult("a: b", "a case"), MutantResult("a: c", "")],
    )
    assert listed.problems({"hello": here, "goodbye": there}, {}) == []
    assert len(listed.problems({"hello": here, "goodbye": here}, {})) == 1


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "equivalent:\n  - {mutants: [a], count: {helo: 1}, reason: b}\n",
            "PATH:2: there is no stage 'helo' — the stages are hello, goodbye; did you mean 'hello'?",
        ),
        (
            "equivalent:\n  - {mutants: [a], stages: [hello], count: {hello: 1}, reason: b}\n",
            "PATH:2: count names the stages of the entry already — leave out stages",
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
            "PATH:2: an entry of mutants has no 'reason' — it needs one: why no graded session can reveal them",
        ),
        (
            "equivalent:\n  - {mutants: [], reason: b}\n",
            "PATH:2: mutants is empty or has an empty text — name at least one",
        ),
        (
            "unreached:\n  - {lines: [a], stages: [helo], reason: b}\n",
            "PATH:2: there is no stage 'helo' — the stages are hello, goodbye; did you mean 'hello'?",
        ),
    ],
)
def test_a_mistake_in_the_file_is_reported_with_its_line(hello, tmp_path, text, sentence):
    assignment = hello(text)
    with pytest.raises(SpecError) as raised:
        load_listed(assignment)
    assert str(raised.value) == sentence.replace("PATH", str(tmp_path / "mutants.yaml"))


TRIED = {
    "hello": [MutantResult("a: x → y", ""), MutantResult("a: x → z", ""), MutantResult("b: caught", "once")],
    "goodbye": [MutantResult("a: x → y", "once"), MutantResult("a: x → z", "")],
}
LEFT_OUT = {"hello": ["a: return 0"], "goodbye": []}


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
                "of the others, or give them an entry of their own"
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
                "PATH:2: a: * matches no mutant — remove it, or write it as it is printed, or give with count how many it "
                "matches"
            ],
        ),
        (
            "equivalent:\n  - {mutants: ['a: *'], stages: [hello], count: 3, reason: r}\n",
            ["PATH:2: no session catches 2 mutants that match, and count is 3: a: x → y; a: x → z"],
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
def test_an_entry_that_does_not_fit_what_came_of_the_mutants_is_reported(hello, tmp_path, entry, sentences):
    listed = load_listed(hello(entry))
    place = str(tmp_path / "mutants.yaml")
    assert listed.problems(TRIED, LEFT_OUT) == [sentence.replace("PATH", place) for sentence in sentences]


def test_an_entry_of_several_stages_is_judged_by_all_of_them(hello):
    listed = load_listed(hello("equivalent:\n  - {mutants: ['a: *', 'c: d → e'], count: 3, reason: r}\n"))
    assert listed.problems({"hello": TRIED["hello"]}, {"hello": []}) == []


def test_too_many_for_a_pattern_are_reported_even_of_one_stage(hello, tmp_path):
    listed = load_listed(hello("equivalent:\n  - {mutants: ['a: *'], count: 1, reason: r}\n"))
    assert listed.problems({"hello": TRIED["hello"]}, {"hello": []}) == [
        f"{tmp_path}/mutants.yaml:2: no session catches 2 mutants that match, and count is 1: a: x → y; a: x → z"
    ]


def test_pytest_takes_the_file_for_no_spec_and_tells_what_is_wrong_in_it(hello, tmp_path):
    hello("equivalent: []\n")
    assert _collected(tmp_path).returncode == 0
    (tmp_path / "mutants.yaml").write_text("same: []\n")
    done = _collected(tmp_path)
    assert done.returncode != 0
    assert "mutants.yaml:1: a list of mutants has no key 'same' — allowed are equivalent, unreached" in done.stdout


def _collected(folder):
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--collect-only", "-q", folder],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
