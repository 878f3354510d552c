"""The tests are tested: what is drawn, what becomes of it, and the list of what nobody can see."""

from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.tested.__main__ import main
from tests.tested.drawing import Mutant, all_changes, drawn
from tests.tested.lines import Lines, make
from tests.tested.trying import End, copied
from tests.tested.unseen import listed

FILE = "harness/pitboss/errors.py"


def anywhere(file, lines):
    return True


def test_the_same_number_draws_the_same_mutants():
    some = list(drawn([FILE, "reference/cards.py"], 12, 3, is_wanted=anywhere))
    assert some == list(drawn([FILE, "reference/cards.py"], 12, 3, is_wanted=anywhere))
    assert len(some) == len({one.id for one in some}) == 12
    assert {one.file for one in some} == {FILE, "reference/cards.py"}
    for one in some:
        compile(one.text, one.file, "exec")
        assert one.text != (ROOT / one.file).read_text()
    assert some != list(drawn([FILE, "reference/cards.py"], 12, 4, is_wanted=anywhere))


def test_only_what_is_wanted_is_drawn():
    (line,) = [
        number for number, text in enumerate((ROOT / FILE).read_text().splitlines(), 1) if "_LONGEST, _MAX" in text
    ]
    some = list(drawn([FILE], 5, 1, is_wanted=lambda file, lines: line in lines))
    assert [(one.first, one.last) for one in some] == [(line, line)]


@pytest.mark.parametrize("file", sorted(listed()))
def test_each_survivor_that_nobody_can_see_is_still_one_that_could_be_drawn(file):
    """And has a reason: a whole sentence."""
    changes = {words for _, words in all_changes(ROOT / file)}
    assert set(listed()[file]) <= changes
    assert all(why[0].isupper() and why.endswith(".") for why in listed()[file].values())


@pytest.fixture(scope="module")
def mapped(tmp_path_factory):
    """A map of a few quick tests."""
    path = tmp_path_factory.mktemp("map") / "map"
    make(path, [FILE])
    return path


@pytest.mark.slow
def test_a_map_knows_who_runs_a_line(mapped):
    lines = Lines(mapped)
    text = (ROOT / FILE).read_text().splitlines()
    number = 1 + next(index for index, line in enumerate(text) if line.startswith("    all_names = "))
    assert lines.tests_of(FILE, range(number, number + 1)) == ["harness/pitboss/errors.py::pitboss.errors.listed"]
    # A line that runs when the module is loaded: whoever runs any other.
    number = 1 + next(index for index, line in enumerate(text) if line.startswith("_LONGEST, "))
    assert len(lines.tests_of(FILE, range(number, number + 1))) == 2
    assert lines.tests_of("reference/cards.py", range(1, 400)) == []


def mutant(old, new):
    text = (ROOT / FILE).read_text()
    assert old in text
    return Mutant(FILE, 1, 1, f"{old} → {new}", text.replace(old, new))


@pytest.mark.slow
@pytest.mark.needs("root")  # for the namespaces of mutants
def test_what_becomes_of_a_mutant():
    tests = ["harness/pitboss/errors.py::pitboss.errors.as_found"]
    with copied() as copy:
        assert (
            copy.tried(mutant("_LONGEST, _MAX_LISTED = 60, 30", "_LONGEST, _MAX_LISTED = 61, 30"), tests, 1)
            is End.KILLED
        )
        assert (
            copy.tried(mutant("_LONGEST, _MAX_LISTED = 60, 30", "_LONGEST, _MAX_LISTED = 60, 31"), tests, 1)
            is End.SURVIVED
        )
        # What it would do to everything else: here it finds nothing of ours, and may write nowhere.
        writes = f"for folder in ({str(ROOT)!r}, '/usr'):\n    open(f'{{folder}}/escaped', 'w')\n"
        assert copy.tried(Mutant(FILE, 1, 1, "", writes), tests, 1) is End.KILLED
        assert copy.tried(Mutant(FILE, 1, 1, "", "import os\nos.kill(-1, 9)\n"), tests, 1) is End.KILLED
        assert (copy.path / FILE).read_text() == (ROOT / FILE).read_text()
    assert not (ROOT / "escaped").exists() and not Path("/usr/escaped").exists()


@pytest.mark.slow
@pytest.mark.needs("root")  # for the namespaces of mutants
def test_of_a_few_mutants_it_is_reported_which_survive(mapped, capsys):
    code = main(["--map", str(mapped), "run", "3", "--seed", "5", "--of", FILE])
    *each, total = capsys.readouterr().out.splitlines()
    survived = [line for line in each if line.startswith("survived ")]
    killed = [line for line in each if line.startswith("killed ")]
    assert len(each) == len(survived) + len(killed) == 3
    assert all(f" {FILE}:" in line for line in each)
    assert code == (1 if survived else 0)
    assert f"{len(killed)} killed" in total
