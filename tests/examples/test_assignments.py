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
from pitboss.experiments.catalogue import mistakes_of
from pitboss.experiments.matrix import catches_of
from pitboss.kits.doubts import doubts_of
from pitboss.kits.verification import problems_of
from tests.conftest import ROOT
from tests.parts import required_compilers

ASSIGNMENTS = ROOT / "examples" / "assignments"
EXPECTED_RESULTS = yaml.safe_load((Path(__file__).parent / "expected.yaml").read_text())
#: The compilers that the submissions of each assignment need.
REQUIREMENTS = {"meter": (), "guess": ("Java",), "eliza": ("C++",)}
#: By assignment, submissions that are graded quickly: in Python, with mistakes that show within a few sessions.
QUICK_SUBMISSIONS = {"meter": ("right-functions", "wrong-own-rates", "wrong-empty-receipt")}
#: By assignment, submissions for the slow test; of those in Java and C++ only some, since grading all takes minutes.
SLOW_SUBMISSIONS = {
    "meter": tuple(EXPECTED_RESULTS["meter"]),
    "guess": ("right-buffered", "wrong-counts-from-one", "wrong-crashes", "wrong-cuts-decimals", "wrong-from-zero"),
    "eliza": ("right-c-style", "right-own-words", "wrong-does-not-think", "wrong-empty-name", "wrong-two-texts"),
}


class GradingOutcome(NamedTuple):
    """The printed table of a grading, and by submission name the verdict and the first known mistake that was named."""

    table: str
    by_name: dict[str, str]


def grade_submissions(name, students, folder):
    for student in students:
        shutil.copytree(ASSIGNMENTS / name / "submissions" / student, folder / "class" / student)
    command = [sys.executable, "-m", "pitboss", "grade", "class", "-a", name, "--json", "report.json"]
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT / "harness"),
        "PITBOSS_SPECS": str(ASSIGNMENTS),
        "COLUMNS": "80",
    }
    completed = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=600, check=False
    )
    assert completed.returncode == 1, completed.stderr
    report = json.loads((folder / "report.json").read_text())
    return GradingOutcome(
        completed.stdout, {entry["submission"]: verdict_and_mistake(entry, name) for entry in report["submissions"]}
    )


def verdict_and_mistake(submission, name):
    """The verdict, followed by the id of the first known mistake that heads the diagnosis of a stage, if any."""
    mistake_ids = {mistake.id for stage in load_assignment(ASSIGNMENTS / name).stages for mistake in mistakes_of(stage)}
    first_ids = [stage["diagnosis"][0]["id"] for stage in submission["stages"] if stage["diagnosis"]]
    return " ".join([submission["verdict"], *[id_ for id_ in first_ids if id_ in mistake_ids][:1]])


def table_rows(text):
    """The rows of a table of submissions by name: each with its continuation lines, runs of spaces collapsed."""
    rows = re.findall(r"^ *((?:right|wrong)-.*\n(?: {10,}\S.*\n)*)", text, re.MULTILINE)
    return {row.split()[0]: " ".join(row.split()) for row in rows}


@pytest.mark.parametrize("name", EXPECTED_RESULTS)
def test_specs_agree_with_the_reference_and_catch_each_mistake(name):
    assignment = load_assignment(ASSIGNMENTS / name)
    for stage in assignment.stages:
        assert problems_of(stage, name) == []
        assert doubts_of(stage) == []
        catches = catches_of(assignment, stage)
        assert len(catches) >= 3
        assert [catch.mistake.id for catch in catches if catch.is_survivor or not catch.cases] == []
        assert any(case.visibility == "hidden" for case in stage.spec.cases)


@pytest.mark.parametrize("name", EXPECTED_RESULTS)
def test_every_submission_has_an_expected_result(name):
    folders = sorted((ASSIGNMENTS / name / "submissions").iterdir())
    assert [path.name for path in folders] == sorted(EXPECTED_RESULTS[name])
    assert set(SLOW_SUBMISSIONS[name]) <= set(EXPECTED_RESULTS[name])
    for path in folders:
        assert path.name.startswith("right-") == (EXPECTED_RESULTS[name][path.name] == "ACCEPTED")
        assert set(required_compilers(path)) == set(REQUIREMENTS[name])
        if path.name.startswith("wrong-"):
            assert any(re.match(r"(#|//) Wrong: ", file.read_text()) for file in path.iterdir())


@pytest.mark.parametrize("name", QUICK_SUBMISSIONS)
def test_quick_submissions_get_their_expected_results(name, tmp_path):
    outcome = grade_submissions(name, QUICK_SUBMISSIONS[name], tmp_path)
    assert outcome.by_name == {student: EXPECTED_RESULTS[name][student] for student in QUICK_SUBMISSIONS[name]}


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.needs(*REQUIREMENTS[name])) for name in SLOW_SUBMISSIONS]
)
def test_slow_submissions_get_the_results_shown_in_the_readme(name, tmp_path):
    outcome = grade_submissions(name, SLOW_SUBMISSIONS[name], tmp_path)
    assert outcome.by_name == {student: EXPECTED_RESULTS[name][student] for student in SLOW_SUBMISSIONS[name]}
    readme_rows = table_rows((ASSIGNMENTS / name / "README.md").read_text())
    assert readme_rows.keys() == EXPECTED_RESULTS[name].keys()
    assert table_rows(outcome.table) == {student: readme_rows[student] for student in SLOW_SUBMISSIONS[name]}


def test_the_commands_in_the_docs_print_the_output_shown_there(tmp_path):
    shutil.copytree(ASSIGNMENTS, tmp_path / "examples" / "assignments", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "pitboss").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m pitboss "$@"\n')
    (tmp_path / "pitboss").chmod(0o755)
    environment = {
        "PATH": f"{tmp_path}:/usr/bin:/bin",
        "PYTHONPATH": str(ROOT / "harness"),
        "PITBOSS_WITHOUT": "cache",
        "COLUMNS": "80",
    }
    consoles = re.findall(r"```console\n(.*?)```", (ROOT / "docs" / "examples.md").read_text(), re.DOTALL)
    steps = re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", "".join(consoles), re.MULTILINE)
    assert len(steps) == 8
    for command, output in steps:
        completed = subprocess.run(
            ["bash", "-c", command],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert (completed.returncode, completed.stderr) == (0, ""), command
        for line in output.splitlines():
            assert line == "…" or f"{line}\n" in completed.stdout, command
