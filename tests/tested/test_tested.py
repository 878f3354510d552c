from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.tested.__main__ import main
from tests.tested.drawing import Mutant, all_changes
from tests.tested.lines import write_map
from tests.tested.trying import Outcome, copy_tree
from tests.tested.unseen import unseen_reasons

#: The file that is mutated here; it has two doctests, of `as_found` and of `listed`.
FILE = "harness/pitboss/errors.py"


def line_number(text):
    """The number of the only line of FILE that begins with this text."""
    lines = (ROOT / FILE).read_text().splitlines()
    (number,) = [number for number, line in enumerate(lines, 1) if line.startswith(text)]
    return number


@pytest.mark.parametrize("file", sorted(unseen_reasons()))
def test_each_listed_survivor_is_a_possible_change_with_a_reason(file):
    """A reason is a whole sentence."""
    assert set(unseen_reasons()[file]) <= all_changes(ROOT / file)
    assert all(reason[0].isupper() and reason.endswith(".") for reason in unseen_reasons()[file].values())


@pytest.fixture(scope="module")
def map_file(tmp_path_factory):
    """A map of the doctests of FILE."""
    path = tmp_path_factory.mktemp("map") / "map"
    write_map(path, [FILE])
    return path


def build_mutant(old, new):
    """The mutant of FILE with one text replaced."""
    text = (ROOT / FILE).read_text()
    assert old in text
    return Mutant(FILE, 1, 1, f"{old} → {new}", text.replace(old, new))


@pytest.mark.slow
@pytest.mark.needs("root")  # for the namespaces of mutants
def test_a_mutant_is_killed_or_survives_and_harms_nothing_outside():
    # This doctest depends on _MAX_CHARACTERS, and not on _MAX_LISTED.
    tests = ["harness/pitboss/errors.py::pitboss.errors.as_found"]
    limits = "_MAX_CHARACTERS, _MAX_LISTED = 60, 30"
    with copy_tree() as copy:
        assert copy.outcome_of(build_mutant(limits, limits.replace("60", "61")), tests, 1) is Outcome.KILLED
        assert copy.outcome_of(build_mutant(limits, limits.replace("30", "31")), tests, 1) is Outcome.SURVIVED
        # A mutant that would harm other files or processes can neither write outside the copy nor see our processes.
        code_that_writes = f"for folder in ({str(ROOT)!r}, '/usr'):\n    open(f'{{folder}}/escaped', 'w')\n"
        assert copy.outcome_of(Mutant(FILE, 1, 1, "", code_that_writes), tests, 1) is Outcome.KILLED
        assert copy.outcome_of(Mutant(FILE, 1, 1, "", "import os\nos.kill(-1, 9)\n"), tests, 1) is Outcome.KILLED
        assert (copy.path / FILE).read_text() == (ROOT / FILE).read_text()
    assert not (ROOT / "escaped").exists() and not Path("/usr/escaped").exists()


@pytest.mark.slow
@pytest.mark.needs("root")  # for the namespaces of mutants
def test_the_command_reports_which_mutants_survive(map_file, capsys):
    code = main(["--map", str(map_file), "run", "3", "--seed", "7", "--of", FILE])
    *mutant_lines, total = capsys.readouterr().out.splitlines()
    survived = [line for line in mutant_lines if line.startswith("survived ")]
    killed = [line for line in mutant_lines if line.startswith("killed ")]
    assert len(mutant_lines) == len(survived) + len(killed) == 3
    assert all(f" {FILE}:" in line for line in mutant_lines)
    assert code == (1 if survived else 0)
    assert f"{len(killed)} killed" in total
