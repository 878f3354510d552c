import subprocess

import pytest

from pitboss.assignments.specfile import load_assignment
from pitboss.sandbox.sandbox import Level, Sandbox
from pitboss.sessions.drivers import Conditions
from pitboss.submissions.build import build
from pitboss.submissions.submission import open_submission
from tests.conftest import ROOT
from tests.handed_in import write_files

NO_SANDBOX = Conditions("watched", Sandbox(Level.NONE))
BLACKJACK, ECE2036 = (load_assignment(ROOT / "specs" / name) for name in ("blackjack", "ece2036"))


def find_source(folder, stage):
    """The source of this stage and the notes on the submission."""
    with open_submission(folder) as submission:
        return submission.sources([stage])[stage.name], submission.notes


@pytest.mark.parametrize("name", ["SHUFFLE.C", "Shuffle.cpp", "shuffle.CC", "shuffle.Py", "sHuffle.java"])
def test_a_program_is_found_in_any_letter_case(tmp_path, name):
    source, notes = find_source(write_files(tmp_path, name), BLACKJACK.stage("shuffle"))
    assert (source.file, notes) == (name, [])


@pytest.mark.parametrize(
    ("names", "note"),
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
def test_the_note_says_which_of_two_candidates_was_used_and_why(tmp_path, names, note):
    source, notes = find_source(write_files(tmp_path, *names), BLACKJACK.stage("shuffle"))
    assert (source.file, notes) == (note.partition(" ")[0], [note])


def test_a_makefile_and_its_target_are_found_in_any_letter_case(tmp_path):
    write_files(tmp_path, "MAKEFILE", text="Shuffle: main.c\n\tcc -o Shuffle main.c\n")
    write_files(tmp_path, "main.c")
    source, _ = find_source(tmp_path, BLACKJACK.stage("shuffle"))
    assert (source.language, source.file, source.program) == ("make", "MAKEFILE", "Shuffle")
    assert build(source, tmp_path / "into", NO_SANDBOX).program is not None


@pytest.mark.parametrize(
    ("stage", "name", "is_found"),
    [
        (ECE2036.stage("split"), "Program.cs", True),
        (ECE2036.stage("split"), "main.py", True),
        (ECE2036.stage("split"), "main.cpp", False),
        (BLACKJACK.stage("deal"), "main.c", False),
    ],
    ids=["C#", "Python", "a program of several files", "a stage with a program of its own"],
)
def test_the_usual_name_of_editors_does_for_stages_of_one_program_of_one_file(tmp_path, stage, name, is_found):
    source, _ = find_source(write_files(tmp_path, name), stage)
    assert (source is not None and source.file) == (name if is_found else False)


@pytest.mark.needs("C++")
@pytest.mark.parametrize("suffix", [".cc", ".CXX"])
def test_required_files_may_have_another_suffix_of_their_language(tmp_path, suffix):
    stage = ECE2036.stages[0]
    for path in (ROOT / "examples" / "ece2036" / "vera").iterdir():
        write_files(tmp_path / "sub", path.name.replace(".cpp", suffix), text=path.read_text())
    source, notes = find_source(tmp_path / "sub", stage)
    result = build(source, tmp_path / "into", NO_SANDBOX)
    assert result.program is not None, result.reason
    assert (sorted(source.files), notes) == ([f"{name}{suffix}" for name in ("Blackjack", "Card", "Hand")], [])


def test_a_suffix_in_capital_letters_means_the_same_language(tmp_path):
    text = "#include <stdlib.h>\nint main(void) { int *class = malloc(4); return class == 0; }\n"
    write_files(tmp_path / "sub", "SHUFFLE.C", text=text)  # not valid in C++
    source, _ = find_source(tmp_path / "sub", BLACKJACK.stage("shuffle"))
    result = build(source, tmp_path / "into", NO_SANDBOX)
    assert result.program is not None, result.messages
    assert subprocess.run(result.program.argv, check=False).returncode == 0
