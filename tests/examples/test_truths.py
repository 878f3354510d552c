"""Assignments whose expected results (truth.yaml) were fixed before their submissions were written.

Specs pass `verify`, known mistakes are caught, submissions get the expected results, and kits and bundles are written.
"""

import json
import re
import shutil

import pytest
import yaml

from pitboss.assignments.specfile import load_assignment
from pitboss.experiments.catalogue import mistakes_of
from tests.conftest import ROOT
from tests.parts import required_compilers

ASSIGNMENTS = ROOT / "examples" / "assignments"
EXPECTED_RESULTS = yaml.safe_load((ROOT / "tests" / "examples" / "truth.yaml").read_text())
#: The compilers that the programs of an assignment need.
COMPILERS = {"grades": ("C++",), "bank": ("Java",)}


def assignment_param(name):
    """The name of an assignment as a parameter, marked with the compilers that its programs need."""
    return pytest.param(name, marks=pytest.mark.needs(*COMPILERS.get(name, ())))


def verdict_and_mistake(submission, known_ids):
    """The verdict, followed by the id of the first known mistake in the diagnoses, if any."""
    mistake_ids = [
        mistake["id"] for stage in submission["stages"] for mistake in stage["diagnosis"] if mistake["id"] in known_ids
    ]
    return " ".join([submission["verdict"], *mistake_ids[:1]])


@pytest.mark.parametrize("name", EXPECTED_RESULTS)
def test_every_submission_has_an_expected_result(name):
    expected_results = EXPECTED_RESULTS[name]
    folder = ASSIGNMENTS / name / "submissions"
    assert sorted(path.name for path in folder.iterdir()) == sorted(expected_results)
    correct_students = [student for student in expected_results if student.startswith("right-")]
    assert len(correct_students) >= 3
    assert len(expected_results) - len(correct_students) >= 6
    assert [student for student in expected_results if expected_results[student] == "ACCEPTED"] == correct_students
    for student in expected_results.keys() - set(correct_students):
        assert any(re.match(r"(#|//) Wrong: ", file.read_text()) for file in (folder / student).iterdir())
    required_parts = {part for student in expected_results for part in required_compilers(folder / student)}
    assert required_parts == set(COMPILERS.get(name, ()))
    assert len((ASSIGNMENTS / name / "README.md").read_text().splitlines()) <= 30


@pytest.mark.slow
@pytest.mark.parametrize("name", [assignment_param(name) for name in EXPECTED_RESULTS])
def test_an_assignment_verifies_and_submissions_get_expected_results(name, pitboss, tmp_path):
    specs = tmp_path / "specs" / name
    shutil.copytree(ASSIGNMENTS / name, specs)
    completed = pitboss("verify", "-a", name)
    assert (completed.code, completed.err) == (0, ""), completed.out
    catch_counts = re.findall(r"(\d+) of (\d+) known mistakes are caught", completed.out)
    assert len(catch_counts) == len(load_assignment(specs).stages)
    assert all(caught == total for caught, total in catch_counts)

    completed = pitboss("grade", specs / "submissions", "-a", name, "--json", "report.json")
    assert completed.code == 1, completed.err
    known_ids = {mistake.id for stage in load_assignment(specs).stages for mistake in mistakes_of(stage)}
    report = json.loads((tmp_path / "report.json").read_text())
    assert {
        submission["submission"]: verdict_and_mistake(submission, known_ids) for submission in report["submissions"]
    } == EXPECTED_RESULTS[name]

    for command in (("starter", name), ("export", name)):
        completed = pitboss(*command, "--into", tmp_path / command[0])
        assert completed.code == 0, completed.err
        assert (tmp_path / command[0] / "HANDOUT.md").is_file()
