"""Values that a reference never draws would make every right program wrong: `pitboss verify` tells them."""

import re
import shutil

import pytest

from pitboss.assignments.specfile import load_assignment
from pitboss.kits.undrawn import draws_problem
from tests.conftest import ROOT

OWN = """import random
import re
from types import SimpleNamespace


def at_random():
    return random.choice([{drawn}])


def main(console, draw=at_random):
    console.write(f"a {{draw()}}\\n")


def read(conversation):
    shown = "".join(text for kind, text in conversation if kind == "shown")
    return SimpleNamespace(draws=tuple(re.findall("a ([0-9]+)", shown)), problem=None)
"""
ASSIGNMENT = """title: A die
seeded: no
draws: {{values: [{values}]{rarest}}}
stages: [{{name: die, reference: own:main, reader: own:read, most_sessions: {most}}}]
"""
SPEC = "program: die\ncases:\n  - {name: one roll, answers: []}\n  - {name: another, answers: []}\n"
SAID = (
    r"die\.yaml: when the reference draws by itself, in (\d+) draws over \1 sessions {values} never came\. "
    "A correct program would be rejected for that — only what can be drawn belongs among the `values`"
    "; where these are not equally likely, `rarest` says how likely the rarest is"
)


@pytest.fixture
def die(tmp_path):
    def made(drawn, values, most=30, rarest=""):
        texts = (", ".join(f'"{one}"' for one in some) for some in (drawn, values))
        folder = tmp_path / "die"
        folder.mkdir()
        drawn, values = texts
        (folder / "own.py").write_text(OWN.format(drawn=drawn))
        (folder / "assignment.yaml").write_text(
            ASSIGNMENT.format(values=values, most=most, rarest=rarest and f", rarest: {rarest}")
        )
        (folder / "die.yaml").write_text(SPEC)
        return folder

    return made


@pytest.mark.parametrize(("missing", "said"), [([7], "7"), ([0, 7], "0 and 7")])
def test_values_that_the_reference_never_draws_are_reported(die, pitboss, missing, said):
    done = pitboss("verify", "-a", die(range(1, 7), sorted([*range(1, 7), *missing])))
    assert done.code == 1
    assert re.fullmatch(r".*/" + SAID.format(values=said) + "\n", done.out)


def test_of_a_reference_that_draws_all_nothing_is_reported(die, pitboss):
    done = pitboss("verify", "-a", die(range(1, 7), range(1, 7)))
    read = "each of the 2 cases was played, read back, and played again with what was read: the same"
    assert (done.code, done.out) == (0, f"die: no case is recorded; {read}\n")


def test_where_a_check_could_not_tell_either_nothing_is_reported(die):
    """A die of a hundred: 2,521 draws would be needed, and 600 sessions with one are run at most."""
    assert draws_problem(load_assignment(die(range(1, 100), range(1, 101))).stages[0]) == ""


def test_values_that_are_not_equally_likely_are_reported_until_it_is_reported_how_likely_they_are(die, pitboss):
    """One of four values comes in a twentieth of the draws; now and then it has not come when it is looked at first."""
    folder = die([1, 2, 3] * 19 + [4] * 3, range(1, 5), most=120)
    done = pitboss("verify", "-a", folder)
    seldom = r"4 came [0-9]+ times in [0-9,]+ draws, where about [0-9]+ times or more are expected\. "
    seldom += "A correct program might be rejected because some value did not come"
    never = r"in [0-9]+ draws over [0-9]+ sessions 4 never came\. "
    never += "A correct program would be rejected for that — only what can be drawn belongs among the `values`"
    rare = "; where these are not equally likely, `rarest` says how likely the rarest is\n"
    output = rf".*/die\.yaml: when the reference draws by itself, ({seldom}|{never}){rare}"
    assert done.code == 1
    assert re.fullmatch(output, done.out)
    file = folder / "assignment.yaml"
    file.write_text(file.read_text().replace("]}", "], rarest: 4%}"))
    done = pitboss("verify", "-a", folder)
    assert (done.code, "came" in done.out) == (0, False)


def test_a_value_that_comes_too_often_is_reported_though_none_is_rare(die):
    problem = draws_problem(load_assignment(die([1] * 15 + [2, 3, 4, 5, 6] * 7, range(1, 7), most=120)).stages[0])
    assert re.search(
        r"die\.yaml: when the reference draws by itself, in [\d,]+ draws over [\d,]+ sessions 1 came [\d,]+ times; about "
        r"[\d,]+ are expected\. All values should be equally likely\. A correct program might be rejected for that; where ",
        problem,
    )


def test_a_reference_that_is_a_command_draws_otherwise_in_each_session(tmp_path):
    """The reference of the die game rolls one to six; its sessions would all be the same in one world."""
    folder = tmp_path / "dice"
    shutil.copytree(ROOT / "tests" / "toy" / "dice", folder)
    assert draws_problem(load_assignment(folder).stages[0]) == ""
    file = folder / "assignment.yaml"
    file.write_text(file.read_text().replace('"6"]', '"6", "7"]'))
    problem = draws_problem(load_assignment(folder).stages[0])
    assert re.search(
        r"pig\.yaml: when the reference draws by itself, in \d+ draws over \d+ sessions 7 never came\. ", problem
    )


def test_a_reference_that_fails_when_it_draws_by_itself_is_reported_as_before(die, pitboss):
    folder = die(range(1, 7), range(1, 7))
    file = folder / "own.py"
    file.write_text(file.read_text().replace("draw=at_random", "draw"))
    done = pitboss("verify", "-a", folder)
    assert done.code == 1
    output = "the reference of 'die' failed: TypeError: main() missing 1 required positional argument: 'draw'"
    assert done.out == f"die/own.py:10: {output}\n"
