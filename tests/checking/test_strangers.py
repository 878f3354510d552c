"""Programs written from the briefs and the rulings alone, before any of them was checked, earn their verdicts.

The right ones differ wherever a ruling is tolerant or silent; each of the others breaks one rule, mostly where it shows
rarely or at a boundary. Those of the ladder are checked by test_ladder_submissions.py.
"""

from functools import cache

import pytest

from pitboss.assignments.specfile import load_assignment
from pitboss.checking.check import check
from pitboss.reports.finding_sentences import summary_of
from pitboss.sessions.drivers import find_conditions
from pitboss.sessions.job import Job
from tests.conftest import ROOT
from tests.labelled import expected_of, labelled

SUBMISSIONS = ROOT / "tests" / "submissions"
ASSIGNMENTS = ("bjm0", "csc101", "ece2036", "tournament")


@cache
def assignment(name):
    return load_assignment(ROOT / "specs" / name)


def of_assignment(folder):
    return folder.parent.parent.name


@pytest.mark.rotates("corpora")
@pytest.mark.parametrize(
    "folder", [one for one in labelled(SUBMISSIONS, 3) if of_assignment(one.values[0]) in ASSIGNMENTS]
)
def test_submission_earns_its_verdict(folder):
    expected, name = expected_of(folder), of_assignment(folder)
    stage = assignment(name).stage(expected["stage"])
    report = check(Job(assignment(name), (stage,), find_conditions(), name), folder)
    assert report.faults == ()
    (stage,) = report.stages
    first = next((summary_of(result) for result in stage.results if summary_of(result)), stage.summary)
    assert stage.verdict.value == expected["verdict"], f"{stage.passed} of {stage.total}: {first}"


@pytest.mark.parametrize("name", [*ASSIGNMENTS, "blackjack"])
def test_folders_are_filed_under_their_verdict(name):
    for path in (SUBMISSIONS / name).glob("*/*/expect.yaml"):
        expected = expected_of(path.parent)
        assert path.parent.parent.name in (expected["verdict"], "hostile")
        assert expected["about"]
