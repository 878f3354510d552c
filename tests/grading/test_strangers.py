"""Programs written from the briefs and the rulings alone, before any of them was checked, earn their verdicts.

The right ones differ wherever a ruling is tolerant or silent; each of the others breaks one rule, mostly where it shows
rarely or at a boundary. Those of the ladder are checked by test_ladder_submissions.py.
"""

from functools import cache

import pytest
import yaml

from harness.assignments.specfile import load_assignment
from harness.grading.check import check
from harness.running.drivers import find_conditions
from harness.running.job import Job
from tests.conftest import ROOT

SUBMISSIONS = ROOT / "tests" / "submissions"
ASSIGNMENTS = ("bjm0", "csc101", "ece2036", "tournament")


def labelled(name):
    """The folders of an assignment as parameters of a test; a few of them are quick enough for every day."""
    for path in sorted((SUBMISSIONS / name).glob("*/*/expect.yaml")):
        expected = yaml.safe_load(path.read_text())
        marks = [pytest.mark.slow] if expected.get("slow") else []
        yield pytest.param(
            name, path.parent, expected, marks=marks, id=f"{name}/{path.parent.parent.name}/{path.parent.name}"
        )


@cache
def assignment(name):
    return load_assignment(ROOT / "specs" / name)


@pytest.mark.parametrize(("name", "folder", "expected"), [each for name in ASSIGNMENTS for each in labelled(name)])
def test_submission_earns_its_verdict(name, folder, expected):
    stage = assignment(name).stage(expected["stage"])
    report = check(Job(assignment(name), (stage,), find_conditions(), name), folder)
    assert report.faults == ()
    (stage,) = report.stages
    first = next((result.summary for result in stage.results if result.summary), stage.summary)
    assert stage.verdict.value == expected["verdict"], f"{stage.passed} of {stage.total}: {first}"


@pytest.mark.parametrize("name", [*ASSIGNMENTS, "blackjack"])
def test_folders_are_filed_under_their_verdict(name):
    for path in (SUBMISSIONS / name).glob("*/*/expect.yaml"):
        expected = yaml.safe_load(path.read_text())
        assert path.parent.parent.name in (expected["verdict"], "hostile")
        assert expected["about"]
