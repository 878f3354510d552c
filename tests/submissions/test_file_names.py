"""Names of files are compared without letter case, suffixes are one list, and of two candidates the report says which."""

import subprocess

import pytest

from pitboss.assignments.specfile import load_assignment
from pitboss.sandbox.sandbox import Level, Sandbox
from pitboss.sessions.drivers import Conditions
from pitboss.submissions.build import build
from pitboss.submissions.submission import open_submission
from tests.conftest import ROOT
from tests.handed_in import put

NONE = Conditions("watched", Sandbox(Level.NONE))
LADDER, ECE = (load_assignment(ROOT / "specs" / name) for name in ("blackjack", "ece2036"))


def found(folder, stage):
    with open_submission(folder) as submission:
        return submission.sources([stage])[stage.name], submission.notes


@pytest.mark.parametrize("name", ["SHUFFLE.C", "Shuffle.cpp", "shuffle.CC", "shuffle.Py", "sHuffle.java"])
def test_a_program_is_found_in_any_letter_case(tmp_path, name):
    source, notes = found(put(tmp_path, name), LADDER.stage("shuffle"))
    assert (source.file, notes) == (name, [])


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (["shuffle.c", "shuffle.cpp"], "shuffle.c was used, and shuffle.cpp was not: C is preferred to C++."),
        (["shuffle.cc", "shuffle.cxx"], "shuffle.cc was used, and shuffle.cxx was not: .cc is preferred to .cxx."),
        (
            ["Shuffle.c", "shuffle.c"],
            "shuffle.c was used, and Shuffle.c was not: its name is the closest to the expected one.",
        ),
    ],
    ids=["two languages", "two suffixes", "two letter cases"],
)
def test_of_two_candidates_the_report_says_which_was_taken_and_why(tmp_path, names, told):
    source, notes = found(put(tmp_path, *names), LADDER.stage("shuffle"))
    assert (source.file, notes) == (told.partition(" ")[0], [told])


def test_a_makefile_and_its_target_are_found_in_any_letter_case(tmp_path):
    put(tmp_path, "MAKEFILE", text="Shuffle: main.c\n\tcc -o Shuffle main.c\n")
    put(tmp_path, "main.c")
    source, _ = found(tmp_path, LADDER.stage("shuffle"))
    assert (source.language, source.file, source.program) == ("make", "MAKEFILE", "Shuffle")
    assert build(source, tmp_path / "into", NONE).program is not None


@pytest.mark.needs("C++")
@pytest.mark.parametrize("suffix", [".cc", ".CXX"])
def test_listed_files_may_have_another_suffix_of_their_language(tmp_path, suffix):
    stage = ECE.stages[0]
    for path in (ROOT / "examples" / "ece2036" / "vera").iterdir():
        put(tmp_path / "sub", path.name.replace(".cpp", suffix), text=path.read_text())
    source, notes = found(tmp_path / "sub", stage)
    made = build(source, tmp_path / "into", NONE)
    assert made.program is not None, made.reason
    assert (sorted(source.files), notes) == ([f"{name}{suffix}" for name in ("Blackjack", "Card", "Hand")], [])


def test_a_suffix_in_capital_letters_is_that_of_the_same_language(tmp_path):
    text = "#include <stdlib.h>\nint main(void) { int *class = malloc(4); return class == 0; }\n"
    put(tmp_path / "sub", "SHUFFLE.C", text=text)  # which is no C++
    source, _ = found(tmp_path / "sub", LADDER.stage("shuffle"))
    made = build(source, tmp_path / "into", NONE)
    assert made.program is not None, made.messages
    assert subprocess.run(made.program.argv, check=False).returncode == 0
