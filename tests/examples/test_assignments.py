"""The example assignments: their specs are right, each submission earns its verdict, and their pages tell the truth."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml

from pitboss.assignments.specfile import load_assignment
from pitboss.kits.doubts import doubts_of
from pitboss.kits.verification import problems_of
from pitboss.experiments.catalogue import mistakes_of
from pitboss.experiments.matrix import catches_of
from tests.conftest import ROOT
from tests.parts import parts_of

ASSIGNMENTS = ROOT / "examples" / "assignments"
EXPECTED = yaml.safe_load((Path(__file__).parent / "expected.yaml").read_text())
NEEDS = {"meter": (), "guess": ("Java",), "eliza": ("C++",)}
#: Those of which a few sessions are enough, of a language that starts quickly.
QUICK = {"meter": ("right-functions", "wrong-own-rates", "wrong-empty-receipt")}
#: A whole class in Java takes minutes.
SLOW = {
    "meter": tuple(EXPECTED["meter"]),
    "guess": ("right-buffered", "wrong-counts-from-one", "wrong-crashes", "wrong-cuts-decimals", "wrong-from-zero"),
    "eliza": ("right-c-style", "right-own-words", "wrong-does-not-think", "wrong-empty-name", "wrong-two-texts"),
}


class Earned(NamedTuple):
    """What came of the grading: the table, and of each submission its verdict and the known mistake named first."""

    table: str
    by_name: dict[str, str]


def graded(name, students, folder):
    """Grade these submissions of an assignment."""
    for student in students:
        shutil.copytree(ASSIGNMENTS / name / "submissions" / student, folder / "class" / student)
    command = [sys.executable, "-m", "pitboss", "grade", "class", "-a", name, "--json", "report.json"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "harness"), "PITBOSS_SPECS": str(ASSIGNMENTS), "COLUMNS": "80"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 1, done.stderr
    report = json.loads((folder / "report.json").read_text())
    return Earned(done.stdout, {one["submission"]: earned_by(one, name) for one in report["submissions"]})


def earned_by(submission, name):
    """The verdict, and the id of the known mistake that is named first in the first stage that has one."""
    known = {mistake.id for stage in load_assignment(ASSIGNMENTS / name).stages for mistake in mistakes_of(stage)}
    firsts = [stage["diagnosis"][0]["id"] for stage in submission["stages"] if stage["diagnosis"]]
    return " ".join([submission["verdict"], *[id_ for id_ in firsts if id_ in known][:1]])


def rows_of(text):
    """The rows of a table of submissions, each with what is below it, without the width of the columns."""
    rows = re.findall(r"^ *((?:right|wrong)-.*\n(?: {10,}\S.*\n)*)", text, re.MULTILINE)
    return {row.split()[0]: " ".join(row.split()) for row in rows}


@pytest.mark.parametrize("name", EXPECTED)
def test_the_specs_are_what_the_reference_does_and_catch_each_mistake(name):
    assignment = load_assignment(ASSIGNMENTS / name)
    for stage in assignment.stages:
        assert problems_of(stage, name) == []
        assert doubts_of(stage) == []
        catches = catches_of(assignment, stage)
        assert len(catches) >= 3
        assert [catch.mistake.id for catch in catches if catch.is_survivor or not catch.cases] == []
        assert any(case.visibility == "hidden" for case in stage.spec.cases)


@pytest.mark.parametrize("name", EXPECTED)
def test_every_submission_is_filed_under_what_it_must_earn(name):
    folders = sorted(path for path in (ASSIGNMENTS / name / "submissions").iterdir())
    assert [path.name for path in folders] == sorted(EXPECTED[name])
    assert set(SLOW[name]) <= set(EXPECTED[name])
    for path in folders:
        assert path.name.startswith("right-") == (EXPECTED[name][path.name] == "ACCEPTED")
        assert set(parts_of(path)) == set(NEEDS[name])
        if path.name.startswith("wrong-"):
            assert any(re.match(r"(#|//) Wrong: ", file.read_text()) for file in path.iterdir())


@pytest.mark.parametrize("name", QUICK)
def test_a_few_submissions_earn_what_they_must(name, tmp_path):
    earned = graded(name, QUICK[name], tmp_path)
    assert earned.by_name == {student: EXPECTED[name][student] for student in QUICK[name]}


@pytest.mark.slow
@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.needs(*NEEDS[name])) for name in SLOW])
def test_submissions_earn_what_they_must_and_the_page_shows_it(name, tmp_path):
    earned = graded(name, SLOW[name], tmp_path)
    assert earned.by_name == {student: EXPECTED[name][student] for student in SLOW[name]}
    page = rows_of((ASSIGNMENTS / name / "README.md").read_text())
    assert page.keys() == EXPECTED[name].keys()
    assert rows_of(earned.table) == {student: page[student] for student in SLOW[name]}


def test_the_walk_of_the_docs(tmp_path):
    shutil.copytree(ASSIGNMENTS, tmp_path / "examples" / "assignments", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "pitboss").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m pitboss "$@"\n')
    (tmp_path / "pitboss").chmod(0o755)
    environment = {"PATH": f"{tmp_path}:/usr/bin:/bin", "PYTHONPATH": str(ROOT / "harness"), "PITBOSS_WITHOUT": "cache", "COLUMNS": "80"}
    consoles = re.findall(r"```console\n(.*?)```", (ROOT / "docs" / "examples.md").read_text(), re.DOTALL)
    steps = re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", "".join(consoles), re.MULTILINE)
    assert len(steps) == 8
    for command, output in steps:
        done = subprocess.run(
            ["bash", "-c", command], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60, check=False
        )
        assert (done.returncode, done.stderr) == (0, ""), command
        for line in output.splitlines():
            assert line == "…" or f"{line}\n" in done.stdout, command
