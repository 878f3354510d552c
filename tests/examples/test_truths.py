"""The assignments whose submissions were filed before they were written: specs, mistakes, verdicts, kits and bundles."""

import json
import re
import shutil
import subprocess

import pytest
import yaml

from pitboss.assignments.specfile import load_assignment
from pitboss.experiments.catalogue import mistakes_of
from tests.conftest import ROOT
from tests.parts import parts_of

ASSIGNMENTS = ROOT / "examples" / "assignments"
TRUTHS = yaml.safe_load((ROOT / "tests" / "examples" / "truth.yaml").read_text())
#: How a reference is built, in its folder, and what that needs of the machine: as assignment.yaml says.
BUILT = {
    "grades": (("c++", "-std=gnu++17", "-O1", "-o", "grades", "grades.cpp"), ("C++",)),
    "bank": (("javac", "Bank.java"), ("Java",)),
    "lottery": (("cc", "-O1", "-o", "lottery", "lottery.c"), ()),
}


def whole(name):
    """An assignment as a parameter, with what building its programs needs of the machine."""
    return pytest.param(name, marks=pytest.mark.needs(*BUILT[name][1] if name in BUILT else ()))


def earned(submission, known):
    """The verdict, and the id of the known mistake that is named first."""
    named = [one["id"] for stage in submission["stages"] for one in stage["diagnosis"] if one["id"] in known]
    return " ".join([submission["verdict"], *named[:1]])


@pytest.mark.parametrize("name", TRUTHS)
def test_every_submission_is_filed_under_its_truth(name):
    truth = TRUTHS[name]
    folder = ASSIGNMENTS / name / "submissions"
    assert sorted(path.name for path in folder.iterdir()) == sorted(truth)
    rights = [student for student in truth if student.startswith("right-")]
    assert len(rights) >= 3
    assert len(truth) - len(rights) >= 6
    assert [student for student in truth if truth[student] == "ACCEPTED"] == rights
    for student in truth.keys() - set(rights):
        assert any(re.match(r"(#|//) Wrong: ", file.read_text()) for file in (folder / student).iterdir())
    needed = {part for student in truth for part in parts_of(folder / student)}
    assert needed == set(BUILT[name][1] if name in BUILT else ())
    assert len((ASSIGNMENTS / name / "README.md").read_text().splitlines()) <= 30


@pytest.mark.slow
@pytest.mark.parametrize("name", [whole(name) for name in TRUTHS])
def test_an_assignment_is_right_and_its_submissions_earn_their_truth(name, pitboss, tmp_path):
    place = tmp_path / "specs" / name
    shutil.copytree(ASSIGNMENTS / name, place)
    if name in BUILT:
        subprocess.run(BUILT[name][0], cwd=place / "reference", check=True)
    done = pitboss("verify", "-a", name)
    assert (done.code, done.err) == (0, ""), done.out
    caught = re.findall(r"(\d+) of (\d+) known mistakes are caught", done.out)
    assert len(caught) == len(load_assignment(place).stages)
    assert all(some == all_ for some, all_ in caught)

    done = pitboss("grade", place / "submissions", "-a", name, "--json", "report.json")
    assert done.code == 1, done.err
    known = {mistake.id for stage in load_assignment(place).stages for mistake in mistakes_of(stage)}
    report = json.loads((tmp_path / "report.json").read_text())
    assert {one["submission"]: earned(one, known) for one in report["submissions"]} == TRUTHS[name]

    for command in (("starter", name, "--no-pdf"), ("export", name)):
        done = pitboss(*command, "--into", tmp_path / command[0])
        assert done.code == 0, done.err
        assert (tmp_path / command[0] / "HANDOUT.md").is_file()
