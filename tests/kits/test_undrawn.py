import re
import shutil

import pytest

from pitboss.assignments.specfile import load_assignment
from pitboss.kits.verification import draws_problem
from tests.conftest import ROOT

REFERENCE_SOURCE = """import random
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
draws: {{values: [{values}]}}
stages: [{{name: die, reference: own:main, reader: own:read, most_sessions: {most}}}]
"""
SPEC = "program: die\ncases:\n  - {name: one roll, answers: []}\n  - {name: another, answers: []}\n"
PROBLEM = r"die\.yaml: when the reference makes its own draws: "
RAREST = "; if the values are not equally likely, `rarest` says how likely the rarest value is"
NEVER_CAME_PATTERN = (
    PROBLEM + r"In (\d+) draws over \1 sessions {values} never came\. "
    "A correct program would be rejected for that — only what can be drawn belongs among the `values`" + RAREST
)


def comma_separated(values):
    """The values as quoted texts."""
    return ", ".join(f'"{value}"' for value in values)


@pytest.fixture
def make_die(tmp_path):
    """A function that writes an assignment with these `values` and returns its folder.

    Its reference draws from `drawn`; its stage has at most `most` sessions.
    """

    def make(drawn, values, most=30):
        folder = tmp_path / "die"
        folder.mkdir()
        (folder / "own.py").write_text(REFERENCE_SOURCE.format(drawn=comma_separated(drawn)))
        (folder / "assignment.yaml").write_text(ASSIGNMENT.format(values=comma_separated(values), most=most))
        (folder / "die.yaml").write_text(SPEC)
        return folder

    return make


@pytest.mark.parametrize(("missing", "missing_text"), [([7], "7"), ([0, 7], "0 and 7")])
def test_values_that_the_reference_never_draws_are_listed(make_die, pitboss, missing, missing_text):
    result = pitboss("verify", "-a", make_die(range(1, 7), sorted([*range(1, 7), *missing])))
    assert result.code == 1
    assert re.fullmatch(r".*/" + NEVER_CAME_PATTERN.format(values=missing_text) + "\n", result.out)


def test_a_reference_that_draws_every_value_is_not_reported(make_die, pitboss):
    result = pitboss("verify", "-a", make_die(range(1, 7), range(1, 7)))
    read_back = "each of the 2 cases was played, and its draws were read back and played again, with the same result"
    assert (result.code, result.out) == (0, f"die: no case is recorded; {read_back}\n")


def test_nothing_is_reported_if_too_many_draws_would_be_needed(make_die):
    """For 100 values 3,000 draws would be needed, but at most 600 sessions are run, with one draw each."""
    assert draws_problem(load_assignment(make_die(range(1, 100), range(1, 101))).stages[0]) == ""


def test_unequal_chances_are_reported_unless_rarest_states_them(make_die, pitboss):
    """The value 4 makes up a twentieth of the draws; occasionally the first check has not seen it at all."""
    folder = make_die([1, 2, 3] * 19 + [4] * 3, range(1, 5), most=120)
    result = pitboss("verify", "-a", folder)
    seldom = r"4 came \d+ times in [\d,]+ draws; about \d+ are usual: all values should be equally likely\. "
    assert result.code == 1
    assert re.fullmatch(
        rf".*/{PROBLEM}{seldom}A correct program would be rejected for that{RAREST}\n"
        f"|.*/{NEVER_CAME_PATTERN.format(values=4)}\n",
        result.out,
    )
    file = folder / "assignment.yaml"
    file.write_text(file.read_text().replace("]}", "], rarest: 4%}"))
    result = pitboss("verify", "-a", folder)
    assert (result.code, "came" in result.out) == (0, False)


def test_a_value_drawn_too_often_is_reported_even_if_none_is_rare(make_die):
    problem = draws_problem(load_assignment(make_die([1] * 15 + [2, 3, 4, 5, 6] * 7, range(1, 7), most=120)).stages[0])
    frequent = r"1 came [\d,]+ times in [\d,]+ draws; about [\d,]+ are usual: all values should be equally likely\. "
    assert re.search(PROBLEM + frequent + "A correct program would be rejected for that; if the ", problem)


def test_a_command_reference_draws_new_values_in_each_session(tmp_path):
    """With the same randomness in each session, the reference of the dice game would always make the same rolls."""
    folder = tmp_path / "dice"
    shutil.copytree(ROOT / "tests" / "toy" / "dice", folder)
    assert draws_problem(load_assignment(folder).stages[0]) == ""
    file = folder / "assignment.yaml"
    file.write_text(file.read_text().replace('"6"]', '"6", "7"]'))
    problem = draws_problem(load_assignment(folder).stages[0])
    assert re.search(r"pig\.yaml: .* own draws: In [\d,]+ draws over \d+ sessions 7 never came\. ", problem)


def test_a_reference_that_fails_without_given_draws_is_reported(make_die, pitboss):
    folder = make_die(range(1, 7), range(1, 7))
    file = folder / "own.py"
    file.write_text(file.read_text().replace("draw=at_random", "draw"))
    result = pitboss("verify", "-a", folder)
    assert result.code == 1
    error = "the reference of 'die' failed: TypeError: main() missing 1 required positional argument: 'draw'"
    assert result.out == f"die/own.py:10: {error}\n"
